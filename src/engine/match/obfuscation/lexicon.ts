/**
 * The terms of a list for hardened folding, as sequences of letters in one trie, and which of these letters a letter of
 * a text may stand for.
 *
 * A *symbol* is a letter as terms have it: a letter of one character, with its marks.
 * Symbols of one *run* are the same letter: `s`, and the two of `ß`. So a run of equal letters is a chain of states,
 * and may fork. Symbols are numbered so that those of a run follow each other: the children of a state that go on with
 * its run stand side by side.
 *
 * A side of a term is *free* when its reading needs no word edge there. Where terms differ in that, those that are
 * alike have a root of their own, a child of state 0 by a symbol that is not a letter; so all terms below a state have the
 * same free sides.
 */
import { inRanges, inRangesOfItems, type Portions } from '../../../foundation/portions.js';
import { termsWithoutIotas } from '../accents.js';
import { DOTS, ELLIPSIS, foldCodePoint, isWhite, WHITE } from '../folding.js';
import { buildTrie, type KeywordTrie, type Sequences } from '../keyword-trie.js';
import { TermPool } from '../term-pool.js';
import { FREE_START, freeSidesOf, type WordReading } from '../word-edges.js';
import { confusableBy, joiners, looksOf, prototypesOf } from './confusables.js';
import { readTerms, type TermLetter, type TermsAsLetters } from './term-letters.js';

/** A symbol that a letter of a text may stand for, and the transforms that this takes. */
export interface Candidate {
  readonly symbol: number;
  readonly transforms: number;
}

const none: readonly Candidate[] = [];

/** A state at which terms begin. */
export interface Root {
  readonly state: number;
  /** Which sides of its terms need no word edge: `FREE_START`, `FREE_END`, both, or neither. */
  readonly free: number;
}

export class Lexicon {
  readonly trie: KeywordTrie;
  /** One root, which is state 0, or several below it. */
  readonly roots: readonly Root[];
  /** Some terms need a word edge where they begin. */
  readonly needsStarts: boolean;
  readonly symbols: readonly TermLetter[];
  /** Number of each symbol's letter with its marks, which symbols of one run share. */
  readonly runOf: Int32Array;
  /** 1 for states behind which, or behind a longer run, another run follows in some term. */
  readonly goesOn: Uint8Array;
  readonly pool: TermPool;
  /** So many runs of white space a term has at most. */
  readonly mostSpaces: number;
  /** Terms that the plain matcher has as well. */
  readonly scannedPlain: readonly number[];
  /** One of these may occur where the automaton does not stop. */
  readonly needsPlainScan: boolean;
  /** Terms that the last ones are: those have an iota below, and these have none. */
  readonly owners: readonly number[];
  readonly #flags: Uint8Array;
  /** Free sides of terms, and of all at or below a state: see `Root`. */
  readonly free: Uint8Array;
  readonly freeBelow: Uint8Array;
  /** First symbol of each run and, behind the last run, the number of symbols. */
  readonly #firstOfRun: Int32Array;
  readonly #byBase = new Map<number, number[]>();
  /** Bases of symbols that look like a prototype (`confusables.ts`). */
  readonly #byPrototype = new Map<number, number[]>();
  readonly #candidates = new Map<number, readonly Candidate[]>();
  readonly #runs = new Map<number, readonly number[]>();

  private constructor(
    pool: TermPool,
    terms: TermsAsLetters & Pick<Lexicon, 'owners'>,
    numbered: NumberedLetters,
    trie: KeywordTrie,
    { free, roots }: RootedSequences,
  ) {
    this.pool = pool;
    this.owners = terms.owners;
    this.free = free;
    this.roots = roots;
    this.needsStarts = roots.some((root) => (root.free & FREE_START) === 0);
    this.freeBelow = new Uint8Array(trie.states);
    this.mostSpaces = terms.mostSpaces;
    this.scannedPlain = terms.scannedPlain.filter((term) => this.ownerOf(term) === term);
    this.needsPlainScan = terms.needsPlainScan;
    this.#flags = terms.flags;
    this.symbols = numbered.symbols;
    this.runOf = numbered.runOf;
    this.#firstOfRun = numbered.firstOfRun;
    this.trie = trie;
    this.goesOn = new Uint8Array(trie.states);
    for (let symbol = 1; symbol < this.symbols.length; symbol++) this.#addBase(this.symbols[symbol]!.base, symbol);
  }

  /** Compiles terms, in portions; `words` as in `KeywordOptions`. */
  static *of(written: readonly string[], words: WordReading | readonly WordReading[] = 'word'): Portions<Lexicon> {
    const { bare, owners } = yield* termsWithoutIotas(written);
    const all = bare.length === 0 ? written : [...written, ...bare];
    const readings = typeof words === 'string' ? words : [...words, ...owners.map((owner) => words[owner]!)];
    const pool = yield* TermPool.of(all, 'case');
    const terms = yield* readTerms(all, pool);
    const numbered = numberLetters(terms.letters);
    const rooted = yield* rootSequences(terms, numbered, freeSidesOf(readings, all.length));
    const trie = yield* buildTrie(rooted.sequences, 1);
    const lexicon = new Lexicon(pool, { ...terms, owners }, numbered, trie, rooted);
    yield* lexicon.#describeStates();
    return lexicon;
  }

  #describeStates(): Portions<void> {
    const { runOf, goesOn } = this;
    const free = this.freeBelow;
    const { states, firstChild, label, ends } = this.trie;
    // From the last state to the first but one, for children have larger numbers.
    return inRanges(states - 1, (begin, end) => {
      for (let state = states - 1 - begin; state > states - 1 - end; state--) {
        free[state] = ends[state]! >= 0 ? this.free[ends[state]!]! : free[firstChild[state]!]!;
        for (let child = firstChild[state]!; child < firstChild[state + 1]!; child++) {
          const isInRun = runOf[label[child]!] === runOf[label[state]!];
          if (!isInRun || goesOn[child] === 1) goesOn[state] = 1;
        }
      }
    });
  }

  /** Returns the term itself, or the one that it is without an iota below. */
  ownerOf(term: number): number {
    return this.owners[term - this.pool.count + this.owners.length] ?? term;
  }

  /** Reports whether one of these holds of a term: `CASE_ONLY`, `HAS_HIDDEN`, `SCANNED_PLAIN`, `SPACEABLE`, `SHORT`, `BREAKABLE`, `MASKABLE`. */
  is(term: number, flag: number): boolean {
    return (this.#flags[term]! & flag) !== 0;
  }

  /** Reports whether a term begins with a symbol. */
  begins(symbol: number): boolean {
    return this.roots.some((root) => this.child(root.state, symbol) >= 0);
  }

  /** Returns the symbols that a letter of a text may stand for, marks aside; first those of the letter itself. */
  candidatesFor(base: number): readonly Candidate[] {
    const known = this.#candidates.get(base);
    if (known !== undefined) return known;
    const bases = new Set<number>();
    for (const look of looksOf(base)) {
      if (this.#byBase.has(look)) bases.add(look);
      for (const alike of this.#byPrototype.get(look) ?? []) bases.add(alike);
    }
    if (joiners.has(base)) bases.add(WHITE);
    const found = [...bases].flatMap((wanted) => {
      const transforms = confusableBy(base, wanted);
      return transforms < 0
        ? []
        : (this.#byBase.get(wanted) ?? []).map((symbol): Candidate => ({ symbol, transforms }));
    });
    const candidates = found.length === 0 ? none : found;
    // Texts that walk through all of Unicode do not fill the memory.
    if (this.#candidates.size > 20_000) this.#candidates.clear();
    this.#candidates.set(base, candidates);
    return candidates;
  }

  /** Returns the child of a state by a symbol, or -1. */
  child(state: number, symbol: number): number {
    const at = this.#lowerBound(state, symbol);
    return at < this.trie.firstChild[state + 1]! && this.trie.label[at] === symbol ? at : -1;
  }

  /** Returns the first child of a state that goes on with its run; the others stand behind it, up to `endInRun`. */
  firstInRun(state: number): number {
    return this.#lowerBound(state, this.#firstOfRun[this.runOf[this.trie.label[state]!]!]!);
  }

  /** Returns the state behind the last child that goes on with the run of a state: equal to `firstInRun` when there is none. */
  endInRun(state: number): number {
    return this.#lowerBound(state, this.#firstOfRun[this.runOf[this.trie.label[state]!]! + 1]!);
  }

  /** Returns all states of the run that begins in a state, itself first. */
  statesOfRun(first: number): readonly number[] {
    const known = this.#runs.get(first);
    if (known !== undefined) return known;
    const states = [first];
    for (let at = 0; at < states.length; at++) {
      const end = this.endInRun(states[at]!);
      for (let child = this.firstInRun(states[at]!); child < end; child++) states.push(child);
    }
    this.#runs.set(first, states);
    return states;
  }

  /**
   * Returns the end of a term that begins at an offset and takes case folding alone, or -1.
   * Word edges are not tested.
   */
  plainEnd(term: number, text: string, start: number): number {
    const { symbols, from } = this.pool;
    let at = start;
    for (let index = from[term]!; index < from[term + 1]!; index++) {
      if (at >= text.length) return -1;
      const code = text.codePointAt(at)!;
      if (symbols[index] === WHITE) {
        if (!isWhite(code)) return -1;
        while (at < text.length && isWhite(text.charCodeAt(at))) at++;
      } else {
        if (code === ELLIPSIS && this.pool.hasDots(term, index + DOTS - 1)) index += DOTS - 1;
        else if (isWhite(code) || foldCodePoint(code, 'case') !== symbols[index]) return -1;
        at += code > 0xffff ? 2 : 1;
      }
    }
    return at;
  }

  #lowerBound(state: number, symbol: number): number {
    const { firstChild, label } = this.trie;
    let low = firstChild[state]!;
    let high = firstChild[state + 1]!;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (label[middle]! < symbol) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #addBase(base: number, symbol: number): void {
    const symbols = this.#byBase.get(base);
    if (symbols !== undefined) {
      symbols.push(symbol);
      return;
    }
    this.#byBase.set(base, [symbol]);
    for (const prototype of prototypesOf(base)) {
      const same = this.#byPrototype.get(prototype);
      if (same === undefined) this.#byPrototype.set(prototype, [base]);
      else same.push(base);
    }
  }
}

/** One for each value of `Root.free`. */
const MOST_ROOTS = 4;

/**
 * Letters as symbols, from 1 on; those of one run follow each other. Symbols behind these, which lead to roots, are of
 * no run, 0.
 */
interface NumberedLetters {
  /** Symbol of each letter. */
  readonly symbolOf: Int32Array;
  readonly symbols: readonly TermLetter[];
  readonly runOf: Int32Array;
  readonly firstOfRun: Int32Array;
}

function numberLetters(letters: readonly TermLetter[]): NumberedLetters {
  const keys = letters.map(runKey);
  const sorted = letters.map((_, number) => number).sort((one, other) => (keys[one]! < keys[other]! ? -1 : 1));
  const symbolOf = new Int32Array(letters.length);
  const runOf = new Int32Array(letters.length + 1 + MOST_ROOTS);
  const firstOfRun = [0];
  sorted.forEach((number, index) => {
    const symbol = index + 1;
    symbolOf[number] = symbol;
    if (index === 0 || keys[sorted[index - 1]!] !== keys[number]) firstOfRun.push(symbol);
    runOf[symbol] = firstOfRun.length - 1;
  });
  const symbols = [0, ...sorted].map((number) => letters[number]!);
  return { symbolOf, symbols, runOf, firstOfRun: Int32Array.from([...firstOfRun, symbols.length]) };
}

/** The terms as sequences of symbols, and the roots of their trie. */
interface RootedSequences {
  readonly sequences: Sequences;
  readonly free: Uint8Array;
  readonly roots: readonly Root[];
}

/**
 * Begins each sequence with a symbol for its free sides, where these differ. The first level of the trie is then that
 * of the roots.
 */
function* rootSequences(
  { numbers, from }: TermsAsLetters,
  { symbolOf, symbols: letters }: NumberedLetters,
  free: Uint8Array,
): Portions<RootedSequences> {
  const count = free.length;
  const kinds = Array.from({ length: MOST_ROOTS }, (_, kind) => kind).filter((kind) =>
    free.some((sides, term) => sides === kind && from[term]! < from[term + 1]!),
  );
  const isRooted = kinds.length > 1;
  const symbols = new Int32Array(numbers.length + (isRooted ? count : 0));
  const rootedFrom = new Int32Array(count + 1);
  let filled = 0;
  yield* inRangesOfItems(from, (begin, end) => {
    for (let term = begin; term < end; term++) {
      if (isRooted && from[term]! < from[term + 1]!) symbols[filled++] = letters.length + kinds.indexOf(free[term]!);
      for (let at = from[term]!; at < from[term + 1]!; at++) symbols[filled++] = symbolOf[numbers[at]!]!;
      rootedFrom[term + 1] = filled;
    }
  });
  const roots = isRooted
    ? kinds.map((kind, index) => ({ state: index + 1, free: kind }))
    : [{ state: 0, free: kinds[0] ?? 0 }];
  return { sequences: { count, symbols: symbols.subarray(0, filled), from: rootedFrom }, free, roots };
}

function runKey({ base, wantedMarks }: TermLetter): string {
  return `${base.toString().padStart(8)} ${wantedMarks.join()}`;
}
