import type { Condition, Rule } from '../contract/rule.js';

/**
 * Ids of the keyword lists that rules name (§2.5), each once, in order of first reference. Rules that do not run count
 * too: which ones run is decided later.
 */
export function referencedLists(rules: readonly Rule[]): string[] {
  const ids = rules.flatMap((rule) => rule.conditions).flatMap(listsOf);
  return [...new Set(ids)];
}

function listsOf(condition: Condition): string[] {
  if (!hasReference(condition) || condition.operand === 'image' || condition.operand === 'video') return [];
  const values = typeof condition.value === 'string' ? [condition.value] : (condition.value ?? []);
  return values.filter((value) => value !== '' && !isScore(condition, value));
}

/** The flag has three spellings in the wild. */
function hasReference(condition: Condition): boolean {
  return (
    condition.isKeywordsReferencePresent === true ||
    condition.isKeywordReferencePresent === true ||
    condition.isListReferencePresent === true
  );
}

/** Live conditions of other categories, such as `sentence-similarity`, set the flag and hold a threshold: no list has that id. */
function isScore(condition: Condition, value: string): boolean {
  const { category } = condition;
  return category !== undefined && category !== 'word' && category !== 'pattern' && /_greaterThan_[\d.]+$/.test(value);
}
