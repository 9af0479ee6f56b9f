/**
 * Finds every occurrence of every term in one pass over a text, overlaps included. Knows nothing of rules. Whole words and
 * parts of words are looked for in different ways, over the same automaton: see `word-matcher.ts`, `substring-matcher.ts`.
 */
import type { Folding } from './folding.js';
import type { KeywordMatcher } from './keyword-scan.js';
import { createSubstringMatcher } from './substring-matcher.js';
import { createWordMatcher } from './word-matcher.js';

export type { KeywordMatcher, OnTerm } from './keyword-scan.js';

export interface KeywordOptions {
  readonly folding: Folding;
  /** `word`: both ends of a match are word edges. */
  readonly words: 'word' | 'substring';
}

/**
 * Compiles terms. Their indices are what `scan` reports; a blank term never matches. Terms that are equal once folded
 * must be given once.
 */
export function createKeywordMatcher(terms: readonly string[], { folding, words }: KeywordOptions): KeywordMatcher {
  return words === 'word' ? createWordMatcher(terms, folding) : createSubstringMatcher(terms, folding);
}
