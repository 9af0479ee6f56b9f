/**
 * How many terms, and of which length, go into an automaton: compilation takes time and memory in proportion to their
 * characters, some 60 bytes each at its peak, so that what bounds these bounds both. The shortest terms come first: a few
 * long ones never crowd out many ordinary ones.
 */
export interface TermLimits {
  /** UTF-16 units of one term, as written. */
  readonly termCharacters: number;
  /** Terms that differ once folded; those that a text contains and those that it equals are counted apart. */
  readonly terms: number;
  /** UTF-16 units of all these terms, folded: as many states at most. */
  readonly allCharacters: number;
}

/** No real list comes near: a term of that length is longer than any message, and 80 of them are all there may be. */
export const termLimits: TermLimits = { termCharacters: 100_000, terms: 500_000, allCharacters: 8_000_000 };

/** Why one term is rejected for its own length; nothing when it is not. */
export function tooLong(term: string, { termCharacters }: TermLimits): string | undefined {
  return term.length > termCharacters ? `is ${term.length} characters long, more than ${termCharacters}` : undefined;
}

/** Which of some terms fit together. */
export interface TermAdmission {
  /** By term: 1 when it is admitted. */
  readonly admitted: Uint8Array;
  /** Why the others are not; absent when there are none. */
  readonly reason?: string;
}

/** Admits terms by their lengths, the shortest first; of those of one length, the first ones. */
export function admitTerms(lengths: readonly number[], { terms, allCharacters }: TermLimits): TermAdmission {
  const admitted = new Uint8Array(lengths.length).fill(1);
  let characters = 0;
  for (const length of lengths) characters += length;
  const isTooMany = lengths.length > terms;
  if (!isTooMany && characters <= allCharacters) return { admitted };
  const shortestFirst = Uint32Array.from(lengths.keys()).sort((a, b) => lengths[a]! - lengths[b]! || a - b);
  let left = allCharacters;
  for (const [rank, term] of shortestFirst.entries()) {
    left -= lengths[term]!;
    if (rank >= terms || left < 0) admitted[term] = 0;
  }
  const reason = isTooMany
    ? `there are ${lengths.length} different terms, more than ${terms}`
    : `all terms together have ${characters} characters, more than ${allCharacters}`;
  return { admitted, reason };
}
