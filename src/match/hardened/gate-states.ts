/**
 * The states for which the gate may have rows. Those of the free automaton let terms begin anywhere. Where words are whole
 * there are those of the edged one as well, which know that a term that begins with a letter does not begin inside a word: a
 * scan stays in few rows there. Behind signs and hidden characters, which may end a word or not, only the free ones tell.
 */
import { COLUMN_BITS } from '../alphabet.js';
import { buildDenseRows, type DenseRows, LEAVE } from '../dense-rows.js';
import { childCountOf, firstChildOf, type KeywordAutomaton, symbolOf } from '../keyword-automaton.js';
import type { GateAlphabet } from './gate-alphabet.js';
import type { GateAutomaton } from './gate-automaton.js';
import { Ends, endsOfStates } from './gate-ends.js';
import type { HardenedTerms } from './hardened-terms.js';

/** Both automata as one set of states, as far as they have rows. */
export class GateStates {
  /** States of the free automaton are less than `freeCount`, others less than `count`. */
  readonly freeCount: number;
  readonly count: number;
  /** The state where words begin. */
  readonly begin: number;
  /** By state: the free one that knows as much of what was read, and may know of more beginnings. */
  readonly free: Int32Array;
  /** By state, as `StateEnds` has them. */
  readonly ends: Uint8Array;
  readonly lasts: Int32Array;
  readonly #free: KeywordAutomaton;
  readonly #edged: KeywordAutomaton | undefined;
  readonly #freeRows: DenseRows;
  readonly #edgedRows: DenseRows | undefined;
  readonly #alphabet: GateAlphabet;

  constructor({ alphabet, automaton, edged }: GateAutomaton, terms: HardenedTerms) {
    this.#alphabet = alphabet;
    this.#free = automaton;
    this.#edged = edged;
    this.#freeRows = buildDenseRows(automaton, alphabet);
    this.#edgedRows = edged && buildDenseRows(edged, alphabet);
    this.freeCount = this.#freeRows.hot;
    const edgedCount = this.#edgedRows?.hot ?? 0;
    this.count = this.freeCount + edgedCount;
    this.begin = edged === undefined ? 0 : this.freeCount + edged.step(0, alphabet.width);
    const wholeWords = edged !== undefined;
    const all = endsOfStates(automaton, this.freeCount, terms, wholeWords);
    const edgedEnds = edged && endsOfStates(edged, edgedCount, terms, wholeWords);
    this.ends = Uint8Array.from([...all.ends, ...(edgedEnds?.ends ?? [])]);
    this.lasts = Int32Array.from([...all.lasts, ...(edgedEnds?.lasts ?? [])]);
    this.free = Int32Array.from({ length: this.count }, (_, state) => state);
    if (edged !== undefined) this.#mapToFree(edged, edgedCount);
  }

  /** The state in which ends what ends with a character of a column that is no sign's, or -1 when it can have no row. */
  through(state: number, column: number): number {
    if (state < this.freeCount) return this.freelyBehind(state, column);
    const next = nextIn(this.#edged!, this.#edgedRows!, state - this.freeCount, column) + this.freeCount;
    return next < this.count ? next : -1;
  }

  /** The state to go on in behind it, or -1. */
  behind(through: number, column: number): number {
    const edged = this.#edged;
    if (edged === undefined) return through;
    const isBreak = this.#alphabet.breaks[column] === 1;
    // Where a letter ends all that was begun, the free state is inside a word again, or where one begins.
    if (through < this.freeCount) return through > 0 ? through : isBreak ? this.begin : this.freeCount;
    const next = isBreak ? edged.step(through - this.freeCount, this.#alphabet.width) + this.freeCount : through;
    return next < this.count ? next : -1;
  }

  /** Whether something is to be asked for that ends with such a character: `_` joins words, and no row remembers it. */
  endsWith(through: number, column: number): boolean {
    const ends = this.ends[through];
    return ends === Ends.AT_ONCE || (ends === Ends.WORD && this.#alphabet.breaks[column] === 1);
  }

  /** The free state behind a free one and a letter, or -1 when it can have no row. */
  freelyBehind(state: number, column: number): number {
    const next = nextIn(this.#free, this.#freeRows, state, column);
    return next < this.freeCount ? next : -1;
  }

  #mapToFree(edged: KeywordAutomaton, count: number): void {
    const { table } = edged;
    const pending = [0];
    this.free[this.freeCount] = 0;
    for (let state = pending.pop(); state !== undefined; state = pending.pop()) {
      const free = this.free[this.freeCount + state]!;
      const first = firstChildOf(table, state);
      for (let child = first; child < first + childCountOf(table, state); child++) {
        if (child >= count) continue;
        const symbol = symbolOf(table, child);
        this.free[this.freeCount + child] = symbol === this.#alphabet.width ? free : this.#free.step(free, symbol);
        pending.push(child);
      }
    }
  }
}

function nextIn(automaton: KeywordAutomaton, { cells }: DenseRows, state: number, column: number): number {
  const next = cells[(state << COLUMN_BITS) + column]!;
  return next === LEAVE ? automaton.step(state, column) : next;
}
