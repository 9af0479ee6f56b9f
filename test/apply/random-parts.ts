import fc from 'fast-check';
import type { KeywordList } from '../../src/platform/contract/keyword-list.js';
import type { Rule } from '../../src/platform/contract/rule.js';
import { listsNamedBy } from '../../src/platform/loader/part-form.js';

/**
 * Random rules and keyword lists that have ids and words in common with others, and helpers to look
 * at them.
 */
export type Parts = { readonly rules: readonly Rule[]; readonly lists: readonly KeywordList[] };

const terms = fc.subarray(['a', 'b', 'c', 'd', 'e'], { minLength: 1 });
const listIds = ['l1', 'l2', 'l3', 'l4'];
/** Rules that name only lists that are there. */
export const parts = fc
  .record({
    lists: fc.uniqueArray(fc.record({ id: fc.constantFrom(...listIds), searchTerms: terms, isCSV: fc.boolean() }), {
      selector: ({ id }) => id,
      maxLength: 4,
    }),
    rules: fc.uniqueArray(
      fc.record({
        id: fc.constantFrom('r1', 'r2', 'r3', 'r4', 'r5'),
        enabled: fc.boolean(),
        names: fc.subarray(listIds),
        words: terms,
      }),
      { selector: ({ id }) => id, maxLength: 5 },
    ),
  })
  .map(({ lists, rules }): Parts => {
    const ids = new Set<string>(lists.map(({ id }) => id));
    return {
      lists: lists.map((list) => ({
        ...list,
        searchTerms: list.isCSV ? list.searchTerms.map((term) => `"${term}"`) : list.searchTerms,
      })),
      rules: rules.map(({ id, enabled, names, words }) => ({
        id,
        enabled,
        action: ['blockMessage'],
        conditions: [
          { operand: 'text', value: words },
          ...(names.some((name) => ids.has(name))
            ? [
                {
                  operand: 'text',
                  isKeywordsReferencePresent: true,
                  value: names.filter((name) => ids.has(name)),
                } as const,
              ]
            : []),
        ],
      })),
    };
  });

/** Lists that a live rule names and that are not there. */
export function missingLists({ rules, lists }: Parts): string[] {
  const ids = new Set(lists.map(({ id }) => id));
  return rules.flatMap((rule) => listsNamedBy(rule).filter((id) => !ids.has(id)));
}
