/**
 * Reads isolated letters exactly, as of `f u c k` or `f.u.c.k`: letters that no other letter touches, with one to three
 * separators of one kind between each two.
 *
 * Around the place where the automaton stopped, a *passage* is what consists of separators, isolated letters, marks and
 * hidden characters alone. Its letters are read (`letters.ts`) and cut into *runs*: within a run all gaps hold the same
 * separator. A letter between gaps of two kinds ends one run and begins the next. A bar (`|`, `+`) separates, or is a
 * letter; a passage with isolated bars is cut twice, once for each.
 *
 * Invariants: a run has `FEWEST_SPACED` characters or more, which are isolated in the whole text. Two runs of one cut
 * share the last character of the first, or nothing.
 */
import { isWhite, WHITE } from '../folding.js';
import { isPairBefore } from '../surrogates.js';
import { FREE_END, FREE_START } from '../word-edges.js';
import { mayReadAsLetter } from './confusables.js';
import { decompositionOf } from './decompositions.js';
import { isBar, isSeparator } from './isolation-classes.js';
import { type Letter, LetterReader, type Letters, visibleAfter, visibleBefore, type Work } from './letters.js';
import type { Lexicon } from './lexicon.js';
import { FEWEST_SPACED, SHORT, SPACEABLE } from './term-letters.js';

/** So many separators may stand between two letters. */
const MOST_SEPARATORS = 3;
/** In a gap, for marks on a separator: no separator is like it. */
const NO_SEPARATOR = -2;

/** One run: isolated letters one after the other, with the same separator in all gaps between them. */
export class IsolatedRun implements Letters {
  readonly letters: readonly Letter[];

  constructor(letters: readonly Letter[]) {
    this.letters = letters;
  }

  at(index: number): Letter | undefined {
    return this.letters[index];
  }

  /**
   * Whether a term that was found in the run, from letter `first` to the offset `end`, counts as spaced out: it has
   * three characters or more (`æ` is one, though two letters are read). One of three letters or characters has to be
   * the whole run, but that a sign may be beside it (`k y s !`); a side where the term needs no word edge may have more letters there.
   */
  mayBeSpaced(lexicon: Lexicon, term: number, first: number, end: number): boolean {
    if (!lexicon.is(term, SPACEABLE)) return false;
    let characters = 0;
    let next = first;
    for (; next < this.letters.length && this.letters[next]!.from < end; next++)
      if (this.letters[next]!.index === 0) characters++;
    const isShort = lexicon.is(term, SHORT) || characters === FEWEST_SPACED;
    const free = lexicon.freeOf(term);
    const isFirst = (free & FREE_START) !== 0 || this.letters[first - 1]?.decomposition.joins !== true;
    const isLast = (free & FREE_END) !== 0 || this.letters[next]?.decomposition.joins !== true;
    return characters >= FEWEST_SPACED && (!isShort || (isFirst && isLast));
  }
}

/** Returns where the passage begins that an offset belongs to, at `floor` at the earliest. */
export function passageStart(text: string, at: number, floor: number): number {
  let from = at;
  while (from > floor) {
    const before = from - (isPairBefore(text, from) ? 2 : 1);
    if (!belongs(text, before)) break;
    from = before;
  }
  return from;
}

/** Returns where the passage ends that an offset belongs to. */
export function passageEnd(text: string, at: number): number {
  let until = at;
  while (until < text.length && belongs(text, until)) until += text.codePointAt(until)! > 0xffff ? 2 : 1;
  return until;
}

/**
 * Returns the runs of a passage, each of `FEWEST_SPACED` characters at least: those with bars as separators, then those
 * with isolated bars as letters.
 */
export function runsOfPassage(text: string, work: Work, from: number, until: number): readonly IsolatedRun[] {
  const letters = new LetterReader(text, work, from, until).all();
  const isIsolatedBar = ({ base, from }: Letter) =>
    isBar(base) && isIsolated(text, from, base) && !isBetweenCells(text, from);
  const hasBars = letters.some(isIsolatedBar);
  return [...runsOf(text, letters, () => false), ...(hasBars ? runsOf(text, letters, isIsolatedBar) : [])];
}

/** Whether a character is a part of a passage: a separator, a mark, a hidden one, or a letter that no letter touches. */
function belongs(text: string, at: number): boolean {
  const code = text.codePointAt(at)!;
  if (isSeparator(code)) return true;
  const { kind } = decompositionOf(code);
  if (kind === 'other') return false;
  return kind === 'mark' || kind === 'ignorable' || isIsolated(text, at, code);
}

/** Whether no letter touches a character on either side, marks and hidden characters left out. */
function isIsolated(text: string, at: number, code: number): boolean {
  const end = at + (code > 0xffff ? 2 : 1);
  return !touches(text, visibleBefore(text, at)) && !touches(text, visibleAfter(text, end));
}

function touches(text: string, neighbour: number): boolean {
  if (neighbour < 0 || neighbour >= text.length) return false;
  return decompositionOf(text.codePointAt(neighbour)!).joins;
}

/** Whether white space, or nothing, stands on both sides of a sign, as of the bars of a table: it is no letter there. */
function isBetweenCells(text: string, at: number): boolean {
  const isOutside = (offset: number) => offset < 0 || offset >= text.length || isWhite(text.charCodeAt(offset));
  return isOutside(at - 1) && isOutside(at + 1);
}

/** Cuts the letters of a passage into runs; `isLetter` tells the bars that are letters and do not separate. */
function runsOf(text: string, letters: readonly Letter[], isLetter: (bar: Letter) => boolean): IsolatedRun[] {
  const cutter = new RunCutter(text);
  for (const letter of letters) {
    if (letter.base === WHITE || (isSeparator(text.codePointAt(letter.from)!) && !isLetter(letter)))
      cutter.separate(letter);
    else cutter.add(letter);
  }
  return cutter.end();
}

/** Cuts letters into runs as they come. */
class RunCutter {
  readonly #text: string;
  readonly #runs: IsolatedRun[] = [];
  /** The run that goes on, and the separator of its gaps once it has two characters. */
  #run: Letter[] = [];
  #separator: number | undefined;
  /** The separators since the last letter, and whether something hidden stands among them. */
  #gap: number[] = [];
  #hidden = false;

  constructor(text: string) {
    this.#text = text;
  }

  /** Takes a separator. A run of white space is one letter here, but each of its characters counts. */
  separate(letter: Letter): void {
    for (let unit = letter.from; unit < letter.to; unit++)
      if (letter.base !== WHITE || isWhite(this.#text.charCodeAt(unit))) this.#gap.push(letter.base);
    if (letter.marks.length > 0) this.#gap.push(NO_SEPARATOR);
    this.#hidden ||= letter.ignoredBefore || letter.ignoredWithin;
  }

  /** Takes a letter: one more of the run, the first of the next run, or, when it stands for no single letter, of none. */
  add(letter: Letter): void {
    // The rest of a character that is read as several letters, as `ß` is.
    if (letter.index > 0) {
      if (this.#run.length > 0) this.#run.push(letter);
      return;
    }
    const { kind, letters: parts } = letter.decomposition;
    const isOne = parts.length === 1 || kind === 'letter';
    const reads = kind === 'letter' || kind === 'symbol' || mayReadAsLetter(letter.base);
    const gap = this.#gap;
    const separator = gap.length <= MOST_SEPARATORS && gap.every((base) => base === gap[0]) ? gap[0] : undefined;
    const isOther = separator === undefined || (this.#separator !== undefined && separator !== this.#separator);
    if (this.#run.length > 0 && isOther) this.#close();
    if (separator === undefined) this.#run = [];
    const ignoredBefore = letter.ignoredBefore || this.#hidden;
    this.#gap = [];
    this.#hidden = false;
    if (!isOne || !reads) {
      this.#close();
      this.#run = [];
      return;
    }
    if (this.#run.length > 0) this.#separator = separator;
    this.#run.push(ignoredBefore === letter.ignoredBefore ? letter : { ...letter, ignoredBefore });
  }

  end(): IsolatedRun[] {
    this.#close();
    return this.#runs;
  }

  /** Ends the run. Its last character begins the next one. */
  #close(): void {
    if (this.#run.filter(({ index }) => index === 0).length >= FEWEST_SPACED)
      this.#runs.push(new IsolatedRun(this.#run));
    this.#run = this.#run.slice(this.#run.findLastIndex(({ index }) => index === 0));
    this.#separator = undefined;
  }
}
