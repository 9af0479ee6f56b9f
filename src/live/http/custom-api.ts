/**
 * The contract of the platform for an external engine: what it sends, and the answer that it takes
 * for one.
 */
import { asFields } from '../../engine/compile/untrusted.js';
import { stops, verdicts as verdictNames } from '../../engine/compile/verdicts.js';
import type { Decision, Match, RuleHit, Verdict } from '../../engine/evaluate/decision.js';
import type { UndecidedRule } from '../../engine/evaluate/undecided-rules.js';
import { cut, inOneLine } from '../../engine/reason.js';
import { Refusal } from '../../foundation/requests/refusal.js';
import type { MessageDraft } from '../../platform/contract/message-draft.js';

/**
 * An answer that a platform takes. Everything else is a failure of the engine to it, and its own
 * setting decides.
 */
export interface CustomApiAnswer {
  readonly isMatchingCondition: boolean;
  /** From 0 to 1; compared with the threshold of the platform's rule. */
  readonly confidence: number;
  readonly reason: string;
}

/**
 * The detail of a reason: rule, term or pattern with its list, and place; the rule alone; nothing.
 */
export type ReasonDetail = 'full' | 'rule' | 'none';

/**
 * The rules, verdicts and actions that count as a match; without any of them every verdict but
 * `allow`.
 */
export interface Counted {
  readonly rules: readonly string[];
  readonly verdicts: readonly Verdict[];
  readonly actions: readonly string[];
}

/** Reads what counts. Throws a `Refusal` for a verdict that never counts. */
export function readCounted(search: URLSearchParams): Counted {
  const [rules, verdicts, actions] = ['rule', 'verdict', 'action'].map((name) => search.getAll(name));
  if (verdicts!.every(stops)) return { rules: rules!, verdicts: verdicts!, actions: actions! };
  throw new Refusal(400, `\`verdict\` must be ${verdictNames.filter(stops).join(' or ')}`);
}

/**
 * Returns the message that is to be judged: the last one of `contextMessages`, under the uid of its
 * sender. The ones before it are context. Throws a `Refusal` for a body without one.
 */
export function messageOf(body: unknown): MessageDraft {
  const messages = asFields(body)?.contextMessages;
  if (!Array.isArray(messages)) throw new Refusal(400, '`contextMessages` must be an array');
  const [only, ...further] = Object.entries(asFields(messages.at(-1)) ?? {});
  const [sender, message] = only ?? [];
  if (further.length === 0 && typeof message === 'string') return { sender, data: { text: message } };
  if (further.length === 0 && asFields(message) !== undefined) return message as MessageDraft;
  throw new Refusal(400, 'the last of `contextMessages` must be { <uid>: <message> }');
}

/** Reports whether only rules count, whatever the verdict. */
export function isByRules({ rules, actions }: Counted): boolean {
  return rules.length > 0 || actions.length > 0;
}

/** Returns the answer that a decision makes. Rules in shadow count for nothing. */
export function answerOf(decision: Decision, counted: Counted, detail: ReasonDetail): CustomApiAnswer {
  const hits = countedHits(decision, counted);
  if (!isCountedVerdict(decision.verdict, counted) || (isByRules(counted) && hits.length === 0)) {
    return { isMatchingCondition: false, confidence: 0, reason: '' };
  }
  const confidence = hits.length === 0 ? 1 : hits.reduce((most, hit) => Math.max(most, confidenceOf(hit)), 0);
  return { isMatchingCondition: true, confidence, reason: detail === 'none' ? '' : reasonOf(hits, detail) };
}

/**
 * Returns the first of the undecided rules that could make the answer a match; `undefined` if none
 * can.
 */
export function undecidedRuleOf(
  decision: Decision,
  undecided: readonly UndecidedRule[],
  counted: Counted,
): UndecidedRule | undefined {
  const byRule = undecided.filter((rule) => isCountedRule(rule, counted));
  const byVerdict = undecided.filter(({ verdict, determining }) => determining && isCountedVerdict(verdict, counted));
  const mayHit = !isByRules(counted) || byRule.length > 0 || countedHits(decision, counted).length > 0;
  const mayCount = isCountedVerdict(decision.verdict, counted) || byVerdict.length > 0;
  return mayHit && mayCount ? (isByRules(counted) ? (byRule[0] ?? byVerdict[0]) : byVerdict[0]) : undefined;
}

/**
 * Reports whether scores cannot change an answer: rules count, whatever the verdict, and one of
 * them matches by a word or a pattern.
 */
export function isCertain(decision: Decision, counted: Counted): boolean {
  if (!isByRules(counted) || counted.verdicts.length > 0) return false;
  return countedHits(decision, counted).some(({ conditions }) => conditions.some(({ matches }) => matches.length > 0));
}

function countedHits(decision: Decision, counted: Counted): readonly RuleHit[] {
  const isByRule = isByRules(counted);
  return decision.matched.filter((hit) => !hit.shadow && (isByRule || hit.determining) && isCountedRule(hit, counted));
}

function isCountedRule(rule: Pick<RuleHit, 'ruleId' | 'actions'>, { rules, actions }: Counted): boolean {
  if (rules.length > 0 && !rules.includes(rule.ruleId)) return false;
  return actions.length === 0 || actions.some((action) => rule.actions.includes(action));
}

function isCountedVerdict(verdict: Verdict, counted: Counted): boolean {
  if (counted.verdicts.length > 0) return counted.verdicts.includes(verdict);
  return isByRules(counted) || stops(verdict);
}

/**
 * Returns how certain a rule is. One that matched without a match to show, such as a text that
 * cannot be read, is as certain as a word.
 */
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
  const descriptions = hits.map(({ ruleId, conditions }) => {
    const match = detail === 'full' ? conditions.flatMap(({ matches }) => matches)[0] : undefined;
    return `rule ${ruleId}${match === undefined ? '' : `: ${describeMatch(match)}`}`;
  });
  return cut(inOneLine(descriptions.join('; ')), longestReason - 1);
}

function describeMatch(match: Match): string {
  if (match.kind === 'score') return `${match.label} ${match.score}, over ${match.threshold.greaterThan}`;
  const { path, span, listId } = match;
  const found = match.kind === 'word' ? `term "${match.term}"` : `pattern "${match.pattern}"`;
  return `${found}${listId === undefined ? '' : ` of list ${listId}`} at ${path} ${span.start}-${span.end}`;
}
