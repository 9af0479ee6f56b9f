import type { PatternDfa } from './pattern-dfa.js';
import type { Span } from './span.js';
import type { WorkBudget } from './work-budget.js';

/** One pattern as it is given to an engine: RE2 syntax, JavaScript escapes already translated. */
export interface PatternSpec {
  readonly source: string;
  readonly insensitive: boolean;
  /** The whole text must match, not a part of it. */
  readonly whole: boolean;
}

/** Why an engine would not take a pattern. */
export interface RejectedPattern {
  /** Index into the patterns that were given. */
  readonly index: number;
  readonly reason: string;
}

/**
 * Compiled patterns, addressed by their index in what was given to `compile`. Rejected ones never match. Linear in the
 * text for any pattern. `mark` and `find` throw `PatternFault` when the engine itself fails.
 */
export interface PatternSet {
  readonly rejected: readonly RejectedPattern[];
  /** The automaton behind `mark`, for who steps it along with something else; not every engine has one. */
  readonly dfa?: PatternDfa;
  /** Calls `onMatch` once for every pattern that occurs in the text. */
  mark(text: string, onMatch: (index: number) => void): void;
  /**
   * Successive non-overlapping matches of one pattern, at most `limit`, as UTF-16 spans. Each search may read the text to its
   * end, so the steps are taken from the budget, and once that is used up no second match is searched for.
   */
  find(index: number, text: string, limit: number, budget: WorkBudget): Span[];
  /** Frees what garbage collection cannot. */
  close(): void;
}

/** The seam behind which regular expressions run: `re2js` by default, `sluice/re2-wasm` for Google's own RE2. */
export interface PatternEngine {
  readonly name: string;
  compile(patterns: readonly PatternSpec[]): PatternSet;
}

/** The engine failed, not the pattern: a WebAssembly heap ran out, say. Reported as `engine-fault`, never as a verdict. */
export class PatternFault extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'PatternFault';
  }
}

/** A pattern with its flags written into it. Only for sources that compile by themselves: a stray `)` would end the group. */
export function withFlags({ source, insensitive, whole }: PatternSpec): string {
  const flagged = insensitive ? `(?i:${source})` : source;
  return whole ? `\\A(?:${flagged})\\z` : flagged;
}
