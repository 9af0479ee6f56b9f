/** What tells the gate that something that looks like a term, letter class by letter class, is none. */
import { isWhite, WHITE } from '../folding.js';
import { type HardenedTerm, requiresMarks } from './hardened-term.js';
import type { Letter } from './letters.js';
import { likeness } from './likeness.js';
import { readingOf } from './readings.js';
import { startBefore } from './word-runs.js';

/** So many letters in a row may be drawn out, or stand alone. */
export const RUN = 3;

/** Whether a term may end at an offset, as far as that is seen letter by letter. */
export function mayEndAt(term: HardenedTerm, wholeWords: boolean, text: string, end: number): boolean {
  const { letters, joinsBefore, joinsBehind, isSpoken } = term;
  let areDigits = true;
  if (wholeWords && joinsBehind && isPlain(text.charCodeAt(end))) return false;
  if (wholeWords && joinsBefore && areAllPlain(text, end - letters.length - 1, end)) return false;
  let at = end;
  for (let index = letters.length - 1; index >= 0; ) {
    if (at <= 0) return false;
    const letter = letters[index]!;
    const before = startBefore(text, at);
    const code = text.codePointAt(before)!;
    areDigits &&= isDigit(code);
    if (isWhite(code)) {
      // Nobody asks again behind the rest of the white space, where the marks may be.
      if (letter.base !== WHITE || (!isWhite(text.charCodeAt(at)) && lacksMarks(letter, 0, text, at))) return false;
      at = before;
      // White space is one run to the automaton, with what is hidden in it.
      while (at > 0 && (isWhite(text.charCodeAt(at - 1)) || isHiddenBefore(text, at))) at = startBefore(text, at);
      while (index > 0 && letters[index - 1]!.base === WHITE) index--;
    } else {
      const reading = readingOf(code);
      const isHidden = reading.kind === 'mark' || reading.kind === 'ignorable';
      if (!isHidden) {
        const { length } = reading.letters;
        if (index + 1 < length) return false;
        for (let back = 1; back <= length; back++) {
          if (likeness(reading.letters[length - back]!, letters[index + 1 - back]!.base) < 0) return false;
        }
        if (length === 1 && lacksMarks(letter, reading.marks.length, text, at)) return false;
        index -= length - 1;
      }
      at = before;
      if (isHidden) continue;
    }
    index--;
  }
  if (areDigits && isSpoken) return false;
  return !(wholeWords && joinsBefore && at > 0 && isPlain(text.charCodeAt(at - 1)));
}

/** Whether a mark or a hidden character stands before an offset. */
function isHiddenBefore(text: string, at: number): boolean {
  return readingOf(text.codePointAt(startBefore(text, at))!).letters.length === 0;
}

/** Whether all before an offset, from another one on, are letters of ASCII: each is one letter and no more. */
function areAllPlain(text: string, from: number, to: number): boolean {
  if (from < 0) return false;
  for (let at = from; at < to; at++) if (!isPlain(text.charCodeAt(at))) return false;
  return true;
}

/** Whether a letter has marks, and a character of the text that ends at an offset none, neither its own nor behind it. */
function lacksMarks(letter: Letter, own: number, text: string, end: number): boolean {
  if (own > 0 || !requiresMarks(letter)) return false;
  if (end >= text.length) return true;
  const { kind } = readingOf(text.codePointAt(end)!);
  return kind !== 'mark' && kind !== 'ignorable';
}

/** An ASCII letter. */
export function isPlain(code: number): boolean {
  const small = code | 0x20;
  return code < 0x80 && small >= 0x61 && small <= 0x7a;
}

/** A digit of ASCII. */
export function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}
