import { type HardenedTerm, readTerm } from './hardened-term.js';

/** Many terms, read when they are needed: a term once read takes thirty times the room of its text. */
export interface HardenedTerms {
  readonly count: number;
  at(index: number): HardenedTerm;
  /** Drops what is kept: once all is built, texts ask for few of them. */
  forget(): void;
}

/** So many are kept once read. */
const MAX_KEPT = 4096;

export function createHardenedTerms(written: readonly string[]): HardenedTerms {
  const kept = new Map<number, HardenedTerm>();
  return {
    count: written.length,
    at: (index) => {
      const before = kept.get(index);
      if (before !== undefined) return before;
      const term = readTerm(written[index]!);
      if (kept.size >= MAX_KEPT) kept.clear();
      kept.set(index, term);
      return term;
    },
    forget: () => kept.clear(),
  };
}
