import type { PatternDfa } from './patterns/lazy-dfa.js';

/** What a visitor of a scan answers; nothing means `CONTINUE`. The larger, the more of the scan is left out. */
export const Advice = {
  CONTINUE: 0,
  /** No shorter term that ends at the same place is of interest. */
  SKIP_SHORTER: 1,
  /** No term is of interest any more; patterns stepped in the same loop still are. */
  END_TERMS: 2,
  STOP: 3,
} as const;

/** Receives one occurrence: the term's index and its UTF-16 span. */
// biome-ignore lint/suspicious/noConfusingVoidType: a visitor that never leaves anything out returns nothing
export type OnTerm = (term: number, start: number, end: number) => number | void;

/** Whether no further term is of interest after a visitor's advice. */
export function endsTerms(advice: ReturnType<OnTerm>): boolean {
  return advice === Advice.END_TERMS || advice === Advice.STOP;
}

/**
 * Terms that need no further occurrence in the texts of one message: a matcher does not compare them with the text. Belongs to
 * the matcher that made it.
 */
export interface ClosedTerms {
  close(term: number): void;
  /** Opens all terms, in time proportional to what was closed. */
  clear(): void;
}

/** Terms, ready to be found. A scan allocates nothing; it must not be started from within a visitor of the same matcher. */
export interface KeywordMatcher {
  readonly states: number;
  /** How many symbols the automaton distinguishes; rare characters may share one. */
  readonly classes: number;
  /** Of the tables that do not grow; cached states come to 4 MiB at most. */
  readonly bytes: number;
  /** Work of the last scan beyond one step for each unit of the text: terms visited and units compared with them. */
  readonly steps: number;
  /** A set for `scan` and `scanWith`, with no term closed. */
  createClosedTerms(): ClosedTerms;
  /** Visits every occurrence of the open terms, in the order in which they end; at one end, longer terms first. */
  scan(text: string, onTerm: OnTerm, closed?: ClosedTerms): void;
  /**
   * The same, stepping the patterns' automaton in the same loop: two chains of dependent reads overlap, so the second
   * costs little. What occurs is in `dfa.matched` afterwards, unless a visitor answered `STOP`. Returns false when the
   * automaton ran out of its budget and the patterns have to be found in another way.
   */
  scanWith(text: string, onTerm: OnTerm, dfa: PatternDfa, closed?: ClosedTerms): boolean;
}
