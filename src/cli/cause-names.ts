/** The names of patterns, exceptions, scores and causes on screens and pages. */
import type { DiffCause } from '../audit/count/diff-causes.js';
import type { ExceptionSource, Match, ScoreMatch } from '../engine/evaluate/decision.js';
import type { RuleSet } from '../platform/contract/rule-set.js';
import { commentOf } from '../platform/loader/term-comments.js';
import { name, patternValue, quoted, type Value, type Words, words } from './document/document.js';

/**
 * Returns a pattern by its number in its list or in its rule, `pattern 3`, or `pattern` if it is
 * the only one.
 */
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
  const prefix = threshold.label === label ? undefined : words`${name(threshold.label)} `;
  return words`${name(label)} ${score}, over ${prefix}${threshold.greaterThan}`;
}

/**
 * Describes a cause: the term, pattern, threshold or condition, its list, and its rule. `ruleSet`
 * is the rule set of its side.
 */
export function causeWords(cause: DiffCause, ruleSet: RuleSet): Words {
  const { of, ruleId, ruleName, conditionId, listId, listRevisionId, term, pattern, threshold, exception } = cause;
  const what =
    term !== undefined
      ? quoted(term)
      : pattern !== undefined
        ? patternName(ruleSet, ruleId, { pattern, listId })
        : threshold !== undefined
          ? words`${quoted(threshold.label)} over ${threshold.greaterThan}`
          : `condition ${conditionId}`;
  const source = listId === undefined ? undefined : words` of ${quoted(listId + revisionWords(listRevisionId))}`;
  const by = exception && quoted(exception.term ?? exception.pattern ?? '');
  const from = exception?.listId === undefined ? undefined : words` of ${quoted(exception.listId)}`;
  const excepted = exception && words`, ${of === 'rules' ? 'no longer excepted' : 'excepted now'} by ${by}${from}`;
  const comment = listId === undefined ? undefined : commentOf(ruleSet, listId, term ?? pattern ?? '');
  const why = comment === undefined ? undefined : words`, why: ${quoted(comment)}`;
  return words`${what}${source} → ${quoted(ruleName)}${excepted}${why}`;
}

/** Returns the revision of a list as `@8`. The revision ids of platforms end in a number. */
function revisionWords(revision: string | undefined): string {
  return revision === undefined ? '' : `@${/_(\d+)$/.exec(revision)?.[1] ?? revision.slice(0, 12)}`;
}
