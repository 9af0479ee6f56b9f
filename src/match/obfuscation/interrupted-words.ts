/**
 * Reads words with signs in them, as `f.uck` or `(f)(u)(c)(k)`: all that stands between white space, without the signs.
 *
 * A *token* is what white space bounds on both sides; signs around it are none of the word. A word is interrupted by one sign or
 * two in one place or more. Apostrophes are no such signs: `he'll` is no `hell`. A term has to be the whole word, whatever its
 * sides need, for in a part of one the signs of clean texts would do the same (`as-soon`). No sign or digit is a letter here
 * (`A-55`).
 *
 * Cost: each character of a token is read a constant number of times, once for each token. The caller skips what was read
 * (`until`).
 *
 * Example: in `oh "fu-ck!"` the token is `"fu-ck!"`, and its word `fuck`, from 4 to 9.
 */
import { BYTE_ORDER_MARK, isWhite } from '../folding.js';
import type { Alignment } from './alignment.js';
import { type Letter, LetterReader, type Letters, type Work } from './letters.js';
import type { Lexicon } from './lexicon.js';
import type { Occurrence } from './occurrence.js';
import { SPACEABLE } from './term-letters.js';
import { LEET } from './transforms.js';

/** So many signs may stand in one place: as many as between two letters in brackets. */
const MOST_SIGNS = 2;

/** The letters of a word, without the signs between them. */
export class InterruptedWord implements Letters {
  readonly #letters: readonly Letter[];

  constructor(letters: readonly Letter[]) {
    this.#letters = letters;
  }

  at(index: number): Letter | undefined {
    return this.#letters[index];
  }

  /** The occurrences of terms that the word is. */
  occurrencesIn(alignment: Alignment, lexicon: Lexicon): Occurrence[] {
    const last = this.#letters.at(-1)!.end;
    return alignment
      .from(0)
      .filter(({ term, end, transforms }) => end === last && (transforms & LEET) === 0 && lexicon.is(term, SPACEABLE));
  }
}

/** A token, and its word when it is interrupted. */
export interface Token {
  /** Where the token ends: nothing before it has to be read again. */
  readonly until: number;
  readonly word?: InterruptedWord;
}

/** Reads the token around offset `at`, which begins at `floor` at the earliest. */
export function interruptedAround(text: string, work: Work, at: number, floor: number): Token {
  let from = at;
  while (from > floor && !isBlank(text, from - 1)) from--;
  let until = at;
  while (until < text.length && !isBlank(text, until)) until++;
  const all = new LetterReader(text, work, from, until).all();
  const isOuter = (letter: Letter) => isSign(letter) || isApostrophe(letter.base);
  const first = all.findIndex((letter) => !isOuter(letter));
  const last = all.findLastIndex((letter) => !isOuter(letter));
  const letters: Letter[] = [];
  let isInterrupted = false;
  let signs = 0;
  let hidden = false;
  for (let index = Math.max(first, 0); index <= last; index++) {
    const letter = all[index]!;
    if (isSign(letter)) {
      isInterrupted = true;
      if (++signs > MOST_SIGNS || letter.marks.length > 0) return { until };
      hidden ||= letter.ignoredBefore;
    } else {
      letters.push(hidden ? { ...letter, ignoredBefore: true } : letter);
      signs = 0;
      hidden = false;
    }
  }
  return isInterrupted ? { until, word: new InterruptedWord(letters) } : { until };
}

function isBlank(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  return isWhite(unit) && unit !== BYTE_ORDER_MARK;
}

const LOW_LINE = 0x5f;
const wordCharacter = /^[\p{L}\p{N}\p{M}]$/u;
/** With the accents and quotation marks that are typed for one. */
const apostrophe = /^['`´‘’‛′＇]$/;

function isApostrophe(code: number): boolean {
  return apostrophe.test(String.fromCodePoint(code));
}

/** Whether a letter as it was read is a sign, which may stand in a word, and no letter, number or apostrophe. */
function isSign({ base, decomposition }: Letter): boolean {
  if (base === LOW_LINE) return true;
  if (decomposition.joins) return false;
  const character = String.fromCodePoint(decomposition.code);
  return !wordCharacter.test(character) && !apostrophe.test(character);
}
