import type { Fields } from './untrusted.js';

/** The flag of a condition by which its `value` holds ids of keyword lists (§2.5), and its other spellings on live platforms. */
export const listFlags = ['isKeywordsReferencePresent', 'isKeywordReferencePresent', 'isListReferencePresent'] as const;

/** Whether a condition names keyword lists. */
export function namesLists(condition: Fields | { readonly [Flag in (typeof listFlags)[number]]?: unknown }): boolean {
  return listFlags.some((flag) => condition[flag] === true);
}
