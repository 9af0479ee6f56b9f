/**
 * Finds terms in disguise, as well as plain ones: the matcher of `folding: 'hardened'`.
 *
 * An instance of: filter and verify, with a lazy DFA as filter. The filter is `automaton.ts`; its
 * states are cached in rows by columns, so that most characters of a text are one read of an array,
 * in the loop that all matchers share (`CachedScan`), beside the automaton of the patterns. Where
 * terms may end the loop is left, and the text before is compared with them: by case folding, and
 * then letter by letter (`aligner.ts`). Where letters that stand apart may be a term is noted, and
 * looked at after the scan (`apart.ts`), since such a term counts only where no other one begins.
 * Terms whose letters do not show all of them are found by a matcher of case folding, the *plain*
 * one, which scans a text once the filter has stopped at one of these.
 *
 * Invariants:
 * - A cell says what `Automaton.step` and `before` say of its row's state and its column. No cell
 *   depends on a text, so forgetting all of them for lack of room never changes an answer.
 * - Every occurrence of an open term is visited once, at its end or after the scan.
 * - `row` is the row in which the loop goes on; `leave` and all that it calls keep it.
 */
import type { Portions } from '../../../foundation/portions.js';
import { BYTE_ORDER_MARK, isWhite } from '../folding.js';
import { createKeywordMatcher, type KeywordMatcher, type KeywordOptions } from '../keyword-matcher.js';
import {
  Advice,
  afterAdvice,
  CachedScan,
  type ClosedTerms,
  endsTerms,
  FIRST_ROW,
  type OnTerm,
  type RereadableMatcher,
} from '../keyword-scan.js';
import { FLAG, StateCache, UNKNOWN } from '../state-cache.js';
import { ApartReader, firstMaskIn, passageEnd, passageStart } from './apart.js';
import {
  Automaton,
  type AutomatonState,
  MAY_END_BROKEN,
  MAY_END_ISOLATED,
  MAY_END_MASKED,
  MAY_END_PLAIN,
  MAY_END_TERM,
  MAY_FORMAT,
} from './automaton.js';
import { COLUMN_BITS, COLUMNS, ColumnKind, Columns, END, LOOK_UP, SEVERAL_FORMS } from './columns.js';
import type { Work } from './letters.js';
import { isInPhrase, isMaskCode } from './roles.js';
import { Terms } from './terms.js';
import { isInSeveralForms, matchesInForms } from './text-forms.js';
import { type ClosedInBoth, Verifier } from './verifier.js';

/** Not `text.codePointAt`, for reasons that `keyword-scan.ts` gives. */
const { charCodeAt, codePointAt } = String.prototype;

/**
 * Compiles terms, in portions. Their indices are what `scan` reports, not always in the order in
 * which occurrences end; a blank term never matches. Of the occurrences that begin at one place the
 * one of case alone is reported, or else the one that ends first.
 */
export function* createHardenedMatcher(
  written: readonly string[],
  { words }: Pick<KeywordOptions, 'words'>,
): Portions<RereadableMatcher> {
  const terms = yield* Terms.of(written, words);
  const columns = yield* Columns.of(terms);
  const automaton = yield* Automaton.of(terms, columns);
  const plainTerms = terms.scannedPlain.map((term) => written[term]!);
  const ofTerms = typeof words === 'string' ? words : terms.scannedPlain.map((term) => words[term]!);
  const options = { folding: 'case', words: ofTerms } as const;
  const plain = plainTerms.length === 0 ? undefined : yield* createKeywordMatcher(plainTerms, options);
  return new HardenedMatcher(terms, columns, automaton, plain);
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
/** Places are kept for the next text up to this number. */
const MAX_KEPT = 1 << 14;
const { CONTINUE } = Advice;

class HardenedMatcher extends CachedScan implements RereadableMatcher {
  readonly #terms: Terms;
  readonly #columns: Columns;
  readonly #automaton: Automaton;
  readonly #verifier: Verifier;
  readonly #apart: ApartReader;
  readonly #work: Work = { steps: 0 };
  /** States by number, which is the key of a row; and the numbers by what states hold. */
  #states: AutomatonState[] = [];
  #numbers = new Map<number | string, number>();
  /** Cells of columns that have none in rows. */
  #rareCells = new Map<number, number>();
  /** The state before the last step that may have ended something. */
  #stopped: AutomatonState;

  /** The verifier has begun the text. */
  #isBegun = false;
  /**
   * Places before which isolated letters may be terms; and where tokens end that may be a term
   * without the signs in them, with how many tokens before may belong to it.
   */
  readonly #isolated: number[] = [];
  #isolatedCount = 0;
  readonly #broken: number[] = [];
  #brokenCount = 0;
  /** The scanned text is a form of another: its characters are taken as they are. */
  #isForm = false;

  constructor(terms: Terms, columns: Columns, automaton: Automaton, plain: KeywordMatcher | undefined) {
    super(columns.units, new StateCache(COLUMN_BITS, COLUMNS));
    this.#terms = terms;
    this.#columns = columns;
    this.#automaton = automaton;
    this.#stopped = automaton.start;
    this.#verifier = new Verifier(terms, columns, automaton, plain, this.#work);
    this.#apart = new ApartReader(terms, columns, automaton, this.#verifier);
    this.#rowOf(automaton.start);
  }

  get steps(): number {
    return this.#work.steps;
  }

  createClosedTerms(): ClosedTerms {
    return this.#verifier.createClosedTerms();
  }

  /** Begins a text. If a term may occur without a stop, the plain matcher scans it first. */
  protected begin(text: string, onTerm: OnTerm, closed: ClosedTerms | undefined): number {
    this.#verifier.closed = closed as ClosedInBoth | undefined;
    this.#work.steps = 0;
    this.#forget();
    if (!this.#terms.needsPlainScan) return 0;
    if (isInSeveralForms(text)) return IN_SEVERAL_FORMS;
    this.#beginVerifier(text, onTerm);
    return afterAdvice(this.#verifier.scanPlain(), 0);
  }

  /** Ends a text: looks at letters that stand apart, or scans its forms if it has several. */
  protected end(text: string, onTerm: OnTerm, ended: number): number {
    if (ended === IN_SEVERAL_FORMS) return afterAdvice(this.#scanForms(text, onTerm), 0);
    return ended < 0 ? ended : afterAdvice(this.#visitApart(text), ended);
  }

  #forget(): void {
    this.#isBegun = false;
    // Emptied arrays would be allocated anew; long ones are given back.
    if (this.#isolatedCount > MAX_KEPT) this.#isolated.length = 0;
    if (this.#brokenCount > MAX_KEPT) this.#broken.length = 0;
    this.#isolatedCount = 0;
    this.#brokenCount = 0;
  }

  #beginVerifier(text: string, onTerm: OnTerm): void {
    if (!this.#isBegun) this.#verifier.begin(text, onTerm);
    this.#isBegun = true;
  }

  /** Works as in `CachedScan`, or returns `IN_SEVERAL_FORMS`. The end of a text is an edge. */
  protected leave(text: string, at: number, row: number, cell: number, onTerm: OnTerm): number {
    this.row = row;
    if (at >= text.length) return this.#take(text, at, END, onTerm, at);
    const code = codePointAt.call(text, at)!;
    if (cell !== UNKNOWN_CELL) return this.#take(text, at, this.units[code]!, onTerm, at + 1);
    const columns = this.#isForm ? this.#columns.ofForm(code) : this.#columns.of(code);
    if (columns[0] === SEVERAL_FORMS) return IN_SEVERAL_FORMS;
    if (code <= 0xffff) this.joint.renew(code);
    const next = this.#take(text, at, columns[0]!, onTerm, at + (code > 0xffff ? 2 : 1));
    for (let index = 1; index < columns.length && next >= 0; index++) this.#step(columns[index]!);
    return next;
  }

  /**
   * Steps from `row` by a column, and visits the terms before the character if one may end there.
   * Returns `next`, or a negative number.
   */
  #take(text: string, at: number, column: number, onTerm: OnTerm, next: number): number {
    const stops = this.#step(column);
    if ((stops & MAY_FORMAT) !== 0) this.hasFormatting = true;
    if ((stops & ~MAY_FORMAT) === 0) return next;
    if (stops === MAY_END_TERM && !this.#verifier.mayEndAt(text, at)) return next;
    if (!this.#isBegun && !this.#isForm && isInSeveralForms(text)) return IN_SEVERAL_FORMS;
    this.#beginVerifier(text, onTerm);
    if ((stops & MAY_END_ISOLATED) !== 0) this.#isolated[this.#isolatedCount++] = at;
    if ((stops & (MAY_END_BROKEN | MAY_END_MASKED)) !== 0) this.#noteTokens(text, at, stops);
    if ((stops & (MAY_END_TERM | MAY_END_PLAIN)) === 0) return next;
    const isInside = this.#columns.all[column]!.kind === ColumnKind.JOINING;
    const isHidden = (stops & MAY_END_PLAIN) !== 0;
    const stop = { at, nodes: this.#stopped.nodes, isInside, isHidden };
    return afterAdvice(this.#verifier.visitTerms(stop), next);
  }

  /**
   * Steps from `row` by a column. Returns what may end before the column, as `Automaton.before`
   * does.
   */
  #step(column: number): number {
    const { row } = this;
    const known = this.#cellOf(row, column);
    if (known < STOPS) {
      this.row = known;
      return 0;
    }
    const state = this.#states[this.rows.keys[row]!]!;
    const stops = this.#automaton.before(state, this.#columns.all[column]!);
    this.#stopped = state;
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

  /**
   * Returns the row of a state. Without room for it all rows are forgotten: texts may not be what
   * they were.
   */
  #rowOf(state: AutomatonState): number {
    const known = this.#numbers.get(state.key);
    if (known !== undefined) return this.rows.rowOf(known);
    const row = this.rows.rowOf(this.#states.length);
    if (row >= 0) {
      this.#numbers.set(state.key, this.#states.push(state) - 1);
      return row;
    }
    this.rows = new StateCache(COLUMN_BITS, COLUMNS);
    this.#states = [];
    this.#numbers = new Map();
    this.#rareCells = new Map();
    this.#rowOf(this.#automaton.start);
    return this.#rowOf(state);
  }

  /** Visits the terms in letters that stand apart. Returns the visitor's advice. */
  #visitApart(text: string): number {
    let done = 0;
    for (let index = 0; index < this.#isolatedCount; index++) {
      const at = this.#isolated[index]!;
      if (at < done || at === 0) continue;
      const from = passageStart(text, at, done);
      done = passageEnd(text, at);
      const advice = this.#apart.visitPassage(text, from, done);
      if (endsTerms(advice)) return advice;
    }
    return this.#brokenCount === 0 ? CONTINUE : this.#visitTokens(text);
  }

  /** Notes that terms may end with the token before an offset, and how many words they have. */
  #noteTokens(text: string, at: number, stops: number): void {
    const { hasLetter, mayBeMasked } = lookAtToken(text, at);
    const isBroken = (stops & MAY_END_BROKEN) !== 0;
    if (!hasLetter || !(isBroken || mayBeMasked)) return;
    this.#broken[this.#brokenCount++] = at;
    this.#broken[this.#brokenCount++] = isBroken || isInPhrase(this.#stopped.context) ? this.#terms.mostSpaces : 0;
  }

  /** Visits the terms in tokens with signs in them, and in those that make a phrase with these. */
  #visitTokens(text: string): number {
    let done = 0;
    for (let index = 0; index < this.#brokenCount; index += 2) {
      let before = this.#broken[index + 1]!;
      let end = this.#broken[index]!;
      for (let behind = this.#terms.mostSpaces; behind >= 0 && end > 0; behind--) {
        if (end > done) {
          const advice = this.#apart.visitTokens(text, this.#startOfTokens(text, end, before), end);
          if (endsTerms(advice)) return advice;
          done = end;
        }
        // The automaton does not know which letters masks stand for, nor whether a term goes on.
        if (end === done && !this.#apart.mayGoOn) break;
        before = this.#terms.mostSpaces;
        end = this.#endOfToken(text, end);
      }
    }
    return CONTINUE;
  }

  /**
   * Returns where a token begins that ends at an offset, or one that has so many runs of white
   * space to there.
   */
  #startOfTokens(text: string, end: number, most: number): number {
    let spaces = 0;
    let at = end;
    for (let isSpace = false; at > 0; at--) {
      this.#work.steps++;
      if (!isSpaceAt(text, at - 1)) isSpace = false;
      else if (isSpace) continue;
      else if (spaces++ === most) break;
      else isSpace = true;
    }
    return at;
  }

  /** Returns where the token ends that begins after an offset, or 0. */
  #endOfToken(text: string, from: number): number {
    let at = from;
    while (at < text.length && isSpaceAt(text, at)) at++;
    const start = at;
    while (at < text.length && !isSpaceAt(text, at)) at++;
    this.#work.steps += at - from;
    return at === start ? 0 : at;
  }

  /** Scans a text in all of its forms, and visits what is found, once for each term and start. */
  #scanForms(text: string, onTerm: OnTerm): number {
    const { closed } = this.#verifier;
    for (const [term, start, end, transforms] of this.#foundInForms(text)) {
      if (closed?.outputs.has(term) === true) continue;
      const advice = onTerm(term, start, end, transforms);
      if (endsTerms(advice)) return advice as number;
    }
    return CONTINUE;
  }

  #foundInForms(text: string): Iterable<Parameters<OnTerm>> {
    this.#isForm = true;
    try {
      return matchesInForms(text, (form, note) => {
        this.#forget();
        this.#beginVerifier(form, note);
        this.#verifier.scanPlain();
        if (this.scanFrom(form, 0, FIRST_ROW, note) >= 0) this.#visitApart(form);
      });
    } finally {
      this.#isForm = false;
    }
  }
}

function isSpaceAt(text: string, at: number): boolean {
  const unit = charCodeAt.call(text, at);
  return isWhite(unit) && unit !== BYTE_ORDER_MARK;
}

const LARGEST_SIGN = 0x40;
const [ZERO, NINE] = [0x30, 0x39];

/**
 * Reports of the token that ends at an offset whether it may have a letter, which `9:30` has not,
 * and whether masks in it may count. Masks after its last letter do so if the text has none before
 * its first one: `**so**` has no masks that count.
 */
function lookAtToken(text: string, end: number): { readonly hasLetter: boolean; readonly mayBeMasked: boolean } {
  let [first, last, hasLetter, hasMask, hasInnerMask] = [-1, -1, false, false, false];
  for (let at = end - 1; at >= 0 && !isSpaceAt(text, at); at--) {
    const unit = charCodeAt.call(text, at);
    if (isMaskCode(unit)) hasMask ||= last >= 0;
    else if (unit > LARGEST_SIGN || (unit >= ZERO && unit <= NINE)) {
      if (last < 0) last = at;
      first = at;
      hasInnerMask ||= hasMask;
      hasLetter ||= unit > LARGEST_SIGN;
    }
  }
  return { hasLetter, mayBeMasked: hasInnerMask || firstMaskIn(text) >= first };
}
