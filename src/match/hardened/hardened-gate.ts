/**
 * Says of a text, nearly as fast as the plain matcher finds terms, that no hardened term can be in it: true of most. It steps
 * an automaton by classes of letters, with rows as the plain matcher has them, and gives way to the thorough scan at what may
 * be a term, at a letter three times in a row, which may be drawn out, and at letters that stand alone.
 */
import { COLUMN_BITS, joinAlphabets, OTHER } from '../alphabet.js';
import { LEAVE } from '../dense-rows.js';
import { WHITE } from '../folding.js';
import {
  buildKeywordAutomaton,
  type KeywordAutomaton,
  OUTPUT,
  outputBelow,
  STRIDE,
  symbolOf,
} from '../keyword-automaton.js';
import type { Sequences } from '../keyword-trie.js';
import type { PatternDfa } from '../pattern-dfa.js';
import { endPattern, stepPatternTo } from '../step-pattern.js';
import {
  BREAK_BIT,
  BYTE_ORDER,
  createGateAlphabet,
  type GateAlphabet,
  HIDDEN,
  INTRICATE,
  LOOK,
  SIGN_BIT,
} from './gate-alphabet.js';
import { isDrawnOut, isMarked, isVaried, mayBeSpaced, mayEndAt, RUN, type TermTraits } from './gate-evidence.js';
import { ALONE, after, Before, buildGateRows, type GateRows, mayBeThird } from './gate-rows.js';
import type { HardenedTerm } from './hardened-term.js';
import type { HardenedTerms } from './hardened-terms.js';
import { readingOf } from './readings.js';

/** What the gate says of a text: nothing in it and patterns read, patterns stalled, or to be looked at. */
export type GateAnswer = 'clear' | 'stalled' | 'open';

const LAST_COLUMN = (1 << COLUMN_BITS) - 1;

export class HardenedGate {
  readonly bytes: number;
  readonly #terms: HardenedTerms;
  readonly #wholeWords: boolean;
  readonly #alphabet: GateAlphabet;
  readonly #automaton: KeywordAutomaton;
  readonly #rows: GateRows;
  /** Some term holds white space for case folding where readings see something hidden. */
  readonly #alwaysOpen: boolean;
  /** Hidden characters and marks that tell of a term whose letters do not. */
  readonly #tellTales: ReadonlySet<number>;
  readonly #traits: TermTraits;
  /** Where the automaton stands, what stands before, and where to read on. */
  #state = 0;
  #before: number = Before.BREAK;
  #next = 0;
  #joint: Uint16Array | Uint32Array | undefined;
  #jointOf: PatternDfa | undefined;

  constructor(written: readonly string[], terms: HardenedTerms, words: 'word' | 'substring') {
    const seen = written.map((term, index) => seenLetters(term, terms.at(index)));
    this.#terms = terms;
    this.#wholeWords = words === 'word';
    this.#tellTales = new Set(written.filter((_, index) => seen[index]!.length === 0).flatMap(tellTalesOf));
    this.#alphabet = createGateAlphabet(seen.flat(), this.#tellTales);
    const columns = seen.map((letters) => letters.map(this.#alphabet.columnOf));
    const used = new Set(columns.flat());
    used.delete(this.#alphabet.white);
    const all = [...columns, ...[...used].map((column) => Array<number>(RUN).fill(column))];
    this.#automaton = buildKeywordAutomaton(sequencesOf(all), LOOK + 1);
    this.#rows = buildGateRows(this.#automaton, this.#alphabet);
    this.#traits = {
      varied: columns.every((term) => isVaried(term, this.#alphabet.breaks)),
      digitless: !seen.some((letters) => letters.some((letter) => letter >= 0x30 && letter <= 0x39)),
    };
    this.#alwaysOpen = written.some((term) => term.includes('\ufeff'));
    this.bytes = this.#automaton.bytes + this.#rows.cells.byteLength + this.#alphabet.units.byteLength;
  }

  /** Whether a text may hold a term. */
  opensFor(text: string): boolean {
    if (this.#alwaysOpen) return true;
    const { cells } = this.#rows;
    const { units } = this.#alphabet;
    const { length } = text;
    let row = 0;
    for (let at = 0; ; ) {
      let cell: number = LEAVE;
      for (; at < length; at++) {
        cell = cells[(row << COLUMN_BITS) + units[text.charCodeAt(at)]!]!;
        if (cell >= ALONE) break;
        row = cell;
      }
      if (at < length && cell !== LEAVE) {
        if (mayBeSpaced(text, at, this.#alphabet)) return true;
        row = cell & ~ALONE;
        at++;
        continue;
      }
      this.#resume(row);
      for (; at < length; at = this.#next) {
        if (this.#takes(text, at)) return true;
        row = this.#rows.rowOf(this.#state, this.#before);
        if (row >= 0) break;
      }
      if (at >= length) return this.#endsAlone(text);
      at = this.#next;
    }
  }

  /** The same, stepping the patterns' automaton in the same loop. */
  opensWith(text: string, dfa: PatternDfa): GateAnswer {
    if (this.#alwaysOpen) return 'open';
    const joint = this.#jointWith(dfa);
    const { cells } = this.#rows;
    const { length } = text;
    let pattern = dfa.begin();
    let row = 0;
    for (let at = 0; ; ) {
      const { rows } = dfa;
      let to = -1;
      let cell: number = LEAVE;
      for (; at < length; at++) {
        const both = joint[text.charCodeAt(at)]!;
        to = rows[pattern + (both >> COLUMN_BITS)]!;
        cell = cells[(row << COLUMN_BITS) + (both & LAST_COLUMN)]!;
        if ((to | (cell << 16)) < 0) break;
        pattern = to;
        row = cell;
      }
      if (at < length && to >= 0 && cell !== LEAVE) {
        if (mayBeSpaced(text, at, this.#alphabet)) return 'open';
        pattern = to;
        row = cell & ~ALONE;
        at++;
        continue;
      }
      this.#resume(row);
      const from = at;
      for (; at < length; at = this.#next) {
        if (this.#takes(text, at)) return 'open';
        row = this.#rows.rowOf(this.#state, this.#before);
        if (row >= 0) break;
      }
      const isDone = at >= length;
      if (!isDone) at = this.#next;
      pattern = stepPatternTo(dfa, pattern, text, from, at);
      // Where the patterns give up, terms are still to be looked for.
      if (pattern < 0) return this.opensFor(text) ? 'open' : 'stalled';
      if (isDone) return this.#endsAlone(text) ? 'open' : endPattern(dfa, pattern) ? 'clear' : 'stalled';
    }
  }

  #resume(row: number): void {
    this.#state = this.#rows.states[row]!;
    this.#before = this.#rows.befores[row]!;
  }

  #endsAlone(text: string): boolean {
    return mayBeThird(this.#before) && mayBeSpaced(text, text.length, this.#alphabet);
  }

  #jointWith(dfa: PatternDfa): Uint16Array | Uint32Array {
    if (this.#joint === undefined || this.#jointOf !== dfa) this.#joint = joinAlphabets(this.#alphabet.units, dfa);
    this.#jointOf = dfa;
    return this.#joint;
  }

  /** Takes the character at an offset. Answers whether the gate opens. */
  #takes(text: string, at: number): boolean {
    const unit = text.charCodeAt(at);
    let column = this.#alphabet.units[unit]!;
    if (column === LOOK) {
      column = this.#alphabet.learn(unit);
      if (this.#joint !== undefined) this.#joint[unit] = column | (this.#jointOf!.classes[unit]! << COLUMN_BITS);
    }
    if (column >= INTRICATE) return this.#looks(text, at);
    this.#next = at + 1;
    return this.#passes(text, at, this.#alphabet.breaks[column] === 1) || this.#steps(column, text, at + 1);
  }

  #looks(text: string, at: number): boolean {
    const code = text.codePointAt(at)!;
    this.#next = at + (code > 0xffff ? 2 : 1);
    const look = this.#alphabet.lookAt(code);
    if (look === HIDDEN) return this.#tellTales.has(code);
    if (look === BYTE_ORDER) return true;
    if (this.#passes(text, at, (look & (BREAK_BIT | SIGN_BIT)) !== 0)) return true;
    // A sign may end a word as well as be a letter.
    if ((look & SIGN_BIT) !== 0) this.#before = Before.SIGN;
    if ((look & LAST_COLUMN) !== LOOK) return this.#steps(look & LAST_COLUMN, text, this.#next);
    return readingOf(code).letters.some((letter) => this.#steps(this.#alphabet.columnOf(letter), text, this.#next));
  }

  /** Notes whether a character separates letters. Answers whether three that stand alone end before it. */
  #passes(text: string, at: number, isBreak: boolean): boolean {
    const isAlone = isBreak && mayBeThird(this.#before);
    this.#before = after(this.#before, isBreak);
    return isAlone && mayBeSpaced(text, at, this.#alphabet);
  }

  #steps(column: number, text: string, end: number): boolean {
    const { ends, table, twin } = this.#automaton;
    if (column === OTHER) this.#state = 0;
    else if (column !== this.#alphabet.white || symbolOf(table, this.#state) !== column)
      this.#state = this.#automaton.step(this.#state, column);
    for (let at = table[this.#state * STRIDE + OUTPUT]!; at >= 0; at = outputBelow(table, at)) {
      for (let term = ends[at]!; term >= 0; term = twin[term]!) {
        const isTerm = term < this.#terms.count;
        if (isTerm && mayEndAt(this.#terms.at(term), this.#wholeWords, text, end)) return true;
        if (!isTerm && isDrawnOut(text, end, this.#traits)) return true;
      }
    }
    return false;
  }
}

/** The letters by which the gate sees a term; none when it has to be told by hidden characters and marks. */
function seenLetters(written: string, { letters }: HardenedTerm): readonly number[] {
  const isSeen = !isMarked(written, letters.length) && letters.some(({ base }) => base !== WHITE);
  return isSeen ? letters.map(({ base }) => base) : [];
}

/** The marks of a term, which a text must have as well; of one without marks, what else is hidden in it. */
function tellTalesOf(term: string): number[] {
  const codes = [...term.normalize('NFD')].map((character) => character.codePointAt(0)!);
  const marks = codes.filter((code) => readingOf(code).kind === 'mark');
  return marks.length > 0 ? marks : codes.filter((code) => readingOf(code).kind === 'ignorable');
}

function sequencesOf(all: readonly (readonly number[])[]): Sequences {
  const from = new Int32Array(all.length + 1);
  all.forEach((one, index) => {
    from[index + 1] = from[index]! + one.length;
  });
  return { count: all.length, symbols: Int32Array.from(all.flat()), from };
}
