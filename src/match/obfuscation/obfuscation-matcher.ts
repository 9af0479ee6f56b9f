/**
 * Finds terms though somebody took pains to hide them: `folding: 'hardened'`. An automaton is stepped over a text in one loop with
 * the patterns' (`automaton.ts`); where it says that a term may end, the text is read as letters (`letters.ts`) from the
 * last place where the term may have begun, and compared with all terms (`alignment.ts`). No start is compared twice.
 */
import { JointAlphabet } from '../alphabet.js';
import { foldKey, isWhite } from '../folding.js';
import { createKeywordMatcher } from '../keyword-matcher.js';
import type { KeywordMatcher, OnTerm } from '../keyword-scan.js';
import type { PatternDfa } from '../pattern-dfa.js';
import { FLAG, RowStore, UNKNOWN } from '../row-store.js';
import { endPattern, stepPatternTo } from '../step-pattern.js';
import { isWordEdge } from '../word-edges.js';
import { Alignment, type Work } from './alignment.js';
import { Automaton, type AutomatonState, ISOLATED, TERM_ENDS } from './automaton.js';
import { COLUMN_BITS, COLUMNS, Columns, END, LOOK_UP, SEVERAL_WAYS } from './columns.js';
import { composeLetters, hasParts, IOTA_BELOW, transformsWhenComposed } from './composed-text.js';
import { decompositionOf } from './decompositions.js';
import { isolatedAround } from './isolated-letters.js';
import { isPairBefore, LetterReader } from './letters.js';
import { Lexicon } from './lexicon.js';
import { IGNORABLE, MARK, namesOf, SPACED, type TransformName } from './transforms.js';

/** Not `text.charCodeAt`, for reasons that `keyword-matcher.ts` gives. */
const { charCodeAt, codePointAt } = String.prototype;

export interface HardenedMatcher extends KeywordMatcher {
  /** What makes the text at [start, end) equal to the term, in the order of `transformNames`; empty when case alone does. */
  transformsOf(term: number, text: string, start: number, end: number): readonly TransformName[];
  /** How many letters were read and compared since the matcher was made: what the automaton left to do. */
  readonly work: Work;
}

export interface HardenedOptions {
  /** `word`: both ends of a match are word edges. */
  readonly words: 'word' | 'substring';
}

/** A key that terms share when they match the same texts by the same transforms. */
export function hardenedKey(term: string): string {
  return foldKey(term, 'case');
}

/**
 * Compiles terms. Their indices are what `scan` reports, not always in the order in which occurrences end; a blank term never
 * matches. Of the occurrences that begin at one place the one of case alone is reported, or else the longest.
 */
export function createHardenedMatcher(written: readonly string[], { words }: HardenedOptions): HardenedMatcher {
  return new ObfuscationMatcher(written, words);
}

/** Constants of this file are part of the compiled code; imported ones are read at every use. */
const BITS = COLUMN_BITS;
const LAST_COLUMN = COLUMNS - 1;
const STOPS = FLAG;
const UNTOLD = UNKNOWN;
const FIRST_ROW = 0;
/** Answers in place of an offset: the visitor had enough; the text is to be scanned in several ways. */
const STOPPED = -1;
const IN_SEVERAL_WAYS = -2;
const BYTE_ORDER_MARK = '\ufeff';

class ObfuscationMatcher implements HardenedMatcher {
  readonly states: number;
  readonly classes: number;
  readonly bytes: number;
  readonly work: Work = { steps: 0 };
  readonly #words: 'word' | 'substring';
  readonly #lexicon: Lexicon;
  readonly #columns: Columns;
  readonly #units: Uint8Array;
  readonly #automaton: Automaton;
  readonly #joint: JointAlphabet;
  /** Terms that case folding alone finds, or finds otherwise. */
  readonly #plain: KeywordMatcher | undefined;
  #rows = new RowStore(COLUMN_BITS, COLUMNS);
  /** By number, which is the key of its row: a state; and the numbers by what states hold. */
  #states: AutomatonState[] = [];
  #numbers = new Map<string, number>();
  /** The row to go on in after `#leave`. */
  #row = FIRST_ROW;

  /** Of the text that is scanned: the letters that were read last, and starts before this offset are done. */
  #reader: LetterReader | undefined;
  #alignment: Alignment | undefined;
  #done = 0;
  #isolatedDone = 0;
  #isPlainDone = false;
  /** The text is scanned as it is read: parts of letters as letters. */
  #isAsRead = false;

  constructor(written: readonly string[], words: 'word' | 'substring') {
    const lexicon = new Lexicon(written);
    this.#words = words;
    this.#lexicon = lexicon;
    this.#columns = new Columns(lexicon);
    this.#units = this.#columns.units;
    this.#automaton = new Automaton(lexicon, words);
    this.#joint = new JointAlphabet(this.#units);
    if (lexicon.scannedPlain.length > 0) {
      const terms = lexicon.scannedPlain.map((term) => written[term]!);
      this.#plain = createKeywordMatcher(terms, { folding: 'case', words });
    }
    this.#rowOf(this.#automaton.start);
    this.states = lexicon.trie.states;
    this.classes = lexicon.symbols.length;
    this.bytes = lexicon.bytes + this.#units.byteLength + (this.#plain?.bytes ?? 0);
  }

  scan(text: string, onTerm: OnTerm): void {
    const begun = this.#begin(text, onTerm);
    const ended = begun < 0 ? begun : this.#scanOnce(text, onTerm);
    if (ended === IN_SEVERAL_WAYS) this.#scanInSeveralWays(text, onTerm);
    this.#forget();
  }

  scanWith(text: string, onTerm: OnTerm, dfa: PatternDfa): boolean {
    const begun = this.#begin(text, onTerm);
    if (begun === STOPPED) return true;
    if (begun === IN_SEVERAL_WAYS) {
      this.#scanInSeveralWays(text, onTerm);
      return false;
    }
    const joint = this.#joint.with(dfa);
    const { length } = text;
    let pattern = dfa.begin();
    let row = FIRST_ROW;
    for (let at = 0; ; ) {
      const { cells } = this.#rows;
      const { rows } = dfa;
      let cell = 0;
      // As in `keyword-matcher.ts`: no call, and nothing but locals.
      for (; at < length; at++) {
        const both = joint[charCodeAt.call(text, at)]!;
        const to = rows[pattern + (both >> BITS)]!;
        cell = cells[(row << BITS) + (both & LAST_COLUMN)]!;
        if ((to | (cell << 16)) < 0) break;
        pattern = to;
        row = cell;
      }
      const next = at < length ? this.#leave(text, at, row, cell, onTerm) : this.#finish(text, row, onTerm);
      if (next === IN_SEVERAL_WAYS) {
        this.#scanInSeveralWays(text, onTerm);
        return false;
      }
      if (next === STOPPED) return true;
      if (at >= length) return endPattern(dfa, pattern);
      row = this.#row;
      pattern = stepPatternTo(dfa, pattern, text, at, next);
      at = next;
      if (pattern < 0) {
        this.scan(text, onTerm);
        return false;
      }
    }
  }

  transformsOf(term: number, text: string, start: number, end: number): readonly TransformName[] {
    const transforms = transformsWhenComposed(text, start, end, (...where) => this.#transformsAt(term, ...where));
    return namesOf(transforms ?? 0);
  }

  /** Begins a text. Terms whose letters the automaton does not see are looked for first. */
  #begin(text: string, onTerm: OnTerm): number {
    this.#forget();
    if (!this.#lexicon.hasUnseen) return 0;
    if (isInSeveralWays(text)) return IN_SEVERAL_WAYS;
    return this.#scanPlain(text, onTerm) ? STOPPED : 0;
  }

  #forget(): void {
    this.#reader = undefined;
    this.#alignment = undefined;
    this.#done = 0;
    this.#isolatedDone = 0;
    this.#isPlainDone = false;
  }

  /** Answers `STOPPED`, `IN_SEVERAL_WAYS`, or an offset. */
  #scanOnce(text: string, onTerm: OnTerm): number {
    const units = this.#units;
    const { length } = text;
    let row = FIRST_ROW;
    for (let at = 0; ; ) {
      const { cells } = this.#rows;
      let cell = 0;
      for (; at < length; at++) {
        cell = cells[(row << BITS) + units[charCodeAt.call(text, at)]!]!;
        if (cell >= STOPS) break;
        row = cell;
      }
      if (at >= length) return this.#finish(text, row, onTerm);
      at = this.#leave(text, at, row, cell, onTerm);
      if (at < 0) return at;
      row = this.#row;
    }
  }

  /** Takes the character at an offset. Answers the offset of the next one. */
  #leave(text: string, at: number, row: number, cell: number, onTerm: OnTerm): number {
    const code = codePointAt.call(text, at)!;
    if (cell !== UNTOLD) return this.#take(text, at, row, this.#units[code]!, onTerm, at + 1);
    const columns = this.#isAsRead ? this.#columns.asRead(code) : this.#columns.of(code);
    if (columns[0] === SEVERAL_WAYS) return IN_SEVERAL_WAYS;
    if (code <= 0xffff) this.#joint.renew(code);
    this.#row = row;
    let next = at + (code > 0xffff ? 2 : 1);
    for (let index = 0; index < columns.length && next >= 0; index++)
      next = this.#take(text, at, this.#row, columns[index]!, onTerm, next);
    return next;
  }

  /** Takes a step by a column, and looks at the text before it when the automaton says so. Answers `next`, or a negative number. */
  #take(text: string, at: number, row: number, column: number, onTerm: OnTerm, next: number): number {
    const known = column < LOOK_UP ? this.#rows.cells[(row << BITS) + column]! : UNTOLD;
    if (known < STOPS) {
      this.#row = known;
      return next;
    }
    const state = this.#states[this.#rows.keys[row]!]!;
    const stops = this.#automaton.before(state, this.#columns.all[column]!);
    if (known !== UNTOLD) this.#row = known & ~STOPS;
    else {
      const rows = this.#rows;
      this.#row = this.#rowOf(this.#automaton.step(state, this.#columns.all[column]!));
      if (column < LOOK_UP && rows === this.#rows) rows.cells[(row << BITS) + column] = this.#row | (stops === 0 ? 0 : STOPS);
    }
    return stops === 0 ? next : this.#visit(text, at, stops, onTerm, next);
  }

  /** The end of a text is an edge. */
  #finish(text: string, row: number, onTerm: OnTerm): number {
    return this.#take(text, text.length, row, END, onTerm, text.length);
  }

  /** The row of a state. When there is no room for it all rows are forgotten: texts may not be what they were. */
  #rowOf(state: AutomatonState): number {
    const key = `${state.isFresh} ${state.isolation} ${state.runs.join()}`;
    const known = this.#numbers.get(key);
    if (known !== undefined) return this.#rows.rowOf(known);
    const row = this.#rows.rowOf(this.#states.length);
    if (row >= 0) {
      this.#numbers.set(key, this.#states.push(state) - 1);
      return row;
    }
    this.#rows = new RowStore(COLUMN_BITS, COLUMNS);
    this.#states = [];
    this.#numbers = new Map();
    this.#rowOf(this.#automaton.start);
    return this.#rowOf(state);
  }

  /** Looks at the text before an offset. Answers `next`, or a negative number. */
  #visit(text: string, at: number, stops: number, onTerm: OnTerm, next: number): number {
    if (!this.#isAsRead && this.#done === 0 && this.#isolatedDone === 0 && isInSeveralWays(text)) return IN_SEVERAL_WAYS;
    if (!this.#isPlainDone && this.#scanPlain(text, onTerm)) return STOPPED;
    if ((stops & TERM_ENDS) !== 0 && this.#visitTerms(text, at, onTerm)) return STOPPED;
    if ((stops & ISOLATED) !== 0 && this.#visitIsolated(text, at, onTerm)) return STOPPED;
    return next;
  }

  /** Visits what the plain matcher finds of terms that take it. Answers whether the visitor had enough. */
  #scanPlain(text: string, onTerm: OnTerm): boolean {
    this.#isPlainDone = true;
    let isStopped = false;
    this.#plain?.scan(text, (index, start, end) => {
      isStopped = onTerm(this.#lexicon.scannedPlain[index]!, start, end) === true;
      return isStopped;
    });
    return isStopped;
  }

  /** Visits the occurrences that begin before an offset, at which one ends, and have not been visited. */
  #visitTerms(text: string, at: number, onTerm: OnTerm): boolean {
    const from = this.#startBefore(text, at);
    if (this.#reader === undefined || from > this.#reader.readTo) {
      this.#reader = new LetterReader(text, from);
      this.#alignment = new Alignment(this.#lexicon, text, this.#reader, this.#words, this.work);
    }
    const reader = this.#reader;
    this.#done = at;
    for (let index = reader.indexOf(from); ; index++) {
      const letter = reader.at(index);
      if (letter === undefined || letter.from >= at) return false;
      this.work.steps++;
      for (const { term, start, end, isPlain } of this.#alignment!.from(index)) {
        // The plain matcher reports these.
        if (isPlain && this.#lexicon.isScannedPlain(term)) continue;
        if (onTerm(term, start, end) === true) return true;
      }
    }
  }

  /** Where a term that ends before an offset begins at the earliest: no term has more white space than is in between. */
  #startBefore(text: string, offset: number): number {
    let spaces = 0;
    let isSpace = false;
    for (let at = offset; at > this.#done; at--) {
      const unit = charCodeAt.call(text, at - 1);
      if (isWhite(unit) && unit !== BYTE_ORDER_MARK.charCodeAt(0)) {
        if (!isSpace && spaces++ === this.#lexicon.mostSpaces) return at;
        isSpace = true;
      } else if (unit < 0x80 || decompositionOf(unit).kind !== 'ignorable') isSpace = false;
    }
    return this.#done;
  }

  /** Visits the terms among isolated letters around an offset; a stretch of these once. */
  #visitIsolated(text: string, at: number, onTerm: OnTerm): boolean {
    if (at < this.#isolatedDone) return false;
    const lexicon = this.#lexicon;
    const { until, runs } = isolatedAround(text, at, this.#isolatedDone);
    this.#isolatedDone = Math.max(until, this.#isolatedDone);
    if (runs.length === 0) return false;
    const reader = new LetterReader(text, runs[0]!.letters[0]!.from);
    const joined = new Alignment(lexicon, text, reader, this.#words, this.work);
    /** With bars as letters the same may be found once more: what was, as start and term. */
    const seen = runs.length > 1 ? new Set<number>() : undefined;
    for (const run of runs) {
      const alignment = new Alignment(lexicon, text, run, 'spaced', this.work);
      for (let first = 0; first < run.letters.length; first++) {
        const found = alignment.from(first);
        if (found.length === 0) continue;
        const { start } = found[0]!;
        // A bar may be a letter or stand between letters: where it is one, the term is found already.
        const together = joined.from(reader.indexOf(start));
        for (const { term, end } of found) {
          if (!run.mayBeSpaced(lexicon, term, this.#words, first, end)) continue;
          if (together.length > 0 && together.some((one) => one.term === term)) continue;
          const key = start * this.states + term;
          if (seen?.has(key) === true) continue;
          seen?.add(key);
          if (onTerm(term, start, end) === true) return true;
        }
      }
    }
    return false;
  }

  /** Scans a text as it is read, with its letters put together, and with byte order marks as the white space that they are to case folding. */
  #scanInSeveralWays(text: string, onTerm: OnTerm): void {
    const found = new Map<string, readonly [term: number, start: number, end: number]>();
    const note = (term: number, start: number, end: number): void => {
      const key = `${term} ${start}`;
      const before = found.get(key)?.[2];
      const plain = this.#lexicon.plainEnd(term, text, start);
      if (before === undefined || (before !== plain && (end === plain || end > before))) found.set(key, [term, start, end]);
    };
    this.#isAsRead = true;
    const scan = (one: string, noteOne: OnTerm) => {
      this.#forget();
      this.#scanPlain(one, noteOne);
      this.#scanOnce(one, noteOne);
    };
    try {
      scan(text, note);
      const composed = composeLetters(text);
      if (composed !== undefined) {
        scan(composed.text, (term, from, to) => {
          const start = composed.sentOf(from);
          const end = composed.sentOf(to);
          if (start >= 0 && end >= 0) note(term, start, end);
        });
      }
      if (text.includes(BYTE_ORDER_MARK)) {
        scan(text.replaceAll(BYTE_ORDER_MARK, ' '), (term, start, end) => {
          if (this.#lexicon.plainEnd(term, text, start) === end) note(term, start, end);
        });
      }
    } finally {
      this.#isAsRead = false;
      this.#forget();
    }
    for (const occurrence of found.values()) if (onTerm(...occurrence) === true) return;
  }

  /** The transforms under which a stretch of text is a term; undefined when it is not. */
  #transformsAt(term: number, text: string, start: number, end: number): number | undefined {
    if (this.#lexicon.plainEnd(term, text, start) === end) {
      if (this.#words === 'substring' || (isWordEdge(text, start) && isWordEdge(text, end))) return 0;
      // Equal, but something hidden beside it joins it to a word for case alone.
      return isMarkBeside(text, start, end) ? MARK : IGNORABLE;
    }
    const reader = new LetterReader(text, visibleFrom(text, start));
    const alignment = new Alignment(this.#lexicon, text, reader, this.#words, this.work);
    const isIt = (one: { readonly term: number; readonly end: number }) => one.term === term && one.end === end;
    const joined = alignment.from(reader.indexOf(start)).find(isIt);
    if (joined !== undefined) return joined.transforms;
    for (const run of isolatedAround(text, start, start, end).runs) {
      const first = run.letters.findIndex(({ from }) => from === start);
      const spaced = new Alignment(this.#lexicon, text, run, 'spaced', this.work).from(first).find(isIt);
      if (spaced !== undefined) return spaced.transforms | SPACED;
    }
    return undefined;
  }
}

/** Where the visible character before an offset begins, so that letters are read as they are in the whole text. */
function visibleFrom(text: string, offset: number): number {
  for (let at = offset; at > 0; ) {
    at -= isPairBefore(text, at) ? 2 : 1;
    if (decompositionOf(codePointAt.call(text, at)!).letters.length > 0) return at;
  }
  return 0;
}

function isInSeveralWays(text: string): boolean {
  return hasParts(text) || text.includes(BYTE_ORDER_MARK);
}

function isMarkBeside(text: string, start: number, end: number): boolean {
  const besides = [start - 1, end].filter((at) => at >= 0 && at < text.length);
  return besides.some((at) => decompositionOf(text.charCodeAt(at)).kind === 'mark' || text.charCodeAt(at) === IOTA_BELOW);
}
