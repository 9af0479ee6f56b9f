/**
 * Where in a text a term may end: an automaton over the columns of its letters, with marks passed over. It stops wherever a term
 * ends, and elsewhere too; `alignment.ts` compares exactly.
 *
 * Its states are sets, built when texts reach them: of each run of equal letters that may belong to a term, the trie's state behind the
 * first letter of the run and how many letters the text has had there. So letters that may be read in two ways, signs that may be letters or
 * edges of words, and elongated runs take one step, as other letters do.
 */
import { FREE_END, FREE_START } from '../word-edges.js';
import type { Column } from './columns.js';
import { EDGE, HIDDEN, JOINING, MARK } from './columns.js';
import { isolationAfter, mayEndIsolated, START } from './isolated-letters.js';
import type { Lexicon } from './lexicon.js';

export interface AutomatonState {
  /** Ascending: the trie's state behind the first letter of a run, times 4, plus the letters of the run, `MANY` or more being one. */
  readonly runs: readonly number[];
  /** A word may begin at the next character. */
  readonly isFresh: boolean;
  /** What is known of isolated letters. */
  readonly isolation: number;
  /** Whether a term may end here: not at all, where an edge follows, or wherever. */
  readonly accepts: number;
}

const NO = 0;
const AT_EDGE = 1;
const ANYWHERE = 2;

/** So many letters, or more, may stand for a run of another number of them. */
export const FEWEST_ELONGATED = 3;
const MANY = FEWEST_ELONGATED;
const COUNT_BITS = 2;
const COUNT = (1 << COUNT_BITS) - 1;

/** What is to be looked at before a step: terms that end here; isolated letters. */
export const TERM_ENDS = 1;
export const ISOLATED = 2;

export class Automaton {
  readonly start: AutomatonState;
  readonly #lexicon: Lexicon;
  /** By column: the states that terms begin with, and those of terms that may begin inside a word. */
  readonly #beginnings = new Map<Column, readonly number[]>();
  readonly #beginningsInside = new Map<Column, readonly number[]>();

  constructor(lexicon: Lexicon) {
    this.#lexicon = lexicon;
    this.start = { runs: [], isFresh: true, isolation: START, accepts: NO };
  }

  /** What is to be looked at when a character of a column comes next. */
  before({ accepts, isolation }: AutomatonState, column: Column): number {
    if (column.kind === MARK) return 0;
    const ends = accepts === ANYWHERE || (accepts === AT_EDGE && column.kind !== JOINING);
    const isolated = column.kind !== HIDDEN && mayEndIsolated(isolation, column.isolation);
    return (ends ? TERM_ENDS : 0) | (isolated ? ISOLATED : 0);
  }

  step(state: AutomatonState, column: Column): AutomatonState {
    const { kind } = column;
    if (kind === MARK || (kind === HIDDEN && state.isFresh)) return state;
    if (kind === HIDDEN) return { ...state, isFresh: true };
    const runs = new Set<number>();
    for (const run of state.runs) this.#extend(run, column, runs);
    const isInside = !state.isFresh && kind !== EDGE;
    for (const begun of this.#beginningsOf(column, isInside)) runs.add((begun << COUNT_BITS) | 1);
    const sorted = [...runs].sort((one, other) => one - other);
    return {
      runs: sorted,
      isFresh: kind === EDGE,
      isolation: isolationAfter(state.isolation, column.isolation),
      accepts: this.#acceptsOf(sorted),
    };
  }

  /** Adds the runs that one goes on to. */
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

  #holds(column: Column, letter: number): boolean {
    for (const symbol of column.symbols) if (this.#lexicon.runOf[symbol] === letter) return true;
    return false;
  }

  /** Visits the states where a run may end that has so many letters in the text. */
  #eachEnd(first: number, count: number, visit: (state: number) => void): void {
    if (count === 1) visit(first);
    else if (count === MANY) for (const state of this.#lexicon.statesOfRun(first)) visit(state);
    else {
      const end = this.#lexicon.endInRun(first);
      for (let child = this.#lexicon.firstInRun(first); child < end; child++) visit(child);
    }
  }

  #acceptsOf(runs: readonly number[]): number {
    const { trie, symbols } = this.#lexicon;
    let accepts = NO;
    for (const run of runs) {
      this.#eachEnd(run >>> COUNT_BITS, run & COUNT, (state) => {
        if (trie.ends[state]! < 0) return;
        const { joins, decomposition } = symbols[trie.label[state]!]!;
        const isFree = (this.#lexicon.freeBelow(state) & FREE_END) !== 0;
        const isWithEdge = !isFree && joins && decomposition.kind === 'letter';
        accepts = Math.max(accepts, isWithEdge ? AT_EDGE : ANYWHERE);
      });
    }
    return accepts;
  }

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
