import { type KeywordAutomaton, outputBelow, outputOf } from '../keyword-automaton.js';
import type { HardenedTerms } from './hardened-terms.js';
import { classOf } from './likeness.js';
import { UNCLEAR } from './unit-classes.js';

/** What ends in a state: nothing; terms that only end where no letter follows; others; letters alone that may be drawn out. */
export const Ends = { NOTHING: 0, WORD: 1, AT_ONCE: 2, RUN: 3 } as const;

/** What ends in the states of an automaton whose sequences are `terms`, and letters that may be drawn out. */
export class StateEnds {
  readonly #automaton: KeywordAutomaton;
  readonly #terms: HardenedTerms;
  readonly #wholeWords: boolean;
  /** By state: what was told before. */
  readonly #kinds: Uint8Array;
  readonly #lasts = new Map<number, number>();

  constructor(automaton: KeywordAutomaton, terms: HardenedTerms, wholeWords: boolean) {
    this.#automaton = automaton;
    this.#terms = terms;
    this.#wholeWords = wholeWords;
    this.#kinds = new Uint8Array(automaton.states).fill(UNTOLD);
  }

  /** One of `Ends`. */
  of(state: number): number {
    if (this.#kinds[state] === UNTOLD) this.#kinds[state] = this.#read(state);
    return this.#kinds[state]!;
  }

  #read(state: number): number {
    let ends = false;
    let isWord = this.#wholeWords;
    let isRun = true;
    this.#visit(state, (index) => {
      const isTerm = index < this.#terms.count;
      ends = true;
      isWord &&= isTerm && this.#terms.at(index).joinsBehind;
      isRun &&= !isTerm;
    });
    return !ends ? Ends.NOTHING : isWord ? Ends.WORD : isRun ? Ends.RUN : Ends.AT_ONCE;
  }

  /** The class of the last letter of all that ends in a state, or `UNCLEAR`. */
  lastOf(state: number): number {
    const known = this.#lasts.get(state);
    if (known !== undefined) return known;
    const last = this.#readLast(state);
    this.#lasts.set(state, last);
    return last;
  }

  #readLast(state: number): number {
    let last: number | undefined;
    this.#visit(state, (index) => {
      const seen = index < this.#terms.count ? classOf(this.#terms.at(index).letters.at(-1)!.base) : UNCLEAR;
      last = last === undefined || last === seen ? seen : UNCLEAR;
    });
    return last ?? UNCLEAR;
  }

  #visit(state: number, visit: (sequence: number) => void): void {
    const { ends, table, twin } = this.#automaton;
    for (let at = outputOf(table, state); at >= 0; at = outputBelow(table, at)) {
      for (let index = ends[at]!; index >= 0; index = twin[index]!) visit(index);
    }
  }
}

const UNTOLD = 0xff;
