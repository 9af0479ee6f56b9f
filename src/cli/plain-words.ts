/** How screens name a pattern and a score. */

import type { ExceptionSource, ScoreMatch } from '../engine/evaluate/decision.js';
import type { RuleSet } from '../platform/contract/rule-set.js';
import { columns, cut } from './terminal/lines.js';
import { escapeText } from './terminal/text.js';

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

/** An exception by what it is, and its list: `"our shop" of our-words`, `/ours[.]example/`. */
export function exceptionWords({ term, pattern, listId }: ExceptionSource): string {
  const what = term === undefined ? `/${cut(pattern ?? '', columns.name)}/` : `"${cut(term, columns.text)}"`;
  return listId === undefined ? what : `${what} of ${cut(listId, columns.name)}`;
}

/** A score over a threshold: `gore 91.5, over 70`. */
export function scoreWords({ label, score, threshold }: Pick<ScoreMatch, 'label' | 'score' | 'threshold'>): string {
  const of = threshold.label === label ? '' : `${escapeText(threshold.label)} `;
  return `${escapeText(label)} ${score}, over ${of}${threshold.greaterThan}`;
}
