import { isDay } from '../../engine/compile/instant.js';
import type { Issue } from '../../engine/compile/issue.js';
import type { RuleSet } from '../contract/rule-set.js';

/**
 * Returns the comment on a term in one line, if there is one. For lists of CSV cells, matches name
 * terms without their quotes.
 */
export function commentOf({ comments }: Pick<RuleSet, 'comments'>, listId: string, term: string): string | undefined {
  const terms = comments !== undefined && Object.hasOwn(comments, listId) ? comments[listId]!.terms : undefined;
  if (terms === undefined) return undefined;
  const written = [term, `"${term.replaceAll('"', '""')}"`].find((form) => Object.hasOwn(terms, form));
  return written === undefined ? undefined : terms[written]!.replaceAll('\n', ' ');
}

/**
 * Lists the terms whose comment says `until 2027-01-31` when that day is over: one issue each, a
 * warning, since such a term still counts. `today` is a day such as `2027-02-01`, given by the
 * caller: an engine does not use the date, so that it decides the same tomorrow.
 */
export function expiredTerms(ruleSet: Pick<RuleSet, 'lists' | 'comments'>, today: string): Issue[] {
  return ruleSet.lists.flatMap(({ id: listId, searchTerms }): Issue[] => {
    if (ruleSet.comments === undefined || !Object.hasOwn(ruleSet.comments, listId)) return [];
    return searchTerms.flatMap((term, index): Issue[] => {
      const [, until] = /\buntil (\d{4}-\d\d-\d\d)\b/.exec(commentOf(ruleSet, listId, term) ?? '') ?? [];
      if (until === undefined || (until >= today && isDay(until))) return [];
      const why = isDay(until)
        ? `was meant until ${until}, and still counts`
        : `says until ${until}, which is not a day`;
      const detail = `the term \`${term}\` ${why}`;
      return [{ code: 'expired-term', severity: 'warning', listId, index, detail }];
    });
  });
}
