import type { PatternDfa } from './pattern-dfa.js';

/** Gets one occurrence: the term's index and its UTF-16 span. Answering `true` ends the scan. */
// biome-ignore lint/suspicious/noConfusingVoidType: a visitor that never stops the scan returns nothing
export type OnTerm = (term: number, start: number, end: number) => boolean | void;

/** Terms, ready to be found. A scan allocates nothing; it must not be started from within a visitor of the same matcher. */
export interface KeywordMatcher {
  readonly states: number;
  /** How many symbols the automaton tells apart; rare characters may share one. */
  readonly classes: number;
  /** Of what does not grow; rows that texts ask for come to 4 MiB at most. */
  readonly bytes: number;
  /** Visits every occurrence, in the order in which they end; at one end, longer terms first. */
  scan(text: string, onTerm: OnTerm): void;
  /**
   * The same, stepping the patterns' automaton in the same loop: two chains of dependent reads overlap, so the second
   * costs little. What occurs is in `dfa.matched` afterwards. Answers false when the automaton ran out of its budget and
   * the patterns have to be asked in another way.
   */
  scanWith(text: string, onTerm: OnTerm, dfa: PatternDfa): boolean;
}
