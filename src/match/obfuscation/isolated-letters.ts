/**
 * Isolated letters, as of `f u c k` or `f.u.c.k`: characters that no letter touches, with nothing but separators of one kind
 * between them.
 */
import { isWhite, WHITE } from '../folding.js';
import { mayReadAsLetter } from './confusables.js';
import { type Decomposition, decompositionOf } from './decompositions.js';
import {
  isPairBefore,
  type Letter,
  LetterReader,
  type Letters,
  visibleAfter,
  visibleBefore,
  type Work,
} from './letters.js';
import { FEWEST_SPACED, type Lexicon } from './lexicon.js';

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
 * What a character is among isolated letters: a letter, what separates, either (a bar), a sign that may be a letter, or none of
 * these. `SAME` is one more letter of a character.
 */
export const Isolation = { NONE: 0, LETTER: 1, SEPARATOR: 2, BAR: 3, SIGN: 4, SAME: 5 } as const;

export function isolationOf(code: number): number {
  if (bars.has(code)) return Isolation.BAR;
  if (isSeparator(code)) return Isolation.SEPARATOR;
  const { kind } = decompositionOf(code);
  if (kind === 'letter') return Isolation.LETTER;
  return kind === 'symbol' ? Isolation.SIGN : Isolation.NONE;
}

/**
 * What the automaton knows of isolated letters, a set as bits: none, one or two of them stand before, and the next character may be
 * another one; or the last character was the first, the second or the third. Neither the kind of the separators nor their number is in it.
 */
const NEXT_IS_FIRST = 1;
const NEXT = 7;
const IS_FIRST = 8;
const IS_SECOND = 16;
const IS_THIRD = 32;
/** Before a text. */
export const START = NEXT_IS_FIRST;

export function isolationAfter(before: number, isolation: number): number {
  const asLetter = (before & NEXT) << 3;
  if (isolation === Isolation.SAME) return before;
  if (isolation === Isolation.LETTER) return asLetter;
  if (isolation === Isolation.NONE) return NEXT_IS_FIRST;
  if (isolation === Isolation.SIGN) return NEXT_IS_FIRST | asLetter;
  const behind = ((before & (IS_FIRST | IS_SECOND)) >> 2) | ((before & IS_THIRD) >> 3);
  const asSeparator = NEXT_IS_FIRST | (before & NEXT) | behind;
  return isolation === Isolation.BAR ? asSeparator | asLetter : asSeparator;
}

/** Whether three isolated letters may end before a character. */
export function mayEndIsolated(before: number, isolation: number): boolean {
  return (before & IS_THIRD) !== 0 && isolation !== Isolation.LETTER && isolation !== Isolation.SAME;
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
   * Whether a term may be spaced out from a letter to an offset: over three characters or more, of `æ` two letters are read. As a word,
   * one of three letters or characters has to be all that are isolated.
   */
  mayBeSpaced(lexicon: Lexicon, term: number, words: 'word' | 'substring', first: number, end: number): boolean {
    if (!lexicon.isSpaceable(term)) return false;
    let characters = 0;
    for (let at = first; at < this.letters.length && characters <= FEWEST_SPACED; at++) {
      if (this.letters[at]!.from >= end) break;
      if (this.letters[at]!.index === 0) characters++;
    }
    const isShort = lexicon.isShort(term) || characters === FEWEST_SPACED;
    const isAll = first === 0 && end === this.letters.at(-1)!.end;
    return characters >= FEWEST_SPACED && (words === 'substring' || !isShort || isAll);
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
  return !touches(visibleBefore(text, at)) && !touches(visibleAfter(text, end));
}

function touches(neighbour: Decomposition | undefined): boolean {
  return neighbour?.joins === true && neighbour.code !== UNDERSCORE;
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
