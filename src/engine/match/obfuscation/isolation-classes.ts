/**
 * Role of a character in the search for isolated letters, as of `f u c k` or `f.u.c.k`: a letter, a separator, a sign
 * that may be either, or none of these. Three places read the classes: the columns of the automaton (`columns.ts`), the
 * bits of its states (`isolation-states.ts`), and the exact reading of a passage (`isolated-runs.ts`).
 *
 * A class is one number: a value of `Isolation`, and above it two bits that depend on the terms. The classes come from
 * the character alone (`isolationOf`), so that a text of any script has one for each of its characters; the two bits
 * are added by `columns.ts`, which knows what the character may stand for.
 */
import { isWhite } from '../folding.js';
import { linksWords } from '../word-edges.js';
import { decompositionOf } from './decompositions.js';
import type { Letter } from './letters.js';

const codesOf = (signs: string): ReadonlySet<number> => new Set(Array.from(signs, (sign) => sign.charCodeAt(0)));
/** Signs that separate isolated letters, beside white space. */
const separators = codesOf('.-_*,/\\|~+=:;\'"^#&·•‧∙・…‐‑–—−‘’′');
/** Separators that can also be read as letters: `|` as an `i` or `l`, `+` as a `t`. */
export const bars = codesOf('|+');
/** Signs that are written in place of letters. As typed on most keyboards they are separators, too. */
export const masks = '*#＊＃';
const maskCodes = codesOf(masks);

/** The kinds of characters. */
export const Isolation = {
  /** No letter and no separator, as an opening bracket. */
  NONE: 0,
  /** Joins words: isolated only where no other letter touches it. */
  LETTER: 1,
  /** White space. */
  SPACE: 2,
  /** Another sign that separates. */
  SEPARATOR: 3,
  /** A separator that may be a letter: `|`, `+`. */
  BAR: 4,
  /** A sign that may be a letter and does not separate, as `@`. */
  SIGN: 5,
  /** One more letter of the same character: the second one of `æ`. */
  SAME: 6,
  /** A sign that separates and may also stand for any letter: `*`, `#`. */
  MASK: 7,
} as const;
/**
 * Added when the character may stand for a letter of a term otherwise than as a digit or sign: a spaced-out term has
 * one such at least.
 */
export const ALPHABETIC = 8;
/** Added when a term may begin with the character. */
export const BEGINS = 16;
/** Added to the characters of words, and to the signs that may stand inside a word. Apostrophes are neither. */
export const IN_WORD = 32;
export const IS_SIGN = 64;
/** The bits of a class that are a value of `Isolation`. */
export const KIND = 7;

/** Returns the class of a code point, without the bits that depend on the terms. */
export function isolationOf(code: number): number {
  if (isWhite(code)) return Isolation.SPACE;
  const inWord = decompositionOf(code).joins ? IN_WORD : 0;
  return kindOf(code) | inWord | (isSign(code) ? IS_SIGN : 0);
}

function kindOf(code: number): number {
  if (bars.has(code)) return Isolation.BAR;
  if (maskCodes.has(code)) return Isolation.MASK;
  if (separators.has(code)) return Isolation.SEPARATOR;
  const { kind } = decompositionOf(code);
  if (kind === 'letter') return Isolation.LETTER;
  return kind === 'symbol' ? Isolation.SIGN : Isolation.NONE;
}

const wordCharacter = /^[\p{L}\p{N}\p{M}]$/u;
/** Apostrophes, with the accents and quotation marks that are typed for one. */
export const apostrophes = codesOf("'`´‘’‛′＇");

/** Reports whether a character may stand inside a word without being a part of it: no letter, number, mark or apostrophe. */
export function isSign(code: number): boolean {
  if (linksWords(code)) return true;
  const { kind, joins } = decompositionOf(code);
  if (joins || kind === 'mark' || kind === 'ignorable' || apostrophes.has(code)) return false;
  return !wordCharacter.test(String.fromCodePoint(code));
}

/** Reports whether a character may stand between isolated letters, white space included. */
export function isSeparator(code: number): boolean {
  return isWhite(code) || separators.has(code);
}

/** Reports whether a character may stand for any letter: `*` or `#`, or the full-width form of one. */
export function isMask({ decomposition }: Letter): boolean {
  return maskCodes.has(decomposition.code);
}
