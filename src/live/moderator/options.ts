import type { Semantics } from '../../engine/semantics.js';
import { RuleSetError, UsageError } from '../../foundation/errors.js';
import { refuseUnknownOptions } from '../../foundation/unknown-options.js';
import type { RuleSource } from '../../platform/loader/rule-source.js';
import type { Scorer } from '../scorers/scorer.js';
import { createScoring, type ScoringOptions } from '../scorers/scoring.js';
import { Canary, type CanaryOptions } from './canary.js';
import { type GuardOptions, resolveGuard } from './guard.js';

/** Options of `createModerator`. */
export interface ModeratorOptions {
  /** Where rules and lists come from; a client is one. */
  readonly source: RuleSource;
  /**
   * Mean interval between refreshes, in milliseconds, 1 to 2,147,483,647. Each differs from it by up to a tenth, so that many
   * processes do not refresh at once; after several failures in a row it is up to eight times as long. Absent: rules are
   * fetched again only when `refresh` is called.
   */
  readonly refreshMs?: number | undefined;
  /**
   * Deadline of the first load, and of each refresh, in milliseconds. Default 30,000. When it passes at the start, the
   * snapshot is used, and without one `createModerator` rejects with `TimeoutError`.
   */
  readonly startMs?: number | undefined;
  /**
   * A file of the moderator's own, in which the last good rule set is saved; it is used at the start when the source gives nothing as
   * good. A damaged one is replaced; any other JSON, an edited snapshot, and one of a source with another `id` is a `UsageError`.
   */
  readonly snapshotFile?: string | undefined;
  /** Readings, which go before those of the source and of the snapshot. */
  readonly semantics?: Partial<Semantics> | undefined;
  /** Which fetched rule sets are held until a person accepts them; see `GuardOptions`. */
  readonly guard?: GuardOptions | 'off' | undefined;
  /** The revision of a rule set that a person has accepted beforehand, as `status.held.revision` names it: it is taken whatever it loses. */
  readonly accept?: string | undefined;
  /**
   * Judges the last messages by new rules before they are swapped in, and holds, as the guard does, those that would stop or release too
   * many. Absent: no message is kept. At the start there are none, so that the first rules are not judged.
   */
  readonly canary?: CanaryOptions | undefined;
  /** The age of the rules, in milliseconds since the source last answered with a whole rule set, from which `whenStale` holds. */
  readonly maxStaleMs?: number | undefined;
  /**
   * What a decision is once the rules are older than `maxStaleMs`. `keep` (default): that of the last good rules. `block`: the
   * same, but what they would allow is `blockMessage`, exempt messages left out. `throw`: a `RuleSetError` of code `stale`.
   */
  readonly whenStale?: 'keep' | 'block' | 'throw' | undefined;
  /** Scores texts, pictures, videos and other files for `decideAsync` and `explainAsync`. */
  readonly scorer?: Scorer | undefined;
  /** How the scorer is called: how many at a time, for how long, and how many results are kept. */
  readonly scoring?: ScoringOptions | undefined;
  /** Aborts the first load; the moderator itself is ended by `close`. */
  readonly signal?: AbortSignal | undefined;
}

const known = [
  'source',
  'refreshMs',
  'startMs',
  'snapshotFile',
  'semantics',
  'guard',
  'accept',
  'canary',
  'maxStaleMs',
  'whenStale',
  'scorer',
  'scoring',
  'signal',
] as const satisfies readonly (keyof ModeratorOptions)[];

/** The longest delay of a timer; a longer one fires at once. */
export const longestDelay = 2 ** 31 - 1;

/** The options, checked, with their defaults. Throws `UsageError` that names the option. */
export function resolveOptions(options: ModeratorOptions) {
  if (typeof options !== 'object' || options === null) {
    throw new UsageError('createModerator must be given an object of options, with at least a `source`');
  }
  refuseUnknownOptions('createModerator', options, known);
  const {
    source,
    refreshMs,
    startMs = 30_000,
    snapshotFile,
    semantics,
    accept,
    maxStaleMs,
    whenStale = 'keep',
    signal,
  } = options;
  if (typeof source?.rules?.list !== 'function' || typeof source.rules.get !== 'function') {
    throw new UsageError('`source` must have the methods `rules.list` and `rules.get`; a client has them');
  }
  if (source.id !== undefined && (typeof source.id !== 'string' || source.id === '')) {
    throw new UsageError('`source.id` must be a string that says where the rules come from, or be left out');
  }
  checkDelay('refreshMs', refreshMs);
  checkDelay('startMs', startMs);
  if (snapshotFile !== undefined && (typeof snapshotFile !== 'string' || snapshotFile === '')) {
    throw new UsageError('`snapshotFile` must be the path of a file');
  }
  if (accept !== undefined && !(typeof accept === 'string' && /^[0-9a-f]{32}$/.test(accept))) {
    throw new UsageError('`accept` must be a revision, 32 hexadecimal characters, as `status.held.revision` has it');
  }
  if (maxStaleMs !== undefined && !(typeof maxStaleMs === 'number' && maxStaleMs >= 0)) {
    throw new UsageError('`maxStaleMs` must be a number of milliseconds, 0 or more');
  }
  if (!['keep', 'block', 'throw'].includes(whenStale)) {
    throw new UsageError("`whenStale` must be 'keep', 'block' or 'throw'");
  }
  if (whenStale !== 'keep' && maxStaleMs === undefined) {
    throw new UsageError(`\`whenStale: '${whenStale}'\` needs \`maxStaleMs\`, the age from which rules are stale`);
  }
  if (signal !== undefined && !(signal instanceof AbortSignal)) {
    throw new UsageError('`signal` must be the signal of an AbortController');
  }
  if (options.scoring !== undefined && options.scorer === undefined) {
    throw new UsageError('`scoring` needs a `scorer`');
  }
  const scoring = options.scorer === undefined ? undefined : createScoring(options.scorer, options.scoring);
  const guard = resolveGuard(options.guard);
  const canary = options.canary === undefined ? undefined : new Canary(options.canary);
  const kept = { source, refreshMs, startMs, snapshotFile, semantics, accept, maxStaleMs, whenStale, signal };
  return { ...kept, scoring, guard, canary };
}

export type ResolvedOptions = ReturnType<typeof resolveOptions>;

function checkDelay(name: string, delay: number | undefined): void {
  if (delay === undefined || (typeof delay === 'number' && delay >= 1 && delay <= longestDelay)) return;
  throw new UsageError(`\`${name}\` must be a number of milliseconds from 1 to ${longestDelay}, which is 24 days`);
}

/** The error of a decision by rules that are older than `maxStaleMs`. */
export function staleError(ageMs: number, maxStaleMs: number): RuleSetError {
  const age = `the rules were last confirmed ${Math.round(ageMs)} ms ago`;
  return new RuleSetError(`${age}, and \`maxStaleMs\` is ${maxStaleMs}; see \`status.lastError\``, { code: 'stale' });
}
