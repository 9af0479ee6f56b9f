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

/** The events of a moderator, each with what its listeners are given. */
export interface ModeratorEvents {
  readonly refresh: RefreshEvent;
  readonly warning: ScoresWarning;
}

/** An engine that keeps its rules current. */
export interface Moderator {
  /**
   * As `Engine.decide`, with the current rules. It does not ask the scorer: `status.scoresWarning` says so once, unless `scores` are given, if
   * only `[]`. Throws `UsageError` after `close`, and `RuleSetError`: of code `no-rules` while the first rules, which cannot stop anything,
   * wait to be accepted; of code `stale` when the rules are too old and `whenStale` is `'throw'`.
   */
  decide(message: string | MessageDraft, scores?: readonly Scores[]): Verdict;
  /** As `Engine.explain`, with the current rules and their age, and without the scorer. Throws as `decide` does. */
  explain(message: string | MessageDraft, scores?: readonly Scores[]): LiveDecision;
  /**
   * As `decide`, once the scorer of the options has scored what `scoreRequests` says: the text and the files of the message that `scores`
   * has none of, where these can change the verdict. What it could not score has none: conditions on it are `unevaluated`, of files as
   * `missingScores` says. Rejects with the reason of `signal`.
   */
  decideAsync(message: string | MessageDraft, scores?: readonly Scores[], options?: DecideOptions): Promise<Verdict>;
  /**
   * As `explain`, with the scores of all that rules need, or with `all: false` of what can change the verdict, as `decideAsync` has them; a
   * path such as `scores[1]` counts those of `scores` first.
   */
  explainAsync(
    message: string | MessageDraft,
    scores?: readonly Scores[],
    options?: ExplainOptions,
  ): Promise<LiveDecision>;
  /** What the scorer would be asked for, as `Engine.scoreRequests`; `undefined` without a scorer. */
  scoreRequests(...args: Parameters<Engine['scoreRequests']>): ReturnType<Engine['scoreRequests']> | undefined;
  /**
   * Fetches the rules now, compiles them and replaces the current ones in one step; resolves to whether they changed. Rejects
   * when they could not be fetched or compiled, and the last good ones stay in use; resolves to `false` with `status.held` when
   * they wait for a person. Overlapping calls share one refresh, and none begins while an earlier load hangs.
   */
  refresh(): Promise<boolean>;
  /**
   * Takes the held rule set if its revision, `status.held.revision`, is this one; resolves to whether it was. Losses count from it from then
   * on. Rejects when it cannot be compiled.
   */
  accept(revision: string): Promise<boolean>;
  /** Revision of the engine in use. */
  readonly revision: string;
  /** Whether the rules in use have one of this id, running or not. */
  hasRule(ruleId: string): boolean;
  /** Whether one of them, running or not, has this action. */
  hasAction(action: string): boolean;
  /** Issues of the rules in use. */
  readonly issues: Engine['issues'];
  readonly status: ModeratorStatus;
  /**
   * Calls the listener at the end of each refresh, those on the interval included: `changed`, `unchanged`, `held` or `failed`.
   * Subscribers of `sluice:moderator:refresh` of `node:diagnostics_channel` get the same, those of `sluice:moderator:decision`
   * a `DecisionEvent` for each decision. `warning` comes once for each code of `status.scoresWarning`; without a listener
   * `scorer-not-asked` is a warning of the process. What a listener throws is an uncaught exception.
   */
  on<Name extends keyof ModeratorEvents>(event: Name, listener: (event: ModeratorEvents[Name]) => void): Moderator;
  off<Name extends keyof ModeratorEvents>(event: Name, listener: (event: ModeratorEvents[Name]) => void): Moderator;
  /** Those of the engine in use. */
  [engineParts]: NonNullable<Engine[typeof engineParts]>;
  /** Stops refreshing, aborts a refresh under way, frees the engine. Resolves within a second. */
  close(): Promise<void>;
}

/**
 * Loads the rules and keeps them current. Rejects with the source's own error, or `TimeoutError` after `startMs`, when the
 * first load fails and there is no good snapshot, and with `RuleSetError` or `UsageError` as `createEngine` throws them. A
 * `snapshotFile` that is somebody else's is a `UsageError` before anything is fetched.
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
