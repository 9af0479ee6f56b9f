/**
 * Where a text leaves the rows along a branch of the trie, it mostly parts with all of its terms soon. Following it state by
 * state until then took three quarters of the time with 100,000 terms; this tells from what comes next in the text, by a look
 * or two into a table of bits, that no term goes on like it. It errs only by letting pass.
 */
import { type Alphabet, COLUMN_BITS, OTHER } from './alphabet.js';
import { type DenseRows, LEAVING } from './dense-rows.js';
import { failureOf, type KeywordAutomaton, outputOf } from './keyword-automaton.js';

/** Not `text.charCodeAt`, for reasons that `keyword-matcher.ts` gives. */
const { charCodeAt } = String.prototype;

/** So many columns are compared: where words matter, and where a term may end behind each of them. */
const AHEAD_BY_WORDS = 8;
const AHEAD = 5;
const BITS_PER_KEY = 16;
const LEAST_BITS = 10;
/** Mixed into a key behind the last column of a term. */
const END = 0xff;
/** The same behind the first few columns, of which most texts do not have as many in common with a term. */
const PART = 0xfe;
const FEW = 3;

/** A table of bits: the keys of what follows in terms where they leave the rows, and of terms that end there. */
export class BranchFilter {
  readonly bytes: number;
  readonly #bits: Int32Array;
  readonly #shift: number;
  readonly #units: Uint8Array;
  readonly #joins: Uint8Array | undefined;
  readonly #white: number;
  readonly #ahead: number;

  constructor(keys: readonly number[], { units, joins, white }: Alphabet) {
    let bits = LEAST_BITS;
    while (2 ** bits < keys.length * BITS_PER_KEY) bits++;
    this.#shift = 32 - bits;
    this.#bits = new Int32Array(2 ** (bits - 5));
    for (const key of keys) {
      const place = key >>> this.#shift;
      this.#bits[place >> 5]! |= 1 << place;
    }
    this.#units = units;
    this.#joins = joins;
    this.#white = white === OTHER ? -1 : white;
    this.#ahead = aheadOf(joins);
    this.bytes = this.#bits.byteLength;
  }

  /** Whether a term may go on, from a state with a row, as a text does from an offset on. */
  mayGoOn(state: number, text: string, from: number): boolean {
    const units = this.#units;
    const joins = this.#joins;
    const { length } = text;
    let column = units[charCodeAt.call(text, from)]!;
    let key = mix(begin(state), column);
    let at = from + 1;
    for (let count = 1; count < this.#ahead; count++) {
      if (column === this.#white) while (at < length && units[charCodeAt.call(text, at)] === column) at++;
      if (at >= length) return this.#has(mix(key, END));
      const next = units[charCodeAt.call(text, at++)]!;
      const mayEnd = joins === undefined || (joins[column]! & joins[next]!) === 0;
      if (mayEnd && this.#has(mix(key, END))) return true;
      key = mix(key, next);
      column = next;
      if (count === FEW - 1 && !this.#has(mix(key, PART))) return false;
    }
    return this.#has(key);
  }

  #has(key: number): boolean {
    const place = key >>> this.#shift;
    return (this.#bits[place >> 5]! & (1 << place)) !== 0;
  }
}

/**
 * Builds the filter, if any term is longer than the rows reach. Writes into the cells for which it is to be asked where to go on
 * when it says no: those that lead to a state without a row or to the end of a term, of which no suffix is, or ends, a term.
 */
export function buildBranchFilter(
  automaton: KeywordAutomaton,
  alphabet: Alphabet,
  { cells, hot }: DenseRows,
): BranchFilter | undefined {
  if (automaton.states === hot) return undefined;
  const { ends, table } = automaton;
  const { count, from, symbols } = alphabet.sequences;
  const ahead = aheadOf(alphabet.joins);
  const keys: number[] = [];
  for (let sequence = 0; sequence < count; sequence++) {
    const end = from[sequence + 1]!;
    let state = 0;
    for (let at = from[sequence]!; at < end && state < hot; at++) {
      const next = automaton.step(state, symbols[at]!);
      const suffix = failureOf(table, next);
      const isAsked = (next >= hot || ends[next]! >= 0) && suffix < hot && outputOf(table, suffix) < 0;
      if (isAsked) {
        cells[(state << COLUMN_BITS) + symbols[at]!] = LEAVING | suffix;
        const last = Math.min(end, at + ahead);
        let key = begin(state);
        for (let place = at; place < last; place++) {
          key = mix(key, symbols[place]!);
          if (place === at + FEW - 1) keys.push(mix(key, PART));
        }
        keys.push(end - at < ahead ? mix(key, END) : key);
      }
      state = next;
    }
  }
  return new BranchFilter(keys, alphabet);
}

function aheadOf(joins: Uint8Array | undefined): number {
  return joins === undefined ? AHEAD : AHEAD_BY_WORDS;
}

const begin = (state: number) => Math.imul(state, 0x9e3779b1);

function mix(key: number, column: number): number {
  const mixed = Math.imul(key ^ column, 0x85ebca6b);
  return mixed ^ (mixed >>> 15);
}
