/**
 * The endpoint for the platform: judges its message before it stops waiting, or answers that the
 * message could not be judged.
 */

import type { Decision } from '../../engine/evaluate/decision.js';
import { engineParts } from '../../engine/evaluate/engine-parts.js';
import { type UndecidedRule, undecidedRules } from '../../engine/evaluate/undecided-rules.js';
import { again, Refusal } from '../../foundation/requests/refusal.js';
import type { MessageDraft } from '../../platform/contract/message-draft.js';
import { type Answer, jsonAnswer, LimitRefusal } from './answer.js';
import * as contract from './custom-api.js';
import { judgeInTime } from './judge-in-time.js';
import { codeOf, type MessageJudge, whyNoRules } from './judging.js';
import type { Metrics } from './metrics.js';
import { type Received, readJson } from './request-body.js';
import type { Slot } from './slots.js';

/** The way a platform is answered; see the options of the handler. */
export interface PlatformOptions {
  readonly reason: contract.ReasonDetail;
  readonly onUnanswered: 'fail' | 'no-match' | 'match';
}

/**
 * Milliseconds to judge a message: a platform waits for two seconds, some of which are spent on the
 * network.
 */
const deadlineMs = 1_500;

export class PlatformAnswers {
  readonly #judge: MessageJudge;
  readonly #metrics: Metrics;
  readonly #options: PlatformOptions;

  constructor(judge: MessageJudge, metrics: Metrics, options: PlatformOptions) {
    this.#judge = judge;
    this.#metrics = metrics;
    this.#options = options;
  }

  /** Answers one request. Throws a `Refusal`, and what the judge throws for an invalid message. */
  async answer(received: Received, search: URLSearchParams, slot: Slot): Promise<Answer> {
    const startedAt = performance.now();
    const counted = contract.readCounted(search);
    const message = contract.messageOf(await readJson(received, slot));
    const why = whyNoRules(this.#judge) ?? this.#refuseUnknown(counted);
    if (why !== undefined) return this.unanswered(new Refusal(503, why, again));
    const all = contract.isByRules(counted);
    const isSettled = all || counted.verdicts.length > 0 ? this.#isSettled(message, counted) : undefined;
    const { request } = received;
    const inTime = { request, slot, deadlineMs: deadlineMs - (performance.now() - startedAt), all, isSettled };
    const judged = await judgeInTime(this.#judge, { message }, inTime).catch((error) => {
      if (codeOf(error) === 'usage' || request.signal.aborted) throw error;
      return undefined;
    });
    if (judged === undefined) return this.unanswered(new Refusal(503, 'the rules could not be used', again));
    const { decision, scorer } = judged;
    this.#metrics.decision(decision, scorer === 'not-needed');
    const answer = contract.answerOf(decision, counted, this.#options.reason);
    const undecided = answer.isMatchingCondition ? undefined : this.#undecidedOf(message, decision, counted);
    if (undecided === undefined) return jsonAnswer(answer);
    if (scorer === 'no-slot') throw new LimitRefusal(429, 'as many messages as may wait for scores; try again', again);
    return this.unanswered(new Refusal(503, scorer === 'late' ? late : reasons[undecided.why], again));
  }

  /**
   * Answers to a message that could not be judged, for the reason of the refusal, or throws that.
   */
  unanswered(refusal: Refusal): Answer {
    const { message: why, headers } = refusal;
    const { reason, onUnanswered } = this.#options;
    this.#metrics.unanswered(why);
    if (onUnanswered === 'fail') throw refusal;
    const isMatchingCondition = onUnanswered === 'match';
    const wording = reason === 'none' ? '' : `not judged: ${why}`;
    const answer = jsonAnswer({ isMatchingCondition, confidence: isMatchingCondition ? 1 : 0, reason: wording });
    // A body that was not read to its end leaves a connection that cannot be used again.
    return { ...answer, headers: { ...answer.headers, ...(headers.connection && { connection: headers.connection }) } };
  }

  #isSettled(message: MessageDraft, counted: contract.Counted) {
    return (decision: Decision): boolean =>
      contract.answerOf(decision, counted, 'none').isMatchingCondition
        ? contract.isCertain(decision, counted)
        : this.#undecidedOf(message, decision, counted) === undefined;
  }

  /** Returns the rule that may make an answer wrong that is not a match. */
  #undecidedOf(message: MessageDraft, decision: Decision, counted: contract.Counted): UndecidedRule | undefined {
    const open = decision.unevaluated.flatMap(({ ruleId, why }) => (why === 'not-compiled' ? [] : [{ ruleId, why }]));
    if (open.length === 0) return undefined;
    const parts = this.#judge[engineParts]?.();
    // The rules of a judge that is not an engine are unknown: any of them may match, with what
    // counts.
    const {
      actions,
      verdicts: [verdict = 'blockMessage'],
    } = counted;
    if (parts === undefined) {
      const unknown = open.map((entry) => ({ ...entry, actions, verdict, determining: true }));
      return contract.undecidedRuleOf(decision, unknown, counted);
    }
    const ids = new Set(open.map(({ ruleId }) => ruleId));
    const undecided = undecidedRules(parts, message, undefined).filter(({ ruleId }) => ids.has(ruleId));
    return contract.undecidedRuleOf(decision, undecided, counted);
  }

  #refuseUnknown({ rules, actions }: contract.Counted): undefined {
    const rule = rules.find((id) => this.#judge.hasRule?.(id) === false);
    if (rule !== undefined) throw new Refusal(404, `there is no rule \`${rule.slice(0, 100)}\``);
    const action = actions.find((name) => this.#judge.hasAction?.(name) === false);
    if (action !== undefined) throw new Refusal(404, `there is no rule of the action \`${action.slice(0, 100)}\``);
  }
}

const late = 'the scores did not come in time';

const reasons: Readonly<Record<UndecidedRule['why'], string>> = {
  'no-scores': 'there are no scores',
  'not-answerable': 'the message lacks what a rule needs',
  'engine-fault': 'the search for terms or patterns failed',
};
