import { isScored, type ScoredFields } from './threshold.js';

/**
 * The flag of a condition whose `value` holds ids of keyword lists (§2.5), and its other spellings
 * on live platforms.
 */
export const listFlags = ['isKeywordsReferencePresent', 'isKeywordReferencePresent', 'isListReferencePresent'] as const;

/**
 * Reports whether a condition names keyword lists. One of `sentence-similarity` has ids of lists
 * for labels, and looks for none of their terms.
 */
export function namesLists(
  condition: ScoredFields & { readonly [Flag in (typeof listFlags)[number]]?: unknown },
): boolean {
  return listFlags.some((flag) => condition[flag] === true) && !isScored(condition);
}
