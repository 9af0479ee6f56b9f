/** What a moderator says of its rules: its status, and the events of its refreshes. */
import { SluiceError } from '../errors.js';
import type { HeldRuleSet } from './guard.js';

/** An error in a status: code and text, no key and no message text; `at` in milliseconds since the epoch. */
export interface StatusError {
  readonly code: string;
  readonly message: string;
  readonly at: number;
}

/** How current the rules of a moderator are. Times are milliseconds since the epoch. */
export interface ModeratorStatus {
  /**
   * `fresh`: the last refresh succeeded. `stale`: it failed, was held back or lacked a list, or the rules are older than
   * `maxStaleMs`; the last good rules are in use. `closed`: after `close`.
   */
  readonly state: 'fresh' | 'stale' | 'closed';
  /** Where the rules in use came from. */
  readonly origin: 'source' | 'snapshot';
  /** Milliseconds since the source last confirmed the rules in use; for those of a snapshot, since that file was kept. */
  readonly ageMs: number;
  /** There when the rules are older than `maxStaleMs`. */
  readonly expired?: true;
  /** When the rules in use were last fetched from the source; absent for a snapshot that was not confirmed yet. */
  readonly confirmedAt?: number;
  /** A rule set that was fetched and not taken, because it would lose too much or has other readings; `accept` takes it. */
  readonly held?: HeldRuleSet;
  /** Failed refreshes since the last successful one. */
  readonly failures: number;
  /** Why the last refresh failed or was held back, or else why its snapshot could not be written. */
  readonly lastError?: StatusError;
  /** What keeps scores from having an effect; the event `warning` says it once. */
  readonly scoresWarning?: ScoresWarning;
  /** Why the snapshot does not hold the rules in use; it is written again at each refresh until it does. */
  readonly snapshotError?: StatusError;
}

/**
 * `scores-up-to-one`: the scores seem to count from 0 to 1, and then exceed no threshold; gone once one is above 1. `scorer-not-asked`:
 * `decide` or `explain` was called without scores, though rules need them: only `decideAsync` and `explainAsync` ask the scorer.
 */
export interface ScoresWarning {
  readonly code: 'scores-up-to-one' | 'scorer-not-asked';
  readonly message: string;
}

/** What a refresh did, for those who watch; `accept` is one that `changed`. */
export interface RefreshEvent {
  readonly outcome: 'changed' | 'unchanged' | 'held' | 'failed';
  /** `revision` of the engine in use afterwards. */
  readonly revision: string;
  readonly durationMs: number;
  readonly error?: StatusError;
  readonly held?: HeldRuleSet;
}

/** Code and text of an error; those of errors that are not ours may quote content, and are replaced. */
export function statusError(error: unknown): StatusError {
  const known = error instanceof SluiceError ? error : new SluiceError('unexpected', 'the rules could not be loaded');
  return { code: known.code, message: known.message, at: Date.now() };
}
