/**
 * The decisions of a moderator, by the rules in use and, if requested, with the scores of its
 * scorer.
 */
import { isTextOperand } from '../../engine/compile/operands.js';
import { stops } from '../../engine/compile/verdicts.js';
import type { Verdict } from '../../engine/evaluate/decision.js';
import type { Scores } from '../../engine/evaluate/scores.js';
import { ScaleWatch } from '../../engine/score-scale.js';
import { RuleSetError, UsageError } from '../../foundation/errors.js';
import { refuseUnknownOptions } from '../../foundation/options.js';
import type { MessageDraft } from '../../platform/contract/message-draft.js';
import type { LiveRules } from './live-rules.js';
import { type ResolvedOptions, staleError } from './options.js';
import type { ScoresWarning } from './status.js';
import { decisionChannel, type LiveDecision, publishDecision } from './watch.js';

type Message = string | MessageDraft;
type GivenScores = readonly Scores[] | undefined;

/** Options of `decideAsync`. */
export interface DecideOptions {
  /** Aborts the call: the promise rejects with its reason. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Once it aborts, the message is judged with the scores that have come by then:
   * `AbortSignal.timeout(1_500)`.
   */
  readonly deadline?: AbortSignal | undefined;
}

/** Options of `explainAsync`. */
export interface ExplainOptions extends DecideOptions {
  /**
   * Whether to request all scores that rules need, not only those that can change the verdict.
   * Default true.
   */
  readonly all?: boolean | undefined;
}

export class LiveDecisions {
  /** Called with each warning, once. */
  onWarning: (warning: ScoresWarning) => void = () => {};
  readonly #rules: LiveRules;
  readonly #options: ResolvedOptions;
  readonly #scale = new ScaleWatch();
  readonly #told = new Set<ScoresWarning['code']>();
  #isScorerLeftOut = false;

  constructor(rules: LiveRules, options: ResolvedOptions) {
    this.#rules = rules;
    this.#options = options;
  }

  /** The current warning, if any. */
  get warning(): ScoresWarning | undefined {
    const { countUpToOne: count, labelUpToOne: label } = this.#scale;
    if (count !== undefined) return scoresUpToOne(`none of ${count} scored texts and files has a score`);
    if (label !== undefined) return scoresUpToOne(`none of the last forty scores of \`${label.slice(0, 60)}\` is`);
    return this.#isScorerLeftOut ? scorerNotAsked : undefined;
  }

  /** Returns the verdict without calling the scorer. */
  decide(message: Message, scores?: GivenScores): Verdict {
    if (scores === undefined && !this.#isScorerLeftOut) this.#noteNotAsked();
    return this.#decide(message, scores);
  }

  /** Returns the decision without calling the scorer. */
  explain(message: Message, scores?: GivenScores): LiveDecision {
    if (scores === undefined && !this.#isScorerLeftOut) this.#noteNotAsked();
    return this.#explain(message, scores);
  }

  async decideAsync(message: Message, scores?: GivenScores, options: DecideOptions = {}): Promise<Verdict> {
    refuseUnknownOptions('`decideAsync`', options, ['signal', 'deadline'] satisfies (keyof DecideOptions)[]);
    return this.#decide(message, await this.#withScores(message, scores, options, false));
  }

  async explainAsync(message: Message, scores?: GivenScores, options: ExplainOptions = {}): Promise<LiveDecision> {
    refuseUnknownOptions('`explainAsync`', options, ['signal', 'deadline', 'all'] satisfies (keyof ExplainOptions)[]);
    return this.#explain(message, await this.#withScores(message, scores, options, options.all !== false));
  }

  #decide(message: Message, scores: GivenScores): Verdict {
    if (this.#isBlocking() || decisionChannel.hasSubscribers) return this.#explain(message, scores).verdict;
    const verdict = this.#rules.current.engine.decide(message, scores);
    this.#note(message, scores);
    return verdict;
  }

  /** Decides, and publishes the decision for subscribers. */
  #explain(message: Message, scores: GivenScores): LiveDecision {
    const startedAt = decisionChannel.hasSubscribers ? performance.now() : undefined;
    const isBlocking = this.#isBlocking();
    const decision = this.#rules.current.engine.explain(message, scores);
    this.#note(message, scores);
    const { verdict, actions, exempt } = decision;
    const live = Object.assign(decision, { ageMs: this.#rules.ageMs });
    if (isBlocking && !stops(verdict) && !exempt) {
      const reason = 'the rules are too old, and what they allow is blocked until they are confirmed';
      Object.assign(live, { verdict: 'blockMessage', actions: [...new Set([...actions, 'blockMessage'])], reason });
    }
    if (startedAt !== undefined) publishDecision(message, live, performance.now() - startedAt);
    return live;
  }

  /**
   * Reports whether allowed messages are to be blocked. Throws if there are no rules, if they are
   * too old, or if the moderator is closed.
   */
  #isBlocking(): boolean {
    refuseUnready(this.#rules);
    const { whenStale, maxStaleMs } = this.#options;
    if (whenStale === 'keep' || maxStaleMs === undefined) return false;
    const { ageMs } = this.#rules;
    if (ageMs <= maxStaleMs) return false;
    if (whenStale === 'throw') throw staleError(ageMs, maxStaleMs);
    return true;
  }

  /** Keeps a judged message for the canary, and notes its scores. */
  #note(message: Message, scores: GivenScores): void {
    this.#options.canary?.keep(message, scores);
    if (scores === undefined) return;
    for (const { operand, labels, url } of scores) this.#scale.add(labels, url, isTextOperand(operand));
    this.#tell();
  }

  #noteNotAsked(): void {
    if (this.#options.scoring === undefined || this.#rules.isClosed) return;
    if (this.#rules.current.engine.scoredOperands.length === 0) return;
    this.#isScorerLeftOut = true;
    this.#tell();
  }

  #tell(): void {
    const { warning } = this;
    if (warning === undefined || this.#told.has(warning.code)) return;
    this.#told.add(warning.code);
    this.onWarning(warning);
  }

  /**
   * Resolves to the caller's scores, followed by those of the scorer: all that rules need, or those
   * that can change the verdict.
   */
  async #withScores(
    message: Message,
    scores: GivenScores,
    { signal, deadline }: DecideOptions,
    all: boolean,
  ): Promise<GivenScores> {
    refuseUnready(this.#rules);
    signal?.throwIfAborted();
    const { scoring } = this.#options;
    if (scoring === undefined) return scores;
    for (let round = 1; ; round++) {
      const { engine } = this.#rules.current;
      const requests = engine.scoreRequests(message, scores, { all });
      if (requests.length === 0) return scores;
      const { scores: scored, failures } = await scoring.scoresOf(requests, signal, deadline);
      // The rules that were swapped in meanwhile may need more.
      if (round === 1 && this.#rules.current.engine !== engine) continue;
      const failed = failures.map(({ why, ...request }) => ({ ...request, labels: {}, failure: why }));
      return [...(scores ?? []), ...scored, ...failed];
    }
  }
}

const scorerNotAsked: ScoresWarning = {
  code: 'scorer-not-asked',
  message:
    'the moderator has a scorer, which `decide` and `explain` do not ask: conditions on scores are not evaluated; call `decideAsync` or ' +
    '`explainAsync`, or pass `[]` as the scores if that is meant',
};

function scoresUpToOne(noneOfThem: string): ScoresWarning {
  const message =
    `${noneOfThem} above 1: thresholds are from 0 to 100; scores from 0 to 1 must be multiplied by 100, which ` +
    '`createHttpScorer` does with `scale: 1`';
  return { code: 'scores-up-to-one', message };
}

/** Throws `UsageError` if the moderator is closed. */
export function refuseClosed({ isClosed }: LiveRules): void {
  if (isClosed) throw new UsageError('the moderator is closed; make another one');
}

function refuseUnready(rules: LiveRules): void {
  refuseClosed(rules);
  if (rules.isTaken) return;
  const advice = 'see `status.lastError`, and accept `status.held.revision` if that is meant';
  throw new RuleSetError(`nothing in the first rules can stop a message; ${advice}`, { code: 'no-rules' });
}
