/**
 * Finds terms in obfuscated spellings, as well as plain ones: `folding: 'hardened'`. An automaton is stepped over a text in one loop with
 * the patterns' (`automaton.ts`); where a term may end in a state, the text is read as letters (`letters.ts`) from the
 * last place where the term may have begun, and compared with all terms (`alignment.ts`). No start is compared twice.
 */
import type { Portions } from '../../portions.js';
import { createKeywordMatcher, type KeywordOptions } from '../keyword-matcher.js';
import {
  Advice,
  afterAdvice,
  CachedScan,
  type ClosedTerms,
  endsTerms,
  FIRST_ROW,
  type KeywordMatcher,
  type OnTerm,
} from '../keyword-scan.js';
import { FLAG, StateCache, UNKNOWN } from '../state-cache.js';
import { Automaton, type AutomatonState, ISOLATED, TERM_ENDS } from './automaton.js';
import { COLUMN_BITS, COLUMNS, Columns, END, LOOK_UP, SEVERAL_WAYS } from './columns.js';
import { composeLetters, hasParts } from './composed-text.js';
import { LetterScan } from './letter-scan.js';
import type { Work } from './letters.js';
import { Lexicon } from './lexicon.js';
import { ClosedInBoth, OpenTerms, TermPlaces } from './open-terms.js';
import { COMPATIBILITY, isSimpler } from './transforms.js';

/** Not `text.codePointAt`, for reasons that `keyword-scan.ts` gives. */
const { codePointAt } = String.prototype;

/**
 * Compiles terms, in portions. Their indices are what `scan` reports, not always in the order in which occurrences end; a blank term never
 * matches. Of the occurrences that begin at one place the one of case alone is reported, or else the longest.
 */
export function* createObfuscationMatcher(
  written: readonly string[],
  { words }: Pick<KeywordOptions, 'words'>,
): Portions<KeywordMatcher> {
  const lexicon = yield* Lexicon.of(written, words);
  const columns = yield* Columns.of(lexicon);
  const places = yield* TermPlaces.of(lexicon.trie, written.length);
  const terms = lexicon.scannedPlain.map((term) => written[term]!);
  const ofTerms = typeof words === 'string' ? words : lexicon.scannedPlain.map((term) => words[term]!);
  const options = { folding: 'case', words: ofTerms } as const;
  const plain = terms.length === 0 ? undefined : yield* createKeywordMatcher(terms, options);
  return new ObfuscationMatcher(lexicon, columns, places, plain);
}

/** Constants of this file are part of the compiled code; imported ones are read at every use. */
const BITS = COLUMN_BITS;
const STOPS = FLAG;
const UNTOLD = UNKNOWN;
/** A row takes so many bits at most. */
const ROW_BITS = 15;
/** In place of an offset: the text is to be scanned in several ways, and nothing was visited. */
const IN_SEVERAL_WAYS = -3;
const BYTE_ORDER_MARK = '\ufeff';

class ObfuscationMatcher extends CachedScan implements KeywordMatcher {
  readonly states: number;
  readonly classes: number;
  readonly bytes: number;
  readonly #lexicon: Lexicon;
  readonly #columns: Columns;
  readonly #automaton: Automaton;
  readonly #letterScan: LetterScan;
  /** Terms that case folding alone finds, or finds otherwise. */
  readonly #plain: KeywordMatcher | undefined;
  /** By number, which is the key of its row: a state; and the numbers by what states hold. */
  #states: AutomatonState[] = [];
  #numbers = new Map<string, number>();
  /** Cells of columns that have none in rows. */
  #rareCells = new Map<number, number>();

  /** Of the text that is scanned. */
  #isPlainDone = false;
  #isOneWay = false;
  #closed: ClosedInBoth | undefined;
  readonly #work: Work = { steps: 0 };
  /** The text is scanned as it is read: parts of letters as letters. */
  #isAsRead = false;
  readonly #places: TermPlaces;

  constructor(lexicon: Lexicon, columns: Columns, places: TermPlaces, plain: KeywordMatcher | undefined) {
    super(columns.units, new StateCache(COLUMN_BITS, COLUMNS));
    this.#lexicon = lexicon;
    this.#columns = columns;
    this.#automaton = new Automaton(lexicon);
    this.#letterScan = new LetterScan(lexicon, this.#automaton, this.#work);
    this.#places = places;
    this.#plain = plain;
    this.#rowOf(this.#automaton.start);
    this.states = lexicon.trie.states;
    this.classes = lexicon.symbols.length;
    this.bytes = lexicon.bytes + this.units.byteLength + (this.#plain?.bytes ?? 0);
  }

  get steps(): number {
    return this.#work.steps;
  }

  createClosedTerms(): ClosedTerms {
    return new ClosedInBoth(new OpenTerms(this.#places), this.#lexicon.scannedPlain, this.#plain?.createClosedTerms());
  }

  /** Terms that have no letters for the automaton are scanned for first. */
  protected begin(text: string, onTerm: OnTerm, closed: ClosedTerms | undefined): number {
    this.#closed = closed as ClosedInBoth | undefined;
    this.#work.steps = 0;
    this.#forget();
    if (!this.#lexicon.hasUnseen) return 0;
    return isInSeveralWays(text) ? IN_SEVERAL_WAYS : afterAdvice(this.#scanPlain(text, onTerm), 0);
  }

  /** Scans in several ways when that is how a scan ended. */
  protected end(text: string, onTerm: OnTerm, ended: number): number {
    const end = ended === IN_SEVERAL_WAYS ? afterAdvice(this.#scanInSeveralWays(text, onTerm), IN_SEVERAL_WAYS) : ended;
    this.#forget();
    return end;
  }

  #forget(): void {
    this.#isPlainDone = false;
    this.#isOneWay = false;
    this.#letterScan.begin(this.#closed?.open);
  }

  /** The end of a text is an edge. Returns `IN_SEVERAL_WAYS` as well. */
  protected leave(text: string, at: number, row: number, cell: number, onTerm: OnTerm): number {
    if (at >= text.length) return this.#take(text, at, row, END, onTerm, at);
    const code = codePointAt.call(text, at)!;
    if (cell !== UNTOLD) return this.#take(text, at, row, this.units[code]!, onTerm, at + 1);
    const columns = this.#isAsRead ? this.#columns.asRead(code) : this.#columns.of(code);
    if (columns[0] === SEVERAL_WAYS) return IN_SEVERAL_WAYS;
    if (code <= 0xffff) this.joint.renew(code);
    this.row = row;
    let next = at + (code > 0xffff ? 2 : 1);
    for (let index = 0; index < columns.length && next >= 0; index++)
      next = this.#take(text, at, this.row, columns[index]!, onTerm, next);
    return next;
  }

  /** Takes a step by a column, and visits the terms before it when a term may end there. Returns `next`, or a negative number. */
  #take(text: string, at: number, row: number, column: number, onTerm: OnTerm, next: number): number {
    const known = this.#cellOf(row, column);
    if (known < STOPS) {
      this.row = known;
      return next;
    }
    const state = this.#states[this.rows.keys[row]!]!;
    const stops = this.#automaton.before(state, this.#columns.all[column]!);
    if (known !== UNTOLD) this.row = known & ~STOPS;
    else {
      const rows = this.rows;
      this.row = this.#rowOf(this.#automaton.step(state, this.#columns.all[column]!));
      const cell = this.row | (stops === 0 ? 0 : STOPS);
      if (rows === this.rows && column < LOOK_UP) rows.cells[(row << BITS) + column] = cell;
      else if (rows === this.rows) this.#rareCells.set((column << ROW_BITS) | row, cell);
    }
    return stops === 0 ? next : this.#visit(text, at, stops, onTerm, next);
  }

  #cellOf(row: number, column: number): number {
    if (column < LOOK_UP) return this.rows.cells[(row << BITS) + column]!;
    return this.#rareCells.get((column << ROW_BITS) | row) ?? UNTOLD;
  }

  /** The row of a state. When there is no room for it all rows are forgotten: texts may not be what they were. */
  #rowOf(state: AutomatonState): number {
    const key = `${state.isFresh} ${state.isolation} ${state.runs.join()}`;
    const known = this.#numbers.get(key);
    if (known !== undefined) return this.rows.rowOf(known);
    const row = this.rows.rowOf(this.#states.length);
    if (row >= 0) {
      this.#numbers.set(key, this.#states.push(state) - 1);
      return row;
    }
    this.rows = new StateCache(COLUMN_BITS, COLUMNS);
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
      advice = onTerm(this.#lexicon.scannedPlain[index]!, start, end, 0) ?? Advice.CONTINUE;
      return advice;
    };
    this.#plain?.scan(text, visit, this.#closed?.plain);
    this.#work.steps += this.#plain === undefined ? 0 : text.length + this.#plain.steps;
    return advice;
  }

  /** Scans a text as it is read, with its letters put together, and with byte order marks as the white space that they are to case folding. */
  #scanInSeveralWays(text: string, onTerm: OnTerm): number {
    const found = new Map<number, Parameters<OnTerm>>();
    const note: OnTerm = (term, start, end, transforms) => {
      const key = start * this.#lexicon.pool.count + term;
      const before = found.get(key);
      // Without transforms it is what case alone finds, which goes before what is longer.
      const isBetter =
        before === undefined ||
        (end === before[2]
          ? isSimpler(transforms, before[3])
          : before[3] !== 0 && (transforms === 0 || end > before[2]));
      if (isBetter) found.set(key, [term, start, end, transforms]);
    };
    this.#isAsRead = true;
    const scan = (one: string, noteOne: OnTerm) => {
      this.#forget();
      this.#scanPlain(one, noteOne);
      this.scanFrom(one, 0, FIRST_ROW, noteOne);
    };
    try {
      scan(text, note);
      const composed = composeLetters(text);
      if (composed !== undefined) {
        scan(composed.text, (term, from, to, transforms) => {
          const start = composed.sentOf(from);
          const end = composed.sentOf(to);
          if (start < 0 || end < 0) return;
          // Marks in another order take as many units.
          const isChanged =
            composed.isChanged(start, end) || (transforms === 0 && this.#lexicon.plainEnd(term, text, start) !== end);
          note(term, start, end, transforms | (isChanged ? COMPATIBILITY : 0));
        });
      }
      if (text.includes(BYTE_ORDER_MARK)) {
        scan(text.replaceAll(BYTE_ORDER_MARK, ' '), (term, start, end, transforms) => {
          if (this.#lexicon.plainEnd(term, text, start) === end) note(term, start, end, transforms);
        });
      }
    } finally {
      this.#isAsRead = false;
    }
    for (const [term, start, end, transforms] of found.values()) {
      if (this.#closed?.open.has(term) === false) continue;
      const advice = onTerm(term, start, end, transforms);
      if (endsTerms(advice)) return advice as number;
    }
    return Advice.CONTINUE;
  }
}

function isInSeveralWays(text: string): boolean {
  return hasParts(text) || text.includes(BYTE_ORDER_MARK);
}
