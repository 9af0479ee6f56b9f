/**
 * The closed terms of hardened folding: those that need no further occurrence in a message; and whether open ones are
 * left below a state of the trie, so that a walk through it ends where none are.
 *
 * Invariant: the count of a state is the number of open terms that end there or below it. Closing a term takes a step
 * for each of its letters; so does opening it again, at the end of a message.
 */
import { inRanges, type Portions } from '../../../foundation/portions.js';
import type { ClosedTerms } from '../keyword-scan.js';
import type { KeywordTrie } from '../keyword-trie.js';

export class OpenTerms implements ClosedTerms {
  readonly #places: TermPlaces;
  readonly #isClosed: Uint8Array;
  readonly #closed: number[] = [];
  /** Number of open terms that end at each state or below. */
  readonly #open: Int32Array;

  constructor(places: TermPlaces) {
    this.#places = places;
    this.#isClosed = new Uint8Array(places.stateOf.length);
    this.#open = places.counts.slice();
  }

  /** Closes a term; nothing when it is closed. */
  close(term: number): void {
    if (this.#isClosed[term] === 1) return;
    this.#isClosed[term] = 1;
    this.#closed.push(term);
    this.#add(term, -1);
  }

  /** Opens all terms. */
  clear(): void {
    for (const term of this.#closed) {
      this.#isClosed[term] = 0;
      this.#add(term, 1);
    }
    if (this.#closed.length > 0) this.#closed.length = 0;
  }

  /** Reports whether a term is open. */
  has(term: number): boolean {
    return this.#isClosed[term] === 0;
  }

  /** Reports whether a term is open that ends in a state or below it. */
  isBelow(state: number): boolean {
    return this.#open[state]! > 0;
  }

  #add(term: number, count: number): void {
    const { stateOf, parents } = this.#places;
    for (let state = stateOf[term]!; state >= 0; state = parents[state]!) this.#open[state]! += count;
  }
}

/** End states of terms in a trie, and the way from there to the root. */
export class TermPlaces {
  /** State where each term ends, or -1. */
  readonly stateOf: Int32Array;
  /** Parent of each state, -1 for the root; and count of terms ending there or below. */
  readonly parents: Int32Array;
  readonly counts: Int32Array;

  private constructor(states: number, terms: number) {
    this.stateOf = new Int32Array(terms).fill(-1);
    this.parents = new Int32Array(states).fill(-1);
    this.counts = new Int32Array(states);
  }

  static *of({ states, firstChild, ends, duplicate }: KeywordTrie, terms: number): Portions<TermPlaces> {
    const places = new TermPlaces(states, terms);
    const { stateOf, parents, counts } = places;
    // From the last state to the first, for children have larger numbers.
    yield* inRanges(states, (begin, end) => {
      for (let state = states - 1 - begin; state >= states - end; state--) {
        for (let term = ends[state]!; term >= 0; term = duplicate[term]!) {
          stateOf[term] = state;
          counts[state]!++;
        }
        for (let child = firstChild[state]!; child < firstChild[state + 1]!; child++) {
          parents[child] = state;
          counts[state]! += counts[child]!;
        }
      }
    });
    return places;
  }
}

/** Closes terms for the automaton and for the plain matcher, which has some of them under other indices. */
export class ClosedInBoth implements ClosedTerms {
  readonly open: OpenTerms;
  readonly plain: ClosedTerms | undefined;
  /** Index of each term in the plain matcher. */
  readonly #indices: ReadonlyMap<number, number>;

  constructor(open: OpenTerms, scannedPlain: readonly number[], plain: ClosedTerms | undefined) {
    this.open = open;
    this.plain = plain;
    this.#indices = new Map(scannedPlain.map((term, index) => [term, index]));
  }

  close(term: number): void {
    this.open.close(term);
    const index = this.#indices.get(term);
    if (index !== undefined) this.plain?.close(index);
  }

  clear(): void {
    this.open.clear();
    this.plain?.clear();
  }
}
