/**
 * Compares a term with the letters of a text, exactly. `alignPlainly` answers wherever nothing can be drawn out, which is
 * nearly everywhere; else `align` tries every way to read them, each situation once.
 */
import { type HardenedTerm, requiredMarks } from './hardened-term.js';
import { type Letter, type Letters, marksOf } from './letters.js';
import { classOf, likeness } from './likeness.js';
import { COMPATIBILITY, IGNORABLE, isSimpler, LEET, MARK, STRETCHED } from './transforms.js';

/**
 * `word` and `substring` as in `KeywordOptions`; in a substring the outer letters are not stretched, since the term is found
 * without. `spaced`: among letters that stand alone. `whole`: where it begins and ends is known.
 */
export type Manner = 'word' | 'substring' | 'spaced' | 'whole';

/** What was read since the last character that joins no words. */
const NOTHING = 0;
const SIGNS_ONLY = 1;
const LETTERS = 2;

/** So many letters, or more, may stand for a run of another number of them. */
const MIN_STRETCH = 3;
/** So often letters may change in such a run (`a4a4`); so a text of signs that all read alike takes no more than its length. */
export const MAX_CHANGES = 8;
/** As `changes` of a run that is as long as it is. */
const FIXED = -1;

/** The term does not fit letter by letter, nor any other way. */
export const MISFIT = -1;
/** Letters may be drawn out: `align` has to tell. */
export const DRAWN_OUT = -2;

/**
 * The transforms under which the letters from `start` on are those of a term, one for one; or `MISFIT`, or `DRAWN_OUT`.
 * Any other way to read them has a run of three letters or more of a class, where one of the term begins and all fits before.
 */
export function alignPlainly(term: HardenedTerm, letters: Letters, start: number, manner: Manner): number {
  const { length } = term.letters;
  let heard = NOTHING;
  let transforms = 0;
  let isRunStart = true;
  for (let index = 0; index < length; index++) {
    const letter = letters(start + index);
    const step = letter === undefined ? -1 : compare(letter, term, index);
    if (step < 0) return MISFIT;
    if (isRunStart && mayStretch(term, index, manner) && isDrawnOut(letters, start + index)) return DRAWN_OUT;
    isRunStart = term.runEnds[index] === index + 1;
    if (index > 0 && letter!.ignoredBefore) transforms |= IGNORABLE;
    transforms |= step;
    heard = hear(term, index, step, heard);
    if (isRunStart && isUnheard(term, index, heard, manner)) return MISFIT;
  }
  return length === 0 ? MISFIT : transforms;
}

/** Whether another number of letters may stand for a run of the term: a digit is written as often as it is. */
function mayStretch({ letters, spoken, runEnds }: HardenedTerm, run: number, manner: Manner): boolean {
  return spoken[run] === true && (manner !== 'substring' || (run > 0 && runEnds[run] !== letters.length));
}

/**
 * Whether a letter and those after it no longer belong to a run that began before: only whole runs are drawn out. A run ends
 * where other marks begin: `éeee` is an `é`, and an `e` drawn out.
 */
function beginsRun(letters: Letters, at: number): boolean {
  if (at === 0) return true;
  const before = letters(at - 1)!;
  const letter = letters(at)!;
  return before.base !== letter.base || !haveSameMarks(before, letter);
}

function haveSameMarks(one: Letter, other: Letter): boolean {
  if (one.reading === other.reading && one.marks.length === 0 && other.marks.length === 0) return true;
  return String(marksOf(one)) === String(marksOf(other));
}

/** Whether three letters from `at` on share a class, and begin a run. */
function isDrawnOut(letters: Letters, at: number): boolean {
  const next = letters(at + 1);
  const third = letters(at + MIN_STRETCH - 1);
  if (next === undefined || third === undefined) return false;
  if (!beginsRun(letters, at)) return false;
  const letterClass = classOf(letters(at)!.base);
  return classOf(next.base) === letterClass && classOf(third.base) === letterClass;
}

/** Whether a word of the term ends with letter `index`, and those of the text that stand for it do not have what it takes. */
function isUnheard({ joins }: HardenedTerm, index: number, heard: number, manner: Manner): boolean {
  if (joins[index] !== true || joins[index + 1] === true) return false;
  return heard === SIGNS_ONLY || (manner === 'spaced' && heard !== LETTERS);
}

/**
 * So far a term was read: `run` of it was begun, `taken` letters before letter `at` of the text stand for it, so much was
 * `heard`, by these `transforms`, and letters that stand for the run may change so often still; below 0, no more than the run
 * has may stand for it. Numbers on a stack, the last one first: this is where hostile texts spend their time.
 */
const FIELDS = 6;
const pending: number[] = [];

/**
 * Every end at which the term fits when it begins at letter `start`: index after the last letter, and the simplest transforms.
 */
export function align(
  term: HardenedTerm,
  letters: Letters,
  start: number,
  manner: Manner,
): ReadonlyMap<number, number> {
  const found = new Map<number, number>();
  const { length } = term.letters;
  if (length === 0) return found;
  pending.length = 0;
  const seen = new Set<number>();
  const most = length + MIN_STRETCH;

  const take = (run: number, taken: number, at: number, heard: number, transforms: number, changes: number): void => {
    const letter = letters(at);
    if (letter === undefined) return;
    const index = Math.min(run + taken, term.runEnds[run]! - 1);
    const step = compare(letter, term, index);
    if (step < 0) return;
    const nextTaken = Math.min(taken + 1, most);
    const nextHeard = hear(term, index, step, heard);
    const nextTransforms = transforms | step | (at > start && letter.ignoredBefore ? IGNORABLE : 0);
    let left = changes;
    if (taken === 0) left = mayStretch(term, run, manner) && beginsRun(letters, at) ? MAX_CHANGES : FIXED;
    else if (letters(at - 1)!.base !== letter.base) left--;
    const place = (((at + 1 - start) * length + run) * (most + 1) + nextTaken) * 2 + (left >= 0 ? 1 : 0);
    const key = (place * 3 + nextHeard) * 256 + nextTransforms;
    if (seen.has(key)) return;
    seen.add(key);
    pending.push(left, nextTransforms, nextHeard, at + 1, nextTaken, run);
  };

  const leave = (run: number, at: number, heard: number, transforms: number): void => {
    const next = term.runEnds[run]!;
    if (isUnheard(term, next - 1, heard, manner)) return;
    if (next < length) {
      take(next, 0, at, heard, transforms, FIXED);
      return;
    }
    const before = found.get(at);
    if (before === undefined || isSimpler(transforms, before)) found.set(at, transforms);
  };

  take(0, 0, start, NOTHING, 0, FIXED);
  while (pending.length >= FIELDS) {
    const run = pending.pop()!;
    const taken = pending.pop()!;
    const at = pending.pop()!;
    const heard = pending.pop()!;
    const transforms = pending.pop()!;
    const changes = pending.pop()!;
    const count = term.runEnds[run]! - run;
    if (taken === count) leave(run, at, heard, transforms);
    else if (changes >= 0 && taken >= MIN_STRETCH) leave(run, at, heard, transforms | STRETCHED);
    if (taken < count || changes >= 0) take(run, taken, at, heard, transforms, changes);
  }
  return found;
}

function hear(term: HardenedTerm, index: number, step: number, heard: number): number {
  if (term.joins[index] !== true) return NOTHING;
  if ((step & LEET) !== 0) return Math.max(heard, SIGNS_ONLY);
  return term.spoken[index] === true ? LETTERS : heard;
}

/** Transforms that make a letter of the text one of the term, marks included; -1 when nothing does. */
function compare(letter: Letter, term: HardenedTerm, index: number): number {
  const wanted = term.letters[index]!;
  const isSame = letter.reading.code === wanted.reading.code && letter.index === wanted.index;
  const like = isSame ? 0 : likeness(letter.base, wanted.base);
  if (like < 0 || (letter.isPunctuation && (like & LEET) !== 0)) return -1;
  const step = isSame ? 0 : like | letter.reading.transforms | wanted.reading.transforms;
  return compareMarks(letter, wanted, isSame, step | (letter.ignoredWithin ? IGNORABLE : 0));
}

function compareMarks(letter: Letter, wanted: Letter, isSame: boolean, step: number): number {
  if (letter.marks.length === 0 && wanted.marks.length === 0) {
    if (isSame || (letter.reading.marks.length === 0 && wanted.reading.marks.length === 0)) return step;
  } else if (isSame && String(letter.marks) === String(wanted.marks)) return step;
  const have = [...marksOf(letter)];
  const required = requiredMarks(wanted);
  for (const mark of required) {
    const place = have.indexOf(mark);
    if (place < 0) return -1;
    have.splice(place, 1);
  }
  const isApart = required.length > 0 && (!isSame || have.length === 0);
  return step | (have.length > 0 ? MARK : 0) | (isApart ? COMPATIBILITY : 0);
}
