/**
 * Common parts of keyword matchers: the interface, and the loop that steps cached states over a
 * text, alone or side by side with the patterns' automaton. Reads of typed arrays are in bounds by
 * construction, hence the `!`.
 */
import { COLUMN_BITS, COLUMNS, JointAlphabet } from './alphabet.js';
import { endPattern, type PatternDfa, resumePatternDfa, STALLED, stepPatternTo } from './patterns/lazy-dfa.js';
import { FLAG, type StateCache } from './state-cache.js';

/**
 * Called so, a read takes the same time for any string. There are many kinds (of one byte or two,
 * put together, cut out), and once more than four came by, V8 looks `text.charCodeAt` up for every
 * character: three times as long for the whole scan.
 */
const { charCodeAt } = String.prototype;

/**
 * Constants of this file are part of the compiled code; imported ones are read at every use, which
 * took a seventh of a scan.
 */
const BITS = COLUMN_BITS;
const LAST_COLUMN = COLUMNS - 1;
const LEAVES = FLAG;

/**
 * Advice of a visitor of a scan; a visitor that returns nothing means `CONTINUE`. The larger, the
 * more of the scan is left out.
 */
export const Advice = {
  CONTINUE: 0,
  /** Shorter terms that end at the same place need not be visited. */
  SKIP_SHORTER: 1,
  /** Terms need not be visited any more; patterns that are stepped in the same loop go on. */
  PATTERNS_ONLY: 2,
  STOP: 3,
} as const;

/**
 * Receives one occurrence: the term's index, its UTF-16 span, and what makes the two equal beyond
 * folding, as bits of `hardened/transforms.ts`.
 */
// biome-ignore lint/suspicious/noConfusingVoidType: a visitor that never leaves anything out returns nothing
export type OnTerm = (term: number, start: number, end: number, transforms: number) => number | void;

/** Whether no further term is of interest after a visitor's advice. */
export function endsTerms(advice: ReturnType<OnTerm>): boolean {
  return advice === Advice.PATTERNS_ONLY || advice === Advice.STOP;
}

/**
 * Terms that need no further occurrence in the texts of one message: a matcher does not compare
 * them with the text. Belongs to the matcher that made it.
 */
export interface ClosedTerms {
  close(term: number): void;
  /** Opens all terms, in time proportional to what was closed. */
  clear(): void;
}

/**
 * Terms, ready to be found. A scan allocates nothing; it must not be started from within a visitor
 * of the same matcher.
 */
export interface KeywordMatcher {
  /**
   * Work of the last scan beyond one step for each unit of the text: terms visited and units
   * compared with them.
   */
  readonly steps: number;
  /** A set for `scan` and `scanWith`, with no term closed. */
  createClosedTerms(): ClosedTerms;
  /**
   * Visits every occurrence of the open terms, in the order in which they end; at one end, longer
   * terms first.
   */
  scan(text: string, onTerm: OnTerm, closed?: ClosedTerms): void;
  /**
   * The same, stepping the patterns' automaton in the same loop: two chains of dependent reads
   * overlap, so the second costs little. What occurs is in `dfa.matched` afterwards, unless a
   * visitor returned `STOP`. Returns false when the automaton ran out of its budget and the
   * patterns must be found in another way.
   */
  scanWith(text: string, onTerm: OnTerm, dfa: PatternDfa, closed?: ClosedTerms): boolean;
}

/** A matcher that knows of the text that it scanned last whether it may be read in another way. */
export interface RereadableMatcher extends KeywordMatcher {
  /**
   * Whether a unit of formatting stood after what may begin a term, up to where the visitor ended
   * the scan.
   */
  readonly hasFormatting: boolean;
  /** Whether the visitor ended the scan. */
  readonly isEnded: boolean;
}

/** The row of the start state, before a text. */
export const FIRST_ROW = 0;
/**
 * How a scan ended, in place of an offset: after the advice `STOP`, after `PATTERNS_ONLY`. Matchers
 * may have further negative ones.
 */
const STOPPED = -1;
const LEFT_TO_PATTERNS = -2;

/** Returns where a scan goes on: at `next`, or a negative number. */
export function afterAdvice(advice: ReturnType<OnTerm>, next: number): number {
  return endsTerms(advice) ? (advice === Advice.STOP ? STOPPED : LEFT_TO_PATTERNS) : next;
}

/**
 * The scan of a matcher whose cached states are rows of cells by columns. Cells from `FLAG` on
 * leave the loop: what they stand for is up to the matcher. Classes, so that many engines share the
 * code that was compiled for one: closures of two engines are two functions.
 */
export abstract class CachedScan {
  hasFormatting = false;
  isEnded = false;
  protected rows: StateCache;
  /** The row to go on in after `leave`. */
  protected row = FIRST_ROW;
  /** Column of each UTF-16 unit. */
  protected readonly units: Uint8Array;
  protected readonly joint: JointAlphabet;

  constructor(units: Uint8Array, rows: StateCache) {
    this.units = units;
    this.rows = rows;
    this.joint = new JointAlphabet(units);
  }

  /** Begins a text. Returns 0, or a negative number when there is nothing to scan. */
  protected abstract begin(text: string, onTerm: OnTerm, closed: ClosedTerms | undefined): number;

  /**
   * Takes the character at an offset where the loop was left, or the end of the text. Returns the
   * offset from which the loop goes on in `row`, or a negative number.
   */
  protected abstract leave(text: string, at: number, row: number, cell: number, onTerm: OnTerm): number;

  /** Ends a text, given how its scan ended. Returns how it ended then. */
  protected abstract end(text: string, onTerm: OnTerm, ended: number): number;

  scan(text: string, onTerm: OnTerm, closed?: ClosedTerms): void {
    this.hasFormatting = false;
    const begun = this.begin(text, onTerm, closed);
    this.#finish(text, onTerm, begun < 0 ? begun : this.scanFrom(text, 0, FIRST_ROW, onTerm));
  }

  /** Ends a text, and notes whether its visitor ended the scan. Returns how it ended. */
  #finish(text: string, onTerm: OnTerm, ended: number): number {
    const end = this.end(text, onTerm, ended);
    this.isEnded = end === STOPPED || end === LEFT_TO_PATTERNS;
    return end;
  }

  scanWith(text: string, onTerm: OnTerm, dfa: PatternDfa, closed?: ClosedTerms): boolean {
    const joint = this.joint.with(dfa);
    const { length } = text;
    this.hasFormatting = false;
    const begun = this.begin(text, onTerm, closed);
    let pattern = dfa.begin();
    let row = FIRST_ROW;
    for (let at = 0; ; ) {
      const { cells } = this.rows;
      const { rows } = dfa;
      let cell = 0;
      // No call in here, and nothing but locals: both chains of reads go on side by side. One test
      // of both, by the highest bit, which is `LEAVES` of a cell, takes 5 % less than two; one
      // table for both alphabets 10 %.
      for (; at < length; at++) {
        const both = joint[charCodeAt.call(text, at)]!;
        const to = rows[pattern + (both >> BITS)]!;
        cell = cells[(row << BITS) + (both & LAST_COLUMN)]!;
        if ((to | (cell << 16)) < 0) break;
        pattern = to;
        row = cell;
      }
      const next = begun < 0 ? begun : this.leave(text, at, row, cell, onTerm);
      if (next < 0) {
        const ended = this.#finish(text, onTerm, next);
        return ended === STOPPED || (next === LEFT_TO_PATTERNS && resumePatternDfa(dfa, text, pattern, at) !== STALLED);
      }
      if (at >= length) {
        this.#finish(text, onTerm, next);
        return endPattern(dfa, pattern);
      }
      pattern = stepPatternTo(dfa, pattern, text, at, next);
      at = next;
      row = this.row;
      if (pattern < 0) {
        this.#finish(text, onTerm, this.scanFrom(text, at, row, onTerm));
        return false;
      }
    }
  }

  /**
   * Scans for terms alone, from an offset on in a row. Returns an offset at the end of the text, or
   * a negative number.
   */
  protected scanFrom(text: string, from: number, first: number, onTerm: OnTerm): number {
    const { units } = this;
    const { length } = text;
    let row = first;
    for (let at = from; ; ) {
      const { cells } = this.rows;
      let cell = 0;
      for (; at < length; at++) {
        cell = cells[(row << BITS) + units[charCodeAt.call(text, at)]!]!;
        if (cell >= LEAVES) break;
        row = cell;
      }
      const next = this.leave(text, at, row, cell, onTerm);
      if (next < 0 || at >= length) return next;
      at = next;
      row = this.row;
    }
  }
}
