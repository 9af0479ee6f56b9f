import type { RuleSet } from '../contract/rule-set.js';
import type { ScoreMatch, Unevaluated } from '../evaluate/decision.js';
import { escapeText } from './terminal/text.js';

/** How screens name a pattern, a score, and what could not be checked. */

const lacks = 'the message names ';

/** Why a condition could not be checked, in plain words. */
export function reasonWords({ why, detail }: Pick<Unevaluated, 'why' | 'detail'>): string {
  if (why === 'not-compiled') return 'the rule has a fault';
  const [, party, field] = /^a filter asks for the (sender|receiver)'s `([^`]*)`/.exec(detail) ?? [];
  return party === undefined ? escapeText(detail) : `${lacks}no ${party} ${escapeText(field ?? '')}`;
}

/** Reasons as one clause: what the message does not name is joined, other reasons stand behind semicolons. */
export function joinReasons(reasons: readonly string[]): string {
  const lacking = reasons.filter((reason) => reason.startsWith(lacks)).map((reason) => reason.slice(lacks.length));
  const others = reasons.filter((reason) => !reason.startsWith(lacks));
  return [...(lacking.length > 0 ? [lacks + lacking.join(' and ')] : []), ...others].join('; ');
}

/** The number of a pattern of a list, or of the patterns that a rule holds itself: `pattern 3`; `pattern` where it is alone. */
export function patternName(
  { rules, lists }: RuleSet,
  ruleId: string,
  { pattern, listId }: { readonly pattern: string; readonly listId?: string | undefined },
): string {
  const rule = rules.find(({ id }) => id === ruleId);
  const all =
    listId === undefined
      ? (rule?.conditions ?? []).filter(({ category }) => category === 'pattern').flatMap(({ value }) => value ?? [])
      : (lists.find(({ id }) => id === listId)?.searchTerms ?? []);
  const index = all.indexOf(pattern);
  return all.length < 2 || index === -1 ? 'pattern' : `pattern ${index + 1}`;
}

/** A score over a threshold: `gore 91.5, over 70`. */
export function scoreWords({ label, score, threshold }: Pick<ScoreMatch, 'label' | 'score' | 'threshold'>): string {
  const of = threshold.label === label ? '' : `${escapeText(threshold.label)} `;
  return `${escapeText(label)} ${score}, over ${of}${threshold.greaterThan}`;
}
