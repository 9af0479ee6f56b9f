/**
 * The letters of a text: what terms are compared with.
 *
 * A character is one letter, several (`æ`), or none: marks belong to the letter before them, and
 * hidden characters are passed over, but it is noted that they were there. A run of white space is
 * one letter. A *cluster* is a character with the marks and hidden characters after it. Clusters
 * are read where they are asked for, forwards from where one begins or backwards from where one
 * ends, and kept for the text, so that each is read once.
 */
import { BYTE_ORDER_MARK, isWhite } from '../folding.js';
import { isPairBefore } from '../surrogates.js';
import { FREE_END, FREE_START, isWordEdge, linksWords } from '../word-edges.js';
import { type Decomposition, decompositionOf } from './decompositions.js';

const { charCodeAt, codePointAt } = String.prototype;

export interface Letter {
  /** The letter as a code point, folded and without marks; `WHITE` for white space. */
  readonly base: number;
  /** The decomposition of its character; `index` is its place among the letters of that. */
  readonly decomposition: Decomposition;
  readonly index: number;
  /** The span of the character in UTF-16 units; of white space, all of the run. */
  readonly from: number;
  readonly to: number;
  /** Marks that follow the character, if this is its last letter, and the end of the last one. */
  marks: readonly number[];
  end: number;
  /** Whether a hidden character stands between the cluster before and this one. */
  ignoredBefore: boolean;
  /** Whether one stands before the last mark, or within the run of white space. */
  ignoredWithin: boolean;
  /** Whether it is an exclamation mark with no word after it, which is never a letter. */
  readonly isPunctuation: boolean;
}

/** A character with what belongs to it; at the beginning of a text, marks without a character. */
interface Cluster {
  readonly from: number;
  readonly to: number;
  readonly letters: readonly Letter[];
  /** Whether it ends in a hidden character. */
  readonly isHiddenBehind: boolean;
}

/** Returns the marks of a letter: its own, and those that follow it. */
export function marksOf({ decomposition, index, marks }: Letter): readonly number[] {
  if (index !== decomposition.bearer || decomposition.marks.length === 0) return marks;
  return marks.length === 0 ? decomposition.marks : [...decomposition.marks, ...marks];
}

/** Reports whether two letters have the same marks in the same order. */
export function haveSameMarks(first: Letter, second: Letter): boolean {
  const left = marksOf(first);
  const right = marksOf(second);
  if (left.length !== right.length) return false;
  for (let at = 0; at < left.length; at++) if (left[at] !== right[at]) return false;
  return true;
}

/** Counts characters that were read and letters that were compared. */
export interface Work {
  steps: number;
}

/** The decomposition of a character that links words and stands between two of them. */
let linking: Decomposition | undefined;
const noMarks: readonly number[] = [];
const EXCLAMATION = 0x21;
/** No text is longer than this. */
const TEXT_LENGTHS = 2 ** 30;
/** So many clusters are kept at once, a power of two. */
const MOST_KEPT = 1 << 12;

/** Clusters of one text by an offset, each in the place of the offset's last bits. */
class KeptClusters {
  readonly #clusters = new Array<Cluster | undefined>(MOST_KEPT);
  /** The keys of clusters: the offset, and which text it was. */
  readonly #keys = new Float64Array(MOST_KEPT);
  #first = 0;

  forget(): void {
    this.#first += TEXT_LENGTHS;
    if (this.#first < Number.MAX_SAFE_INTEGER - TEXT_LENGTHS) return;
    this.#first = 0;
    this.#keys.fill(-1);
  }

  get(offset: number): Cluster | undefined {
    const slot = offset & (MOST_KEPT - 1);
    return this.#keys[slot] === this.#first + offset ? this.#clusters[slot] : undefined;
  }

  keep(offset: number, cluster: Cluster): Cluster {
    const slot = offset & (MOST_KEPT - 1);
    this.#keys[slot] = this.#first + offset;
    this.#clusters[slot] = cluster;
    return cluster;
  }
}

export class Letters {
  readonly #work: Work;
  #text = '';
  /** Clusters that were read forwards, by where they begin, and backwards, by where they end. */
  readonly #from = new KeptClusters();
  readonly #to = new KeptClusters();
  #at = 0;

  constructor(work: Work) {
    this.#work = work;
  }

  /** Begins a text. */
  begin(text: string): void {
    this.#text = text;
    this.#from.forget();
    this.#to.forget();
  }

  /** Returns the cluster that ends at an offset, or undefined at the beginning of the text. */
  before(end: number): Cluster | undefined {
    if (end <= 0) return undefined;
    return this.#to.get(end) ?? this.#to.keep(end, this.#read(this.#startOf(end), end));
  }

  /** Returns the cluster that begins at an offset, or undefined at the end of the text. */
  from(start: number): Cluster | undefined {
    if (start >= this.#text.length) return undefined;
    return this.#from.get(start) ?? this.#from.keep(start, this.#read(start, this.#text.length));
  }

  /** Returns the letters of clusters from one offset to another, where clusters begin or end. */
  between(start: number, end: number): Letter[] {
    const all: Letter[] = [];
    let hidden = false;
    for (let at = start; at < end; ) {
      const { to, letters, isHiddenBehind } = this.from(at)!;
      for (const letter of letters) all.push(letter);
      if (letters.length > 0 && at > start) letters[0]!.ignoredBefore = hidden;
      hidden = isHiddenBehind;
      at = to;
    }
    return all;
  }

  #startOf(end: number): number {
    const text = this.#text;
    let at = end;
    while (at > 0) {
      this.#work.steps++;
      at -= isPairBefore(text, at) ? 2 : 1;
      const unit = charCodeAt.call(text, at);
      if (isSpace(unit)) return this.#startOfWhite(at);
      if (unit < 0x80) return at;
      const { kind } = decompositionOf(codePointAt.call(text, at)!);
      if (kind !== 'mark' && kind !== 'ignorable') return at;
    }
    return 0;
  }

  /** Returns where a run of white space begins that has a unit at an offset. */
  #startOfWhite(last: number): number {
    const text = this.#text;
    let start = last;
    for (let at = last; at > 0; ) {
      at -= isPairBefore(text, at) ? 2 : 1;
      this.#work.steps++;
      const unit = charCodeAt.call(text, at);
      if (isSpace(unit)) start = at;
      else if (unit < 0x80 || decompositionOf(codePointAt.call(text, at)!).kind !== 'ignorable') break;
    }
    return start;
  }

  #read(from: number, limit: number): Cluster {
    const text = this.#text;
    this.#work.steps++;
    const code = codePointAt.call(text, from)!;
    let decomposition = decompositionOf(code);
    if (linksWords(code) && !isWordEdge(text, from))
      decomposition = linking ??= { ...decomposition, kind: 'letter', joins: true };
    this.#at = from;
    const letters: Letter[] = [];
    if (decomposition.letters.length > 0) {
      this.#at += code > 0xffff ? 2 : 1;
      const ignoredWithin = isWhite(code) && this.#readWhite(limit);
      const isPunctuation = code === EXCLAMATION && !isBeforeWord(text, from + 1);
      const to = this.#at;
      const { letters: bases } = decomposition;
      for (let index = 0; index < bases.length; index++)
        letters.push({
          base: bases[index]!,
          decomposition,
          index,
          from,
          to,
          marks: noMarks,
          end: to,
          ignoredBefore: false,
          ignoredWithin,
          isPunctuation,
        });
    }
    const isHiddenBehind = this.#readMarks(letters.at(-1), limit);
    return { from, to: this.#at, letters, isHiddenBehind };
  }

  /** Reads the rest of a run of white space. Returns whether something hidden stands in it. */
  #readWhite(limit: number): boolean {
    const text = this.#text;
    let hidden = false;
    for (let next = this.#at; ; ) {
      while (next < limit && isHidden(text, next)) next += codePointAt.call(text, next)! > 0xffff ? 2 : 1;
      if (next >= limit || !isWhite(charCodeAt.call(text, next))) return hidden;
      hidden ||= next > this.#at;
      this.#at = ++next;
      this.#work.steps++;
    }
  }

  /**
   * Reads the marks after a character. Returns whether something hidden stands after the last
   * one.
   */
  #readMarks(last: Letter | undefined, limit: number): boolean {
    let hidden = false;
    let marks: number[] | undefined;
    while (this.#at < limit) {
      const code = codePointAt.call(this.#text, this.#at)!;
      if (code < 0x80) break;
      const decomposition = decompositionOf(code);
      if (decomposition.kind !== 'mark' && decomposition.kind !== 'ignorable') break;
      this.#work.steps++;
      this.#at += code > 0xffff ? 2 : 1;
      if (decomposition.kind === 'ignorable') hidden = true;
      else if (last !== undefined) {
        marks ??= [];
        for (const mark of decomposition.marks) marks.push(mark);
        last.end = this.#at;
        last.ignoredWithin ||= hidden;
        hidden = false;
      }
    }
    if (marks !== undefined) last!.marks = marks;
    return hidden;
  }
}

/** Reports whether a unit is white space to readers. */
function isSpace(unit: number): boolean {
  return isWhite(unit) && unit !== BYTE_ORDER_MARK;
}

function isHidden(text: string, at: number): boolean {
  return charCodeAt.call(text, at) >= 0x80 && decompositionOf(codePointAt.call(text, at)!).kind === 'ignorable';
}

/**
 * A longer run of signs is not a part of a word, so that the look around a sign takes a bounded
 * time.
 */
const MAX_SIGNS = 16;
const alphanumeric = /^[\p{L}\p{N}]$/u;

/** Reports whether a letter or a number stands at an offset, or after signs there. */
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

/**
 * Returns the end of the last mark that belongs to the character before an offset, or the offset.
 */
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

/** Reports whether a mark stands right beside a stretch of text, on a side that is not `free`. */
export function isMarkBeside(text: string, start: number, end: number, free: number): boolean {
  const sides = [(free & FREE_START) === 0 ? start - 1 : -1, (free & FREE_END) === 0 ? end : -1];
  return sides.some((at) => at >= 0 && at < text.length && decompositionOf(charCodeAt.call(text, at)).kind === 'mark');
}

/** UTF-16 units of one of the two letters that a flag is. */
const FLAG_HALF = 2;

/** Reports whether a stretch of text is one flag, which stands for a country and for no word. */
export function isFlag(text: string, start: number, end: number): boolean {
  const isHalf = (at: number) => text.codePointAt(at)! >= 0x1f1e6 && text.codePointAt(at)! <= 0x1f1ff;
  return end - start === 2 * FLAG_HALF && isHalf(start) && isHalf(start + FLAG_HALF);
}
