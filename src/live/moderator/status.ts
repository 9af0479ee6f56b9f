/** What a moderator says of its rules: its status, and the events of its refreshes. */
import type { Issue } from '../../engine/compile/issue.js';
import type { Engine } from '../../engine/engine.js';
import { SluiceError } from '../../foundation/errors.js';
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
   * `maxStaleMs`; the last good rules are in use. `no-rules`: there are none, since the first ones cannot stop anything; decisions
   * throw. `closed`: after `close`.
   */
  readonly state: 'fresh' | 'stale' | 'no-rules' | 'closed';
  /** Where the rules in use came from. */
  readonly origin: 'source' | 'snapshot';
  /**
   * Milliseconds since the source last answered with a whole rule set, taken or held; failures alone let the rules age. For those of a
   * snapshot that was not confirmed yet, since that file was.
   */
  readonly ageMs: number;
  /** There when the rules are older than `maxStaleMs`. */
  readonly expired?: true;
  /** When the source last answered with a whole rule set; absent where it has not yet. */
  readonly confirmedAt?: number;
  /** The rule set of the last refresh, where it waits until a person accepts it. */
  readonly held?: HeldRuleSet;
  /** How many issues of each severity the rules in use have, and the first ten, errors before warnings. */
  readonly issues: { readonly error: number; readonly warning: number; readonly first: readonly Issue[] };
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

/** Counts the issues of an engine. */
export function issuesOf({ issues }: Pick<Engine, 'issues'>): ModeratorStatus['issues'] {
  const errors = issues.filter(({ severity }) => severity === 'error');
  const warnings = issues.filter(({ severity }) => severity === 'warning');
  return { error: errors.length, warning: warnings.length, first: [...errors, ...warnings].slice(0, 10) };
}
