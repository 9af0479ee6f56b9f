/**
 * Isolated letters, as of `f u c k` or `f.u.c.k`: characters that no letter touches, with nothing but separators of one kind
 * between them.
 */
import { isWhite, WHITE } from '../folding.js';
import { isPairBefore } from '../surrogates.js';
import { FREE_END, FREE_START } from '../word-edges.js';
import { mayReadAsLetter } from './confusables.js';
import { decompositionOf } from './decompositions.js';
import { type Letter, LetterReader, type Letters, visibleAfter, visibleBefore, type Work } from './letters.js';
import type { Lexicon } from './lexicon.js';
import { FEWEST_SPACED, SHORT, SPACEABLE } from './term-letters.js';

const codesOf = (signs: string) => new Set(Array.from(signs, (sign) => sign.charCodeAt(0)));
/** What may stand between letters; white space too. */
const separators = codesOf('.-_*,/\\|~+=:;\'"^#&·•‧∙・…–—');
/** Separators that can also be read as letters. */
const bars = codesOf('|+');
/** It joins words, but it separates letters here. */
const UNDERSCORE = 0x5f;
/** So many separators may stand between two letters. */
const MOST_SEPARATORS = 3;
/** Stands among separators for what makes them none: marks on one. */
const NO_SEPARATOR = -2;

/** Whether a character may stand between isolated letters. */
export function isSeparator(code: number): boolean {
  return isWhite(code) || separators.has(code);
}

/**
 * What a character is among isolated letters: a letter, white space or another sign that separates, a sign that may be either (a bar), a
 * sign that may be a letter, or none of these. `SAME` is one more letter of a character.
 */
export const Isolation = { NONE: 0, LETTER: 1, SPACE: 2, SEPARATOR: 3, BAR: 4, SIGN: 5, SAME: 6 } as const;
/** Added where the character may be a letter of a term, and no digit or sign for one: some of those that are spaced must be. */
export const ALPHABETIC = 8;
/** Added where a term may begin with the character. */
export const BEGINS = 16;
const KIND = 7;

/** The same without what is added. */
export function plainIsolation(isolation: number): number {
  return isolation & KIND;
}

export function isolationOf(code: number): number {
  if (isWhite(code)) return Isolation.SPACE;
  if (bars.has(code)) return Isolation.BAR;
  if (separators.has(code)) return Isolation.SEPARATOR;
  const { kind } = decompositionOf(code);
  if (kind === 'letter') return Isolation.LETTER;
  return kind === 'symbol' ? Isolation.SIGN : Isolation.NONE;
}

/**
 * What a state of the automaton holds of isolated letters, a set as bits. The last character was the first of them; the next one may be the first.
 * And for white space, and the same shifted for other separators: it was the second, the third or a later one with these between; the
 * next one may be the second, the third. One of them was alphabetic. The number of separators is not in it.
 */
const WAS_FIRST = 1;
const MAY_BE_FIRST = 2;
const IS_ALPHABETIC = 4;
const WAS_SECOND = 8;
const WAS_THIRD = 16;
const MAY_BE_SECOND = 32;
const MAY_BE_THIRD = 64;
const MAY_BE = MAY_BE_SECOND | MAY_BE_THIRD;
const KIND_BITS = 4;
/** The last character was white space; it was a bar behind white space, which is no letter before white space. */
const WAS_SPACE = 1 << 11;
const WAS_BAR = 1 << 12;
const THIRDS = WAS_THIRD | (WAS_THIRD << KIND_BITS);
const WAS = WAS_FIRST | WAS_SECOND | (WAS_SECOND << KIND_BITS) | THIRDS;
/** Before a text. */
export const START = MAY_BE_FIRST | WAS_SPACE;

export function isolationAfter(state: number, isolation: number): number {
  const kind = isolation & KIND;
  const isCell = (state & WAS_BAR) !== 0 && kind === Isolation.SPACE;
  const before = isCell ? state & ~WAS : state;
  if (kind === Isolation.SAME) return before | ((isolation & ALPHABETIC) !== 0 ? IS_ALPHABETIC : 0);
  let after = 0;
  if (kind === Isolation.LETTER || kind === Isolation.SIGN || kind === Isolation.BAR) {
    if ((before & MAY_BE_FIRST) !== 0 && (isolation & BEGINS) !== 0) after |= WAS_FIRST;
    for (const shift of [0, KIND_BITS]) {
      const may = before >> shift;
      if ((may & MAY_BE_SECOND) !== 0) after |= WAS_SECOND << shift;
      if ((may & MAY_BE_THIRD) !== 0) after |= WAS_THIRD << shift;
    }
  }
  if (kind === Isolation.SPACE || kind === Isolation.SEPARATOR || kind === Isolation.BAR) {
    const shift = kind === Isolation.SPACE ? 0 : KIND_BITS;
    const was = before >> shift;
    const isLetter = (before & WAS) !== 0;
    if (isLetter) after |= MAY_BE_SECOND << shift;
    if ((was & (WAS_SECOND | WAS_THIRD)) !== 0) after |= MAY_BE_THIRD << shift;
    after |= (was & MAY_BE) << shift;
  }
  if (kind !== Isolation.LETTER) after |= MAY_BE_FIRST;
  // What was alphabetic is of no interest any more once the next one can only be the first.
  if (kind === Isolation.SPACE) after |= WAS_SPACE;
  if (kind === Isolation.BAR && (before & WAS_SPACE) !== 0) after |= WAS_BAR;
  if ((after & ~(MAY_BE_FIRST | WAS_SPACE | WAS_BAR)) === 0) return after;
  return after | (before & IS_ALPHABETIC) | ((isolation & ALPHABETIC) !== 0 ? IS_ALPHABETIC : 0);
}

/** Whether three isolated letters may end before a character. */
export function mayEndIsolated(before: number, isolation: number): boolean {
  const kind = isolation & KIND;
  // A bar with white space on both sides is no letter.
  const isCell = (before & WAS_BAR) !== 0 && kind === Isolation.SPACE;
  const isThird = !isCell && (before & THIRDS) !== 0 && (before & IS_ALPHABETIC) !== 0;
  return isThird && kind !== Isolation.LETTER && kind !== Isolation.SAME;
}

/** Isolated letters one after the other, with separators of one kind between them. */
export class IsolatedLetters implements Letters {
  readonly letters: readonly Letter[];

  constructor(letters: readonly Letter[]) {
    this.letters = letters;
  }

  at(index: number): Letter | undefined {
    return this.letters[index];
  }

  /**
   * Whether a term may be spaced out from a letter to an offset: over three characters or more, of `æ` two letters are read. One of
   * three letters or characters has to be all that are isolated, but for others on a side where it needs no edge.
   */
  mayBeSpaced(lexicon: Lexicon, term: number, first: number, end: number): boolean {
    if (!lexicon.is(term, SPACEABLE)) return false;
    let characters = 0;
    for (let at = first; at < this.letters.length && characters <= FEWEST_SPACED; at++) {
      if (this.letters[at]!.from >= end) break;
      if (this.letters[at]!.index === 0) characters++;
    }
    const isShort = lexicon.is(term, SHORT) || characters === FEWEST_SPACED;
    const free = lexicon.freeOf(term);
    const isFirst = (free & FREE_START) !== 0 || first === 0;
    const isLast = (free & FREE_END) !== 0 || end === this.letters.at(-1)!.end;
    return characters >= FEWEST_SPACED && (!isShort || (isFirst && isLast));
  }
}

export interface IsolatedRuns {
  /** Where the stretch of isolated letters and separators ends: nothing before it has to be looked at again. */
  readonly until: number;
  /** Runs of at least `FEWEST_SPACED` characters. */
  readonly runs: readonly IsolatedLetters[];
}

/** Isolated letters around an offset, neither before `floor` nor from `ceiling` on. */
export function isolatedAround(
  text: string,
  work: Work,
  at: number,
  floor: number,
  ceiling = text.length,
): IsolatedRuns {
  let from = at;
  while (from > floor) {
    const before = from - (isPairBefore(text, from) ? 2 : 1);
    if (!belongs(text, before)) break;
    from = before;
  }
  let until = at;
  while (until < ceiling && belongs(text, until)) until += text.codePointAt(until)! > 0xffff ? 2 : 1;
  if (from === until) return { until, runs: [] };
  const letters = new LetterReader(text, work, from, until).all();
  const isIsolatedBar = ({ base, from }: Letter) =>
    bars.has(base) && isIsolated(text, from, base) && !isBetweenCells(text, from);
  const hasBars = letters.some(isIsolatedBar);
  return {
    until,
    runs: [...runsOf(text, letters, () => false), ...(hasBars ? runsOf(text, letters, isIsolatedBar) : [])],
  };
}

/** Whether a character is a separator, a hidden one, or a letter that no letter touches. */
function belongs(text: string, at: number): boolean {
  const code = text.codePointAt(at)!;
  if (isSeparator(code)) return true;
  const { kind } = decompositionOf(code);
  if (kind === 'other') return false;
  return kind === 'mark' || kind === 'ignorable' || isIsolated(text, at, code);
}

function isIsolated(text: string, at: number, code: number): boolean {
  const end = at + (code > 0xffff ? 2 : 1);
  return !touches(text, visibleBefore(text, at)) && !touches(text, visibleAfter(text, end));
}

function touches(text: string, neighbour: number): boolean {
  if (neighbour < 0 || neighbour >= text.length) return false;
  const { joins, code } = decompositionOf(text.codePointAt(neighbour)!);
  return joins && code !== UNDERSCORE;
}

/** Whether white space, or nothing, stands on both sides of a sign, as of the bars of a table: it is no letter there. */
function isBetweenCells(text: string, at: number): boolean {
  const isOutside = (offset: number) => offset < 0 || offset >= text.length || isWhite(text.charCodeAt(offset));
  return isOutside(at - 1) && isOutside(at + 1);
}

/** Runs of letters, some bars among them. */
function runsOf(text: string, letters: readonly Letter[], isLetter: (bar: Letter) => boolean): IsolatedLetters[] {
  const separates = (letter: Letter) =>
    letter.base === WHITE || (separators.has(letter.decomposition.code) && !isLetter(letter));
  const runs: IsolatedLetters[] = [];
  let run: Letter[] = [];
  let runKind: number | undefined;
  let gap: number[] = [];
  let hidden = false;
  const close = () => {
    if (run.filter(({ index }) => index === 0).length >= FEWEST_SPACED) runs.push(new IsolatedLetters(run));
    run = run.slice(run.findLastIndex(({ index }) => index === 0));
    runKind = undefined;
  };
  for (const letter of letters) {
    if (separates(letter)) {
      // A run of white space is one letter here; its length is what counts.
      for (let unit = letter.from; unit < letter.to; unit++)
        if (letter.base !== WHITE || isWhite(text.charCodeAt(unit))) gap.push(letter.base);
      if (letter.marks.length > 0) gap.push(NO_SEPARATOR);
      hidden ||= letter.ignoredBefore || letter.ignoredWithin;
      continue;
    }
    // The rest of a character that is read as several letters, as `ß` is.
    if (letter.index > 0) {
      if (run.length > 0) run.push(letter);
      continue;
    }
    const { kind, letters: parts } = letter.decomposition;
    const isOne = parts.length === 1 || kind === 'letter';
    const reads = kind === 'letter' || kind === 'symbol' || mayReadAsLetter(letter.base);
    const separator = gap.length <= MOST_SEPARATORS && gap.every((base) => base === gap[0]) ? gap[0] : undefined;
    if (run.length > 0 && (separator === undefined || (runKind !== undefined && separator !== runKind))) close();
    if (run.length > 0 && separator === undefined) run = [];
    gap = [];
    const ignoredBefore = letter.ignoredBefore || hidden;
    hidden = false;
    if (!isOne || !reads) {
      close();
      run = [];
      continue;
    }
    if (run.length > 0) runKind = separator;
    run.push(ignoredBefore === letter.ignoredBefore ? letter : { ...letter, ignoredBefore });
  }
  close();
  return runs;
}
