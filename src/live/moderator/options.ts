/** The options of `createModerator`, and their checks. */
import type { Semantics } from '../../engine/semantics.js';
import { RuleSetError, UsageError } from '../../foundation/errors.js';
import { checkOptions, isText, longestTimerMs, type OptionCheck, type OptionChecks } from '../../foundation/options.js';
import type { RuleSource } from '../../platform/loader/rule-source.js';
import type { Scorer } from '../scorers/scorer.js';
import { createScoring, type ScoringOptions } from '../scorers/scoring.js';
import { Canary, type CanaryOptions } from './canary.js';
import { type GuardOptions, resolveGuard } from './guard.js';

/** Options of `createModerator`. */
export interface ModeratorOptions {
  /** The source of rules and lists, such as a client. */
  readonly source: RuleSource;
  /**
   * Mean interval between refreshes, in milliseconds, 1 to 2,147,483,647. Each interval differs
   * from it by up to a tenth, so that many processes do not refresh at once; after several failures
   * in a row it is up to eight times as long. Absent: rules are fetched again only when `refresh`
   * is called.
   */
  readonly refreshMs?: number | undefined;
  /**
   * Deadline of the first load, and of each refresh, in milliseconds. Default 30,000. When it
   * passes at the start, the snapshot is used; without one `createModerator` rejects with
   * `TimeoutError`.
   */
  readonly startMs?: number | undefined;
  /**
   * The path of the snapshot: the last good rule set, which is used at the start if the source has
   * nothing as good. A damaged snapshot is replaced; any other JSON, an edited snapshot, and one of
   * a source with another `id` is a `UsageError`.
   */
  readonly snapshotFile?: string | undefined;
  /** Readings, which override those of the source and of the snapshot. */
  readonly semantics?: Partial<Semantics> | undefined;
  /**
   * Limits beyond which a fetched rule set is held until a person accepts it; see `GuardOptions`.
   */
  readonly guard?: GuardOptions | 'off' | undefined;
  /**
   * The revision of a rule set that a person has accepted beforehand, as `status.held.revision`
   * names it: it is swapped in whatever it loses.
   */
  readonly accept?: string | undefined;
  /**
   * Judges the last messages by new rules before these are swapped in, and holds rules that would
   * stop or release too many. Absent: no message is kept. At the start there are no messages, so
   * the first rules are not judged.
   */
  readonly canary?: CanaryOptions | undefined;
  /**
   * The age from which `whenStale` applies, in milliseconds since the source last answered with a
   * whole rule set.
   */
  readonly maxStaleMs?: number | undefined;
  /**
   * How to decide once the rules are older than `maxStaleMs`. `keep` (default): by the last good
   * rules. `block`: by these, but what they allow is `blockMessage` unless it is exempt. `throw`:
   * not at all, with a `RuleSetError` of code `stale`.
   */
  readonly whenStale?: 'keep' | 'block' | 'throw' | undefined;
  /** Scores texts, pictures, videos and other files for `decideAsync` and `explainAsync`. */
  readonly scorer?: Scorer | undefined;
  /** Options of the calls of the scorer: concurrency, time limit and size of the cache. */
  readonly scoring?: ScoringOptions | undefined;
  /** Aborts the first load; the moderator itself is ended by `close`. */
  readonly signal?: AbortSignal | undefined;
}

const delay: OptionCheck = [
  (ms: unknown) => typeof ms === 'number' && ms >= 1 && ms <= longestTimerMs,
  `a number of milliseconds from 1 to ${longestTimerMs}, which is 24 days`,
];

const checks: OptionChecks<ModeratorOptions> = {
  source: [
    (source: Partial<RuleSource> | null | undefined) =>
      typeof source?.rules?.list === 'function' && typeof source.rules.get === 'function',
    'an object with the methods `rules.list` and `rules.get`; a client has them',
    'required',
  ],
  refreshMs: delay,
  startMs: delay,
  snapshotFile: [isText, 'the path of a file'],
  semantics: undefined,
  guard: undefined,
  accept: [
    (revision: unknown) => isText(revision) && /^[0-9a-f]{32}$/.test(revision),
    'a revision, 32 hexadecimal characters, as `status.held.revision` has it',
  ],
  canary: undefined,
  maxStaleMs: [(ms: unknown) => typeof ms === 'number' && ms >= 0, 'a number of milliseconds, 0 or more'],
  whenStale: [(when: string) => ['keep', 'block', 'throw'].includes(when), "'keep', 'block' or 'throw'"],
  scorer: undefined,
  scoring: undefined,
  signal: [(signal: unknown) => signal instanceof AbortSignal, 'the signal of an AbortController'],
};

/** Checks the options and fills in their defaults. Throws `UsageError` that names the option. */
export function resolveOptions(options: ModeratorOptions) {
  checkOptions('createModerator', options, checks);
  const { source, startMs = 30_000, maxStaleMs, whenStale = 'keep' } = options;
  if (source.id !== undefined && !isText(source.id)) {
    throw new UsageError('`source.id` must be a string that says where the rules come from, or be left out');
  }
  if (whenStale !== 'keep' && maxStaleMs === undefined) {
    throw new UsageError(`\`whenStale: '${whenStale}'\` needs \`maxStaleMs\`, the age from which rules are stale`);
  }
  if (options.scoring !== undefined && options.scorer === undefined) {
    throw new UsageError('`scoring` needs a `scorer`');
  }
  const scoring = options.scorer === undefined ? undefined : createScoring(options.scorer, options.scoring);
  const guard = resolveGuard(options.guard);
  const canary = options.canary === undefined ? undefined : new Canary(options.canary);
  return { ...options, startMs, whenStale, scoring, guard, canary };
}

export type ResolvedOptions = ReturnType<typeof resolveOptions>;

/** Makes the error of a decision by rules that are older than `maxStaleMs`. */
export function staleError(ageMs: number, maxStaleMs: number): RuleSetError {
  const age = `the rules were last confirmed ${Math.round(ageMs)} ms ago`;
  return new RuleSetError(`${age}, and \`maxStaleMs\` is ${maxStaleMs}; see \`status.lastError\``, { code: 'stale' });
}
