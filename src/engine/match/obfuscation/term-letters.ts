/**
 * Reads terms as letters with their marks, and notes what holds of each term as a whole:
 * what the lexicon is made of.
 */
import type { Portions } from '../../../foundation/portions.js';
import { BYTE_ORDER_MARK, isWhite, WHITE } from '../folding.js';
import type { TermPool } from '../term-pool.js';
import { joinsWords } from '../word-edges.js';
import { composeLetters, hasParts, IOTA_BELOW } from './composed-text.js';
import { DOTTED_I, decompositionOf } from './decompositions.js';
import { type Letter, LetterReader, marksOf } from './letters.js';

/** A letter of a term. Equal ones of all terms are one. */
export interface TermLetter extends Letter {
  /** Its marks in ascending order. A text that lacks some is read through a transform. */
  readonly wantedMarks: readonly number[];
  /** It joins words. */
  readonly joins: boolean;
  /** It is a letter, and no digit or sign. */
  readonly isAlphabetic: boolean;
}

/** The fewest letters of a term that may be spaced out. One of just so many has to be the whole run of isolated letters. */
export const FEWEST_SPACED = 3;

/** Bits of what holds of a term. It is read by case alone: in no disguise. */
export const CASE_ONLY = 1;
/** It holds ignorable characters or begins with a mark, which its letters do not show. */
export const HAS_HIDDEN = 2;
/** The plain matcher has it as well, since other terms or texts may have the same letters. */
export const SCANNED_PLAIN = 4;
/** It may be spaced out: it is one word of `FEWEST_SPACED` letters or numbers or more. */
export const SPACEABLE = 8;
/** It has no more than `FEWEST_SPACED` letters, so that none is read doubled. */
export const SHORT = 16;
/** It may have signs in its words or for their letters: as `SPACEABLE`, but of any number of words. */
export const BREAKABLE = 32;
/** Masks may stand for its letters: as `BREAKABLE`, and each letter is all of its character, and not a half of an `æ`. */
export const MASKABLE = 64;

/** In terms, characters that case folding reads otherwise than letters are read. */
const readOtherwise = new RegExp(`[${String.fromCharCode(IOTA_BELOW, BYTE_ORDER_MARK)}]`);

/**
 * All terms as letters: those of term `n` are `letters[numbers[at]]`, `at` from `from[n]` up to but not including
 * `from[n + 1]`.
 */
export interface TermsAsLetters {
  readonly letters: readonly TermLetter[];
  readonly numbers: readonly number[];
  readonly from: Int32Array;
  /** Flags of each term, as bits. */
  readonly flags: Uint8Array;
  /** So many runs of white space a term has at most. */
  readonly mostSpaces: number;
  /** Terms that the plain matcher has as well. */
  readonly scannedPlain: readonly number[];
  /** One of these may occur where the automaton does not stop. */
  readonly needsPlainScan: boolean;
}

/** So many letters of terms are read in a portion of work: each takes as long as a hundred steps of other portions. */
const LETTERS_AT_ONCE = 128;

/** Reads terms, in portions. `pool` holds the same terms. */
export function* readTerms(written: readonly string[], pool: TermPool): Portions<TermsAsLetters> {
  const letters = new TermLetters();
  const numbers: number[] = [];
  const from = new Int32Array(written.length + 1);
  const flags = new Uint8Array(written.length);
  const scannedPlain: number[] = [];
  let mostSpaces = 0;
  let needsPlainScan = false;
  let left = LETTERS_AT_ONCE;
  for (const [index, term] of written.entries()) {
    left -= term.length + 1;
    if (left < 0) {
      left = LETTERS_AT_ONCE;
      yield;
    }
    const { numbers: own, flags: ofTerm } = yield* readTerm(term, letters);
    flags[index] = ofTerm;
    if ((ofTerm & SCANNED_PLAIN) !== 0 && pool.from[index] !== pool.from[index + 1]) {
      scannedPlain.push(index);
      // To case folding an iota below that stands alone is a letter, and a byte order mark is white space; to readers they are a
      // mark and nothing.
      if (own.length === 0 || readOtherwise.test(term)) needsPlainScan = true;
    }
    let spaces = 0;
    for (const number of own) {
      numbers.push(number);
      if (letters.all[number]!.base === WHITE) spaces++;
    }
    mostSpaces = Math.max(mostSpaces, spaces);
    from[index + 1] = numbers.length;
  }
  return { letters: letters.all, numbers, from, flags, scannedPlain, mostSpaces, needsPlainScan };
}

const alphabetic = /^\p{L}$/u;
const alphanumeric = /[\p{L}\p{N}]/u;
const beyondAscii = /[^\0-\x7f]/;
const hiddenOrMark = /\p{Default_Ignorable_Code_Point}|[\u20e3\u0640\u2800]|^\p{M}/u;
/** The letters of all terms, each once, numbered as they come. */
class TermLetters {
  readonly all: TermLetter[] = [];
  /** Numbers by character and place in it; by marks as well where some follow. */
  readonly #plain = new Map<number, number>();
  readonly #marked = new Map<string, number>();

  numberOf(letter: Letter): number {
    const { decomposition, index, marks } = letter;
    const key = decomposition.code * MOST_PARTS + index;
    const known = marks.length === 0 ? this.#plain.get(key) : this.#marked.get(`${key} ${marks.join()}`);
    if (known !== undefined) return known;
    const number = this.all.push(toTermLetter(letter)) - 1;
    if (marks.length === 0) this.#plain.set(key, number);
    else this.#marked.set(`${key} ${marks.join()}`, number);
    return number;
  }
}

/** More letters no character has. */
const MOST_PARTS = 32;

function toTermLetter(letter: Letter): TermLetter {
  const { base, decomposition, marks } = letter;
  // The dot of `İ` is not a mark that a text must have: in Turkish it is the `i`'s own.
  const wantedMarks = decomposition.code === DOTTED_I ? marks : marksOf(letter);
  return {
    ...letter,
    wantedMarks: [...wantedMarks].sort((one, other) => one - other),
    joins: base !== WHITE && joinsWords(base),
    isAlphabetic: base !== WHITE && alphabetic.test(String.fromCodePoint(base)),
  };
}

/** Returns the letters of a term by number, without white space around them, and its flags. */
function* readTerm(
  term: string,
  table: TermLetters,
): Portions<{ readonly numbers: readonly number[]; readonly flags: number }> {
  const reader = new LetterReader(composeLetters(term)?.text ?? term, { steps: 0 }, 0);
  if (term.length > LETTERS_AT_ONCE)
    for (let index = LETTERS_AT_ONCE; reader.at(index) !== undefined; index += LETTERS_AT_ONCE) yield;
  const all = reader.all();
  const first = all.findIndex(({ base }) => base !== WHITE);
  const last = all.findLastIndex(({ base }) => base !== WHITE);
  const numbers = all.slice(Math.max(first, 0), last + 1).map((letter) => table.numberOf(letter));
  const letters = numbers.map((number) => table.all[number]!);
  const isAscii = !beyondAscii.test(term);
  const hasOuterSpace =
    letters.length < all.length || isWhite(term.charCodeAt(0)) || isWhite(term.charCodeAt(term.length - 1));
  // Letters that symbols alone are read as make no word: a flag is that flag.
  const isOfSymbols = !isAscii && !alphanumeric.test(term) && letters.some((letter) => letter.isAlphabetic);
  const isCaseOnly = hasOuterSpace || letters.length === 0 || isOfSymbols || beginsWithMark(term);
  const hasHidden = !isAscii && hiddenOrMark.test(term);
  const isBreakable =
    letters.length >= FEWEST_SPACED &&
    letters.every(
      ({ base, joins, isAlphabetic }) =>
        base === WHITE || (joins && (isAlphabetic || alphanumeric.test(String.fromCodePoint(base)))),
    );
  const isMaskable = isBreakable && letters.every(({ decomposition }) => decomposition.letters.length === 1);
  const isSpaceable = isBreakable && letters.every(({ base }) => base !== WHITE);
  return {
    numbers,
    flags:
      (isCaseOnly ? CASE_ONLY : 0) |
      (hasHidden ? HAS_HIDDEN : 0) |
      (isCaseOnly || hasHidden || hasParts(term) ? SCANNED_PLAIN : 0) |
      (isBreakable ? BREAKABLE : 0) |
      (isMaskable ? MASKABLE : 0) |
      (isSpaceable ? SPACEABLE : 0) |
      (letters.filter(({ base }) => base !== WHITE).length <= FEWEST_SPACED ? SHORT : 0),
  };
}

/** Reports whether a mark stands before the first letter, where no letter of a text could have it. */
export function beginsWithMark(term: string): boolean {
  if (!beyondAscii.test(term)) return false;
  for (const character of term) {
    const { kind } = decompositionOf(character.codePointAt(0)!);
    if (kind !== 'ignorable') return kind === 'mark';
  }
  return false;
}
