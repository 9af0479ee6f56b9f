/** Hints: common causes of a condition that finds nothing, and what to write instead. */
import { namesLists } from '../../engine/compile/list-flags.js';
import { asFields, asList } from '../../engine/compile/untrusted.js';
import type { NearMatch } from './answer.js';
import { type Judged, judgeConditions, type Question } from './judge-conditions.js';

/** A change of patterns, and the hint if it makes one match. */
interface Relaxation {
  readonly of: RegExp;
  readonly change: (pattern: string) => string;
  /** Whether a stretch that the changed pattern matched may be what its author meant. */
  readonly isMeant: (found: string) => boolean;
  readonly hint: string;
}

const relaxations: readonly Relaxation[] = [
  {
    of: /\\b/,
    change: (pattern) => pattern.replace(/\\(.)/gs, (whole, sign: string) => (sign === 'b' ? '' : whole)),
    isMeant: (found) => /^[^\0-\x7f]|[^\0-\x7f]$/.test(found),
    hint: '`\\b` is an edge beside ASCII letters alone; beside others write `(?:^|\\PL)` before the word and `(?:\\PL|$)` behind it',
  },
  {
    of: /[ßẞ]|ss/i,
    change: (pattern) => pattern.replace(/[ßẞ]|ss/gi, '(?i:ß|ss)'),
    isMeant: () => true,
    hint: 'a pattern does not take `ß` for `ss`; write `(?:ß|ss)`',
  },
];

/** Hints for conditions on patterns, by their keys: what would match if a pattern were written in another way. */
export function patternHints(questions: readonly Question[], judged: Judged): ReadonlyMap<number, string> {
  const hints = new Map<number, string>();
  const own = questions.filter(({ fields }) => fields?.category === 'pattern');
  for (const { of, change, isMeant, hint } of own.length === 0 ? [] : relaxations) {
    const changed = (entry: unknown) => (typeof entry === 'string' && of.test(entry) ? change(entry) : entry);
    const lists = (judged.ruleSet.lists ?? []).map((list) => {
      const { searchTerms } = asFields(list) ?? {};
      return Array.isArray(searchTerms) ? { ...list, searchTerms: searchTerms.map(changed) as string[] } : list;
    });
    const relaxed = own.map((question) => {
      const { fields } = question;
      if (fields === undefined || namesLists(fields)) return question;
      return { ...question, fields: { ...fields, value: asList(fields.value).map(changed) } };
    });
    const { held } = judgeConditions(relaxed, { ...judged, ruleSet: { ...judged.ruleSet, lists } });
    for (const [key, match] of held) {
      if (match?.kind === 'pattern' && isMeant(match.text) && !hints.has(key)) hints.set(key, hint);
    }
  }
  return hints;
}

/** Returns a hint for a condition on words, by its near matches: an unexpected reason why it does not match. */
export function wordHint(near: readonly NearMatch[]): string | undefined {
  for (const { reading, value, match } of near) {
    if (match.kind !== 'word') continue;
    if (value === 'prefix' && /\p{Script=Hangul}$/u.test(match.text))
      return 'Korean joins particles to a word; give the list of such words the reading `prefix`';
    if (reading === 'folding' && /[ßẞ]/.test(match.term) !== /[ßẞ]/.test(match.text))
      return '`ß` is `ss` under the foldings `accents` and `hardened` alone; or add the other spelling';
  }
  return undefined;
}
