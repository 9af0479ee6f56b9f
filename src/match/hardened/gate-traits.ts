/**
 * What terms have in common, by which the gate tells that letters drawn out, or alone, are of none: between what a run of
 * letters of one class may stand, and with which three letters a term begins that may be spaced.
 */
import { WHITE } from '../folding.js';
import type { HardenedTerm } from './hardened-term.js';
import type { HardenedTerms } from './hardened-terms.js';
import { classOf, plainLettersLike } from './likeness.js';

/** Stands for what is before the first letter of a term and behind the last one. */
export const EDGE = -6;

/** The keys of `keyOf` for all terms. */
export interface GateTraits {
  readonly wholeWords: boolean;
  /** Keys of a class that may be drawn out between what `beside` tells of two others, or `EDGE`. */
  readonly runs: ReadonlySet<number>;
  /** Keys of the first three classes of terms that may be spaced, and of the first two with `EDGE`. */
  readonly beginnings: ReadonlySet<number>;
  /** Keys of the terms of three letters that may be spaced. */
  readonly threes: ReadonlySet<number>;
  /** Some term that may be spaced has a letter that a digit looks like: digits alone may be it. */
  readonly digitsAreHeard: boolean;
  /** Letters may be drawn out in some word that digits alone may be: each of its letters is one, or looks like one. */
  readonly numbersAreHeard: boolean;
  /** Those of `runs` whose letter looks like two of ASCII's, as a bare stroke does. */
  readonly mixedRuns: ReadonlySet<number>;
  /** The letters that stand before such runs, or `EDGE`. */
  readonly beforeMixed: ReadonlySet<number>;
}

/** Gathers them. */
export function traitsOf(terms: HardenedTerms, wholeWords: boolean): GateTraits {
  const runs = new Set<number>();
  const beginnings = new Set<number>();
  const threes = new Set<number>();
  const mixedRuns = new Set<number>();
  const beforeMixed = new Set<number>();
  let digitsAreHeard = false;
  let numbersAreHeard = false;
  for (let index = 0; index < terms.count; index++) {
    const term = terms.at(index);
    if (term.isPlainOnly) continue;
    const classes = term.letters.map(({ base }) => classOf(base));
    if (term.isSpaceable) {
      digitsAreHeard ||= !term.isSpoken;
      beginnings.add(keyOf(classes[0]!, classes[1]!, EDGE));
      beginnings.add(keyOf(classes[0]!, classes[1]!, classes[2]!));
      if (classes.length === 3) threes.add(keyOf(classes[0]!, classes[1]!, classes[2]!));
    }
    for (let from = 0; from < classes.length; ) {
      let to = from + 1;
      while (classes[to] === classes[from]) to++;
      if (mayStretch(term, from, to, wholeWords)) {
        const key = keyOf(besideIn(classes, from - 1, -1), classes[from]!, besideIn(classes, to, 1));
        runs.add(key);
        numbersAreHeard ||= mayBeDigits(term, from);
        if (term.letters.slice(from, to).some(({ base }) => isLikeTwo(base))) {
          mixedRuns.add(key);
          beforeMixed.add(term.letters[from - 1]?.base ?? EDGE);
        }
      }
      from = to;
    }
  }
  return { wholeWords, runs, beginnings, threes, digitsAreHeard, numbersAreHeard, mixedRuns, beforeMixed };
}

/** What stands beside a run: a class, and of white space what is beyond it as well. */
export function beside(nearest: number, beyond: number): number {
  return nearest === WHITE ? keyOf(WHITE, beyond, EDGE) : nearest;
}

function besideIn(classes: readonly number[], at: number, step: number): number {
  let far = at;
  while (classes[far] === WHITE) far += step;
  return beside(classes[at] ?? EDGE, classes[far] ?? EDGE);
}

/** Whether all letters are digits, or look like some, of the word that a letter is in. */
function mayBeDigits({ joins, onlyHeard }: HardenedTerm, at: number): boolean {
  let from = at;
  while (from > 0 && joins[from - 1] === true) from--;
  for (let index = from; joins[index] === true; index++) if (onlyHeard[index] === true) return false;
  return true;
}

/** Whether some run of equal letters may be drawn out among those of one class; outer ones only where words are whole. */
function mayStretch(
  { letters, spoken, runEnds }: HardenedTerm,
  from: number,
  to: number,
  wholeWords: boolean,
): boolean {
  for (let run = from; run < to; run = runEnds[run]!) {
    if (spoken[run] === true && (wholeWords || (run > 0 && runEnds[run] !== letters.length))) return true;
  }
  return false;
}

function isLikeTwo(letter: number): boolean {
  const like = letter < 0x80 ? 0 : plainLettersLike(letter);
  return (like & (like - 1)) !== 0;
}

/** Three classes as a number; that others may have the same opens the gate for nothing, seldom. */
export function keyOf(first: number, second: number, third: number): number {
  return Math.imul(Math.imul(Math.imul(first, 0x9e3779b1) + second, 0x85ebca6b) + third, 0xc2b2ae35);
}
