/** Limits the number and the lengths of the terms of a rule set. */
import { ascending } from '../match/ordered.js';

/**
 * Limits of the number and lengths of the terms in an automaton. Compilation takes time and memory
 * in proportion to their characters, so that a bound of these bounds both. The shortest terms are
 * admitted first: a few long ones never displace many ordinary ones.
 */
export interface TermLimits {
  /** UTF-16 units of one term, as written. */
  readonly termCharacters: number;
  /** Distinct folded terms; those of `contains` and of `equals` are counted separately. */
  readonly terms: number;
  /**
   * UTF-16 units of all these terms, folded: an upper bound of the automaton's states, but that
   * beside terms that must begin at a word edge the others are counted twice.
   */
  readonly allCharacters: number;
  /**
   * Terms and patterns that conditions refer to, counted for each condition: some 200 bytes each
   * while compiling.
   */
  readonly references: number;
}

/**
 * Far above real lists: a term of 100,000 characters is longer than any message, and 80 such terms
 * use up `allCharacters`.
 */
export const termLimits: TermLimits = {
  termCharacters: 100_000,
  terms: 500_000,
  allCharacters: 8_000_000,
  references: 4_000_000,
};

/** Returns why a term is rejected for its own length; `undefined` when it is not. */
export function tooLong(term: string, { termCharacters }: TermLimits): string | undefined {
  return term.length > termCharacters ? `is ${term.length} characters long, more than ${termCharacters}` : undefined;
}

/** The terms that fit into one automaton. */
interface TermAdmission {
  /** For each term: 1 when it is admitted. */
  readonly admitted: Uint8Array;
  /** The reason why the others are not; absent when there are no others. */
  readonly reason?: string;
}

/** Admits terms by their lengths, the shortest first; of those of one length, the first ones. */
export function admitTerms(
  lengths: readonly number[],
  { terms, allCharacters }: Pick<TermLimits, 'terms' | 'allCharacters'>,
): TermAdmission {
  const admitted = new Uint8Array(lengths.length).fill(1);
  let characters = 0;
  for (const length of lengths) characters += length;
  const isTooMany = lengths.length > terms;
  if (!isTooMany && characters <= allCharacters) return { admitted };
  let left = allCharacters;
  for (const [rank, term] of ascending(lengths).entries()) {
    left -= lengths[term]!;
    if (rank >= terms || left < 0) admitted[term] = 0;
  }
  const reason = isTooMany
    ? `there are ${lengths.length} different terms, more than ${terms}`
    : `all terms together have ${characters} characters, more than ${allCharacters}`;
  return { admitted, reason };
}
