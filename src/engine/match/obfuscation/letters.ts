/**
 * A text as letters with their places, read as far as they are needed: what terms are compared with.
 *
 * A character is one letter, several (`æ`), or none: marks belong to the letter before, and ignorable characters are
 * passed over, but it is noted that one was there. A run of white space is one letter. What the letters of a character
 * are is in `decompositions.ts`.
 */

import { isWhite } from '../folding.js';
import { firstWhere } from '../ordered.js';
import { isPairBefore } from '../surrogates.js';
import { FREE_END, FREE_START, isWordEdge, linksWords } from '../word-edges.js';
import { IOTA_BELOW } from './composed-text.js';
import { type Decomposition, decompositionOf } from './decompositions.js';

export interface Letter {
  /** The letter as a code point, folded and without marks; `WHITE` for white space. */
  readonly base: number;
  /** That of the character which it comes from; `index` is its place among the letters of that character. */
  readonly decomposition: Decomposition;
  readonly index: number;
  /** The span of the character, in UTF-16 units; of a run of white space, all of it. */
  readonly from: number;
  readonly to: number;
  /** Marks that follow the character, when this is its last letter. */
  marks: number[];
  /** End of the last of these marks. */
  end: number;
  /** An ignorable character stands between the letter before and this one. */
  readonly ignoredBefore: boolean;
  /** One stands between this letter and its last mark, or in the run of white space. */
  ignoredWithin: boolean;
  /** A sign that is read as a letter only before other letters, and here it stands behind them. */
  readonly isPunctuation: boolean;
}

/** Letters one after the other: `at` gives letter `n`, or undefined behind the last one. */
export interface Letters {
  at(index: number): Letter | undefined;
}

/** Returns the marks of a letter: its own, and those that follow it. */
export function marksOf({ decomposition, index, marks }: Letter): readonly number[] {
  return index !== decomposition.bearer || decomposition.marks.length === 0
    ? marks
    : [...decomposition.marks, ...marks];
}

/** Reports whether two letters have the same marks in the same order. */
export function haveSameMarks(one: Letter, other: Letter): boolean {
  if (one.marks.length === 0 && other.marks.length === 0 && one.decomposition === other.decomposition) return true;
  const left = marksOf(one);
  const right = marksOf(other);
  return left.length === right.length && left.every((mark, index) => mark === right[index]);
}

/** Counts letters that were read and compared: what a text takes beyond the automaton. */
export interface Work {
  steps: number;
}

/** A character that links words, where it stands between two word characters. */
let linking: Decomposition | undefined;

/** Shared, and never added to. */
const noMarks: number[] = [];

/** Reads the letters of a text from an offset up to another. Marks before the first letter are passed over. */
export class LetterReader implements Letters {
  readonly text: string;
  readonly #letters: Letter[] = [];
  readonly #to: number;
  readonly #work: Work;
  #at: number;
  /** An ignorable character was the last that was read. */
  #ignored = false;

  constructor(text: string, work: Work, from: number, to = text.length) {
    this.text = text;
    this.#work = work;
    this.#at = from;
    this.#to = to;
  }

  /** Returns the offset before which every letter is read. */
  get readTo(): number {
    return this.#at;
  }

  at(index: number): Letter | undefined {
    while (index >= this.#letters.length && this.#at < this.#to) this.#readCharacter();
    return this.#letters[index];
  }

  /** Returns the index of the first letter at an offset or behind it. */
  indexOf(offset: number): number {
    while (this.#at < offset && this.#at < this.#to) this.#readCharacter();
    return firstWhere(0, this.#letters.length, (index) => this.#letters[index]!.from >= offset);
  }

  all(): readonly Letter[] {
    while (this.#at < this.#to) this.#readCharacter();
    return this.#letters;
  }

  #readCharacter(): void {
    this.#work.steps++;
    const { text } = this;
    const from = this.#at;
    const code = text.codePointAt(from)!;
    let decomposition = decompositionOf(code);
    if (linksWords(code) && !isWordEdge(text, from))
      decomposition = linking ??= { ...decomposition, kind: 'letter', joins: true };
    this.#at += code > 0xffff ? 2 : 1;
    if (decomposition.kind === 'ignorable') this.#ignored = true;
    const { letters } = decomposition;
    if (letters.length === 0) return;
    const ignoredWithin = isWhite(code) && this.#readWhite();
    const isPunctuation = code === EXCLAMATION && !isBeforeWord(text, from + 1);
    const to = this.#at;
    const end = to;
    for (let index = 0; index < letters.length; index++) {
      this.#letters.push({
        base: letters[index]!,
        decomposition,
        index,
        from,
        to,
        marks: noMarks,
        end,
        ignoredBefore: this.#ignored && index === 0,
        ignoredWithin,
        isPunctuation,
      });
    }
    this.#readMarks(this.#letters.at(-1)!);
  }

  /** Reads the rest of a run of white space. Returns whether something hidden stands in it. */
  #readWhite(): boolean {
    let hidden = false;
    for (let next = this.#at; ; ) {
      while (next < this.#to && decompositionOf(this.text.codePointAt(next)!).kind === 'ignorable')
        next += this.text.codePointAt(next)! > 0xffff ? 2 : 1;
      if (next >= this.#to || !isWhite(this.text.charCodeAt(next))) return hidden;
      hidden ||= next > this.#at;
      this.#at = ++next;
    }
  }

  #readMarks(last: Letter): void {
    this.#ignored = false;
    for (; this.#at < this.#to; ) {
      const code = this.text.codePointAt(this.#at)!;
      const { kind, marks } = decompositionOf(code);
      if (kind !== 'mark' && kind !== 'ignorable') return;
      this.#at += code > 0xffff ? 2 : 1;
      if (kind === 'ignorable') this.#ignored = true;
      else {
        if (last.marks === noMarks) last.marks = [...marks];
        else for (const mark of marks) last.marks.push(mark);
        last.end = this.#at;
        last.ignoredWithin ||= this.#ignored;
        this.#ignored = false;
      }
    }
  }
}

const EXCLAMATION = 0x21;
/** A longer run of signs is not a part of a word, so that the look around a sign takes a bounded time. */
const MAX_SIGNS = 16;
const alphanumeric = /^[\p{L}\p{N}]$/u;

/** Reports whether a letter or a number stands at an offset, or behind signs there. */
function isBeforeWord(text: string, offset: number): boolean {
  let at = offset;
  for (let signs = 0; signs <= MAX_SIGNS && at < text.length; signs++) {
    const code = text.codePointAt(at)!;
    if (alphanumeric.test(String.fromCodePoint(code))) return true;
    if (isWhite(code)) return false;
    at += code > 0xffff ? 2 : 1;
  }
  return false;
}

/** Returns the start of the last character before an offset that is not a mark or ignorable, or -1. */
export function visibleBefore(text: string, offset: number): number {
  for (let at = offset; at > 0; ) {
    at -= isPairBefore(text, at) ? 2 : 1;
    if (decompositionOf(text.codePointAt(at)!).letters.length > 0) return at;
  }
  return -1;
}

/** Returns the start of the first character from an offset on that is not a mark or ignorable, or the length of the text. */
export function visibleAfter(text: string, offset: number): number {
  let at = offset;
  for (; at < text.length; at += text.codePointAt(at)! > 0xffff ? 2 : 1)
    if (decompositionOf(text.codePointAt(at)!).letters.length > 0) break;
  return at;
}

/** Returns the end of the last mark that belongs to the character before an offset, or the offset. */
export function endOfMarks(text: string, offset: number): number {
  let end = offset;
  for (let at = offset; at >= 0 && at < text.length; ) {
    const code = text.codePointAt(at)!;
    const { kind } = decompositionOf(code);
    if (kind !== 'mark' && kind !== 'ignorable') break;
    at += code > 0xffff ? 2 : 1;
    if (kind === 'mark') end = at;
  }
  return end;
}

/** Reports whether a mark stands right before or behind a stretch of text, on a side that is not `free`. */
export function isMarkBeside(text: string, start: number, end: number, free: number): boolean {
  const sides = [(free & FREE_START) === 0 ? start - 1 : -1, (free & FREE_END) === 0 ? end : -1];
  const besides = sides.filter((at) => at >= 0 && at < text.length);
  return besides.some(
    (at) => decompositionOf(text.charCodeAt(at)).kind === 'mark' || text.charCodeAt(at) === IOTA_BELOW,
  );
}

/** UTF-16 units of one of the two letters that a flag is. */
const FLAG_HALF = 2;

/** Reports whether a stretch of text is one flag, which stands for a country and not for a word of two letters. */
export function isFlag(text: string, start: number, end: number): boolean {
  const isHalf = (at: number) => text.codePointAt(at)! >= 0x1f1e6 && text.codePointAt(at)! <= 0x1f1ff;
  return end - start === 2 * FLAG_HALF && isHalf(start) && isHalf(start + FLAG_HALF);
}
