/**
 * Compares one letter of a text with one letter of a term: whether the first may stand for the second, and by which
 * transforms. What it needs of the letters around is here, too: what the word that is being read consists of so far.
 *
 * A letter of a text stands for that of a term when it is the same, or looks like it, or is a digit or sign that is
 * written for it (`confusables.ts`: the caller has that as a candidate of the lexicon). Other marks than those of the term are a
 * transform.
 */
import { type Letter, marksOf } from './letters.js';
import type { TermLetter } from './term-letters.js';
import { COMPATIBILITY, FULL_FOLDING, IGNORABLE, LEET, MARK, MASKED } from './transforms.js';

/** In place of transforms: the letters differ. */
export const DIFFERENT = -1;

/**
 * Contents of a word of a match so far. A sign counts as a letter only in a word that has a real one as well:
 * `a55`, never `455`.
 */
export const NOTHING = 0;
export const SIGNS_ONLY = 1;
export const LETTERS = 2;

/**
 * Returns the transforms by which a letter of a text is one of a term, marks included, or `DIFFERENT`. `like` are those by
 * which its base stands for that of the term: of the candidate.
 */
export function transformsBetween(letter: Letter, wanted: TermLetter, like: number): number {
  const isSame = letter.decomposition.code === wanted.decomposition.code && letter.index === wanted.index;
  if (!isSame && letter.isPunctuation && (like & LEET) !== 0) return DIFFERENT;
  const step = isSame ? 0 : like | letter.decomposition.transforms | wanted.decomposition.transforms;
  return withMarks(letter, wanted, isSame, step | (letter.ignoredWithin ? IGNORABLE : 0));
}

/**
 * Returns the contents of the word with one more letter, read by the transforms `step`. A letter that does not join
 * words ends it.
 */
export function contentsAfter({ joins, isAlphabetic }: TermLetter, step: number, contents: number): number {
  if (!joins) return NOTHING;
  if ((step & MASKED) !== 0) return contents;
  if ((step & LEET) !== 0) return Math.max(contents, SIGNS_ONLY);
  return isAlphabetic ? LETTERS : contents;
}

/**
 * Reports whether a letter at the end of a match needs a word edge beside it. A sign that is read as a letter counts as one;
 * where it stands for itself it does not.
 */
export function isPartOfWord({ decomposition }: Letter, wanted: Letter): boolean {
  const { kind, code } = decomposition;
  return kind === 'letter' || (kind === 'symbol' && code !== wanted.decomposition.code);
}

/** Returns `step` with the transforms that the marks take. `isSame`: the characters are equal. */
function withMarks(letter: Letter, wanted: TermLetter, isSame: boolean, step: number): number {
  const { wantedMarks } = wanted;
  const have = marksOf(letter);
  if (have.length === 0 && wantedMarks.length === 0) return step;
  if (
    isSame &&
    letter.marks.length === wanted.marks.length &&
    letter.marks.every((mark, at) => mark === wanted.marks[at])
  )
    return step;
  if (have.length < wantedMarks.length) return step | MARK;
  if (wantedMarks.length > 0) {
    const left = [...wantedMarks];
    for (let at = 0; at < have.length && left.length > 0; at++) {
      const place = left.indexOf(have[at]!);
      if (place >= 0) left.splice(place, 1);
    }
    if (left.length > 0) return step | MARK;
  }
  const hasMore = have.length > wantedMarks.length;
  const isApart = wantedMarks.length > 0 && (isSame ? !hasMore : !isComposed(letter) || !isComposed(wanted));
  return step | (hasMore ? MARK : 0) | (isApart ? COMPATIBILITY : 0);
}

/** Reports whether a letter has its marks as composed letters have them. `ᾠ`, which folds to `ὠι`, counts as one. */
function isComposed({ base, decomposition, marks }: Letter): boolean {
  if (marks.length > 0) return false;
  const { code, transforms } = decomposition;
  if ((transforms & FULL_FOLDING) !== 0) return true;
  return String.fromCodePoint(base, ...decomposition.marks).normalize('NFC') === String.fromCodePoint(code);
}
