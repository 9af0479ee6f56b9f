import { EventEmitter } from 'node:events';
import { isTextOperand } from '../compile/operands.js';
import type { MessageDraft } from '../contract/message-draft.js';
import type { Engine } from '../engine.js';
import { UsageError } from '../errors.js';
import type { Verdict } from '../evaluate/decision.js';
import type { Scores } from '../evaluate/scores.js';
import { ScaleWatch } from '../score-scale.js';
import { refuseUnknownOptions } from '../unknown-options.js';
import { LiveRules } from './live-rules.js';
import { type ModeratorOptions, resolveOptions, staleError } from './options.js';
import type { ModeratorStatus, RefreshEvent } from './status.js';
import { decisionChannel, type LiveDecision, publishDecision, publishRefresh } from './watch.js';

/** An engine that keeps its rules current. */
export interface Moderator {
  /**
   * As `Engine.decide`, with the current rules. Throws `UsageError` after `close`, and `RuleSetError` of code `stale` when the
   * rules are too old and `whenStale` is `'throw'`.
   */
  decide(message: string | MessageDraft, scores?: readonly Scores[]): Verdict;
  /** As `Engine.explain`, with the current rules and their age. Throws as `decide` does. */
  explain(message: string | MessageDraft, scores?: readonly Scores[]): LiveDecision;
  /**
   * As `decide`, once the scorer of the options has scored what `Engine.scoreRequests` says: the text and the files of the message that
   * `scores` has none of, where these can change the verdict. What it could not score has none: conditions on it are `unevaluated`, of
   * files as `missingScores` says. Rejects with the reason of `signal`.
   */
  decideAsync(
    message: string | MessageDraft,
    scores?: readonly Scores[],
    options?: { readonly signal?: AbortSignal | undefined },
  ): Promise<Verdict>;
  /**
   * As `explain`, with the scores of all that rules need, or with `all: false` of what can change the verdict, as `decideAsync` has them; a
   * path such as `scores[1]` counts those of `scores` first.
   */
  explainAsync(
    message: string | MessageDraft,
    scores?: readonly Scores[],
    options?: { readonly signal?: AbortSignal | undefined; readonly all?: boolean | undefined },
  ): Promise<LiveDecision>;
  /**
   * Fetches the rules now, compiles them and replaces the current ones in one step; resolves to whether they changed. Rejects
   * when they could not be fetched or compiled, and the last good ones stay in use; resolves to `false` with `status.held` when
   * they would lose too much. Overlapping calls share one refresh.
   */
  refresh(): Promise<boolean>;
  /** Takes the rule set in `status.held`; resolves to whether there was one. Rejects when it cannot be compiled. */
  accept(): Promise<boolean>;
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
   * a `DecisionEvent` for each decision. What a listener throws is an uncaught exception.
   */
  on(event: 'refresh', listener: (event: RefreshEvent) => void): Moderator;
  off(event: 'refresh', listener: (event: RefreshEvent) => void): Moderator;
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
  const { maxStaleMs, whenStale, scoring, canary } = resolved;
  const rules = await LiveRules.start(resolved);
  /** The engine in use, and whether what it allows must be blocked. */
  const begin = (): boolean => {
    refuseClosed(rules);
    if (whenStale === 'keep' || maxStaleMs === undefined) return false;
    const { ageMs } = rules;
    if (ageMs <= maxStaleMs) return false;
    if (whenStale === 'throw') throw staleError(ageMs, maxStaleMs);
    return true;
  };
  const scale = new ScaleWatch();
  /** Notes scores that the engine has taken, so that they have their shape. */
  const note = (scores: readonly Scores[]): void => {
    for (const { operand, labels, url } of scores) scale.add(labels, url, isTextOperand(operand));
  };
  const explain = (message: string | MessageDraft, scores?: readonly Scores[]): LiveDecision => {
    const isBlocking = begin();
    const decision = rules.current.engine.explain(message, scores);
    if (scores !== undefined) note(scores);
    const { ageMs } = rules;
    // A decision is the caller's own.
    if (!isBlocking || decision.verdict !== 'allow' || decision.exempt) return Object.assign(decision, { ageMs });
    return {
      ...decision,
      verdict: 'blockMessage',
      actions: [...new Set([...decision.actions, 'blockMessage'])],
      ageMs,
    };
  };
  /** As `explain`, published for those who watch. */
  const watched = (message: string | MessageDraft, scores: readonly Scores[] | undefined): LiveDecision => {
    if (!decisionChannel.hasSubscribers) return explain(message, scores);
    const startedAt = performance.now();
    const decision = explain(message, scores);
    publishDecision(message, decision, performance.now() - startedAt);
    return decision;
  };
  /** The caller's scores, then those of the scorer: all that rules need, or those that can change the verdict. */
  const withScores = async (
    message: string | MessageDraft,
    scores: readonly Scores[] | undefined,
    options: { readonly signal?: AbortSignal | undefined; readonly all?: boolean | undefined } = {},
    isExplained: boolean,
  ): Promise<readonly Scores[] | undefined> => {
    if (isExplained) refuseUnknownOptions('`explainAsync`', options, ['signal', 'all']);
    else refuseUnknownOptions('`decideAsync`', options, ['signal']);
    const { signal, all = isExplained } = options;
    refuseClosed(rules);
    signal?.throwIfAborted();
    if (scoring === undefined) return scores;
    for (let round = 1; ; round++) {
      const { engine } = rules.current;
      const requests = engine.scoreRequests(message, scores, { all });
      if (requests.length === 0) return scores;
      const { scores: scored, failures } = await scoring.scoresOf(requests, signal);
      // Other rules, in use meanwhile, may need more.
      if (round === 1 && rules.current.engine !== engine) continue;
      const failed = failures.map(({ why, ...of }) => ({ ...of, labels: {}, failure: why }));
      return [...(scores ?? []), ...scored, ...failed];
    }
  };
  const emitter = new EventEmitter();
  rules.onRefresh = (event) => {
    publishRefresh(event);
    process.nextTick(() => emitter.emit('refresh', event));
  };
  const decide: Moderator['decide'] = (message, scores) => {
    if (begin() || decisionChannel.hasSubscribers) return watched(message, scores).verdict;
    const verdict = rules.current.engine.decide(message, scores);
    if (scores !== undefined) note(scores);
    return verdict;
  };
  /** As `judge`, which a canary has the message kept by; the same function where there is none. */
  const keeping = <Result>(judge: (...judged: Parameters<Moderator['decide']>) => Result) => {
    if (canary === undefined) return judge;
    return (message: string | MessageDraft, scores?: readonly Scores[]): Result => {
      const result = judge(message, scores);
      canary.keep(message, scores);
      return result;
    };
  };
  const moderator: Moderator = {
    decide: keeping(decide),
    explain: keeping(watched),
    decideAsync: async (message, scores, options) =>
      moderator.decide(message, await withScores(message, scores, options, false)),
    explainAsync: async (message, scores, options) =>
      moderator.explain(message, await withScores(message, scores, options, true)),
    refresh: async () => {
      refuseClosed(rules);
      return rules.refresh();
    },
    accept: async () => {
      refuseClosed(rules);
      return rules.accept();
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
      const scoresWarning = warningOf(scale.countUpToOne);
      return { ...rules.status, ...(scoresWarning !== undefined && { scoresWarning }) };
    },
    on: (event, listener) => {
      if (event !== 'refresh') throw new UsageError("a moderator has one event, 'refresh'");
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

function warningOf(count: number | undefined): ModeratorStatus['scoresWarning'] {
  if (count === undefined) return undefined;
  const message =
    `none of ${count} scored texts and files has a score above 1: thresholds are from 0 to 100; scores from 0 to 1 must be multiplied by ` +
    '100, which `createHttpScorer` does with `scale: 1`';
  return { code: 'scores-up-to-one', message };
}

function refuseClosed({ isClosed }: LiveRules): void {
  if (isClosed) throw new UsageError('the moderator is closed; make another one');
}
