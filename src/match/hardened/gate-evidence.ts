/** What tells the gate that something that looks like a term, letter class by letter class, is none. */
import { isWhite, WHITE } from '../folding.js';
import { BREAK_BIT, BYTE_ORDER, type GateAlphabet, HIDDEN, INTRICATE, SIGN_BIT } from './gate-alphabet.js';
import { type HardenedTerm, requiredMarks } from './hardened-term.js';
import { isPairBefore, type Letter } from './letters.js';
import { likeness, mayReadAsLetter } from './likeness.js';
import { readingOf } from './readings.js';
import { bars, isSeparator, MAX_GAP } from './spaced.js';

/** So many letters in a row may be drawn out, or stand alone. */
export const RUN = 3;
const EXCLAMATION = 0x21;
/** Stands for what is between lone letters while nothing was seen. */
const NOTHING = -3;

/** Whether a term may end at an offset, as far as that is seen letter by letter: what is read as several is not looked at. */
export function mayEndAt({ letters, joins }: HardenedTerm, wholeWords: boolean, text: string, end: number): boolean {
  if (wholeWords && joins[letters.length - 1] === true && isPlain(text.charCodeAt(end))) return false;
  let at = end;
  for (let index = letters.length - 1; index >= 0; ) {
    if (at <= 0) return false;
    const letter = letters[index]!;
    const before = at - (isPairBefore(text, at) ? 2 : 1);
    const code = text.codePointAt(before)!;
    if (isWhite(code)) {
      if (letter.base !== WHITE || lacksMarks(letter, 0, text, at)) return false;
      at = before;
      while (at > 0 && isWhite(text.charCodeAt(at - 1))) at--;
    } else {
      const reading = readingOf(code);
      const isHidden = reading.kind === 'mark' || reading.kind === 'ignorable';
      if (!isHidden && reading.letters.length !== 1) return true;
      if (!isHidden && likeness(reading.letters[0]!, letter.base) < 0) return false;
      if (!isHidden && lacksMarks(letter, reading.marks.length, text, at)) return false;
      at = before;
      if (isHidden) continue;
    }
    index--;
  }
  return !(wholeWords && joins[0] === true && at > 0 && isPlain(text.charCodeAt(at - 1)));
}

const combiningMark = /(?=\p{M})\p{Script=Inherited}/u;
/** Hidden characters before the first letter: a term is looked for without them. */
const leading = /^(?:\p{Default_Ignorable_Code_Point}|(?=\p{M})\p{Script=Inherited})+/u;

/**
 * Whether a term is one letter or two under marks that no letter has of its own. Its letters alone would be seen everywhere;
 * its marks are not.
 */
export function isMarked(term: string, letters: number): boolean {
  return letters <= 2 && combiningMark.test(term.replace(leading, '').normalize('NFC'));
}

/** Whether a letter has marks, and a character of the text that ends at an offset none, neither its own nor behind it. */
function lacksMarks(letter: Letter, own: number, text: string, end: number): boolean {
  if (own > 0 || requiredMarks(letter).length === 0) return false;
  if (end >= text.length) return true;
  const { kind } = readingOf(text.codePointAt(end)!);
  return kind !== 'mark' && kind !== 'ignorable';
}

/**
 * Whether the letter before an offset is no part of lone letters, as most that stand alone: seen at once where a longer word
 * stands before it, or more than separators do.
 */
function isByItself(text: string, end: number, { units, breaks }: GateAlphabet): boolean {
  let at = end - 2;
  while (at >= 0 && end - 2 - at <= MAX_GAP && breaks[units[text.charCodeAt(at)]!] === 1) at--;
  const gap = end - 2 - at;
  if (at < 0 || gap > MAX_GAP) return true;
  if (gap === 0 || at === 0 || units[text.charCodeAt(at)]! >= INTRICATE) return false;
  const column = units[text.charCodeAt(at - 1)]!;
  return column < INTRICATE && breaks[column] === 0;
}

/**
 * Whether three letters that stand alone end at an offset, so that they may be of a term: with one to three separators of one
 * kind between them, and not all digits. What is intricate is left open.
 */
export function mayBeSpaced(text: string, end: number, alphabet: GateAlphabet): boolean {
  if (isByItself(text, end, alphabet)) return false;
  const { lookAt } = alphabet;
  let at = end;
  let kind = NOTHING;
  let isSpoken = false;
  /** Passes over hidden characters, then tells what stands before; `NOTHING` at the beginning. */
  const lookBehind = (): number => {
    while (at > 0) {
      const look = lookAt(text.codePointAt(at - (isPairBefore(text, at) ? 2 : 1))!);
      if (look !== HIDDEN) return look;
      at -= isPairBefore(text, at) ? 2 : 1;
    }
    return NOTHING;
  };
  for (let letters = 1; ; letters++) {
    const look = lookBehind();
    if (look < 0) return look === BYTE_ORDER;
    if ((look & BREAK_BIT) !== 0 && (look & SIGN_BIT) === 0) return false;
    isSpoken ||= !isDigit(text.charCodeAt(at - 1));
    at -= isPairBefore(text, at) ? 2 : 1;
    const before = lookBehind();
    if (before === BYTE_ORDER) return true;
    const isAlone = before === NOTHING || (before & (BREAK_BIT | SIGN_BIT)) !== 0;
    if (!isAlone || letters === RUN) return isAlone && isSpoken;
    let gap = 0;
    for (; gap < MAX_GAP && lookBehind() >= 0 && isSeparator(text.charCodeAt(at - 1)); gap++) {
      const between = text.charCodeAt(--at);
      const kindBetween = isWhite(between) ? WHITE : between;
      if (kind !== NOTHING && kind !== kindBetween) return bars.has(kind) || bars.has(kindBetween);
      kind = kindBetween;
    }
    if (gap === 0) return false;
  }
}

/** An ASCII letter. */
function isPlain(code: number): boolean {
  const small = code | 0x20;
  return code < 0x80 && small >= 0x61 && small <= 0x7a;
}

/** By ASCII character: 1 when it is never read as a letter. */
const plainBreaks = Uint8Array.from({ length: 0x80 }, (_, code) =>
  isPlain(code) || isDigit(code) || mayReadAsLetter(code) ? 0 : 1,
);
const isPlainBreak = (code: number) => plainBreaks[code] === 1;

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

/** Runs are followed so far; a longer one opens the gate. */
const MAX_FOLLOWED = 32;

/** Whether the units around an offset that are alike stand between ASCII characters that are no letters. */
function isBounded(text: string, end: number, isAlike: (unit: number) => boolean): boolean {
  let from = end;
  while (from > 0 && end - from < MAX_FOLLOWED && isAlike(text.charCodeAt(from - 1))) from--;
  let to = end;
  while (to - end < MAX_FOLLOWED && isAlike(text.charCodeAt(to))) to++;
  return (
    (from === 0 || isPlainBreak(text.charCodeAt(from - 1))) && (to >= text.length || isPlainBreak(text.charCodeAt(to)))
  );
}

/** What is known of all terms: no word of one is one letter over and over; none holds a digit. */
export interface TermTraits {
  readonly varied: boolean;
  readonly digitless: boolean;
}

/** Whether every word among the columns of a term has more than one of them. */
export function isVaried(columns: readonly number[], breaks: Uint8Array): boolean {
  let first = -1;
  let isSame = false;
  for (const column of columns) {
    if (breaks[column] === 1) {
      if (isSame) return false;
      first = -1;
    } else if (first < 0) {
      first = column;
      isSame = true;
    } else isSame &&= column === first;
  }
  return first < 0 || !isSame;
}

/**
 * Whether three letters of a class in a row may be one drawn out: `ill` is none, nor `!!!` before white space. Where terms are
 * varied, neither is `www`, which is all of its word; where they hold no digits, digits are none unless a letter touches them.
 */
export function isDrawnOut(text: string, end: number, { varied, digitless }: TermTraits): boolean {
  const units = [text.charCodeAt(end - 1), text.charCodeAt(end - 2), text.charCodeAt(end - 3)];
  const [unit = 0] = units;
  if (units.every(isPlain)) {
    const letter = unit | 0x20;
    const isLetter = (other: number) => (other | 0x20) === letter;
    // `i` and `l` share a class, for both may be written as `1`.
    return units.every(isLetter) && !(varied && isBounded(text, end, isLetter));
  }
  if (units.every(isDigit)) return !(digitless && isBounded(text, end, isDigit));
  if (unit !== EXCLAMATION) return true;
  let at = end;
  while (at - end < MAX_FOLLOWED && text.charCodeAt(at) === EXCLAMATION) at++;
  return at < text.length && !isWhite(text.charCodeAt(at));
}
