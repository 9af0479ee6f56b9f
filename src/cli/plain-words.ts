/** The names of patterns, exceptions and scores on screens and pages. */

import type { ExceptionSource, Match, ScoreMatch } from '../engine/evaluate/decision.js';
import type { RuleSet } from '../platform/contract/rule-set.js';
import { name, patternValue, quoted, type Value, type Words, words } from './document/document.js';

/** Returns the number of a pattern in its list, or among the patterns of its rule: `pattern 3`; `pattern` where it is alone. */
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

/** Returns the term of a match in quotation marks, or the number of its pattern. */
export function matchName(match: Exclude<Match, ScoreMatch>, ruleId: string, ruleSet: RuleSet): Words {
  return match.kind === 'word' ? quoted(match.term) : patternName(ruleSet, ruleId, match);
}

/** Returns the term or pattern of a match as it is written. */
export function writtenOf(match: Exclude<Match, ScoreMatch>): Value {
  return match.kind === 'word' ? quoted(match.term) : patternValue(match.pattern);
}

/** Returns an exception and its list: `"our shop" of our-words`, `/ours[.]example/`. */
export function exceptionWords({ term, pattern = '', listId }: ExceptionSource): Words {
  const what = term === undefined ? patternValue(pattern, 80) : quoted(term);
  return listId === undefined ? what : words`${what} of ${name(listId)}`;
}

/** Returns a score over a threshold: `gore 91.5, over 70`. */
export function scoreWords({ label, score, threshold }: Pick<ScoreMatch, 'label' | 'score' | 'threshold'>): Words {
  const of = threshold.label === label ? undefined : words`${name(threshold.label)} `;
  return words`${name(label)} ${score}, over ${of}${threshold.greaterThan}`;
}
