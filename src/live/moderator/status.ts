/** The status of a moderator, and the events of its refreshes. */
import type { Issue } from '../../engine/compile/issue.js';
import type { Engine } from '../../engine/engine.js';
import { SluiceError } from '../../foundation/errors.js';
import type { HeldRuleSet } from './guard.js';

/** An error in a status, without key and message text; `at` is in milliseconds since the epoch. */
export interface StatusError {
  readonly code: string;
  readonly message: string;
  readonly at: number;
}

/** The state of the rules of a moderator. Times are milliseconds since the epoch. */
export interface ModeratorStatus {
  /**
   * `fresh`: the last refresh succeeded. `stale`: it failed, was held or lacked a list, or the
   * rules are older than `maxStaleMs`; the last good rules are in use. `no-rules`: the first rules
   * cannot stop anything, and decisions throw. `closed`: after `close`.
   */
  readonly state: 'fresh' | 'stale' | 'no-rules' | 'closed';
  /** The origin of the rules in use. */
  readonly origin: 'source' | 'snapshot';
  /**
   * Milliseconds since the source last answered with a whole rule set, accepted or held; only
   * failures let the rules age. For an unconfirmed snapshot, milliseconds since that file was
   * confirmed.
   */
  readonly ageMs: number;
  /** Present when the rules are older than `maxStaleMs`. */
  readonly expired?: true;
  /** The time of the last whole answer of the source; absent before the first. */
  readonly confirmedAt?: number;
  /** The rule set of the last refresh, if it waits until a person accepts it. */
  readonly held?: HeldRuleSet;
  /**
   * The number of issues of each severity in the rules in use, and the first ten, errors before
   * warnings.
   */
  readonly issues: { readonly error: number; readonly warning: number; readonly first: readonly Issue[] };
  /** Failed refreshes since the last successful one. */
  readonly failures: number;
  /**
   * The reason why the last refresh failed or was held, or else why its snapshot could not be
   * written.
   */
  readonly lastError?: StatusError;
  /** The reason why scores have no effect; the event `warning` reports it once. */
  readonly scoresWarning?: ScoresWarning;
  /** The reason why the snapshot does not have the rules in use; it is retried at each refresh. */
  readonly snapshotError?: StatusError;
}

/**
 * `scores-up-to-one`: all scores, or the last forty of a label, are from 0 to 1, and so exceed no
 * threshold; gone once one is above 1. `scorer-not-asked`: `decide` or `explain` was called without
 * scores that rules need: only `decideAsync` and `explainAsync` call the scorer.
 */
export interface ScoresWarning {
  readonly code: 'scores-up-to-one' | 'scorer-not-asked';
  readonly message: string;
}

/** The outcome of a refresh. `accept` is one that `changed`. */
export interface RefreshEvent {
  readonly outcome: 'changed' | 'unchanged' | 'held' | 'failed';
  /** `revision` of the engine in use afterwards. */
  readonly revision: string;
  readonly durationMs: number;
  readonly error?: StatusError;
  readonly held?: HeldRuleSet;
}

/** Converts an error to code and text; foreign errors may quote content, so theirs are replaced. */
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
