import { isDay } from '../../engine/compile/instant.js';
import type { Issue } from '../../engine/compile/issue.js';
import { UsageError } from '../../foundation/errors.js';
import type { RuleSet } from '../contract/rule-set.js';

/**
 * Why a term is in its list, in one line, where somebody noted it. Of a list of CSV cells, matches name terms without the quotes of
 * theirs.
 */
export function commentOf({ comments }: Pick<RuleSet, 'comments'>, listId: string, term: string): string | undefined {
  const terms = comments !== undefined && Object.hasOwn(comments, listId) ? comments[listId]!.terms : undefined;
  if (terms === undefined) return undefined;
  const written = [term, `"${term.replaceAll('"', '""')}"`].find((form) => Object.hasOwn(terms, form));
  return written === undefined ? undefined : terms[written]!.replaceAll('\n', ' ');
}

const day = /^\d{4}-\d\d-\d\d$/;

/**
 * Terms whose comment says `until 2027-01-31`, by the comments of a rule set from a folder, when that day is over: one issue each, a
 * warning, since such a term counts as before. An engine knows no date, so that it answers tomorrow as it does today: `today`, a day such
 * as `2027-02-01`, is the caller's. Throws `UsageError` when it is none.
 */
export function expiredTerms(ruleSet: Pick<RuleSet, 'lists' | 'comments'>, today: string): Issue[] {
  if (!day.test(today)) throw new UsageError('`today` must be a day such as 2027-01-31');
  return ruleSet.lists.flatMap(({ id: listId, searchTerms }): Issue[] => {
    const own = { comments: ruleSet.comments };
    if (own.comments === undefined || !Object.hasOwn(own.comments, listId)) return [];
    return searchTerms.flatMap((term, index): Issue[] => {
      const [, until] = /\buntil (\d{4}-\d\d-\d\d)\b/.exec(commentOf(own, listId, term) ?? '') ?? [];
      if (until === undefined || (until >= today && isDay(until))) return [];
      const why = isDay(until)
        ? `was meant until ${until}, and still counts`
        : `says until ${until}, which is not a day`;
      const detail = `the term \`${term}\` ${why}`;
      return [{ code: 'expired-term', severity: 'warning', listId, index, detail }];
    });
  });
}
