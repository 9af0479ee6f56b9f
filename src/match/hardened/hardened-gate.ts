/**
 * Says of a text, nearly as fast as the plain matcher finds terms, that no hardened term can be in it: true of most. It steps
 * an automaton by classes of letters, with rows as the plain matcher has them, and gives way to the thorough scan at what may
 * be a term, at a letter three times in a row, which may be drawn out, and at letters that stand alone.
 */
import { COLUMN_BITS, OTHER } from '../alphabet.js';
import { buildDenseRows, LEAVE } from '../dense-rows.js';
import { isWhite, WHITE } from '../folding.js';
import { buildKeywordAutomaton, type KeywordAutomaton } from '../keyword-automaton.js';
import type { PatternDfa } from '../pattern-dfa.js';
import { endPattern, stepPatternTo } from '../step-pattern.js';
import {
  BREAK_BIT,
  BYTE_ORDER,
  createGateAlphabet,
  ENTRY_BITS,
  type GateAlphabet,
  HIDDEN,
  LOOK,
  SIGN_BIT,
} from './gate-alphabet.js';
import { isDrawnOut, isMarked, mayBeSpaced, mayEndAt, RUN } from './gate-evidence.js';
import type { HardenedTerms } from './hardened-terms.js';
import { classOf } from './likeness.js';
import { LONE_MASK, lonePatterns } from './lone-patterns.js';
import { readingOf } from './readings.js';
import { bars } from './spaced.js';

/** What the gate says of a text: nothing in it and patterns read, patterns stalled, or to be looked at. */
export type GateAnswer = 'clear' | 'stalled' | 'open';

const LAST_COLUMN = (1 << COLUMN_BITS) - 1;

/**
 * Negative when the last character but one is a letter that stands alone, as many an `a` does: the loop asks that first, with
 * no table, which takes 60 ns less for 85 characters.
 */
const isAfterLone = (history: number) => ((history & 7) ^ 5) - 1;

export class HardenedGate {
  readonly bytes: number;
  readonly #terms: HardenedTerms;
  readonly #wholeWords: boolean;
  readonly #alphabet: GateAlphabet;
  readonly #automaton: KeywordAutomaton;
  readonly #cells: Uint16Array;
  readonly #hot: number;
  /** Some term holds white space for case folding where readings see something hidden. */
  readonly #alwaysOpen: boolean;
  /** Some term is of nothing but hidden characters, marks and white space. */
  #opensForHidden = false;
  /** Where the automaton stands, which of the last characters separated letters, and where to read on. */
  #state = 0;
  #seen = -1;
  #next = 0;
  #joint: Uint16Array | Uint32Array | undefined;
  #jointOf: PatternDfa | undefined;

  constructor(written: readonly string[], terms: HardenedTerms, words: 'word' | 'substring') {
    const symbols: number[] = [];
    const from = [0];
    for (let term = 0; term < terms.count; term++) {
      const { letters } = terms.at(term);
      const isSeen = !isMarked(written[term]!, letters.length) && letters.some(({ base }) => base !== WHITE);
      if (isSeen) for (const { base } of letters) symbols.push(base === WHITE ? WHITE : classOf(base));
      if (!isSeen && written[term]!.trim() !== '') this.#opensForHidden = true;
      from.push(symbols.length);
    }
    const alphabet = createGateAlphabet(symbols);
    const columns = symbols.map(alphabet.columnOf);
    for (const column of new Set(columns)) {
      if (column === alphabet.white) continue;
      for (let times = 0; times < RUN; times++) columns.push(column);
      from.push(columns.length);
    }
    const sequences = { count: from.length - 1, symbols: Int32Array.from(columns), from: Int32Array.from(from) };
    const automaton = buildKeywordAutomaton(sequences, alphabet.width);
    const { cells, hot } = buildDenseRows(automaton, alphabet);
    for (let state = 0; state < hot; state++) cells[(state << COLUMN_BITS) + LOOK] = LEAVE;
    this.#terms = terms;
    this.#wholeWords = words === 'word';
    this.#alphabet = alphabet;
    this.#automaton = automaton;
    this.#cells = cells;
    this.#hot = hot;
    this.#alwaysOpen = written.some((term) => term.includes('\ufeff'));
    this.bytes = automaton.bytes + cells.byteLength + alphabet.entries.byteLength;
  }

  /** Whether a text may hold a term. */
  opensFor(text: string): boolean {
    if (this.#alwaysOpen) return true;
    const cells = this.#cells;
    const { entries } = this.#alphabet;
    const { length } = text;
    let state = 0;
    let seen = -1;
    for (let at = 0; ; ) {
      for (; at < length; at++) {
        const entry = entries[text.charCodeAt(at)]!;
        const cell = cells[(state << COLUMN_BITS) + (entry & LAST_COLUMN)]!;
        const history = (seen << 1) | (entry >> COLUMN_BITS);
        if (((cell << 16) | isAfterLone(history)) < 0) {
          if (cell === LEAVE || lonePatterns[history & LONE_MASK] !== 0) break;
        }
        state = cell;
        seen = history;
      }
      if (at >= length) return lonePatterns[((seen << 1) | 1) & LONE_MASK] !== 0 && mayBeSpaced(text, length);
      this.#state = state;
      this.#seen = seen;
      do {
        if (this.#takes(text, at)) return true;
        at = this.#next;
      } while (this.#state >= this.#hot && at < length);
      state = this.#state < this.#hot ? this.#state : 0;
      seen = this.#seen;
    }
  }

  /** The same, stepping the patterns' automaton in the same loop. */
  opensWith(text: string, dfa: PatternDfa): GateAnswer {
    if (this.#alwaysOpen) return 'open';
    const joint = this.#jointWith(dfa);
    const cells = this.#cells;
    const { length } = text;
    let pattern = dfa.begin();
    let state = 0;
    let seen = -1;
    for (let at = 0; ; ) {
      const { rows } = dfa;
      for (; at < length; at++) {
        const both = joint[text.charCodeAt(at)]!;
        const to = rows[pattern + (both >> ENTRY_BITS)]!;
        const cell = cells[(state << COLUMN_BITS) + (both & LAST_COLUMN)]!;
        const history = (seen << 1) | ((both >> COLUMN_BITS) & 1);
        if ((to | (cell << 16) | isAfterLone(history)) < 0) {
          if ((to | (cell << 16)) < 0 || lonePatterns[history & LONE_MASK] !== 0) break;
        }
        pattern = to;
        state = cell;
        seen = history;
      }
      if (at >= length) {
        if (lonePatterns[((seen << 1) | 1) & LONE_MASK] !== 0 && mayBeSpaced(text, length)) return 'open';
        return endPattern(dfa, pattern) ? 'clear' : 'stalled';
      }
      const from = at;
      this.#state = state;
      this.#seen = seen;
      do {
        if (this.#takes(text, at)) return 'open';
        at = this.#next;
      } while (this.#state >= this.#hot && at < length);
      state = this.#state < this.#hot ? this.#state : 0;
      seen = this.#seen;
      pattern = stepPatternTo(dfa, pattern, text, from, at);
      // Where the patterns give up, terms are still to be looked for.
      if (pattern < 0) return this.opensFor(text) ? 'open' : 'stalled';
    }
  }

  #jointWith(dfa: PatternDfa): Uint16Array | Uint32Array {
    if (this.#joint !== undefined && this.#jointOf === dfa) return this.#joint;
    const { entries } = this.#alphabet;
    const joint = dfa.classCount <= 0x10000 >> ENTRY_BITS ? new Uint16Array(0x10000) : new Uint32Array(0x10000);
    for (let unit = 0; unit < joint.length; unit++) joint[unit] = entries[unit]! | (dfa.classes[unit]! << ENTRY_BITS);
    this.#joint = joint;
    this.#jointOf = dfa;
    return joint;
  }

  /** Takes the character at an offset. Answers whether the gate opens. */
  #takes(text: string, at: number): boolean {
    const unit = text.charCodeAt(at);
    let entry = this.#alphabet.entries[unit]!;
    if ((entry & LAST_COLUMN) === LOOK) {
      entry = this.#alphabet.learn(unit);
      if ((entry & LAST_COLUMN) === LOOK) return this.#looks(text, at);
      if (this.#joint !== undefined) this.#joint[unit] = entry | (this.#jointOf!.classes[unit]! << ENTRY_BITS);
    }
    this.#next = at + 1;
    if (this.#passes((entry & BREAK_BIT) !== 0) && mayBeSpaced(text, at)) return true;
    return this.#steps(entry & LAST_COLUMN, text, at + 1);
  }

  #looks(text: string, at: number): boolean {
    const code = text.codePointAt(at)!;
    this.#next = at + (code > 0xffff ? 2 : 1);
    const look = this.#alphabet.lookAt(code);
    if (look === HIDDEN) return this.#opensForHidden;
    if (look === BYTE_ORDER) return true;
    if ((look & SIGN_BIT) !== 0) {
      // A sign may end a word as well as be a letter of it; a bar is one only where it stands alone.
      if (lonePatterns[((this.#seen << 1) | 1) & LONE_MASK] !== 0 && mayBeSpaced(text, at)) return true;
      if (bars.has(code) && isWhite(text.charCodeAt(at - 1)) && isWhite(text.charCodeAt(at + 1))) return true;
    }
    if (this.#passes((look & BREAK_BIT) !== 0) && mayBeSpaced(text, at)) return true;
    if ((look & LAST_COLUMN) !== LOOK) return this.#steps(look & LAST_COLUMN, text, this.#next);
    return readingOf(code).letters.some((letter) => this.#steps(this.#alphabet.columnOf(letter), text, this.#next));
  }

  /** Notes whether a character separates lone letters. Answers whether three of them stand there. */
  #passes(separates: boolean): boolean {
    this.#seen = (this.#seen << 1) | (separates ? 1 : 0);
    return lonePatterns[this.#seen & LONE_MASK] !== 0;
  }

  #steps(column: number, text: string, end: number): boolean {
    const { ends, failure, label, output, twin } = this.#automaton;
    if (column === OTHER) this.#state = 0;
    else if (column !== this.#alphabet.white || label[this.#state] !== column)
      this.#state = this.#automaton.step(this.#state, column);
    for (let at = output[this.#state]!; at >= 0; at = output[failure[at]!]!) {
      for (let term = ends[at]!; term >= 0; term = twin[term]!) {
        if (
          term < this.#terms.count ? mayEndAt(this.#terms.at(term), this.#wholeWords, text, end) : isDrawnOut(text, end)
        )
          return true;
      }
    }
    return false;
  }
}
