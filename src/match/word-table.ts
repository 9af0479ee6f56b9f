/**
 * The words of terms: terms as sequences of word numbers for the automaton, numbers by hash for the walk, and the filter
 * that the hot loop asks whether a term may begin with a word. Two words of one hash share a number; an occurrence is
 * compared with its term in the end, so that costs a comparison and never an answer.
 */
import { WHITE } from './folding.js';
import type { Sequences } from './keyword-automaton.js';
import type { TermPool } from './term-pool.js';
import { joinsWords } from './word-edges.js';
import { hashOf } from './word-units.js';

export interface WordTable {
  /** How many words there are. */
  readonly words: number;
  /** Terms as sequences of words. */
  readonly sequences: Sequences;
  /** The number of the word with a hash, or -1. */
  wordOf(hash: number): number;
  /** `filter[hash >>> shift]` is 1 when a term may begin with a word of that hash. */
  readonly filter: Uint8Array;
  readonly shift: number;
  /** Whether a term begins with this symbol and the symbol is a word by itself: it joins nothing. */
  starts(symbol: number): boolean;
  readonly bytes: number;
}

/** At least so many places in the filter, and so many for each word that begins a term: few other words pass then. */
const MIN_FILTER_BITS = 14;
const PLACES_PER_WORD = 16;
const MAX_FILTER_BITS = 22;

export function createWordTable(pool: TermPool): WordTable {
  const { hashes, from } = hashWords(pool);
  const index = indexHashes(hashes);
  const starting = new Set<number>();
  const firstWords: number[] = [];
  for (let term = 0; term < pool.count; term++) {
    if (from[term] === from[term + 1]) continue;
    const first = pool.symbols[pool.from[term]!]!;
    if (first === WHITE || !joinsWords(first)) starting.add(first);
    else firstWords.push(hashes[from[term]!]!);
  }
  const bits = Math.min(
    MAX_FILTER_BITS,
    Math.max(MIN_FILTER_BITS, Math.ceil(Math.log2((firstWords.length + 1) * PLACES_PER_WORD))),
  );
  const filter = new Uint8Array(2 ** bits);
  const shift = 32 - bits;
  for (const hash of firstWords) filter[hash >>> shift] = 1;
  const symbols = hashes.map(index.wordOf);
  return {
    words: index.words,
    sequences: { count: pool.count, symbols, from },
    wordOf: index.wordOf,
    filter,
    shift,
    starts: (symbol) => starting.has(symbol),
    bytes: filter.byteLength + index.bytes,
  };
}

/** The hash of every word of every term, one term after the other. */
function hashWords({ count, symbols, from: symbolsFrom }: TermPool) {
  const hashes = new Int32Array(symbols.length);
  const from = new Int32Array(count + 1);
  let filled = 0;
  for (let term = 0; term < count; term++) {
    let inWord = false;
    for (let index = symbolsFrom[term]!; index < symbolsFrom[term + 1]!; index++) {
      const symbol = symbols[index]!;
      const joins = symbol !== WHITE && joinsWords(symbol);
      if (joins && inWord) hashes[filled - 1] = (Math.imul(hashes[filled - 1]!, 33) + hashOf(symbol)) | 0;
      else hashes[filled++] = hashOf(symbol);
      inWord = joins;
    }
    from[term + 1] = filled;
  }
  return { hashes: hashes.slice(0, filled), from };
}

/** Numbers for different hashes, in an open-addressing table that is at most half full. */
function indexHashes(hashes: Int32Array) {
  let slots = 16;
  while (slots < hashes.length * 2) slots *= 2;
  const keys = new Int32Array(slots);
  const numbers = new Int32Array(slots).fill(-1);
  const slotOf = (hash: number): number => {
    let slot = Math.imul(hash, 0x9e3779b1) & (slots - 1);
    while (numbers[slot]! >= 0 && keys[slot] !== hash) slot = (slot + 1) & (slots - 1);
    return slot;
  };
  let words = 0;
  for (const hash of hashes) {
    const slot = slotOf(hash);
    if (numbers[slot]! >= 0) continue;
    keys[slot] = hash;
    numbers[slot] = words++;
  }
  return { words, bytes: slots * 8, wordOf: (hash: number) => numbers[slotOf(hash)]! };
}
