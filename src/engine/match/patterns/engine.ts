/** The interface of a pattern engine. */
import type { TakeMatch } from '../span.js';
import type { WorkBudget } from '../work-budget.js';
import type { PatternDfa } from './lazy-dfa.js';

/** A pattern as input of an engine: RE2 syntax, JavaScript escapes already translated. */
export interface PatternSpec {
  readonly source: string;
  readonly insensitive: boolean;
  /** Whether the pattern must match the whole text. */
  readonly whole: boolean;
}

/** A pattern that an engine rejected, and why. */
export interface RejectedPattern {
  /** Index into the patterns passed to `compile`. */
  readonly index: number;
  readonly reason: string;
}

/**
 * Compiled patterns, addressed by their index in the array passed to `compile`. Rejected ones never
 * match. `mark` takes time linear in the text for any patterns. `mark` and `find` throw
 * `PatternFault` when the engine itself fails.
 */
export interface PatternSet {
  readonly rejected: readonly RejectedPattern[];
  /**
   * The automaton behind `mark`, to be stepped in the same loop as another one; not every engine
   * has it.
   */
  readonly dfa?: PatternDfa;
  /** Calls `onMatch` once for each pattern that occurs in the text. */
  mark(text: string, onMatch: (index: number) => void): void;
  /**
   * Hands on successive non-overlapping matches of one pattern, as UTF-16 spans, until it is said
   * that these are enough. Each search may read the text to its end; its steps are added to the
   * budget, which a caller that takes the matches must keep.
   */
  find(index: number, text: string, budget: WorkBudget, take: TakeMatch): void;
  /** Frees what garbage collection cannot. */
  close(): void;
}

/**
 * An implementation of regular expressions: `re2js` by default, `sluice/re2-wasm` for Google's own
 * RE2.
 */
export interface PatternEngine {
  readonly name: string;
  compile(patterns: readonly PatternSpec[]): PatternSet;
  /**
   * The same as work that yields between portions, for `compileEngine`; an engine without it
   * compiles all patterns at once.
   */
  compileInPortions?(patterns: readonly PatternSpec[]): Generator<undefined, PatternSet, undefined>;
}

/**
 * A failure of the engine rather than the pattern, such as an exhausted WebAssembly heap. Reported
 * as `engine-fault`.
 */
export class PatternFault extends Error {
  override readonly name: string = 'PatternFault';
}

/**
 * Returns a pattern with its flags written into it. Only for sources that compile by themselves: a
 * stray `)` would end the group.
 */
export function withFlags({ source, insensitive, whole }: PatternSpec): string {
  const flagged = insensitive ? `(?i:${source})` : source;
  return whole ? `\\A(?:${flagged})\\z` : flagged;
}
