/** A text as letters with their places, read as far as somebody asks: what a term is compared with. */
import { isWhite } from '../folding.js';
import { type Reading, readingOf } from './readings.js';

export interface Letter {
  readonly base: number;
  /** The character that it comes from; `index` is its place among the letters of that character. */
  readonly reading: Reading;
  readonly index: number;
  /** The span of the character, in UTF-16 units. */
  readonly from: number;
  readonly to: number;
  /** Marks that follow the character, when this is its last letter. */
  marks: number[];
  /** Where the last of these marks ends. */
  end: number;
  /** An ignorable character stands between the letter before and this one; between this one and its last mark. */
  readonly ignoredBefore: boolean;
  ignoredWithin: boolean;
  /** A sign that is read as a letter only in the midst of a word, and here it stands before or behind one. */
  readonly isPunctuation: boolean;
}

/** Gives letter `n` of a text, or undefined after the last one. */
export type Letters = (index: number) => Letter | undefined;

/** The marks of a letter: its own, and those that follow it. */
export function marksOf({ reading, index, marks }: Letter): readonly number[] {
  return index !== reading.bearer || reading.marks.length === 0 ? marks : [...reading.marks, ...marks];
}

/** Shared, and never added to. */
const noMarks: number[] = [];

/** Reads a text from an offset on, up to another. Marks before the first letter are passed over. */
export function lettersFrom(text: string, from: number, to = text.length): Letters {
  const letters: Letter[] = [];
  let at = from;
  let ignored = false;

  const readMarks = (last: Letter) => {
    let inside = false;
    while (at < to) {
      const code = text.codePointAt(at)!;
      const { kind, marks } = readingOf(code);
      if (kind !== 'mark' && kind !== 'ignorable') break;
      at += code > 0xffff ? 2 : 1;
      if (kind === 'ignorable') inside = true;
      else {
        if (last.marks === noMarks) last.marks = [...marks];
        else last.marks.push(...marks);
        last.end = at;
        last.ignoredWithin ||= inside;
        inside = false;
      }
    }
    ignored = inside;
  };

  const readOn = () => {
    const start = at;
    const code = text.codePointAt(at)!;
    const reading = readingOf(code);
    at += code > 0xffff ? 2 : 1;
    let ignoredWithin = false;
    if (isWhite(code)) {
      for (let next = spaceFrom(text, at, to); next > at; next = spaceFrom(text, at, to)) {
        ignoredWithin ||= next > at + 1;
        at = next;
      }
    }
    const end = at;
    const isPunctuation = code === EXCLAMATION && !isAmidWord(text, start);
    for (let index = 0; index < reading.letters.length; index++) {
      letters.push({
        base: reading.letters[index]!,
        reading,
        index,
        from: start,
        to: end,
        marks: noMarks,
        end,
        ignoredBefore: ignored && index === 0,
        ignoredWithin,
        isPunctuation,
      });
    }
    if (reading.kind === 'ignorable') ignored = true;
    else if (reading.letters.length > 0) readMarks(letters.at(-1)!);
  };

  return (index) => {
    while (index >= letters.length && at < to) readOn();
    return letters[index];
  };
}

const EXCLAMATION = 0x21;
/** A run of more signs than this is no part of a word; so the look around a sign takes no longer. */
const MAX_SIGNS = 16;
const spoken = /^[\p{L}\p{N}]$/u;

/** Whether a letter or a number stands on both sides of a character, and no white space between. */
function isAmidWord(text: string, at: number): boolean {
  return isSpokenBefore(text, at) && isSpokenFrom(text, at + 1);
}

function isSpokenBefore(text: string, offset: number): boolean {
  for (let at = offset, signs = 0; at > 0 && signs <= MAX_SIGNS; signs++) {
    at -= isPairBefore(text, at) ? 2 : 1;
    const code = text.codePointAt(at)!;
    if (isSpoken(code)) return true;
    if (isWhite(code)) return false;
  }
  return false;
}

function isSpokenFrom(text: string, offset: number): boolean {
  for (let at = offset, signs = 0; at < text.length && signs <= MAX_SIGNS; signs++) {
    const code = text.codePointAt(at)!;
    if (isSpoken(code)) return true;
    if (isWhite(code)) return false;
    at += code > 0xffff ? 2 : 1;
  }
  return false;
}

function isSpoken(code: number): boolean {
  if (code > 0x7f) return spoken.test(String.fromCodePoint(code));
  const small = code | 0x20;
  return (code >= 0x30 && code <= 0x39) || (small >= 0x61 && small <= 0x7a);
}

/** Where white space ends that stands at an offset, or behind what is hidden there; the offset itself when there is none. */
function spaceFrom(text: string, from: number, to: number): number {
  let at = from;
  while (at < to && !isSpace(text, at)) {
    const code = text.codePointAt(at)!;
    if (readingOf(code).kind !== 'ignorable') return from;
    at += code > 0xffff ? 2 : 1;
  }
  return at < to ? at + 1 : from;
}

/** White space that is not ignorable at once, as the byte order mark is. */
function isSpace(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  return isWhite(unit) && unit !== 0xfeff;
}

/** The reading of the character before an offset, marks and ignorable characters overlooked. */
export function visibleBefore(text: string, offset: number): Reading | undefined {
  for (let at = offset; at > 0; ) {
    at -= isPairBefore(text, at) ? 2 : 1;
    const reading = readingOf(text.codePointAt(at)!);
    if (reading.kind !== 'mark' && reading.kind !== 'ignorable') return reading;
  }
  return undefined;
}

/** The reading of the character at an offset, marks and ignorable characters overlooked. */
export function visibleAfter(text: string, offset: number): Reading | undefined {
  for (let at = offset; at < text.length; ) {
    const code = text.codePointAt(at)!;
    const reading = readingOf(code);
    if (reading.kind !== 'mark' && reading.kind !== 'ignorable') return reading;
    at += code > 0xffff ? 2 : 1;
  }
  return undefined;
}

/** Whether a pair of surrogates ends at an offset. */
export function isPairBefore(text: string, at: number): boolean {
  return at >= 2 && (text.charCodeAt(at - 1) & 0xfc00) === 0xdc00 && (text.charCodeAt(at - 2) & 0xfc00) === 0xd800;
}
