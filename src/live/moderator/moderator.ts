/** A moderator: an engine whose rules are kept current. */
import { EventEmitter } from 'node:events';
import type { Engine } from '../../engine/engine.js';
import type { Verdict } from '../../engine/evaluate/decision.js';
import { engineParts } from '../../engine/evaluate/engine-parts.js';
import type { Scores } from '../../engine/evaluate/scores.js';
import { UsageError } from '../../foundation/errors.js';
import type { MessageDraft } from '../../platform/contract/message-draft.js';
import { type DecideOptions, type ExplainOptions, LiveDecisions, refuseClosed } from './live-decisions.js';
import { LiveRules } from './live-rules.js';
import { type ModeratorOptions, resolveOptions } from './options.js';
import type { ModeratorStatus, RefreshEvent, ScoresWarning } from './status.js';
import { type LiveDecision, publishRefresh } from './watch.js';

/** The events of a moderator, each with the argument of its listeners. */
interface ModeratorEvents {
  readonly refresh: RefreshEvent;
  readonly warning: ScoresWarning;
}

/** An engine that keeps its rules current. */
export interface Moderator {
  /**
   * Decides as `Engine.decide` does, by the current rules and without the scorer;
   * `status.scoresWarning` says so once, unless `scores` are given, if only `[]`. Throws
   * `UsageError` after `close`, and `RuleSetError` with code `no-rules` while first rules that
   * cannot stop anything wait to be accepted, or with code `stale` when the rules are too old and
   * `whenStale` is `'throw'`.
   */
  decide(message: string | MessageDraft, scores?: readonly Scores[]): Verdict;
  /**
   * Explains as `Engine.explain` does, by the current rules, with their age and without the scorer.
   * Throws as `decide` does.
   */
  explain(message: string | MessageDraft, scores?: readonly Scores[]): LiveDecision;
  /**
   * Decides once the scorer has scored what `scoreRequests` lists: the text and the files of the
   * message for which `scores` has none and whose scores can change the verdict. Conditions on what
   * it could not score are `unevaluated`; for files `missingScores` decides. Rejects with the
   * reason of `signal`.
   */
  decideAsync(message: string | MessageDraft, scores?: readonly Scores[], options?: DecideOptions): Promise<Verdict>;
  /**
   * Explains with the scores of all that rules need, or with `all: false` of what can change the
   * verdict. In a path such as `scores[1]`, the scores of the argument `scores` count first.
   */
  explainAsync(
    message: string | MessageDraft,
    scores?: readonly Scores[],
    options?: ExplainOptions,
  ): Promise<LiveDecision>;
  /**
   * Lists what would be requested of the scorer, as `Engine.scoreRequests` does; `undefined`
   * without a scorer.
   */
  scoreRequests(...args: Parameters<Engine['scoreRequests']>): ReturnType<Engine['scoreRequests']> | undefined;
  /**
   * Fetches the rules now, compiles them and swaps them in; resolves to whether they changed.
   * Resolves to `false` with `status.held` if they wait for a person. Rejects if they could not be
   * fetched or compiled; the last good ones then stay in use. Overlapping calls share one refresh,
   * and none begins while an earlier load hangs.
   */
  refresh(): Promise<boolean>;
  /**
   * Swaps in the held rule set if this is its revision, `status.held.revision`; resolves to whether
   * it was. From then on losses count from it. Rejects if it cannot be compiled.
   */
  accept(revision: string): Promise<boolean>;
  /** The revision of the engine in use. */
  readonly revision: string;
  /** Reports whether the rules in use have a rule of this id, running or not. */
  hasRule(ruleId: string): boolean;
  /** Reports whether a rule in use, running or not, has this action. */
  hasAction(action: string): boolean;
  /** The issues of the rules in use. */
  readonly issues: Engine['issues'];
  readonly status: ModeratorStatus;
  /**
   * Calls the listener at the end of each refresh, those on the interval included: `changed`,
   * `unchanged`, `held` or `failed`. Subscribers of `sluice:moderator:refresh` of
   * `node:diagnostics_channel` get the same, those of `sluice:moderator:decision` a `DecisionEvent`
   * for each decision. `warning` comes once for each code of `status.scoresWarning`; without a
   * listener `scorer-not-asked` is a warning of the process. What a listener throws is an uncaught
   * exception.
   */
  on<Name extends keyof ModeratorEvents>(event: Name, listener: (event: ModeratorEvents[Name]) => void): Moderator;
  off<Name extends keyof ModeratorEvents>(event: Name, listener: (event: ModeratorEvents[Name]) => void): Moderator;
  /** The parts of the engine in use. */
  [engineParts]: NonNullable<Engine[typeof engineParts]>;
  /** Stops refreshing, aborts a refresh under way, frees the engine. Resolves within a second. */
  close(): Promise<void>;
}

/**
 * Loads the rules and keeps them current. If the first load fails and there is no good snapshot,
 * rejects with the error of the source, or with `TimeoutError` after `startMs`. Rejects with
 * `RuleSetError` or `UsageError` as `createEngine` throws them, and with `UsageError` before
 * anything is fetched if `snapshotFile` is another file than a snapshot.
 *
 * @example
 * ```ts
 * const source = createClient({ baseUrl: 'https://chat.example/v3', apiKey: 'from your settings' });
 * const moderator = await createModerator({ source, refreshMs: 60_000, snapshotFile: 'rules.snapshot.json' });
 * moderator.decide({ sender: 'ana', data: { text: 'hello' } });
 * await moderator.close();
 * ```
 */
export async function createModerator(options: ModeratorOptions): Promise<Moderator> {
  const resolved = resolveOptions(options);
  const rules = await LiveRules.start(resolved);
  const decisions = new LiveDecisions(rules, resolved);
  const emitter = new EventEmitter();
  rules.onRefresh = (event) => {
    publishRefresh(event);
    process.nextTick(() => emitter.emit('refresh', event));
  };
  decisions.onWarning = (warning) => {
    if (emitter.listenerCount('warning') > 0) process.nextTick(() => emitter.emit('warning', warning));
    else if (warning.code === 'scorer-not-asked') process.emitWarning(warning.message, 'SluiceWarning', warning.code);
  };
  const moderator: Moderator = {
    decide: (message, scores) => decisions.decide(message, scores),
    explain: (message, scores) => decisions.explain(message, scores),
    decideAsync: (message, scores, options) => decisions.decideAsync(message, scores, options),
    explainAsync: (message, scores, options) => decisions.explainAsync(message, scores, options),
    scoreRequests: (message, scores, options) => {
      refuseClosed(rules);
      return resolved.scoring && rules.current.engine.scoreRequests(message, scores, options);
    },
    [engineParts]: () => rules.current.engine[engineParts]!(),
    refresh: async () => {
      refuseClosed(rules);
      return rules.refresh();
    },
    accept: async (revision) => {
      refuseClosed(rules);
      if (typeof revision !== 'string')
        throw new UsageError('`accept` needs the revision of the held rules, `status.held.revision`');
      return rules.accept(revision);
    },
    get revision() {
      return rules.current.engine.revision;
    },
    hasRule: (ruleId) => rules.current.engine.hasRule(ruleId),
    hasAction: (action) => rules.current.engine.hasAction(action),
    get issues() {
      return rules.current.engine.issues;
    },
    get status() {
      const { warning } = decisions;
      return { ...rules.status, ...(warning && { scoresWarning: warning }) };
    },
    on: (event, listener) => {
      if (event !== 'refresh' && event !== 'warning') {
        throw new UsageError("a moderator has the events 'refresh' and 'warning'");
      }
      emitter.on(event, listener);
      return moderator;
    },
    off: (event, listener) => {
      emitter.off(event, listener);
      return moderator;
    },
    close: () => rules.close(),
  };
  return moderator;
}
