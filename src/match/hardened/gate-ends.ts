import { WHITE } from '../folding.js';
import { type KeywordAutomaton, outputBelow, outputOf } from '../keyword-automaton.js';
import type { HardenedTerms } from './hardened-terms.js';
import { classOf, plainLettersLike } from './likeness.js';
import { classAt, UNCLEAR } from './unit-classes.js';

/** Not `text.charCodeAt`, for reasons that `keyword-matcher.ts` gives. */
const { charCodeAt } = String.prototype;

/** What ends in a state: nothing; terms that only end where no letter follows; others; letters alone that may be drawn out. */
export const Ends = { NOTHING: 0, WORD: 1, AT_ONCE: 2, RUN: 3 } as const;

/** What is known of all that ends somewhere. */
export interface Endings {
  /** One of `Ends`. */
  readonly kind: number;
  /** From the last letter on backwards, for as many as all of it have: its class, or `UNCLEAR` where they differ. */
  readonly classes: Int32Array;
  /** In the same order: bits of the ASCII letters, `a` the lowest, that are read as one of them. */
  readonly plain: Int32Array;
}

const nothing: Endings = { kind: Ends.NOTHING, classes: new Int32Array(0), plain: new Int32Array(0) };

/** Whether some of it may end at an offset, as far as ASCII letters and classes tell. */
export function mayEnd({ classes, plain }: Endings, text: string, end: number): boolean {
  for (let back = 0; back < plain.length; back++) {
    const at = end - 1 - back;
    if (at < 0) return false;
    const letter = (charCodeAt.call(text, at) | 0x20) - 0x61;
    if (letter >= 0 && letter < 26) {
      if (((plain[back]! >> letter) & 1) === 0) return false;
      continue;
    }
    const seen = classAt(text, at);
    const wanted = classes[back]!;
    // White space may be a run, and what is intricate is left open.
    if (seen === UNCLEAR || seen === WHITE) return seen === UNCLEAR || wanted === UNCLEAR || seen === wanted;
    if (wanted !== UNCLEAR && seen !== wanted) return false;
  }
  return true;
}

/** What ends in the states of an automaton whose sequences are `terms`, and letters that may be drawn out. */
export class StateEnds {
  readonly #automaton: KeywordAutomaton;
  readonly #terms: HardenedTerms;
  readonly #wholeWords: boolean;
  /** By state: what was told before. */
  readonly #kinds: Uint8Array;

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

  /** What is known of all that ends in a state. Not kept. */
  endingsOf(state: number): Endings {
    const kind = this.of(state);
    if (kind === Ends.NOTHING) return nothing;
    let classes: number[] | undefined;
    let plain: number[] = [];
    this.#visit(state, (index) => {
      const letters = index < this.#terms.count ? this.#terms.at(index).letters : [];
      const seen = letters.map(({ base }) => classOf(base)).reverse();
      const like = letters.map(({ base }) => plainLettersLike(base)).reverse();
      plain = classes === undefined ? like : plain.slice(0, like.length).map((bits, back) => bits | like[back]!);
      classes = classes?.slice(0, seen.length).map((one, back) => (one === seen[back] ? one : UNCLEAR)) ?? seen;
    });
    return { kind, classes: Int32Array.from(classes ?? []), plain: Int32Array.from(plain) };
  }

  #visit(state: number, visit: (sequence: number) => void): void {
    const { ends, table, twin } = this.#automaton;
    for (let at = outputOf(table, state); at >= 0; at = outputBelow(table, at)) {
      for (let index = ends[at]!; index >= 0; index = twin[index]!) visit(index);
    }
  }
}

const UNTOLD = 0xff;
