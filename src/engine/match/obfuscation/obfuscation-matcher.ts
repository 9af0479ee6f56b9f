/**
 * Finds terms in disguise, as well as plain ones: the matcher of `folding: 'hardened'`.
 *
 * An instance of: filter and verify, with a lazy DFA as filter. The filter is `automaton.ts`; its states are cached in
 * rows by columns, so that most characters of a text are one read of an array, in the loop that all matchers share
 * (`CachedScan`), beside the automaton of the patterns. Where a term may end the loop is left, and the text is
 * verified: by the same steps with exact columns (`exact-walk.ts`), then by reading and comparing letters
 * (`alignment.ts`), both from `letter-scan.ts`. Terms that letters do not tell apart are found by a matcher of case
 * folding, the *plain* one, which scans a text once the filter has stopped for the first time.
 *
 * Invariants:
 * - A cell says what `Automaton.step` and `before` say of its row's state and its column. No cell depends on a text, so
 *   forgetting all of them for lack of room never changes an answer.
 * - Every occurrence of an open term is visited, some after others that end later: a stop visits all that begin before
 *   it. No start is compared twice, so none is visited twice.
 * - `row` is the row in which the loop goes on; `leave` and all that it calls keep it.
 */
import type { Portions } from '../../../foundation/portions.js';
import { isWhite } from '../folding.js';
import { isSignUnit } from '../formatting.js';
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
  type RereadableMatcher,
} from '../keyword-scan.js';
import { FLAG, StateCache, UNKNOWN } from '../state-cache.js';
import { Automaton, type AutomatonState, MAY_END_ISOLATED, MAY_END_TERM, MAY_END_TOKEN } from './automaton.js';
import { COLUMN_BITS, COLUMNS, Columns, END, LOOK_UP, SEVERAL_FORMS } from './columns.js';
import { apostrophes, IS_SIGN } from './isolation-classes.js';
import { LetterScan } from './letter-scan.js';
import type { Work } from './letters.js';
import { Lexicon } from './lexicon.js';
import { ClosedInBoth, OpenTerms, TermPlaces } from './open-terms.js';
import { isInSeveralForms, matchesInForms } from './text-forms.js';
import { firstMaskIn } from './tokens.js';

/** Not `text.codePointAt`, for reasons that `keyword-scan.ts` gives. */
const { codePointAt } = String.prototype;

/**
 * Compiles terms, in portions. Their indices are what `scan` reports, not always in the order in which occurrences end;
 * a blank term never matches. Of the occurrences that begin at one place the one of case alone is reported, or else the
 * longest.
 */
export function* createObfuscationMatcher(
  written: readonly string[],
  { words }: Pick<KeywordOptions, 'words'>,
): Portions<RereadableMatcher> {
  const lexicon = yield* Lexicon.of(written, words);
  const columns = yield* Columns.of(lexicon);
  const places = yield* TermPlaces.of(lexicon.trie, lexicon.pool.count);
  const terms = lexicon.scannedPlain.map((term) => written[term]!);
  const ofTerms = typeof words === 'string' ? words : lexicon.scannedPlain.map((term) => words[term]!);
  const options = { folding: 'case', words: ofTerms } as const;
  const plain = terms.length === 0 ? undefined : yield* createKeywordMatcher(terms, options);
  return new ObfuscationMatcher(lexicon, columns, places, plain);
}

/** Constants of this file are part of the compiled code; imported ones are read at every use. */
const BITS = COLUMN_BITS;
const UNKNOWN_CELL = UNKNOWN;
/** Set in a cell when something may end before its character. */
const STOPS = FLAG;
/** A row's number takes so many bits at most. */
const ROW_BITS = 15;
/** How a scan ended, in place of an offset: the text has several forms, and nothing was visited. */
const IN_SEVERAL_FORMS = -3;

class ObfuscationMatcher extends CachedScan implements RereadableMatcher {
  readonly #lexicon: Lexicon;
  readonly #columns: Columns;
  readonly #automaton: Automaton;
  readonly #letterScan: LetterScan;
  /** Terms that case folding alone finds, or finds otherwise. */
  readonly #plain: KeywordMatcher | undefined;
  /** States by number, which is the key of a row; and the numbers by what states hold. */
  #states: AutomatonState[] = [];
  #numbers = new Map<string, number>();
  /** Cells of columns that have none in rows. */
  #rareCells = new Map<number, number>();

  /** Something is kept of the text that is scanned, which the next one has to forget. */
  #isUsed = false;
  /** Whether the plain matcher has scanned the text, and whether that is known to have one form. */
  #isPlainDone = false;
  #hasOneForm = false;
  /** Result of `#lastTokenIn`. */
  #lastToken: number | undefined;
  #closed: ClosedInBoth | undefined;
  readonly #work: Work = { steps: 0 };
  /** The scanned text is a form of another: its characters are taken as they are. */
  #isForm = false;
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
  }

  get steps(): number {
    return this.#work.steps;
  }

  createClosedTerms(): ClosedTerms {
    return new ClosedInBoth(new OpenTerms(this.#places), this.#lexicon.scannedPlain, this.#plain?.createClosedTerms());
  }

  /** Begins a text. Where a term may occur without a stop of the automaton, the plain matcher scans it first. */
  protected begin(text: string, onTerm: OnTerm, closed: ClosedTerms | undefined): number {
    this.#closed = closed as ClosedInBoth | undefined;
    this.#letterScan.open = this.#closed?.open;
    this.#work.steps = 0;
    if (this.#isUsed) this.#forget();
    if (this.#lexicon.owners.length > 0) return IN_SEVERAL_FORMS;
    if (!this.#lexicon.needsPlainScan) return 0;
    return isInSeveralForms(text) ? IN_SEVERAL_FORMS : afterAdvice(this.#scanPlain(text, onTerm), 0);
  }

  /** Scans the forms of a text when it turned out to have several. */
  protected end(text: string, onTerm: OnTerm, ended: number): number {
    const end = ended === IN_SEVERAL_FORMS ? afterAdvice(this.#scanForms(text, onTerm), IN_SEVERAL_FORMS) : ended;
    if (this.#isUsed) this.#forget();
    return end;
  }

  #forget(): void {
    this.#isUsed = false;
    this.#isPlainDone = false;
    this.#hasOneForm = false;
    this.#lastToken = undefined;
    this.#letterScan.begin();
  }

  /** Works as in `CachedScan`, or returns `IN_SEVERAL_FORMS`. The end of a text is an edge. */
  protected leave(text: string, at: number, row: number, cell: number, onTerm: OnTerm): number {
    this.row = row;
    if (at >= text.length) return this.#take(text, at, END, onTerm, at);
    const code = codePointAt.call(text, at)!;
    if (isSignUnit(code)) this.signs++;
    if (cell !== UNKNOWN_CELL) return this.#take(text, at, this.units[code]!, onTerm, at + 1);
    const columns = this.#isForm ? this.#columns.ofForm(code) : this.#columns.of(code);
    if (columns[0] === SEVERAL_FORMS) return IN_SEVERAL_FORMS;
    if (code <= 0xffff) this.joint.renew(code);
    let next = at + (code > 0xffff ? 2 : 1);
    for (let index = 0; index < columns.length && next >= 0; index++)
      next = this.#take(text, at, columns[index]!, onTerm, next);
    return next;
  }

  /**
   * Steps from `row` by a column, and visits the terms before the character if one may end there. Returns `next`, or a
   * negative number.
   */
  #take(text: string, at: number, column: number, onTerm: OnTerm, next: number): number {
    const stops = this.#step(column);
    return stops === 0 ? next : this.#visit(text, at, stops, onTerm, next);
  }

  /** Steps from `row` by a column. Returns what may end before the column, as `Automaton.before` does. */
  #step(column: number): number {
    const { row } = this;
    const known = this.#cellOf(row, column);
    if (known < STOPS) {
      this.row = known;
      return 0;
    }
    const state = this.#states[this.rows.keys[row]!]!;
    const stops = this.#automaton.before(state, this.#columns.all[column]!);
    if (known !== UNKNOWN_CELL) this.row = known & ~STOPS;
    else {
      const rows = this.rows;
      this.row = this.#rowOf(this.#automaton.step(state, this.#columns.all[column]!));
      const cell = this.row | (stops === 0 ? 0 : STOPS);
      if (rows === this.rows && column < LOOK_UP) rows.cells[(row << BITS) + column] = cell;
      else if (rows === this.rows) this.#rareCells.set((column << ROW_BITS) | row, cell);
    }
    return stops;
  }

  #cellOf(row: number, column: number): number {
    if (column < LOOK_UP) return this.rows.cells[(row << BITS) + column]!;
    return this.#rareCells.get((column << ROW_BITS) | row) ?? UNKNOWN_CELL;
  }

  /** Returns the row of a state. Without room for it all rows are forgotten: texts may not be what they were. */
  #rowOf(state: AutomatonState): number {
    const key = `${state.isWordStart} ${state.isolation} ${state.runs.join()}`;
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

  /**
   * Visits the occurrences before an offset that were not visited; `stops` says what may end there. Returns `next`, or
   * a negative number.
   */
  #visit(text: string, at: number, stops: number, onTerm: OnTerm, next: number): number {
    this.#isUsed = true;
    if (!this.#isForm && !this.#hasOneForm && isInSeveralForms(text)) return IN_SEVERAL_FORMS;
    this.#hasOneForm = true;
    let advice = this.#isPlainDone ? Advice.CONTINUE : this.#scanPlain(text, onTerm);
    if ((stops & MAY_END_TERM) !== 0 && !endsTerms(advice)) advice = this.#letterScan.visitTerms(text, at, onTerm);
    if ((stops & MAY_END_ISOLATED) !== 0 && !endsTerms(advice))
      advice = this.#letterScan.visitIsolated(text, at, onTerm);
    if (
      (stops & MAY_END_TOKEN) !== 0 &&
      !endsTerms(advice) &&
      hasLetterBefore(text, at) &&
      at <= this.#lastTokenIn(text)
    )
      advice = this.#letterScan.visitTokens(text, at, onTerm);
    return afterAdvice(advice, next);
  }

  /** Returns where the last word that has signs in it or for its letters ends at the latest, or -1. */
  #lastTokenIn(text: string): number {
    this.#lastToken ??= firstMaskIn(text) < 0 ? this.#lastEndWithoutSigns(text) : text.length;
    return this.#lastToken;
  }

  /** Scans a text as if its signs were not there. Returns where the last token ends with which a term may end, or -1. */
  #lastEndWithoutSigns(text: string): number {
    const { row, rows } = this;
    const state = this.#states[rows.keys[row]!]!;
    let last = -1;
    this.row = FIRST_ROW;
    this.#work.steps += text.length;
    for (let at = 0; at < text.length; ) {
      const code = codePointAt.call(text, at)!;
      const columns = this.#columns.ofForm(code);
      const { isolation, isSpace } = this.#columns.all[columns[0]!]!;
      if ((isolation & IS_SIGN) === 0 && !apostrophes.has(code))
        for (let index = 0; index < columns.length; index++) {
          const stops = this.#step(columns[index]!);
          if (isSpace && (stops & MAY_END_TERM) !== 0) last = at;
        }
      at += code > 0xffff ? 2 : 1;
    }
    if ((this.#step(END) & MAY_END_TERM) !== 0) last = text.length;
    // The key of a row is a string: it is made only if the rows were forgotten meanwhile.
    this.row = rows === this.rows ? row : this.#rowOf(state);
    return last;
  }

  /** Visits what the plain matcher finds in a text. Returns the visitor's advice. */
  #scanPlain(text: string, onTerm: OnTerm): number {
    this.#isUsed = true;
    this.#isPlainDone = true;
    // A closure is made only where there is such a matcher.
    return this.#plain === undefined ? Advice.CONTINUE : this.#scanWithPlain(this.#plain, text, onTerm);
  }

  #scanWithPlain(plain: KeywordMatcher, text: string, onTerm: OnTerm): number {
    let advice: number = Advice.CONTINUE;
    const visit: OnTerm = (index, start, end) => {
      advice = onTerm(this.#lexicon.scannedPlain[index]!, start, end, 0) ?? Advice.CONTINUE;
      return advice;
    };
    plain.scan(text, visit, this.#closed?.plain);
    this.#work.steps += text.length + plain.steps;
    return advice;
  }

  /** Scans a text in all of its forms, and visits what is found, once for each term and start. Returns the visitor's advice. */
  #scanForms(text: string, onTerm: OnTerm): number {
    const found = this.#foundInForms(text);
    for (const [term, start, end, transforms] of found) {
      if (this.#closed?.open.has(term) === false) continue;
      const advice = onTerm(term, start, end, transforms);
      if (endsTerms(advice)) return advice as number;
    }
    return Advice.CONTINUE;
  }

  #foundInForms(text: string): Iterable<Parameters<OnTerm>> {
    this.#isForm = true;
    try {
      return matchesInForms(text, this.#lexicon, (form, note) => {
        this.#forget();
        this.#scanPlain(form, note);
        this.scanFrom(form, 0, FIRST_ROW, note);
      });
    } finally {
      this.#isForm = false;
    }
  }
}

const LARGEST_SIGN = 0x40;

/** Reports whether the token that ends at an offset has a letter, or what may be one. Times and versions, as `9.22.11`, have none. */
function hasLetterBefore(text: string, end: number): boolean {
  let at = end - 1;
  while (at >= 0 && text.charCodeAt(at) <= LARGEST_SIGN && !isWhite(text.charCodeAt(at))) at--;
  return at >= 0 && !isWhite(text.charCodeAt(at));
}
