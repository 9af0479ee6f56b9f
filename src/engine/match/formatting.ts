/**
 * Reads a text without the signs of its formatting: pairs of Markdown signs around words or parts
 * of them, as in `kill **your**self`, which is displayed as `kill yourself`.
 *
 * A sign is a whole run of one of five characters, of the lengths that `longest` allows. It opens a
 * pair when no white space follows it, and closes one when none stands before it and a sign of the
 * same kind is open: the last one that was opened in the same paragraph. So a pair holds no other
 * pair of its kind. A `_` is no sign beside a word character on its outer side (`snake_case`), and
 * of the outer sides of `__` or `___` one at most has such a character. A sign behind a backslash
 * is none.
 *
 * Cost: a step for each unit of a text.
 */
import { isWhite } from './folding.js';
import { type Piece, type RewrittenText, rewrite } from './rewritten-text.js';
import { joinsBefore, joinsWords } from './word-edges.js';

const { charCodeAt, codePointAt } = String.prototype;

const LINE_FEED = 0x0a;
const BACKSLASH = 0x5c;
const ASTERISK = 0x2a;
const LOW_LINE = 0x5f;
const GRAVE = 0x60;
const BAR = 0x7c;
const TILDE = 0x7e;
/**
 * The characters that signs are made of, and how long a sign of each may be. Of bars a sign has
 * two.
 */
export const signUnits: readonly number[] = [ASTERISK, LOW_LINE, GRAVE, BAR, TILDE];
const longest = [3, 3, 3, 2, 2];
const signs = signUnits.map((unit) => String.fromCharCode(unit));
/** Kinds of signs for each character. */
const LENGTHS = 3;
/**
 * For each unit up to the last sign, the index of its character; `PLAIN` for what neither is a sign
 * nor ends a line.
 */
const PLAIN = 255;
const kinds = new Uint8Array(TILDE + 1).fill(PLAIN);
for (const [index, unit] of signUnits.entries()) kinds[unit] = index;
kinds[LINE_FEED] = signUnits.length;
/** Stands for the offset of a sign that is not there. */
const NONE = -1;
/** The open sign of each kind in the text that is read; no two are read at a time. */
const open = new Int32Array(signUnits.length * LENGTHS);

/** Reports whether signs of formatting consist of a UTF-16 unit. */
export function isSignUnit(unit: number): boolean {
  return unit === ASTERISK || unit === LOW_LINE || unit === GRAVE || unit === BAR || unit === TILDE;
}

/** Reports whether a text has some unit of signs twice: without, it has no pair. */
export function mayHavePair(text: string): boolean {
  for (const sign of signs) if (text.indexOf(sign, text.indexOf(sign) + 1) > 0) return true;
  return false;
}

/** Returns a text without its pairs of signs, or undefined when it has none. */
export function withoutFormatting(text: string): RewrittenText | undefined {
  const paired = pairedUnits(text);
  return paired && rewrite(text, removals(paired));
}

/** Returns 1 for each unit of a sign that belongs to a pair, or undefined when no sign does. */
function pairedUnits(text: string): Uint8Array | undefined {
  open.fill(NONE);
  let paired: Uint8Array | undefined;
  for (let at = 0, line = -1, end = 0; at < text.length; at = end) {
    const unit = charCodeAt.call(text, at);
    end = at + 1;
    if (unit > TILDE || kinds[unit] === PLAIN) continue;
    if (unit === LINE_FEED) {
      if (line >= 0 && text.slice(line, at).trim() === '') open.fill(NONE);
      line = at;
      continue;
    }
    const character = kinds[unit]!;
    while (end < text.length && charCodeAt.call(text, end) === unit) end++;
    const length = end - at;
    const isSign = length <= longest[character]! && (unit !== BAR || length === 2);
    if (!isSign || (at > 0 && charCodeAt.call(text, at - 1) === BACKSLASH)) continue;
    const kind = character * LENGTHS + length - 1;
    const opened = open[kind]!;
    if (opened >= 0 && closes(text, opened, at, end)) {
      paired ??= new Uint8Array(text.length);
      paired.fill(1, opened, opened + length).fill(1, at, end);
      open[kind] = NONE;
    } else if (opens(text, at, end)) open[kind] = at;
  }
  return paired;
}

/** Reports whether a sign may open a pair. */
function opens(text: string, at: number, end: number): boolean {
  if (end === text.length || isWhite(charCodeAt.call(text, end))) return false;
  return charCodeAt.call(text, at) !== LOW_LINE || end - at > 1 || !isBehindWord(text, at);
}

/** Reports whether a sign may close the pair that the one at `opened` opens. */
function closes(text: string, opened: number, at: number, end: number): boolean {
  if (isWhite(charCodeAt.call(text, at - 1))) return false;
  if (charCodeAt.call(text, at) !== LOW_LINE || end === text.length) return true;
  return !joinsWords(codePointAt.call(text, end)!) || (end - at > 1 && !isBehindWord(text, opened));
}

function isBehindWord(text: string, at: number): boolean {
  return at > 0 && joinsBefore(text, at);
}

function removals(paired: Uint8Array): Piece[] {
  const pieces: Piece[] = [];
  for (let start = paired.indexOf(1); start >= 0; ) {
    const end = paired.indexOf(0, start);
    pieces.push({ start, end: end < 0 ? paired.length : end, read: '' });
    start = end < 0 ? end : paired.indexOf(1, end);
  }
  return pieces;
}
