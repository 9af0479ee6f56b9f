/**
 * Terms by the word that they begin with, letters by their classes and repetitions left out: what a stretch of text may be.
 * Two open-addressing columns and a chain, 20 bytes a term.
 */
import { keyOfLetters, mixClass } from './hardened-term.js';
import type { HardenedTerms } from './hardened-terms.js';
import type { LetterRun } from './letter-run.js';
import { classOf } from './likeness.js';

export interface TermIndex {
  /** Visits every term whose first word, squeezed, the letters of a run from `start` on may spell, until one has enough. */
  candidates(run: LetterRun, start: number, visit: (term: number) => boolean): boolean;
  /** Terms that begin with a character that joins no words, by the class of its first letter. */
  readonly anchored: ReadonlyMap<number, readonly number[]>;
  readonly bytes: number;
}

export function createTermIndex(terms: HardenedTerms): TermIndex {
  let slots = 16;
  while (slots < terms.count * 2) slots *= 2;
  const keys = new Int32Array(slots);
  const firsts = new Int32Array(slots).fill(-1);
  const nexts = new Int32Array(terms.count).fill(-1);
  const anchored = new Map<number, number[]>();
  let longest = 0;

  const slotOf = (key: number): number => {
    let slot = Math.imul(key, 0x9e3779b1) & (slots - 1);
    while (firsts[slot]! >= 0 && keys[slot] !== key) slot = (slot + 1) & (slots - 1);
    return slot;
  };
  for (let index = terms.count - 1; index >= 0; index--) {
    const { letters, head, isPlainOnly } = terms.at(index);
    if (isPlainOnly) continue;
    if (head === 0) {
      const anchor = classOf(letters[0]!.base);
      const before = anchored.get(anchor);
      if (before === undefined) anchored.set(anchor, [index]);
      else before.push(index);
      continue;
    }
    const { key, groups } = keyOfLetters(letters, head);
    longest = Math.max(longest, groups);
    const slot = slotOf(key);
    keys[slot] = key;
    nexts[index] = firsts[slot]!;
    firsts[slot] = index;
  }

  return {
    anchored,
    bytes: slots * 8 + nexts.byteLength,
    candidates: ({ count, groupEnds, classes }, start, visit) => {
      let key = 0;
      for (let at = start, groups = 0; at < count && groups < longest; groups++) {
        key = mixClass(key, classes[at]!);
        at = groupEnds[at]!;
        for (let term = firsts[slotOf(key)]!; term >= 0; term = nexts[term]!) if (visit(term)) return true;
      }
      return false;
    },
  };
}
