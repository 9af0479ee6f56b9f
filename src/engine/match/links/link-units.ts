/** The classes of UTF-16 units that links are read by. */
import { spaceless } from '../word-edges.js';

/** Hosts have the classes up to `SIGN`, and dots; without a scheme those up to `JOINER`. */
export const Unit = {
  LABEL: 0,
  /**
   * Emoji, and letters of scripts written without spaces or, as Hangul, with particles that follow
   * a name at once.
   */
  SPACELESS: 1,
  /** `-` and `_`, with which no host begins or ends. */
  JOINER: 2,
  SIGN: 3,
  OTHER: 4,
  AT: 5,
  SLASH: 6,
  END: 7,
  DOT: 8,
  COLON: 9,
  /** A label may have it. */
  PERCENT: 10,
  /** Not met yet: `classOfUnit` says what it is. */
  UNKNOWN: 11,
} as const;

const { LABEL, SPACELESS, JOINER, SIGN, OTHER, AT, SLASH, END, DOT, COLON, PERCENT } = Unit;

const signs = [
  [DOT, '.。．｡'],
  [SLASH, '/\\?#'],
  [SIGN, '!$&*+=~'],
  [JOINER, '-_'],
  [COLON, ':'],
  [AT, '@'],
  [PERCENT, '%'],
] as const;
const separator = /[\s\p{Cc}<>"]/u;
const inHost = /^[\p{L}\p{N}\p{M}\p{So}\p{Sk}\p{Cs}]$|^(?![\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069])\p{Cf}$/u;
/**
 * Beside letters of scripts that are written without spaces. The high surrogates are those of emoji
 * and of Han.
 */
const alsoSpaceless =
  /^(?![\p{scx=Latin}ⓐ-ⓩⒶ-Ⓩ])[\p{scx=Hangul}\p{So}\p{Sk}]$|^[\ufe00-\ufe0f]$|^\u20e3$|^[\ud83c-\ud83e\ud840-\ud88f]$/u;

/**
 * Not displayed, but for variation selectors, which follow emoji, and the marks of direction, which
 * end links.
 */
const hidden = /^(?![\ufe00-\ufe0f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069])\p{Default_Ignorable_Code_Point}$/u;

/**
 * Returns the class of a character that stands for another one in a host: `－` for `-`, `₨` for
 * `rs`.
 */
function compatibleKind(character: string): number {
  const plain = character.normalize('NFKC');
  if (plain === character) return OTHER;
  return /^[a-z0-9]+$/i.test(plain) ? LABEL : /^[-_]$/.test(plain) ? JOINER : plain === '.' ? DOT : OTHER;
}

/** Returns the class of a unit. */
export function classOfUnit(unit: number): number {
  const character = String.fromCharCode(unit);
  let kind: number | undefined = signs.find(([, characters]) => characters.includes(character))?.[0];
  // A Hangul filler, and all else that is not displayed, neither begins nor ends a label.
  if (kind === undefined && hidden.test(character)) kind = LABEL;
  if (kind === undefined && (unit < 0x80 ? /[a-z0-9]/i : inHost).test(character))
    kind = unit >= 0x80 && (spaceless.test(character) || alsoSpaceless.test(character)) ? SPACELESS : LABEL;
  return kind ?? (separator.test(character) ? END : unit < 0x80 ? OTHER : compatibleKind(character));
}

export function isLetter(unit: number): boolean {
  return (unit | 0x20) >= 0x61 && (unit | 0x20) <= 0x7a;
}

export function isDigit(unit: number): boolean {
  return unit >= 0x30 && unit <= 0x39;
}

/** Reports whether a unit is a letter, a digit, `+`, `-` or `.`. */
export function isOfScheme(unit: number): boolean {
  return isLetter(unit) || isDigit(unit) || unit === 0x2b || unit === 0x2d || unit === 0x2e;
}

export function isSlash(unit: number): boolean {
  return unit === 0x2f || unit === 0x5c;
}
