/**
 * Reads a text without the signs of its formatting: pairs of Markdown signs around words or parts
 * of them, as in `kill **your**self`, which is displayed as `kill yourself`.
 *
 * A sign is a whole run of one of five characters, of the lengths that `longest` allows. It opens a
 * pair when no white space follows it, and closes one when none stands before it and a sign of the
 * same kind is open: the last one that was opened in the same paragraph. So a pair holds no other
 * pair of its kind. A `_` is no sign beside a word character on its outer side (`snake_case`), and
 * of the outer sides of `__` or `___` one at most has such a character. A sign after a backslash
 * is none. Of a link as Markdown writes it, `[text](address)`, the text is left.
 *
 * Cost: a step for each unit of a text.
 */
import { isWhite } from './folding.js';
import { type Piece, type RewrittenText, rewrite } from './rewritten-text.js';
import { joinsBefore, joinsWords } from './word-edges.js';

const { charCodeAt, codePointAt } = String.prototype;

const LINE_FEED = 0x0a;
const LEFT_PARENTHESIS = 0x28;
const RIGHT_PARENTHESIS = 0x29;
const ASTERISK = 0x2a;
const LESS = 0x3c;
const GREATER = 0x3e;
const LEFT_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const RIGHT_BRACKET = 0x5d;
const LOW_LINE = 0x5f;
const GRAVE = 0x60;
const BAR = 0x7c;
const TILDE = 0x7e;
/**
 * The characters that signs are made of, and how long a sign of each may be. Of bars a sign has
 * two.
 */
const signUnits: readonly number[] = [ASTERISK, LOW_LINE, GRAVE, BAR, TILDE];
const longest = [3, 3, 3, 2, 2];
const signs = signUnits.map((unit) => String.fromCharCode(unit));
/** Kinds of signs for each character. */
const LENGTHS = 3;
/**
 * For each unit up to the last sign, the index of its character; `PLAIN` for what is no sign, no
 * bracket, and does not end a line.
 */
const PLAIN = 255;
const kinds = new Uint8Array(TILDE + 1).fill(PLAIN);
for (const [index, unit] of signUnits.entries()) kinds[unit] = index;
for (const unit of [LINE_FEED, LEFT_BRACKET, RIGHT_BRACKET]) kinds[unit] = signUnits.length;
/** Stands for the offset of a sign that is not there. */
const NONE = -1;
/** The open sign of each kind in the text that is read; no two are read at a time. */
const open = new Int32Array(signUnits.length * LENGTHS);

/** Units that a text without formatting may be without: those of signs, and brackets. */
export const formattingUnits: readonly number[] = [...signUnits, LEFT_BRACKET, RIGHT_BRACKET];

/** Reports whether a UTF-16 unit is one of these. */
export function isFormattingUnit(unit: number): boolean {
  return unit <= TILDE && unit !== LINE_FEED && kinds[unit] !== PLAIN;
}

/** A longer run of units of formatting is not looked through. */
const MOST_UNITS = 16;

/**
 * Returns where units of formatting end that begin at an offset, or are no longer looked through.
 */
export function formattingEnd(text: string, at: number): number {
  let end = at;
  while (end < text.length && end - at < MOST_UNITS && isFormattingUnit(charCodeAt.call(text, end))) end++;
  return end;
}

/**
 * Returns a text without its pairs of signs and the addresses of its links, or undefined when it
 * has none.
 */
export function withoutFormatting(text: string): RewrittenText | undefined {
  const first = firstOfPairs(text);
  const paired = first < 0 ? undefined : pairedUnits(text, first);
  return paired && rewrite(text, removals(paired));
}

/**
 * Returns where the first unit of formatting stands, or -1 if no sign occurs twice and no link
 * does.
 */
function firstOfPairs(text: string): number {
  const first = text.includes('](') ? text.indexOf('[') : -1;
  let start = first < 0 ? text.length : first;
  let hasPair = first >= 0;
  for (const sign of signs) {
    const at = text.indexOf(sign);
    if (at < 0) continue;
    if (at < start) start = at;
    hasPair ||= text.indexOf(sign, at + 1) > 0;
  }
  return hasPair ? start : -1;
}

/** Returns 1 for each unit that is not displayed, or undefined when all are. */
function pairedUnits(text: string, first: number): Uint8Array | undefined {
  open.fill(NONE);
  let paired: Uint8Array | undefined;
  let bracket = NONE;
  for (let at = first, line = -1, end = 0; at < text.length; at = end) {
    const unit = charCodeAt.call(text, at);
    end = at + 1;
    if (unit > TILDE || kinds[unit] === PLAIN) continue;
    if (unit === LINE_FEED) {
      if (line >= 0 && text.slice(line, at).trim() === '') {
        open.fill(NONE);
        bracket = NONE;
      }
      line = at;
      continue;
    }
    if (unit === LEFT_BRACKET) bracket = at;
    if (unit === RIGHT_BRACKET && bracket >= 0) {
      const behind = addressEnd(text, end);
      if (behind > end) {
        paired ??= new Uint8Array(text.length);
        paired.fill(1, bracket, bracket + 1).fill(1, at, behind);
        end = behind;
      }
      bracket = NONE;
    }
    if (unit === LEFT_BRACKET || unit === RIGHT_BRACKET) continue;
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

/**
 * Returns where the address of a link ends that begins at an offset with its parenthesis; the
 * offset if none does.
 */
function addressEnd(text: string, start: number): number {
  if (charCodeAt.call(text, start) !== LEFT_PARENTHESIS) return start;
  const isAngled = charCodeAt.call(text, start + 1) === LESS;
  for (let at = start + (isAngled ? 2 : 1); at < text.length; at++) {
    const unit = charCodeAt.call(text, at);
    // Nested parentheses are left, so that no stretch is read twice.
    if (isWhite(unit) || unit === LEFT_PARENTHESIS || unit === LEFT_BRACKET) return start;
    if (isAngled && unit === GREATER) return charCodeAt.call(text, at + 1) === RIGHT_PARENTHESIS ? at + 2 : start;
    if (!isAngled && unit === RIGHT_PARENTHESIS) return at === start + 1 ? start : at + 1;
  }
  return start;
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
