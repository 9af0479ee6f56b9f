/**
 * Reads words with signs in them, as `f.uck` or `(f)(u)(c)(k)`, and words with signs for letters, as `f**k`.
 *
 * A *token* is what white space bounds on both sides; signs around it are none of the word. A term has to be the whole word,
 * whatever its sides need, for in a part of one the signs of clean texts would do the same (`as-soon`). A word is *interrupted* by
 * one sign or two in one place or more. Apostrophes are no such signs: `he'll` is no `hell`. It is *masked* when `*` or `#` stand
 * for a letter each and no other sign is in it (`masked-words.ts`). No sign or digit is a letter here (`A-55`).
 *
 * Cost: each character of a token is read a constant number of times, once for each token. The caller skips what was read
 * (`until`).
 *
 * Example: in `oh "fu-ck!"` the token is `"fu-ck!"`, and its word from 4 to 9, `fuck` without the sign.
 */
import { BYTE_ORDER_MARK, isWhite } from '../folding.js';
import { Alignment } from './alignment.js';
import { isMask } from './isolation-classes.js';
import { type Letter, LetterReader, type Work } from './letters.js';
import type { Lexicon } from './lexicon.js';
import { maskedOccurrences } from './masked-words.js';
import type { Occurrence } from './occurrence.js';
import type { OpenTerms } from './open-terms.js';
import { SPACEABLE } from './term-letters.js';
import { INTERRUPTED, LEET } from './transforms.js';

/** So many signs may stand in one place: as many as between two letters in brackets. */
const MOST_SIGNS = 2;

/** A token with its word, and the signs in it. */
export interface Token {
  /** Where the token ends: nothing before it has to be read again. */
  readonly until: number;
  /** From its first letter to the last one, or to the last mask behind it; none when its signs make no word of it. */
  readonly letters: readonly Letter[];
}

/** Reads the token around offset `at`, which begins at `floor` at the earliest. */
export function tokenAround(text: string, work: Work, at: number, floor: number): Token {
  let from = at;
  while (from > floor && !isBlank(text, from - 1)) from--;
  let until = at;
  while (until < text.length && !isBlank(text, until)) until++;
  const all = new LetterReader(text, work, from, until).all();
  const first = all.findIndex((letter) => !isOuter(letter));
  if (first < 0) return { until, letters: [] };
  const last = all.findLastIndex((letter) => !isOuter(letter) || isMask(letter.base));
  // What begins with a mask is emphasis: `**word**`.
  const isEmphasis = all.slice(0, first).some(({ base }) => isMask(base));
  const end = isEmphasis ? all.findLastIndex((letter) => !isOuter(letter)) : last;
  return { until, letters: all.slice(first, end + 1) };
}

/** The occurrences of terms that the word of a token is: of each term that of an interrupted word, or else of a masked one. */
export function occurrencesInToken(
  lexicon: Lexicon,
  text: string,
  letters: readonly Letter[],
  found: { readonly work: Work; readonly open?: OpenTerms | undefined },
): readonly Occurrence[] {
  const masked = maskedOccurrences(lexicon, text, letters, found);
  const word = withoutSigns(letters);
  if (word === undefined) return masked;
  const last = word.at(-1)!.end;
  const isWhole = ({ term, end, transforms }: Occurrence) =>
    end === last && (transforms & LEET) === 0 && lexicon.is(term, SPACEABLE);
  const interrupted = new Alignment(lexicon, text, { at: (index) => word[index] }, 'spaced', found)
    .from(0)
    .filter(isWhole)
    .map((occurrence) => ({ ...occurrence, transforms: occurrence.transforms | INTERRUPTED }));
  return [...interrupted, ...masked.filter(({ term }) => !interrupted.some((one) => one.term === term))];
}

/** The letters of an interrupted word; undefined when it is none. */
function withoutSigns(letters: readonly Letter[]): readonly Letter[] | undefined {
  const word: Letter[] = [];
  let signs = 0;
  let hidden = false;
  const inner = letters.slice(0, letters.findLastIndex((letter) => !isOuter(letter)) + 1);
  for (const letter of inner) {
    if (isSign(letter)) {
      if (++signs > MOST_SIGNS || letter.marks.length > 0) return undefined;
      hidden ||= letter.ignoredBefore;
    } else {
      word.push(hidden ? { ...letter, ignoredBefore: true } : letter);
      signs = 0;
      hidden = false;
    }
  }
  return word.length === inner.length ? undefined : word;
}

function isBlank(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  return isWhite(unit) && unit !== BYTE_ORDER_MARK;
}

const LOW_LINE = 0x5f;
const wordCharacter = /^[\p{L}\p{N}\p{M}]$/u;
/** With the accents and quotation marks that are typed for one. */
const apostrophe = /^['`´‘’‛′＇]$/;

/** Whether a letter as it was read is none of a word where it stands beside one. */
function isOuter(letter: Letter): boolean {
  return isSign(letter) || apostrophe.test(String.fromCodePoint(letter.base));
}

/** Whether a letter as it was read is a sign, which may stand in a word, and no letter, number or apostrophe. */
function isSign({ base, decomposition }: Letter): boolean {
  if (base === LOW_LINE) return true;
  if (decomposition.joins) return false;
  const character = String.fromCodePoint(decomposition.code);
  return !wordCharacter.test(character) && !apostrophe.test(character);
}
