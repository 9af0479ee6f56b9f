/**
 * The context of a place in a text, as far as letters that stand apart are concerned: isolated
 * ones (`f u c k`), and words with signs in them or for their letters (`f-u-c-k`, `f**k`).
 *
 * An instance of: two finite automata side by side, over the *roles* of characters. A *context* is
 * a state of both, in one number, and a part of the states of `automaton.ts`. It tells which
 * letters are read as if nothing stood between them, and where a term of these may end.
 */
import { isWhite } from '../folding.js';
import { linksWords } from '../word-edges.js';
import { decompositionOf } from './decompositions.js';

const codesOf = (signs: string): ReadonlySet<number> => new Set(Array.from(signs, (sign) => sign.charCodeAt(0)));
/** Signs that separate isolated letters, beside white space. */
const separators = codesOf('.-_*,/\\|~+=:;\'"^#&·•‧∙・…‐‑–—−‘’′');
/** Apostrophes, with the accents and quotation marks that are typed for one. */
export const apostrophes = codesOf("'`´‘’‛′＇");
/** Signs that are written in place of letters. */
export const masks = '*#＊＃';
const maskCodes = codesOf(masks);

/** The roles of characters. */
export const Role = {
  /** It joins words. */
  WORD: 0,
  /** White space, and the end of a text. */
  SPACE: 1,
  /** A sign that may be a letter and does not separate, as `@`. */
  LETTER_SIGN: 2,
  /** A sign that separates isolated letters, and may stand within a word. */
  SEPARATOR: 3,
  /** An apostrophe: a separator that may not stand within a word. */
  APOSTROPHE: 4,
  /** A separator that also stands for letters: `*`, `#`. */
  MASK: 5,
  /** Another sign. */
  SIGN: 6,
  /** None of these, as a letter of a script without spaces. */
  OTHER: 7,
  /** One more letter of the same character: the second one of `æ`. */
  SAME: 8,
} as const;

/** Returns the role of a code point. */
export function roleOf(code: number): number {
  if (isWhite(code)) return Role.SPACE;
  if (maskCodes.has(code)) return Role.MASK;
  if (isSeparator(code)) return isSign(code) ? Role.SEPARATOR : Role.APOSTROPHE;
  const { joins, kind } = decompositionOf(code);
  if (joins) return Role.WORD;
  if (kind === 'symbol') return Role.LETTER_SIGN;
  return isSign(code) || apostrophes.has(code) ? Role.SIGN : Role.OTHER;
}

const wordCharacter = /^[\p{L}\p{N}\p{M}]$/u;

/** Reports whether a character may stand inside a word without being a part of it. */
export function isSign(code: number): boolean {
  if (linksWords(code)) return true;
  const { kind, joins } = decompositionOf(code);
  if (joins || kind === 'mark' || kind === 'ignorable' || apostrophes.has(code)) return false;
  return !wordCharacter.test(String.fromCodePoint(code));
}

/** Reports whether a character is a sign, or an apostrophe, which no word with signs in it has. */
export function isLeftOutOfWords(code: number): boolean {
  return !isWhite(code) && (apostrophes.has(code) || isSign(code));
}

/** Reports whether a character may stand between isolated letters, white space included. */
export function isSeparator(code: number): boolean {
  return isWhite(code) || separators.has(code);
}

/** Reports whether a code point may stand for any letter. */
export function isMaskCode(code: number): boolean {
  return maskCodes.has(code);
}

/**
 * States of the automaton of isolated letters: how many there are, one after the other, and
 * whether the last character is a separator, the next letter, or a sign that may be one.
 */
const FRESH = 0;
const FIRST = 1;
const AFTER_FIRST = 2;
const SECOND = 3;
const AFTER_SECOND = 4;
const THIRD = 5;
const WITHIN = 6;
const FIRST_SIGN = 7;
const SECOND_SIGN = 8;
const THIRD_SIGN = 9;
const ISOLATED = 15;
/** The state after a letter, a sign that may be a letter, and a separator; by the state before. */
const afterLetter = [FIRST, WITHIN, SECOND, WITHIN, THIRD, WITHIN, WITHIN, FIRST, FIRST, FIRST];
const afterSign = [
  ...[FIRST_SIGN, FIRST_SIGN, SECOND_SIGN, FIRST_SIGN, THIRD_SIGN],
  ...[FIRST_SIGN, FIRST_SIGN, FIRST_SIGN, FIRST_SIGN, FIRST_SIGN],
];
const afterSeparator = [
  ...[FRESH, AFTER_FIRST, AFTER_FIRST, AFTER_SECOND, AFTER_SECOND],
  ...[AFTER_SECOND, FRESH, AFTER_FIRST, AFTER_SECOND, AFTER_SECOND],
];

/** States of the automaton of words: what stands since the last white space. */
const TOKEN = 4;
const NOTHING = 0;
const WORD = 1;
const ONE_SIGN = 2;
const TWO_SIGNS = 3;
/**
 * A sign stands inside the word; or a mask stands after its first letters; or it cannot be read
 * so.
 */
const BROKEN = 4;
const HAS_MASK = 5;
const DEAD = 6;
const WORD_STATE = 7;
/** The words before the last white space may be the beginning of a term. */
const IN_PHRASE = 1 << 7;
/** A word with signs in it is among those that are read without signs. */
const HAS_BROKEN = 1 << 8;

/** The context before a text. */
export const START = 0;

/** Whether a character belongs to isolated letters: not at all, or as what. */
export const Isolation = {
  NONE: 0,
  /** It is the first one. */
  FIRST: 1,
  /** It is one more. */
  NEXT: 2,
  /** It separates them. */
  BETWEEN: 3,
} as const;

/** Returns what a character of a role is among isolated letters. */
export function isolationOf(context: number, role: number): number {
  const state = context & ISOLATED;
  const after = isolatedAfter(state, role);
  if (after === FRESH || after === WITHIN) return Isolation.NONE;
  if (role !== Role.WORD && role !== Role.LETTER_SIGN) return Isolation.BETWEEN;
  return state === AFTER_FIRST || state === AFTER_SECOND ? Isolation.NEXT : Isolation.FIRST;
}

/** Reports whether words may be read without their signs from the sign of a role on. */
export function mayBreakAt(context: number, role: number): boolean {
  if (role === Role.WORD || role === Role.SPACE || role === Role.OTHER || role === Role.SAME) return false;
  return isBeforeWord(context) || (wordOf(context) === WORD && role !== Role.APOSTROPHE);
}

/** Returns the state of the automaton of words in a context. */
const wordOf = (context: number) => (context >> TOKEN) & WORD_STATE;

/** Reports whether no letter has come since the last white space. */
export function isBeforeWord(context: number): boolean {
  return wordOf(context) === NOTHING;
}

/** Facts about the letters before a character, or up to it. */
export interface ReadSoFar {
  /** The letters before the character, and up to it, may be the beginning of a term. */
  readonly wasTerm: boolean;
  readonly isTerm: boolean;
  /** Isolated letters, and letters without the signs in their words, may be one. */
  readonly isSpaced: boolean;
  readonly isBroken: boolean;
}

/** Returns the context after a character. */
export function contextAfter(context: number, role: number, read: ReadSoFar): number {
  if (role === Role.SAME) return context;
  let isolated = isolatedAfter(context & ISOLATED, role);
  if (!read.isSpaced && isolated !== FRESH) isolated = role === Role.WORD ? WITHIN : FRESH;
  const before = wordOf(context);
  const isApart = before === BROKEN || before === HAS_MASK;
  const hasBroken = read.isBroken ? (isApart ? HAS_BROKEN : context & HAS_BROKEN) : 0;
  if (role === Role.SPACE) return isolated | hasBroken | (read.isTerm ? IN_PHRASE : 0);
  return isolated | hasBroken | (wordAfter(before, role, read.wasTerm) << TOKEN) | (context & IN_PHRASE);
}

function isolatedAfter(state: number, role: number): number {
  if (role === Role.WORD) return afterLetter[state]!;
  if (role === Role.LETTER_SIGN) return afterSign[state]!;
  return role === Role.SIGN || role === Role.OTHER ? FRESH : afterSeparator[state]!;
}

function wordAfter(state: number, role: number, wasTerm: boolean): number {
  if (state >= BROKEN || role === Role.APOSTROPHE || role === Role.OTHER) return state;
  if (role === Role.WORD) return state >= ONE_SIGN ? BROKEN : WORD;
  if (state === NOTHING) return NOTHING;
  if (state === WORD && !wasTerm) return DEAD;
  if (state === WORD) return role === Role.MASK ? HAS_MASK : ONE_SIGN;
  return state === ONE_SIGN ? TWO_SIGNS : DEAD;
}

/** Reports whether three isolated letters or more may end before a character. */
export function mayEndIsolated(context: number, role: number): boolean {
  const state = context & ISOLATED;
  return (state === THIRD && role !== Role.WORD) || state === THIRD_SIGN;
}

/** Reports whether words may end before a character of which one has signs in it. */
export function mayEndBroken(context: number, role: number): boolean {
  return role === Role.SPACE && (wordOf(context) === BROKEN || (context & HAS_BROKEN) !== 0);
}

/** Reports whether a word ends before a character that has masks in it. */
export function mayEndMasked(context: number, role: number): boolean {
  return role === Role.SPACE && wordOf(context) === HAS_MASK;
}

/** Reports whether the words before the last white space may belong to the term of a word. */
export function isInPhrase(context: number): boolean {
  return (context & IN_PHRASE) !== 0;
}
