/**
 * The closed terms of a keyword automaton. A state's outputs are a chain of ever shorter terms; where all terms of a link are
 * closed the chain is shortened, with path compression, so that a state costs what is open there and not what ends there.
 */
import type { ClosedTerms } from './keyword-scan.js';

/** What `#below` holds beside the link below: nothing is known, and how far links are shifted for that. */
const OPEN = 0;
const SHIFT = 2;

export class ClosedOutputs implements ClosedTerms {
  readonly #isClosed: Uint8Array;
  readonly #closed: Int32Array;
  #closedCount = 0;
  /** By state: `OPEN`, or the next output to try instead of this one, `SHIFT` more. */
  readonly #below: Int32Array;
  readonly #passed: number[] = [];

  constructor(terms: number, states: number) {
    this.#isClosed = new Uint8Array(terms);
    this.#closed = new Int32Array(terms);
    this.#below = new Int32Array(states);
  }

  close(term: number): void {
    if (this.#isClosed[term] === 1) return;
    this.#isClosed[term] = 1;
    this.#closed[this.#closedCount++] = term;
  }

  clear(): void {
    for (let at = 0; at < this.#closedCount; at++) this.#isClosed[this.#closed[at]!] = 0;
    for (const output of this.#passed) this.#below[output] = OPEN;
    this.#closedCount = 0;
    if (this.#passed.length > 0) this.#passed.length = 0;
  }

  has(term: number): boolean {
    return this.#isClosed[term] === 1;
  }

  /** The first output of the chain from `output` on that was not passed; -1 at its end. */
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
