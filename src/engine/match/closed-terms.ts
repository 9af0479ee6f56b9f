/**
 * The closed terms of a keyword automaton. A state's outputs are a chain of ever shorter terms;
 * where all terms of a link are closed the chain is shortened, with path compression, so that a
 * state costs what is open there and not what ends there.
 */
import type { ClosedTerms } from './keyword-scan.js';

/** Values in `OpenChain`: `OPEN` when nothing is known, and `SHIFT`, which is added to a link. */
const OPEN = 0;
const SHIFT = 2;

export class ClosedOutputs implements ClosedTerms {
  /** All outputs, and those where a term may end inside a word. */
  readonly all: OpenChain;
  readonly inside: OpenChain;
  readonly #isClosed: Uint8Array;
  readonly #closed: Int32Array;
  #closedCount = 0;

  /** `hasInside`: outputs inside words are a chain of their own. */
  constructor(terms: number, states: number, hasInside: boolean) {
    this.#isClosed = new Uint8Array(terms);
    this.#closed = new Int32Array(terms);
    this.all = new OpenChain(states);
    this.inside = hasInside ? new OpenChain(states) : this.all;
  }

  close(term: number): void {
    if (this.#isClosed[term] === 1) return;
    this.#isClosed[term] = 1;
    this.#closed[this.#closedCount++] = term;
  }

  clear(): void {
    for (let at = 0; at < this.#closedCount; at++) this.#isClosed[this.#closed[at]!] = 0;
    this.#closedCount = 0;
    this.all.clear();
    this.inside.clear();
  }

  has(term: number): boolean {
    return this.#isClosed[term] === 1;
  }
}

/** The links of a chain of outputs that lead past those where all terms are closed. */
class OpenChain {
  /** Link of each state: `OPEN`, or the next output to try instead, plus `SHIFT`. */
  readonly #below: Int32Array;
  readonly #passed: number[] = [];

  constructor(states: number) {
    this.#below = new Int32Array(states);
  }

  clear(): void {
    for (const output of this.#passed) this.#below[output] = OPEN;
    if (this.#passed.length > 0) this.#passed.length = 0;
  }

  /** Returns the first output of the chain from `output` on that was not passed; -1 at its end. */
  firstOpen(output: number): number {
    const below = this.#below;
    let open = output;
    while (open >= 0 && below[open] !== OPEN) open = below[open]! - SHIFT;
    for (let at = output; at >= 0 && at !== open; ) {
      const next = below[at]! - SHIFT;
      below[at] = open + SHIFT;
      at = next;
    }
    return open;
  }

  /** Every term of an output is closed: the chain leads from it to `next`. */
  pass(output: number, next: number): void {
    this.#below[output] = next + SHIFT;
    this.#passed.push(output);
  }
}
