/** The contract of the platform for an external engine: what it sends, and the answer that it takes for one. */
import { asFields } from '../compile/untrusted.js';
import type { MessageDraft } from '../contract/message-draft.js';
import type { Decision, Match, RuleHit } from '../evaluate/decision.js';
import { cut, inOneLine } from '../reason.js';
import { Refusal } from './answer.js';

/** What a platform takes for an answer. Everything else is a failure of the engine to it, and its own setting decides. */
export interface CustomApiAnswer {
  readonly isMatchingCondition: boolean;
  /** From 0 to 1; compared with the threshold of the platform's rule. */
  readonly confidence: number;
  readonly reason: string;
}

/** How much a reason says: rule, term or pattern with its list, and place; the rule alone; nothing. */
export type ReasonDetail = 'full' | 'rule' | 'none';

/** What counts as a match: nothing given, every verdict but `allow`. */
export interface Counted {
  readonly rules: readonly string[];
  readonly verdicts: readonly string[];
  readonly actions: readonly string[];
}

/** Reads what counts. Throws a `Refusal` for a verdict that never counts. */
export function readCounted(search: URLSearchParams): Counted {
  const [rules, verdicts, actions] = ['rule', 'verdict', 'action'].map((name) => search.getAll(name));
  if (verdicts!.every((verdict) => verdict === 'blockMessage' || verdict === 'dropMessage')) {
    return { rules: rules!, verdicts: verdicts!, actions: actions! };
  }
  throw new Refusal(400, '`verdict` must be blockMessage or dropMessage');
}

/**
 * The message that is to be judged: the last one of `contextMessages`, under the uid of its sender. The ones before it are context. Throws a
 * `Refusal` for a body without one.
 */
export function messageOf(body: unknown): MessageDraft {
  const messages = asFields(body)?.contextMessages;
  if (!Array.isArray(messages)) throw new Refusal(400, '`contextMessages` must be an array');
  const [only, ...others] = Object.entries(asFields(messages.at(-1)) ?? {});
  const [sender, message] = only ?? [];
  if (others.length === 0 && typeof message === 'string') return { sender, data: { text: message } };
  if (others.length === 0 && asFields(message) !== undefined) return message as MessageDraft;
  throw new Refusal(400, 'the last of `contextMessages` must be { <uid>: <message> }');
}

/** Whether it is rules that count, whatever the verdict. */
export function isByRules({ rules, actions }: Counted): boolean {
  return rules.length > 0 || actions.length > 0;
}

/** The answer that a decision makes. Rules in shadow count for nothing. */
export function answerOf(decision: Decision, counted: Counted, detail: ReasonDetail): CustomApiAnswer {
  const { rules, verdicts, actions } = counted;
  const isByRule = isByRules(counted);
  const hits = decision.matched.filter(
    (hit) =>
      !hit.shadow &&
      (isByRule || hit.determining) &&
      (rules.length === 0 || rules.includes(hit.ruleId)) &&
      (actions.length === 0 || actions.some((action) => hit.actions.includes(action))),
  );
  const isVerdict =
    verdicts.length > 0 ? verdicts.includes(decision.verdict) : isByRule || decision.verdict !== 'allow';
  if (!isVerdict || (isByRule && hits.length === 0)) return { isMatchingCondition: false, confidence: 0, reason: '' };
  const confidence = hits.length === 0 ? 1 : Math.max(...hits.map(confidenceOf));
  return { isMatchingCondition: true, confidence, reason: detail === 'none' ? '' : reasonOf(hits, detail) };
}

/** What matched without a match to show, such as a text that cannot be read, is as certain as a word. */
function confidenceOf({ conditions }: RuleHit): number {
  let largest = 0;
  for (const { matches } of conditions) {
    if (matches.length === 0) return 1;
    for (const match of matches) largest = Math.max(largest, match.kind === 'score' ? match.score / 100 : 1);
  }
  return conditions.length === 0 ? 1 : largest;
}

/** The longest reason, in UTF-16 units. */
const longestReason = 255;

function reasonOf(hits: readonly RuleHit[], detail: ReasonDetail): string {
  const parts = hits.map(({ ruleId, conditions }) => {
    const match = detail === 'full' ? conditions.flatMap(({ matches }) => matches)[0] : undefined;
    return `rule ${ruleId}${match === undefined ? '' : `: ${describeMatch(match)}`}`;
  });
  return cut(inOneLine(parts.join('; ')), longestReason - 1);
}

function describeMatch(match: Match): string {
  if (match.kind === 'score') return `${match.label} ${match.score}, over ${match.threshold.greaterThan}`;
  const { path, span, listId } = match;
  const found = match.kind === 'word' ? `term "${match.term}"` : `pattern "${match.pattern}"`;
  return `${found}${listId === undefined ? '' : ` of list ${listId}`} at ${path} ${span.start}-${span.end}`;
}
