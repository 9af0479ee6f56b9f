import type { RuleSet } from '../contract/rule-set.js';
import type { ExceptionSource, ScoreMatch, Unevaluated } from '../evaluate/decision.js';
import { columns, cut } from './terminal/lines.js';
import { counted, escapeText } from './terminal/text.js';

/** How screens name a pattern, a score, and what could not be checked. */

/** Why conditions could not be checked, as one clause in plain words; what the message does not name is joined. */
export function reasonWords(
  reasons: readonly (Pick<Unevaluated, 'why' | 'lacks'> & { readonly detail?: string | undefined })[],
): string {
  const lacking = reasons.flatMap(({ lacks }) => (lacks ? `no ${lacks.party} ${escapeText(lacks.property)}` : []));
  const others = reasons
    .filter(({ lacks }) => lacks === undefined)
    .map(({ why, detail = '' }) => (why === 'not-compiled' ? 'the rule has a fault' : escapeText(detail)));
  const joined = lacking.length > 0 ? [`the message names ${[...new Set(lacking)].join(' and ')}`] : [];
  return [...joined, ...new Set(others)].join('; ');
}

/** That scores seem to count from 0 to 1. */
export function scaleWords(files: number): string {
  const what = `none of ${counted(files, 'scored file')} has a score above 1, and thresholds count from 0 to 100`;
  return `${what}: scores from 0 to 1 need \`--scores-scale 1\``;
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
