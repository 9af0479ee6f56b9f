/**
 * The states of the gate. Those of the free automaton let terms begin anywhere. Where words are whole there are those of the
 * edged one as well, which know that a term that begins with a letter does not begin inside a word: a scan stays in few rows
 * there. Behind signs and hidden characters, which may end a word or not, only the free ones tell.
 */
import { childCountOf, firstChildOf, type KeywordAutomaton, symbolOf } from '../keyword-automaton.js';
import type { GateAlphabet } from './gate-alphabet.js';
import type { GateAutomaton } from './gate-automaton.js';
import { type Endings, Ends, StateEnds } from './gate-ends.js';
import type { HardenedTerms } from './hardened-terms.js';

/** Both automata as one set of states. */
export class GateStates {
  readonly bytes: number;
  /** The state where words begin. */
  readonly begin: number;
  /** States of the free automaton are less than this. */
  readonly #freeCount: number;
  readonly #free: KeywordAutomaton;
  readonly #edged: KeywordAutomaton | undefined;
  /** By state of the edged automaton: the free one that knows as much of what was read. */
  readonly #freeOf: Int32Array;
  readonly #freeEnds: StateEnds;
  readonly #edgedEnds: StateEnds | undefined;
  readonly #alphabet: GateAlphabet;

  constructor({ alphabet, automaton, edged }: GateAutomaton, terms: HardenedTerms) {
    const wholeWords = edged !== undefined;
    this.#alphabet = alphabet;
    this.#free = automaton;
    this.#edged = edged;
    this.#freeCount = automaton.states;
    this.begin = edged === undefined ? 0 : automaton.states + edged.step(0, alphabet.width);
    this.#freeEnds = new StateEnds(automaton, terms, wholeWords);
    this.#edgedEnds = edged && new StateEnds(edged, terms, wholeWords);
    this.#freeOf = edged === undefined ? new Int32Array(0) : this.#mapToFree(edged);
    this.bytes =
      automaton.bytes + (edged?.bytes ?? 0) + this.#freeOf.byteLength + automaton.states + (edged?.states ?? 0);
  }

  /** The free state that knows as much of what was read as a state, and may know of more beginnings. */
  free(state: number): number {
    return state < this.#freeCount ? state : this.#freeOf[state - this.#freeCount]!;
  }

  /** What ends in a state: one of `Ends`. */
  ends(state: number): number {
    return state < this.#freeCount ? this.#freeEnds.of(state) : this.#edgedEnds!.of(state - this.#freeCount);
  }

  /** What is known of all that ends in a state. */
  endingsOf(state: number): Endings {
    const isFree = state < this.#freeCount;
    return isFree ? this.#freeEnds.endingsOf(state) : this.#edgedEnds!.endingsOf(state - this.#freeCount);
  }

  /** The state in which ends what ends with a character of a column that is no sign's. */
  through(state: number, column: number): number {
    if (state < this.#freeCount) return this.#free.step(state, column);
    return this.#edged!.step(state - this.#freeCount, column) + this.#freeCount;
  }

  /** The state to go on in behind it. */
  behind(through: number, column: number): number {
    const edged = this.#edged;
    if (edged === undefined) return through;
    const isBreak = this.#alphabet.breaks[column] === 1;
    // Where a letter ends all that was begun, the free state is inside a word again, or where one begins.
    if (through < this.#freeCount) return through > 0 ? through : isBreak ? this.begin : this.#freeCount;
    return isBreak ? edged.step(through - this.#freeCount, this.#alphabet.width) + this.#freeCount : through;
  }

  /** Whether something is to be asked for that ends with such a character: `_` joins words, and no row remembers it. */
  endsWith(through: number, column: number): boolean {
    const ends = this.ends(through);
    return ends >= Ends.AT_ONCE || (ends === Ends.WORD && this.#alphabet.breaks[column] === 1);
  }

  #mapToFree(edged: KeywordAutomaton): Int32Array {
    const { table } = edged;
    const freeOf = new Int32Array(edged.states);
    const pending = [0];
    for (let state = pending.pop(); state !== undefined; state = pending.pop()) {
      const free = freeOf[state]!;
      const first = firstChildOf(table, state);
      for (let child = first; child < first + childCountOf(table, state); child++) {
        const symbol = symbolOf(table, child);
        freeOf[child] = symbol === this.#alphabet.width ? free : this.#free.step(free, symbol);
        pending.push(child);
      }
    }
    return freeOf;
  }
}
