/**
 * Tells where in a text a term may end, in whatever disguise: the automaton of hardened folding. It decides nothing;
 * where it stops, `exact-walk.ts` and then `alignment.ts` look closer.
 *
 * An instance of: the subset construction, done lazily. The NFA reads the terms from any place on (Aho and Corasick's
 * automaton has failure links for that; here every step adds the beginnings of terms, for a character may stand for
 * several letters, so one path has no longest suffix). A position of the NFA is a *run*: the trie's state behind the
 * first letter of a run of equal letters, and whether the text has had one, two, or three letters and more there. So
 * stretched runs take one step a letter, as others do. A state of this automaton is a set of positions. Runs that began where
 * white space ended are followed once more past signs, for words with signs in them (`tokens.ts`).
 *
 * State: `AutomatonState`, immutable. `obfuscation-matcher.ts` and `exact-walk.ts` keep those that texts reach; this
 * file keeps the beginnings of terms by column. Input are columns: classes of characters (`columns.ts`).
 *
 * Invariants:
 * - It never passes over a term: if `alignment.ts` can read a part of a term between two places of a text, `runs` at
 *   the second one has the run that this part ends in, with so many letters (`MANY` for all numbers from three on).
 *   Marks take no step.
 * - It may stop in vain: a column may stand for letters that its characters do not; how often the letter of a stretched
 *   run changes, that a word needs a letter beside its signs, and which marks a term requires is not in the state.
 * - A step depends on state and column alone, so it may be cached. States are equal when `runs`, `isWordStart` and
 *   `isolation` are.
 *
 * Cost: a step takes time in proportion to the runs of the state and the symbols of the column (or the children of a
 * state, when these are fewer). Texts take a step of this file once for each pair that they reach, and a cached one
 * otherwise.
 */
import { FREE_END, FREE_START } from '../word-edges.js';
import { type Column, ColumnKind } from './columns.js';
import { isolationAfter, mayEndIsolated, mayEndToken, START } from './isolation-states.js';
import type { Lexicon } from './lexicon.js';

/** A set of runs that the text may be in, and what is known of the characters before. */
export interface AutomatonState {
  /**
   * Ascending: the trie's state behind the first letter of a run, `COUNT_BITS` higher, plus the number of its
   * letters in the text, at most `MANY`.
   */
  readonly runs: readonly number[];
  /** A word may begin at the next character. */
  readonly isWordStart: boolean;
  /** A state of `isolation-states.ts`. */
  readonly isolation: number;
  /** Whether a term may end here: not at all, where a word edge follows, or wherever. Follows from `runs`. */
  readonly accepts: number;
}

const NOWHERE = 0;
const AT_EDGE = 1;
const ANYWHERE = 2;

/** A run of three equal letters or more may stand for a run of any number of them in a term. */
export const FEWEST_STRETCHED = 3;
const MANY = FEWEST_STRETCHED;
/** A run of two may stand for one letter. */
export const DOUBLE = 2;
const COUNT_BITS = 2;
const COUNT = (1 << COUNT_BITS) - 1;
/** Bits that `before` returns: a term may end there; three isolated letters may; a word with signs in it or for its letters may. */
export const MAY_END_TERM = 1;
export const MAY_END_ISOLATED = 2;
export const MAY_END_TOKEN = 4;

export class Automaton {
  /** The state before a text. */
  readonly start: AutomatonState;
  readonly #lexicon: Lexicon;
  /** States that terms begin with, by column, and those of terms that may begin inside a word. */
  readonly #beginnings = new Map<Column, readonly number[]>();
  readonly #beginningsInside = new Map<Column, readonly number[]>();

  constructor(lexicon: Lexicon) {
    this.#lexicon = lexicon;
    this.start = { runs: [], isWordStart: true, isolation: START, accepts: NOWHERE };
  }

  /** Returns bits of `MAY_END_…` for what may end before a column's character; 0 before a mark. */
  before({ accepts, isolation }: AutomatonState, column: Column): number {
    if (column.kind === ColumnKind.MARK) return 0;
    const ends = accepts === ANYWHERE || (accepts === AT_EDGE && column.kind !== ColumnKind.JOINING);
    const isolated = column.kind !== ColumnKind.HIDDEN && mayEndIsolated(isolation, column.isolation);
    const token = column.kind === ColumnKind.EDGE && mayEndToken(isolation, column.isolation);
    return (ends ? MAY_END_TERM : 0) | (isolated ? MAY_END_ISOLATED : 0) | (token ? MAY_END_TOKEN : 0);
  }

  /** Returns the state after a character of a column. */
  step(state: AutomatonState, column: Column): AutomatonState {
    const { kind } = column;
    if (kind === ColumnKind.MARK || (kind === ColumnKind.HIDDEN && state.isWordStart)) return state;
    if (kind === ColumnKind.HIDDEN) return { ...state, isWordStart: true };
    const runs = new Set<number>();
    for (const run of state.runs) this.#extend(run, column, runs);
    const isInside = !state.isWordStart && kind !== ColumnKind.EDGE;
    for (const begun of this.#beginningsOf(column, isInside)) runs.add((begun << COUNT_BITS) | 1);
    const sorted = [...runs].sort((one, other) => one - other);
    return {
      runs: sorted,
      isWordStart: kind === ColumnKind.EDGE,
      isolation: isolationAfter(state.isolation, column.isolation, state.runs.length > 0),
      accepts: this.#acceptsOf(sorted),
    };
  }

  /** Adds the runs that follow one: the same with one more letter, and those that begin where it may end. */
  #extend(run: number, column: Column, runs: Set<number>): void {
    const { trie, runOf } = this.#lexicon;
    const first = run >>> COUNT_BITS;
    const count = run & COUNT;
    const letter = runOf[trie.label[first]!]!;
    if (this.#holds(column, letter)) runs.add((first << COUNT_BITS) | (column.isSpace ? 1 : Math.min(count + 1, MANY)));
    this.#eachEnd(first, count, (state) => {
      const end = trie.firstChild[state + 1]!;
      const begin = trie.firstChild[state]!;
      if (end - begin <= column.symbols.size) {
        for (let child = begin; child < end; child++)
          if (column.symbols.has(trie.label[child]!) && runOf[trie.label[child]!] !== letter)
            runs.add((child << COUNT_BITS) | 1);
        return;
      }
      for (const symbol of column.symbols) {
        const child = runOf[symbol] === letter ? -1 : this.#lexicon.child(state, symbol);
        if (child >= 0) runs.add((child << COUNT_BITS) | 1);
      }
    });
  }

  /** Reports whether a column may stand for the letter of a run. */
  #holds(column: Column, letter: number): boolean {
    for (const symbol of column.symbols) if (this.#lexicon.runOf[symbol] === letter) return true;
    return false;
  }

  /**
   * Visits the states where a run may end that begins in state `first` and has so many letters in the text: one letter
   * ends there, two in its children of the same run, or there where letters may be doubled, three or more in any state of it.
   */
  #eachEnd(first: number, count: number, visit: (state: number) => void): void {
    if (count === 1 || (count === DOUBLE && this.#lexicon.freeBelow[first]! === 0)) visit(first);
    if (count === 1) return;
    if (count === MANY) for (const state of this.#lexicon.statesOfRun(first)) visit(state);
    else {
      const end = this.#lexicon.endInRun(first);
      for (let child = this.#lexicon.firstInRun(first); child < end; child++) visit(child);
    }
  }

  #acceptsOf(runs: readonly number[]): number {
    const { trie, symbols } = this.#lexicon;
    let accepts = NOWHERE;
    for (const run of runs) {
      this.#eachEnd(run >>> COUNT_BITS, run & COUNT, (state) => {
        if (trie.ends[state]! < 0) return;
        const { joins, decomposition } = symbols[trie.label[state]!]!;
        const isFree = (this.#lexicon.freeBelow[state]! & FREE_END) !== 0;
        const isWithEdge = !isFree && joins && decomposition.kind === 'letter';
        accepts = Math.max(accepts, isWithEdge ? AT_EDGE : ANYWHERE);
      });
    }
    return accepts;
  }

  /** Returns the states that terms begin with by a character of a column; inside a word, those of terms that need no edge there. */
  #beginningsOf(column: Column, isInside: boolean): readonly number[] {
    const beginnings = isInside ? this.#beginningsInside : this.#beginnings;
    let known = beginnings.get(column);
    if (known === undefined) {
      const roots = this.#lexicon.roots.filter(({ free }) => !isInside || (free & FREE_START) !== 0);
      known = [...column.symbols]
        .flatMap((symbol) => roots.map(({ state }) => this.#lexicon.child(state, symbol)))
        .filter((state) => state >= 0);
      beginnings.set(column, known);
    }
    return known;
  }
}
