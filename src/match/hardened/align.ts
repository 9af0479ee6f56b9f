/**
 * Compares a term with the letters of a text, exactly: every way to read them is tried, each situation once. Called only
 * where the scan suspects a term, so it is made to be clear.
 */
import { type HardenedTerm, requiredMarks } from './hardened-term.js';
import type { Letter, Letters } from './letters.js';
import { likeness } from './likeness.js';
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
const MAX_CHANGES = 8;
/** As `changes` of a run that is as long as it is. */
const FIXED = -1;

/** So far a term was read: `taken` letters before letter `at` of the text stand for the run of the term that begins at `run`. */
interface Progress {
  readonly run: number;
  readonly taken: number;
  readonly at: number;
  readonly heard: number;
  readonly transforms: number;
  /** How often letters that stand for the run may still change; below 0, no more than the run has may stand for it. */
  readonly changes: number;
}

/**
 * Every end at which the term fits when it begins at letter `start`: index after the last letter, and the simplest transforms.
 */
export function align(term: HardenedTerm, letters: Letters, start: number, manner: Manner): Map<number, number> {
  const found = new Map<number, number>();
  const seen = new Set<number>();
  const pending: Progress[] = [];
  const length = term.letters.length;
  const most = length + MIN_STRETCH;

  /** The `changes` of a run that begins with letter `at`: only whole runs of a text stand for another number of letters. */
  const changesFrom = (run: number, at: number): number => {
    if (term.spoken[run] !== true || (manner === 'substring' && (run === 0 || term.runEnds[run] === length)))
      return FIXED;
    return at > 0 && letters(at - 1)!.base === letters(at)!.base ? FIXED : MAX_CHANGES;
  };

  const take = ({ run, taken, at, heard, transforms, changes }: Progress): void => {
    const letter = letters(at);
    if (letter === undefined) return;
    const index = Math.min(run + taken, term.runEnds[run]! - 1);
    const step = compare(letter, term, index);
    if (step < 0) return;
    const hidden = at > start && letter.ignoredBefore ? IGNORABLE : 0;
    const next = {
      run,
      taken: Math.min(taken + 1, most),
      at: at + 1,
      heard: hear(term, index, step, heard),
      transforms: transforms | step | hidden,
      changes: taken === 0 ? changesFrom(run, at) : letters(at - 1)!.base === letter.base ? changes : changes - 1,
    };
    const free = next.changes >= 0 ? 1 : 0;
    const place = (((next.at - start) * length + run) * (most + 1) + next.taken) * 2 + free;
    const key = (place * 3 + next.heard) * 256 + next.transforms;
    if (seen.has(key)) return;
    seen.add(key);
    pending.push(next);
  };

  const leave = ({ run, at, heard }: Progress, transforms: number): void => {
    const next = term.runEnds[run]!;
    if (term.joins[run] === true && term.joins[next] !== true) {
      if (heard === SIGNS_ONLY || (manner === 'spaced' && heard !== LETTERS)) return;
    }
    if (next < length) {
      take({ run: next, taken: 0, at, heard, transforms, changes: FIXED });
      return;
    }
    const before = found.get(at);
    if (before === undefined || isSimpler(transforms, before)) found.set(at, transforms);
  };

  if (length > 0) take({ run: 0, taken: 0, at: start, heard: NOTHING, transforms: 0, changes: FIXED });
  for (let reached = pending.pop(); reached !== undefined; reached = pending.pop()) {
    const { run, taken, transforms, changes } = reached;
    const count = term.runEnds[run]! - run;
    if (taken === count) leave(reached, transforms);
    else if (changes >= 0 && taken >= MIN_STRETCH) leave(reached, transforms | STRETCHED);
    if (taken < count || changes >= 0) take(reached);
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
  const isLast = letter.index === letter.reading.letters.length - 1;
  const have = isLast ? [...letter.reading.marks, ...letter.marks] : [];
  const required = requiredMarks(wanted);
  for (const mark of required) {
    const place = have.indexOf(mark);
    if (place < 0) return -1;
    have.splice(place, 1);
  }
  if (have.length > 0) return step | MARK;
  return required.length > 0 ? step | COMPATIBILITY : step;
}
