/** What tells the gate that something that looks like a term, letter class by letter class, is none. */
import { isWhite, WHITE } from '../folding.js';
import { type HardenedTerm, requiredMarks } from './hardened-term.js';
import { isPairBefore, type Letter } from './letters.js';
import { likeness, mayReadAsLetter } from './likeness.js';
import { readingOf } from './readings.js';
import { bars, isSeparator, MAX_GAP } from './spaced.js';

/** So many letters in a row may be drawn out, or stand alone. */
export const RUN = 3;
const EXCLAMATION = 0x21;
/** Stands for what is between lone letters while nothing was seen. */
const NOTHING = -2;

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
 * Whether the three letters that stand alone before an offset may be of a term: not when they are digits, or when what
 * stands between them is not of one kind. Whatever is not ASCII is left open.
 */
export function mayBeSpaced(text: string, end: number): boolean {
  let at = end;
  let kind = NOTHING;
  let letters = 0;
  let isSpoken = false;
  while (at > 0 && letters < RUN) {
    const unit = text.charCodeAt(--at);
    if (unit >= 0x80 && !isSeparator(unit)) return true;
    isSpoken ||= unit < 0x30 || unit > 0x39;
    if (++letters === RUN) return isSpoken;
    for (let gap = 0; at > 0 && isSeparator(text.charCodeAt(at - 1)) && gap < MAX_GAP; gap++) {
      const between = text.charCodeAt(--at);
      const kindBetween = isWhite(between) ? WHITE : between;
      if (kind !== NOTHING && kind !== kindBetween) return bars.has(kind) || bars.has(kindBetween);
      kind = kindBetween;
    }
    if (kind === NOTHING) return text.charCodeAt(at - 1) >= 0x80;
  }
  return true;
}

/** An ASCII letter. */
function isPlain(code: number): boolean {
  const small = code | 0x20;
  return code < 0x80 && small >= 0x61 && small <= 0x7a;
}

const isDigit = (code: number) => code >= 0x30 && code <= 0x39;

/** Whether the digits before an offset touch what may be a letter: among digits alone none is one. */
function isBesideLetter(text: string, end: number): boolean {
  let from = end;
  while (from > 0 && isDigit(text.charCodeAt(from - 1))) from--;
  let to = end;
  while (isDigit(text.charCodeAt(to))) to++;
  const isPlainBreak = (code: number) => code < 0x80 && !isPlain(code) && !mayReadAsLetter(code);
  return !(
    (from === 0 || isPlainBreak(text.charCodeAt(from - 1))) &&
    (to >= text.length || isPlainBreak(text.charCodeAt(to)))
  );
}

/** Whether three signs in a row may be letters: `!!!` before white space is none. */
export function isDrawnOut(text: string, end: number): boolean {
  const unit = text.charCodeAt(end - 1);
  // `i` and `l` share a class, for both may be written as `1`; but `ill` is no letter drawn out.
  const others = [text.charCodeAt(end - 2), text.charCodeAt(end - 3)];
  if (isPlain(unit) && others.every(isPlain) && others.some((other) => (other | 0x20) !== (unit | 0x20))) return false;
  if (isDigit(unit) && others.every(isDigit)) return isBesideLetter(text, end);
  if (unit !== EXCLAMATION) return true;
  let at = end;
  while (text.charCodeAt(at) === EXCLAMATION) at++;
  return at < text.length && !isWhite(text.charCodeAt(at));
}
