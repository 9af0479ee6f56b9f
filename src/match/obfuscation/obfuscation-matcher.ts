/**
 * Finds terms though somebody took pains to hide them: `folding: 'hardened'`. An automaton is stepped over a text in one loop with
 * the patterns' (`automaton.ts`); where it says that a term may end, the text is read as letters (`letters.ts`) from the
 * last place where the term may have begun, and compared with all terms (`alignment.ts`). No start is compared twice.
 */
import { JointAlphabet } from '../alphabet.js';
import { foldKey } from '../folding.js';
import { createKeywordMatcher } from '../keyword-matcher.js';
import { Advice, type ClosedTerms, endsTerms, type KeywordMatcher, type OnTerm } from '../keyword-scan.js';
import { endPattern, type PatternDfa, resumePatternDfa, STALLED, stepPatternTo } from '../patterns/lazy-dfa.js';
import { FLAG, StateCache, UNKNOWN } from '../state-cache.js';
import { Automaton, type AutomatonState, ISOLATED, TERM_ENDS } from './automaton.js';
import { COLUMN_BITS, COLUMNS, Columns, END, LOOK_UP, SEVERAL_WAYS } from './columns.js';
import { composeLetters, hasParts, transformsWhenComposed } from './composed-text.js';
import { LetterScan } from './letter-scan.js';
import type { Work } from './letters.js';
import { Lexicon } from './lexicon.js';
import { ClosedInBoth, OpenTerms, TermPlaces } from './open-terms.js';
import { namesOf, type TransformName } from './transforms.js';

/** Not `text.charCodeAt`, for reasons that `keyword-matcher.ts` gives. */
const { charCodeAt, codePointAt } = String.prototype;

export interface HardenedMatcher extends KeywordMatcher {
  /** What makes the text at [start, end) equal to the term, in the order of `transformNames`; empty when case alone does. */
  transformsOf(term: number, text: string, start: number, end: number): readonly TransformName[];
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
/** A row takes so many bits at most. */
const ROW_BITS = 15;
/** In place of an offset: after the advice `STOP`; after `END_TERMS`; the text is to be scanned in several ways, and nothing was visited. */
const STOPPED = -1;
const TERMS_ENDED = -2;
const IN_SEVERAL_WAYS = -3;
const BYTE_ORDER_MARK = '\ufeff';

class ObfuscationMatcher implements HardenedMatcher {
  readonly states: number;
  readonly classes: number;
  readonly bytes: number;
  readonly #lexicon: Lexicon;
  readonly #columns: Columns;
  readonly #units: Uint8Array;
  readonly #automaton: Automaton;
  readonly #letterScan: LetterScan;
  readonly #joint: JointAlphabet;
  /** Terms that case folding alone finds, or finds otherwise. */
  readonly #plain: KeywordMatcher | undefined;
  #rows = new StateCache(COLUMN_BITS, COLUMNS);
  /** By number, which is the key of its row: a state; and the numbers by what states hold. */
  #states: AutomatonState[] = [];
  #numbers = new Map<string, number>();
  /** Cells of columns that have none in rows. */
  #rareCells = new Map<number, number>();
  /** The row to go on in after `#leave`. */
  #row = FIRST_ROW;

  /** Of the text that is scanned. */
  #isPlainDone = false;
  #isOneWay = false;
  #closed: ClosedInBoth | undefined;
  readonly #work: Work = { steps: 0 };
  /** The text is scanned as it is read: parts of letters as letters. */
  #isAsRead = false;
  #places: TermPlaces | undefined;

  constructor(written: readonly string[], words: 'word' | 'substring') {
    const lexicon = new Lexicon(written);
    this.#lexicon = lexicon;
    this.#columns = new Columns(lexicon);
    this.#units = this.#columns.units;
    this.#automaton = new Automaton(lexicon, words);
    this.#letterScan = new LetterScan(lexicon, this.#automaton, words, this.#work);
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

  get steps(): number {
    return this.#work.steps;
  }

  createClosedTerms(): ClosedTerms {
    this.#places ??= new TermPlaces(this.#lexicon.trie, this.#lexicon.pool.count);
    return new ClosedInBoth(new OpenTerms(this.#places), this.#lexicon.scannedPlain, this.#plain?.createClosedTerms());
  }

  scan(text: string, onTerm: OnTerm, closed?: ClosedTerms): void {
    const begun = this.#begin(text, onTerm, closed);
    this.#endScan(text, onTerm, begun < 0 ? begun : this.#scanFrom(text, 0, FIRST_ROW, onTerm));
  }

  scanWith(text: string, onTerm: OnTerm, dfa: PatternDfa, closed?: ClosedTerms): boolean {
    const joint = this.#joint.with(dfa);
    const { length } = text;
    const begun = this.#begin(text, onTerm, closed);
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
      const next = begun < 0 ? begun : this.#leaveOrEnd(text, at, row, cell, onTerm);
      if (next < 0) {
        const end = this.#endScan(text, onTerm, next);
        return end === STOPPED || (next === TERMS_ENDED && resumePatternDfa(dfa, text, pattern, at) !== STALLED);
      }
      if (at >= length) {
        this.#forget();
        return endPattern(dfa, pattern);
      }
      row = this.#row;
      pattern = stepPatternTo(dfa, pattern, text, at, next);
      at = next;
      if (pattern < 0) {
        this.#endScan(text, onTerm, this.#scanFrom(text, at, row, onTerm));
        return false;
      }
    }
  }

  transformsOf(term: number, text: string, start: number, end: number): readonly TransformName[] {
    const transforms = transformsWhenComposed(text, start, end, (...where) =>
      this.#letterScan.transformsAt(term, ...where),
    );
    return namesOf(transforms ?? 0);
  }

  /** Begins a text. Terms whose letters the automaton does not see are looked for first. Returns as `#leave` does. */
  #begin(text: string, onTerm: OnTerm, closed: ClosedTerms | undefined): number {
    this.#closed = closed as ClosedInBoth | undefined;
    this.#work.steps = 0;
    this.#forget();
    if (!this.#lexicon.hasUnseen) return 0;
    return isInSeveralWays(text) ? IN_SEVERAL_WAYS : afterAdvice(this.#scanPlain(text, onTerm), 0);
  }

  /** Scans in several ways when that is how a scan ended. Returns how it ended then. */
  #endScan(text: string, onTerm: OnTerm, ended: number): number {
    const end = ended === IN_SEVERAL_WAYS ? afterAdvice(this.#scanInSeveralWays(text, onTerm), IN_SEVERAL_WAYS) : ended;
    this.#forget();
    return end;
  }

  #forget(): void {
    this.#isPlainDone = false;
    this.#isOneWay = false;
    this.#letterScan.begin(this.#closed?.open);
  }

  /** Returns an offset at the end of the text, or a negative number as `#leave` does. */
  #scanFrom(text: string, from: number, first: number, onTerm: OnTerm): number {
    const units = this.#units;
    const { length } = text;
    let row = first;
    for (let at = from; ; ) {
      const { cells } = this.#rows;
      let cell = 0;
      for (; at < length; at++) {
        cell = cells[(row << BITS) + units[charCodeAt.call(text, at)]!]!;
        if (cell >= STOPS) break;
        row = cell;
      }
      const next = this.#leaveOrEnd(text, at, row, cell, onTerm);
      if (next < 0 || at >= length) return next;
      at = next;
      row = this.#row;
    }
  }

  /** The end of a text is an edge. */
  #leaveOrEnd(text: string, at: number, row: number, cell: number, onTerm: OnTerm): number {
    return at < text.length ? this.#leave(text, at, row, cell, onTerm) : this.#take(text, at, row, END, onTerm, at);
  }

  /** Takes the character at an offset. Returns the offset of the next one, `STOPPED`, `TERMS_ENDED` or `IN_SEVERAL_WAYS`. */
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

  /** Takes a step by a column, and looks at the text before it when the automaton says so. Returns `next`, or a negative number. */
  #take(text: string, at: number, row: number, column: number, onTerm: OnTerm, next: number): number {
    const known = this.#cellOf(row, column);
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
      const cell = this.#row | (stops === 0 ? 0 : STOPS);
      if (rows === this.#rows && column < LOOK_UP) rows.cells[(row << BITS) + column] = cell;
      else if (rows === this.#rows) this.#rareCells.set((column << ROW_BITS) | row, cell);
    }
    return stops === 0 ? next : this.#visit(text, at, stops, onTerm, next);
  }

  #cellOf(row: number, column: number): number {
    if (column < LOOK_UP) return this.#rows.cells[(row << BITS) + column]!;
    return this.#rareCells.get((column << ROW_BITS) | row) ?? UNTOLD;
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
    this.#rows = new StateCache(COLUMN_BITS, COLUMNS);
    this.#states = [];
    this.#numbers = new Map();
    this.#rareCells = new Map();
    this.#rowOf(this.#automaton.start);
    return this.#rowOf(state);
  }

  /** Looks at the text before an offset. Returns `next`, or a negative number. */
  #visit(text: string, at: number, stops: number, onTerm: OnTerm, next: number): number {
    if (!this.#isAsRead && !this.#isOneWay && isInSeveralWays(text)) return IN_SEVERAL_WAYS;
    this.#isOneWay = true;
    let advice = this.#isPlainDone ? Advice.CONTINUE : this.#scanPlain(text, onTerm);
    if ((stops & TERM_ENDS) !== 0 && !endsTerms(advice)) advice = this.#letterScan.visitTerms(text, at, onTerm);
    if ((stops & ISOLATED) !== 0 && !endsTerms(advice)) advice = this.#letterScan.visitIsolated(text, at, onTerm);
    return afterAdvice(advice, next);
  }

  /** Visits what the plain matcher finds of terms that take it. Returns the visitor's advice. */
  #scanPlain(text: string, onTerm: OnTerm): number {
    this.#isPlainDone = true;
    let advice: number = Advice.CONTINUE;
    const visit: OnTerm = (index, start, end) => {
      advice = onTerm(this.#lexicon.scannedPlain[index]!, start, end) ?? Advice.CONTINUE;
      return advice;
    };
    this.#plain?.scan(text, visit, this.#closed?.plain);
    this.#work.steps += this.#plain === undefined ? 0 : text.length + this.#plain.steps;
    return advice;
  }

  /** Scans a text as it is read, with its letters put together, and with byte order marks as the white space that they are to case folding. */
  #scanInSeveralWays(text: string, onTerm: OnTerm): number {
    const found = new Map<number, readonly [term: number, start: number, end: number]>();
    const note = (term: number, start: number, end: number): void => {
      const key = start * this.#lexicon.pool.count + term;
      const before = found.get(key)?.[2];
      const plain = this.#lexicon.plainEnd(term, text, start);
      if (before === undefined || (before !== plain && (end === plain || end > before)))
        found.set(key, [term, start, end]);
    };
    this.#isAsRead = true;
    const scan = (one: string, noteOne: OnTerm) => {
      this.#forget();
      this.#scanPlain(one, noteOne);
      this.#scanFrom(one, 0, FIRST_ROW, noteOne);
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
    }
    for (const [term, start, end] of found.values()) {
      if (this.#closed?.open.has(term) === false) continue;
      const advice = onTerm(term, start, end);
      if (endsTerms(advice)) return advice as number;
    }
    return Advice.CONTINUE;
  }
}

/** Where a scan goes on after a visit. */
function afterAdvice(advice: number, next: number): number {
  if (!endsTerms(advice)) return next;
  return advice === Advice.STOP ? STOPPED : TERMS_ENDED;
}

function isInSeveralWays(text: string): boolean {
  return hasParts(text) || text.includes(BYTE_ORDER_MARK);
}
