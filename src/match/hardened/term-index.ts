/**
 * Terms by the word that they begin with, letters by their classes and repetitions left out: what a stretch of text may be.
 * Two open-addressing columns, a chain, and what follows the word: 35 bytes a term.
 */
import { MAX_CHANGES } from './align.js';
import { keyOfLetters, mixClass } from './hardened-term.js';
import type { HardenedTerms } from './hardened-terms.js';
import type { LetterRun } from './letter-run.js';
import type { Letter } from './letters.js';
import { classOf, mayReadAsLetter } from './likeness.js';
import { UNCLEAR } from './unit-classes.js';

export interface TermIndex {
  /** Visits every term whose first word, squeezed, the letters of a run from `start` on may spell, until one has enough. */
  candidates(run: LetterRun, start: number, visit: (term: number) => boolean): boolean;
  /** Whether `candidates` would visit any whose first word may end within a group, given where it begins and ends. */
  mayBegin(
    classes: Int32Array,
    groupEnds: Int32Array,
    count: number,
    start: number,
    mayEnd: (from: number, to: number, count: number) => boolean,
  ): boolean;
  /** The first term whose first word, squeezed, has a key, and the next one after a term; -1 when there is none. */
  firstOf(key: number): number;
  nextOf(term: number): number;
  /** How many letters a term's first word has. */
  readonly heads: Uint16Array;
  /** By term: `FOLLOWS` classes of the letters behind its first word, repetitions left out; `NO_LETTER` where there is none. */
  readonly follows: Int32Array;
  /** Some terms begin with a character that joins no words, and that letters look like. */
  readonly hasLetterAnchors: boolean;
  /** Terms that begin with a character that joins no words, by the class of its first letter. */
  readonly anchored: ReadonlyMap<number, readonly number[]>;
  readonly bytes: number;
}

/** No class. */
export const NO_LETTER = -2;
/** So many classes are known of what follows the first word of a term. */
export const FOLLOWS = 3;

export function createTermIndex(terms: HardenedTerms): TermIndex {
  let slots = 16;
  while (slots < terms.count * 2) slots *= 2;
  const keys = new Int32Array(slots);
  const firsts = new Int32Array(slots).fill(-1);
  const nexts = new Int32Array(terms.count).fill(-1);
  const heads = new Uint16Array(terms.count);
  const isSpoken = new Uint8Array(terms.count);
  const follows = new Int32Array(FOLLOWS * terms.count).fill(NO_LETTER);
  const anchored = new Map<number, number[]>();
  let hasLetterAnchors = false;
  let longest = 0;

  const slotOf = (key: number): number => {
    let slot = Math.imul(key, 0x9e3779b1) & (slots - 1);
    while (firsts[slot]! >= 0 && keys[slot] !== key) slot = (slot + 1) & (slots - 1);
    return slot;
  };
  for (let index = terms.count - 1; index >= 0; index--) {
    const { letters, onlyHeard, head, isPlainOnly } = terms.at(index);
    if (isPlainOnly) continue;
    heads[index] = head;
    if (onlyHeard.slice(0, head).every((is) => is)) isSpoken[index] = 1;
    follows.set(othersFrom(letters, head).slice(0, FOLLOWS), FOLLOWS * index);
    if (head === 0) {
      if (letters[0]!.base > 0x7f && mayReadAsLetter(letters[0]!.base)) hasLetterAnchors = true;
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
    bytes: slots * 8 + nexts.byteLength + heads.byteLength + isSpoken.byteLength + follows.byteLength,
    mayBegin: (classes, groupEnds, count, start, mayEnd) => {
      let key = 0;
      let isDrawn = false;
      for (let at = start, groups = 0; at < count && groups < longest; groups++) {
        key = mixClass(key, classes[at]!);
        const from = at;
        at = groupEnds[at]!;
        isDrawn ||= at - from > 2;
        const first = firsts[slotOf(key)]!;
        if (first < 0 || !mayEnd(from, at, count)) continue;
        for (let term = first; term >= 0; term = nexts[term]!) {
          if (isDrawn || (heads[term]! > from - start && heads[term]! <= at - start)) return true;
        }
      }
      return false;
    },
    firstOf: (key) => firsts[slotOf(key)]!,
    nextOf: (term) => nexts[term]!,
    heads,
    follows,
    hasLetterAnchors,
    candidates: ({ count, groupEnds, classes, changes, heard, classBehind }, start, visit) => {
      let key = 0;
      for (let at = start, groups = 0; at < count && groups < longest; groups++) {
        const from = at;
        const last = classes[at]!;
        key = mixClass(key, last);
        at = groupEnds[at]!;
        const next = at < count ? classes[at]! : classBehind;
        for (let term = firsts[slotOf(key)]!; term >= 0; term = nexts[term]!) {
          const wanted = follows[FOLLOWS * term]!;
          // Signs alone are no word.
          if (isSpoken[term] === 1 && heard[at - 1] === (start > 0 ? heard[start - 1] : 0)) continue;
          const isFree = wanted === NO_LETTER || wanted === last;
          // What goes on with another class takes the whole group before it, and that may change so often only.
          const mayGoOn =
            isFree ||
            ((wanted === next || next === UNCLEAR) &&
              changes[at - 1]! - changes[from]! <= (MAX_CHANGES + 1) * heads[term]!);
          if (mayGoOn && visit(term)) return true;
        }
      }
      return false;
    },
  };
}

/** The classes of the letters from `head` on, repetitions left out. */
function othersFrom(letters: readonly Letter[], head: number): readonly number[] {
  const all = letters.slice(head).map(({ base }) => classOf(base));
  return all.filter((letterClass, at) => at === 0 || all[at - 1] !== letterClass);
}
