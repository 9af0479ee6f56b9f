/**
 * The terms of a list as letters with their marks, in flat arrays, and what holds of each term.
 *
 * A *run* are letters that follow each other and are the same letter with the same marks: the two
 * `o` of `fool`. Equal letters of all terms are one entry of a table.
 */
import type { Portions } from '../../../foundation/portions.js';
import { DOTS, ELLIPSIS, foldCodePoint, isWhite, WHITE } from '../folding.js';
import { TermPool } from '../term-pool.js';
import { freeSidesOf, joinsWords, type WordReading } from '../word-edges.js';
import { DOTTED_I, decompositionOf } from './decompositions.js';
import { type Letter, Letters, marksOf } from './letters.js';
import { composeSyllables, hasSyllableParts } from './text-forms.js';

/** A letter of a term. */
export interface TermLetter extends Letter {
  /** The marks that a text must have to be equal without a transform, ascending. */
  readonly wantedMarks: readonly number[];
  /** Whether it joins words, and whether it is a letter and no digit or sign. */
  readonly joins: boolean;
  readonly isAlphabetic: boolean;
}

/** The fewest letters of a term that may be spaced out or have signs in it. */
export const FEWEST_APART = 3;
/** Longer terms are read by case alone, so that an alignment takes a bounded time. */
const MOST_LETTERS = 200;

/** Bits of what holds of a term. It is read by case alone: in no disguise. */
export const CASE_ONLY = 1;
/** It has hidden characters, which its letters do not show. */
export const HAS_HIDDEN = 2;
/** The plain matcher has it as well, since letters do not show all of it. */
export const SCANNED_PLAIN = 4;
/** It may be spaced out: it is one word of `FEWEST_APART` letters or numbers or more. */
export const SPACEABLE = 8;
/** It has no more than `FEWEST_APART` letters, so that none is read doubled. */
export const SHORT = 16;
/** It may have signs in its words: as `SPACEABLE`, but of any number of words. */
export const BREAKABLE = 32;
/** Masks may stand for its letters: as `BREAKABLE`, and each character is one letter. */
export const MASKABLE = 64;

export class Terms {
  readonly pool: TermPool;
  /** Sides of each term that need no word edge: `FREE_START`, `FREE_END`. */
  readonly free: Uint8Array;
  readonly letters: readonly TermLetter[];
  /** Run that each letter of the table belongs to where equal ones follow each other. */
  readonly runOf: readonly number[];
  /**
   * Letters of term `n`: `numbers[at]`, `at` from `from[n]` up to but not including `from[n + 1]`.
   */
  readonly numbers: Int32Array;
  readonly from: Int32Array;
  /** So many runs of white space a term has at most. */
  readonly mostSpaces: number;
  /** Terms that the plain matcher has, and whether one of them has no letters to stop at. */
  readonly scannedPlain: readonly number[];
  readonly needsPlainScan: boolean;
  readonly #flags: Uint8Array;

  private constructor(pool: TermPool, free: Uint8Array, read: TermReader) {
    this.pool = pool;
    this.free = free;
    this.letters = read.table.all;
    this.runOf = read.table.runOf;
    this.numbers = Int32Array.from(read.numbers);
    this.from = read.from;
    this.mostSpaces = read.mostSpaces;
    this.scannedPlain = read.scannedPlain;
    this.needsPlainScan = read.needsPlainScan;
    this.#flags = read.flags;
  }

  /** Reads terms, in portions. */
  static *of(written: readonly string[], readings: WordReading | readonly WordReading[]): Portions<Terms> {
    const pool = yield* TermPool.of(written, 'case');
    const reader = new TermReader(written.length);
    let left = LETTERS_AT_ONCE;
    for (let term = 0; term < written.length; term++) {
      left -= written[term]!.length + 1;
      if (left < 0) {
        left = LETTERS_AT_ONCE;
        yield;
      }
      reader.read(written[term]!, term, pool.from[term] === pool.from[term + 1]);
    }
    return new Terms(pool, freeSidesOf(readings, written.length), reader);
  }

  /** Reports whether a bit holds of a term. */
  is(term: number, flag: number): boolean {
    return (this.#flags[term]! & flag) !== 0;
  }

  /**
   * Returns the end of a term that begins at an offset and takes case folding alone, or -1. Word
   * edges are not tested.
   */
  plainEnd(term: number, text: string, start: number): number {
    const { symbols, from } = this.pool;
    let at = start;
    for (let index = from[term]!; index < from[term + 1]!; index++) {
      if (at >= text.length) return -1;
      const code = text.codePointAt(at)!;
      if (symbols[index] === WHITE) {
        if (!isWhite(code)) return -1;
        while (at < text.length && isWhite(text.charCodeAt(at))) at++;
      } else {
        if (code === ELLIPSIS && this.pool.hasDots(term, index + DOTS - 1)) index += DOTS - 1;
        else if (isWhite(code) || foldCodePoint(code, 'case') !== symbols[index]) return -1;
        at += code > 0xffff ? 2 : 1;
      }
    }
    return at;
  }
}

/** So many letters are read in a portion of work: each takes as long as many steps of others. */
const LETTERS_AT_ONCE = 128;

const alphabetic = /^\p{L}$/u;
const alphanumeric = /[\p{L}\p{N}]/u;
const beyondAscii = /[^\0-\x7f]/;
const hiddenOrMark = /\p{Default_Ignorable_Code_Point}|[\u20e3\u0640\u2800]|^\p{M}/u;
/** Characters that case folding reads otherwise than readers do. */
const byteOrderMark = /\ufeff/;

class TermReader {
  readonly table = new LetterTable();
  readonly numbers: number[] = [];
  readonly from: Int32Array;
  readonly flags: Uint8Array;
  readonly scannedPlain: number[] = [];
  mostSpaces = 0;
  needsPlainScan = false;
  readonly #letters = new Letters({ steps: 0 });

  constructor(count: number) {
    this.from = new Int32Array(count + 1);
    this.flags = new Uint8Array(count);
  }

  read(term: string, index: number, isBlank: boolean): void {
    if (!isBlank) this.#read(term, index);
    this.from[index + 1] = this.numbers.length;
  }

  #read(term: string, index: number): void {
    const composed = composeSyllables(term)?.text ?? term;
    const isLong = composed.length > MOST_READ;
    const read = isLong ? composed.slice(0, MOST_READ) : composed;
    this.#letters.begin(read);
    const all = this.#letters.between(0, read.length);
    const first = all.findIndex(({ base }) => base !== WHITE);
    const last = all.findLastIndex(({ base }) => base !== WHITE);
    const numbers = all.slice(Math.max(first, 0), last + 1).map((letter) => this.table.numberOf(letter));
    // The last character of a stretch may have been cut in two.
    if (isLong) numbers.pop();
    if (numbers.length > MOST_LETTERS) numbers.length = MOST_LETTERS;
    const letters = numbers.map((number) => this.table.all[number]!);
    const isCaseOnly = isLong || all.length > MOST_LETTERS || isReadByCase(term, letters, all.length);
    const flags = flagsOf(term, letters, isCaseOnly);
    this.flags[index] = flags;
    if ((flags & SCANNED_PLAIN) !== 0) {
      this.scannedPlain.push(index);
      // The letters of a long term are a beginning of it, which may stand where none ends.
      if (numbers.length === 0 || byteOrderMark.test(term)) this.needsPlainScan = true;
    }
    let spaces = 0;
    for (const number of numbers) {
      this.numbers.push(number);
      if (this.table.all[number]!.base === WHITE) spaces++;
    }
    this.mostSpaces = Math.max(this.mostSpaces, spaces);
  }
}

/** Units that are read of a term: more than letters that are compared take. */
const MOST_READ = 4 * MOST_LETTERS;

/**
 * Reports whether a term is read by case alone; `read`: how many letters it has with outer white
 * space.
 */
function isReadByCase(term: string, letters: readonly TermLetter[], read: number): boolean {
  if (letters.length === 0 || letters.length < read) return true;
  if (isWhite(term.charCodeAt(0)) || isWhite(term.charCodeAt(term.length - 1))) return true;
  if (!beyondAscii.test(term)) return false;
  // Letters that symbols alone are read as make no word: a flag is that flag.
  const isOfSymbols = !alphanumeric.test(term) && letters.some((letter) => letter.isAlphabetic);
  return isOfSymbols || beginsWithMark(term);
}

function flagsOf(term: string, letters: readonly TermLetter[], isCaseOnly: boolean): number {
  const hasHidden = beyondAscii.test(term) && hiddenOrMark.test(term);
  const isBreakable =
    letters.length >= FEWEST_APART &&
    letters.every(
      ({ base, joins, isAlphabetic }) =>
        base === WHITE || (joins && (isAlphabetic || alphanumeric.test(String.fromCodePoint(base)))),
    );
  const isMaskable = isBreakable && letters.every(({ decomposition }) => decomposition.letters.length === 1);
  const isSpaceable = isBreakable && letters.every(({ base }) => base !== WHITE);
  return (
    (isCaseOnly ? CASE_ONLY : 0) |
    (hasHidden ? HAS_HIDDEN : 0) |
    (isCaseOnly || hasHidden || hasSyllableParts(term) ? SCANNED_PLAIN : 0) |
    (isBreakable ? BREAKABLE : 0) |
    (isMaskable ? MASKABLE : 0) |
    (isSpaceable ? SPACEABLE : 0) |
    (letters.filter(({ base }) => base !== WHITE).length <= FEWEST_APART ? SHORT : 0)
  );
}

/**
 * Reports whether a mark stands before the first letter, where no letter of a text could have it.
 */
function beginsWithMark(term: string): boolean {
  if (!beyondAscii.test(term)) return false;
  for (const character of term) {
    const { kind } = decompositionOf(character.codePointAt(0)!);
    if (kind !== 'ignorable') return kind === 'mark';
  }
  return false;
}

/** More letters no character has. */
const MOST_PARTS = 32;

/** The letters of all terms, each once, numbered as they come. */
class LetterTable {
  readonly all: TermLetter[] = [];
  readonly runOf: number[] = [];
  /** Numbers by character and place in it; by marks as well where some follow. */
  readonly #plain = new Map<number, number>();
  readonly #marked = new Map<string, number>();
  readonly #runs = new Map<string, number>();

  numberOf(letter: Letter): number {
    const { decomposition, index, marks } = letter;
    const key = decomposition.code * MOST_PARTS + index;
    const known = marks.length === 0 ? this.#plain.get(key) : this.#marked.get(`${key} ${marks.join()}`);
    if (known !== undefined) return known;
    const added = toTermLetter(letter);
    const number = this.all.push(added) - 1;
    const run = `${added.base} ${added.wantedMarks.join()}`;
    if (!this.#runs.has(run)) this.#runs.set(run, this.#runs.size);
    this.runOf.push(this.#runs.get(run)!);
    if (marks.length === 0) this.#plain.set(key, number);
    else this.#marked.set(`${key} ${marks.join()}`, number);
    return number;
  }
}

function toTermLetter(letter: Letter): TermLetter {
  const { base, decomposition, marks } = letter;
  // The dot of `İ` is not a mark that a text must have: in Turkish it is the `i`'s own.
  const wantedMarks = decomposition.code === DOTTED_I ? marks : marksOf(letter);
  return {
    ...letter,
    wantedMarks: [...wantedMarks].sort((left, right) => left - right),
    joins: base !== WHITE && joinsWords(base),
    isAlphabetic: base !== WHITE && alphabetic.test(String.fromCodePoint(base)),
  };
}
