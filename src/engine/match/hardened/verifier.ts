/**
 * Compares the terms that may end at a place with the text before it, and visits those that are
 * there: by case folding first, and letter by letter where that does not find them.
 *
 * Letters do not show everything. Texts of the same letters may differ in hidden characters, in
 * marks, or in how a letter is composed; so each occurrence is compared once more with the term as
 * case folding has it. Terms whose letters do not show all of them are found by a matcher of case
 * folding, the *plain* one, which scans a text once the filter stops at one of these.
 *
 * State: what was visited of a text, by start and term, so that nothing is visited twice.
 */
import { ClosedOutputs } from '../closed-terms.js';
import { BYTE_ORDER_MARK, isWhite } from '../folding.js';
import { failureOf, outputBelow, outputOf } from '../keyword-automaton.js';
import { Advice, type ClosedTerms, endsTerms, type KeywordMatcher, type OnTerm } from '../keyword-scan.js';
import { isPairBefore } from '../surrogates.js';
import { FREE_END, FREE_START, isWordEdge } from '../word-edges.js';
import { type AlignedStart, Aligner, type LettersBefore } from './aligner.js';
import type { Automaton } from './automaton.js';
import type { Columns } from './columns.js';
import { decompositionOf } from './decompositions.js';
import { isFlag, isMarkBeside, type Letter, Letters, type Work } from './letters.js';
import { CASE_ONLY, HAS_HIDDEN, SCANNED_PLAIN, type TermLetter, type Terms } from './terms.js';
import { COMPATIBILITY, IGNORABLE, MARK } from './transforms.js';

const { charCodeAt, codePointAt } = String.prototype;
const { CONTINUE } = Advice;
/** More terms no matcher has. */
const TERMS = 1 << 22;

/** A place where terms may end. */
interface Stop {
  readonly at: number;
  /** The nodes that the text before may end in. */
  readonly nodes: readonly number[];
  /** Whether a character that joins words stands after it, or one that is hidden. */
  readonly isInside: boolean;
  readonly isHidden: boolean;
}

export class Verifier {
  readonly letters: Letters;
  readonly aligner: Aligner;
  closed: ClosedInBoth | undefined;
  readonly #terms: Terms;
  readonly #columns: Columns;
  readonly #automaton: Automaton;
  readonly #plain: KeywordMatcher | undefined;
  readonly #work: Work;
  /** Class of the last letter of each term. */
  readonly #lastClass: Int32Array;
  readonly #lastClasses: ReadonlySet<number>;
  readonly #before: LettersBeforeEnd;
  /** Keys of visited occurrences: the first one apart, for most texts have no other. */
  #firstVisited = -1;
  readonly #visited = new Set<number>();
  #text = '';
  #onTerm: OnTerm = () => {};
  #isPlainDone = false;

  constructor(terms: Terms, columns: Columns, automaton: Automaton, plain: KeywordMatcher | undefined, work: Work) {
    this.#terms = terms;
    this.#columns = columns;
    this.#automaton = automaton;
    this.#plain = plain;
    this.#work = work;
    this.letters = new Letters(work);
    this.aligner = new Aligner(terms, work);
    this.#before = new LettersBeforeEnd(this.letters);
    const { from, numbers, pool } = terms;
    this.#lastClass = Int32Array.from({ length: pool.count }, (_, term) =>
      from[term] === from[term + 1] ? -1 : columns.classOf[numbers[from[term + 1]! - 1]!]!,
    );
    this.#lastClasses = new Set(this.#lastClass);
  }

  /** Reports whether the character before a place may be the last letter of some term. */
  mayEndAt(text: string, at: number): boolean {
    const classes = this.#classesBefore(text, at);
    return classes === undefined || classes.some((letter) => this.#lastClasses.has(letter));
  }

  createClosedTerms(): ClosedTerms {
    const outputs = new ClosedOutputs(this.#terms.pool.count, this.#automaton.keywords.states, true);
    return new ClosedInBoth(outputs, this.#terms.scannedPlain, this.#plain?.createClosedTerms());
  }

  /** Begins a text. */
  begin(text: string, onTerm: OnTerm): void {
    this.#text = text;
    this.#onTerm = onTerm;
    this.letters.begin(text);
    this.#before.begin();
    this.#isPlainDone = false;
    this.#firstVisited = -1;
    if (this.#visited.size > 0) this.#visited.clear();
  }

  /** Visits the open terms that end at a stop. Returns the visitor's advice. */
  visitTerms(stop: Stop): number {
    const { table, ends, duplicate, outputInside } = this.#automaton.keywords;
    const inside = stop.isInside ? outputInside : undefined;
    const open = stop.isInside ? this.closed?.outputs.inside : this.closed?.outputs.all;
    const classes = this.#classesBefore(this.#text, stop.at);
    for (const node of stop.nodes)
      for (let output = inside?.[node] ?? outputOf(table, node); output >= 0; ) {
        this.#work.steps++;
        if (open !== undefined) {
          output = open.firstOpen(output);
          if (output < 0) break;
        }
        let isOpen = false;
        for (let sequence = ends[output]!; sequence >= 0; sequence = duplicate[sequence]!) {
          if (stop.isInside && !this.#automaton.mayEndInside(sequence)) continue;
          const term = this.#automaton.termOf(sequence);
          if (this.isClosed(term)) continue;
          isOpen = true;
          if (classes !== undefined && !classes.includes(this.#lastClass[term]!)) continue;
          const advice = this.#visitTerm(term, stop);
          if (endsTerms(advice)) return advice;
        }
        const below = inside?.[failureOf(table, output)] ?? outputBelow(table, output);
        if (!isOpen) open?.pass(output, below);
        output = below;
      }
    return CONTINUE;
  }

  #visitTerm(term: number, { at, isHidden }: Stop): number {
    const terms = this.#terms;
    if (terms.is(term, SCANNED_PLAIN)) {
      const advice = this.scanPlain();
      if (endsTerms(advice) || terms.is(term, CASE_ONLY)) return advice;
    } else {
      const start = this.#plainStart(term, at);
      if (start >= 0) {
        const advice = this.visit(term, start, at, 0);
        const before = charCodeAt.call(this.#text, start - 1);
        const isAlone = start === 0 || (isWhite(before) && before !== BYTE_ORDER_MARK);
        if (isAlone || endsTerms(advice)) return advice;
      }
    }
    return isHidden ? CONTINUE : this.#visitAligned(term, at);
  }

  /** Returns where a term begins that ends at an offset by case alone, or -1. */
  #plainStart(term: number, end: number): number {
    const { pool, free } = this.#terms;
    const start = pool.startOf(term, this.#text, end);
    this.#work.steps += pool.compared;
    if (start < 0 || ((free[term]! & FREE_START) === 0 && !isWordEdge(this.#text, start))) return -1;
    return (free[term]! & FREE_END) !== 0 || isWordEdge(this.#text, end) ? start : -1;
  }

  /** Visits a term where its letters stand before an offset. Returns the visitor's advice. */
  #visitAligned(term: number, at: number): number {
    this.#before.moveTo(at);
    const last = this.#before.before(0);
    if (last === undefined) return CONTINUE;
    const { numbers, from, letters, free } = this.#terms;
    const next = this.#before.before(-1);
    const isFreeEnd = (free[term]! & FREE_END) !== 0;
    if (isFreeEnd && last.end > last.to && !this.#terms.is(term, SCANNED_PLAIN)) {
      // To case folding a term ends before the marks of its last letter.
      const start = this.#plainStart(term, last.to);
      const advice = start < 0 ? CONTINUE : this.visit(term, start, last.to, 0);
      if (endsTerms(advice)) return advice;
    }
    const lastOfTerm = letters[numbers[from[term + 1]! - 1]!]!;
    if (!isFreeEnd && next?.decomposition.joins === true && isPartOfWord(last, lastOfTerm)) return CONTINUE;
    for (const start of this.aligner.starts(term, this.#before, 'text')) {
      const advice = this.#visitStart(term, last, start);
      if (endsTerms(advice)) return advice;
    }
    return CONTINUE;
  }

  /**
   * Returns the classes of letters of terms that the character before a place may stand for;
   * undefined if it may belong to the letter before it.
   */
  #classesBefore(text: string, at: number): readonly number[] | undefined {
    const { letters } = decompositionOf(codePointAt.call(text, isPairBefore(text, at) ? at - 2 : at - 1)!);
    return letters.length === 1 ? this.#columns.classesFor(letters[0]!) : undefined;
  }

  /** Visits a term that was aligned, if it may begin there. */
  #visitStart(term: number, last: Letter, { length, transforms }: AlignedStart): number {
    const { numbers, from, letters, free } = this.#terms;
    const text = this.#text;
    const first = this.#before.before(length - 1)!;
    if (first.index !== 0) return CONTINUE;
    const sides = free[term]!;
    const isJoined = (sides & FREE_START) === 0 && this.#before.before(length)?.decomposition.joins === true;
    if (isJoined && isPartOfWord(first, letters[numbers[from[term]!]!]!)) return CONTINUE;
    const start = first.from;
    const plain = this.#terms.plainEnd(term, text, start);
    const isStart = (sides & FREE_START) !== 0 || isWordEdge(text, start);
    if (plain >= 0 && isStart && ((sides & FREE_END) !== 0 || isWordEdge(text, plain)))
      // The plain matcher visits these.
      return this.#terms.is(term, SCANNED_PLAIN) ? CONTINUE : this.visit(term, start, plain, 0);
    const { end } = last;
    if (isFlag(text, start, end)) return CONTINUE;
    // Equal, but something hidden beside it joins it to a word for case alone.
    if (plain === end) return this.visit(term, start, end, isMarkBeside(text, start, end, sides) ? MARK : IGNORABLE);
    // The term has what the text lacks, and its letters do not show it.
    const missing = this.#terms.is(term, HAS_HIDDEN) ? IGNORABLE : COMPATIBILITY;
    return this.visit(term, start, end, transforms === 0 ? missing : transforms);
  }

  /** Reports whether a term needs no further occurrence. */
  isClosed(term: number): boolean {
    return this.closed?.outputs.has(term) === true;
  }

  /** Visits a term unless it was visited with this start. Returns the visitor's advice. */
  visit(term: number, start: number, end: number, transforms: number): number {
    const key = start * TERMS + term;
    if (this.#firstVisited === key || this.#visited.has(key) || this.isClosed(term)) return CONTINUE;
    if (this.#firstVisited < 0) this.#firstVisited = key;
    else this.#visited.add(key);
    return this.#onTerm(term, start, end, transforms) ?? CONTINUE;
  }

  /** Visits what the plain matcher finds in the text, once. Returns the visitor's advice. */
  scanPlain(): number {
    if (this.#isPlainDone || this.#plain === undefined) return CONTINUE;
    this.#isPlainDone = true;
    return this.#scanWith(this.#plain);
  }

  /** Scans by the plain matcher; apart from `scanPlain`, which must not allocate closures. */
  #scanWith(plain: KeywordMatcher): number {
    let advice: number = CONTINUE;
    const visit: OnTerm = (index, start, end) => {
      advice = this.visit(this.#terms.scannedPlain[index]!, start, end, 0);
      return advice;
    };
    plain.scan(this.#text, visit, this.closed?.plain);
    this.#work.steps += this.#text.length + plain.steps;
    return advice;
  }
}

/**
 * Reports whether a letter at the end of a match needs a word edge beside it. A sign that is read
 * as a letter counts as one; where it stands for itself it does not.
 */
function isPartOfWord({ decomposition }: Letter, wanted: TermLetter): boolean {
  const { kind, code } = decomposition;
  return kind === 'letter' || (kind === 'symbol' && code !== wanted.decomposition.code);
}

/** The letters of a text before an offset, read backwards as far as they are needed. */
class LettersBeforeEnd implements LettersBefore {
  readonly #letters: Letters;
  readonly #read: Letter[] = [];
  #count = 0;
  #end = -1;
  #from = 0;

  constructor(letters: Letters) {
    this.#letters = letters;
  }

  begin(): void {
    this.#end = -1;
    this.#count = 0;
  }

  moveTo(end: number): void {
    if (end === this.#end) return;
    this.#end = end;
    this.#from = end;
    this.#count = 0;
  }

  before(index: number): Letter | undefined {
    if (index < 0) return this.#letters.from(this.#end)?.letters[0];
    const read = this.#read;
    while (index >= this.#count) {
      const cluster = this.#letters.before(this.#from);
      if (cluster === undefined) return undefined;
      if (this.#count > 0) read[this.#count - 1]!.ignoredBefore = cluster.isHiddenBehind;
      const { letters } = cluster;
      for (let at = letters.length - 1; at >= 0; at--) read[this.#count++] = letters[at]!;
      this.#from = cluster.from;
    }
    return read[index];
  }
}

/**
 * Closes terms for the automaton and for the plain matcher, which has some of them under other
 * indices.
 */
export class ClosedInBoth implements ClosedTerms {
  readonly outputs: ClosedOutputs;
  readonly plain: ClosedTerms | undefined;
  /** Index of each term in the plain matcher. */
  readonly #indices: ReadonlyMap<number, number>;

  constructor(outputs: ClosedOutputs, scannedPlain: readonly number[], plain: ClosedTerms | undefined) {
    this.outputs = outputs;
    this.plain = plain;
    this.#indices = new Map(scannedPlain.map((term, index) => [term, index]));
  }

  close(term: number): void {
    this.outputs.close(term);
    const index = this.#indices.get(term);
    if (index !== undefined) this.plain?.close(index);
  }

  clear(): void {
    this.outputs.clear();
    this.plain?.clear();
  }
}
