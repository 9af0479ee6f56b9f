/**
 * Reads isolated letters exactly, as in `f u c k` or `f.u.c.k`: letters that no other letter touches, with one to three
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
import { bars, isSeparator } from './isolation-classes.js';
import { type Letter, LetterReader, visibleAfter, visibleBefore, type Work } from './letters.js';
import type { Lexicon } from './lexicon.js';
import type { Occurrence } from './occurrence.js';
import { FEWEST_SPACED, SHORT, SPACEABLE } from './term-letters.js';

/** So many separators may stand between two letters. */
const MOST_SEPARATORS = 3;
/** In a gap, for marks on a separator: no separator is like it. */
const NO_SEPARATOR = -2;

/** Isolated letters one after the other, with the same separator in all gaps between them. */
export type IsolatedRun = readonly Letter[];

/**
 * Reports whether a term that was found in a run, from letter `first` on, counts as spaced out: it has three characters or
 * more (`æ` is one, though two letters are read). One of three letters or characters has to be the whole run, but that a
 * sign may be beside it (`k y s !`); a side where the term needs no word edge may have more letters there.
 */
export function isSpaced(lexicon: Lexicon, run: IsolatedRun, first: number, { term, end }: Occurrence): boolean {
  if (!lexicon.is(term, SPACEABLE)) return false;
  let characters = 0;
  let next = first;
  for (; next < run.length && run[next]!.from < end; next++) if (run[next]!.index === 0) characters++;
  if (characters < FEWEST_SPACED) return false;
  if (!lexicon.is(term, SHORT) && characters > FEWEST_SPACED) return true;
  const free = lexicon.free[term]!;
  const isFirst = (free & FREE_START) !== 0 || run[first - 1]?.decomposition.joins !== true;
  return isFirst && ((free & FREE_END) !== 0 || run[next]?.decomposition.joins !== true);
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

/** Returns the runs of a passage: those with bars as separators, then those with isolated bars as letters. */
export function runsOfPassage(text: string, work: Work, from: number, until: number): readonly IsolatedRun[] {
  const letters = new LetterReader(text, work, from, until).all();
  const isIsolatedBar = ({ base, from }: Letter) =>
    bars.has(base) && isIsolated(text, from, base) && !isBetweenCells(text, from);
  const hasBars = letters.some(isIsolatedBar);
  return [...cut(text, letters, () => false), ...(hasBars ? cut(text, letters, isIsolatedBar) : [])];
}

/** Reports whether a character is a part of a passage: a separator, a mark, a hidden one, or a letter that no letter touches. */
function belongs(text: string, at: number): boolean {
  const code = text.codePointAt(at)!;
  if (isSeparator(code)) return true;
  const { kind } = decompositionOf(code);
  return kind === 'mark' || kind === 'ignorable' || (kind !== 'other' && isIsolated(text, at, code));
}

/** Reports whether no letter touches a character on either side, marks and hidden characters left out. */
function isIsolated(text: string, at: number, code: number): boolean {
  const end = at + (code > 0xffff ? 2 : 1);
  return !touches(text, visibleBefore(text, at)) && !touches(text, visibleAfter(text, end));
}

function touches(text: string, neighbour: number): boolean {
  return neighbour >= 0 && neighbour < text.length && decompositionOf(text.codePointAt(neighbour)!).joins;
}

/** Reports whether white space, or nothing, stands on both sides of a sign: the bars of a table are not letters. */
function isBetweenCells(text: string, at: number): boolean {
  const isOutside = (offset: number) => offset < 0 || offset >= text.length || isWhite(text.charCodeAt(offset));
  return isOutside(at - 1) && isOutside(at + 1);
}

/** Cuts the letters of a passage into runs; `isLetter` tells the bars that are letters and do not separate. */
function cut(text: string, letters: readonly Letter[], isLetter: (bar: Letter) => boolean): IsolatedRun[] {
  const runs: IsolatedRun[] = [];
  /** The run that goes on, and the separator of its gaps once it has two characters. */
  let run: Letter[] = [];
  let separator: number | undefined;
  /** The separators since the last letter, and whether something hidden stands among them. */
  let gap: number[] = [];
  let hidden = false;
  /** Ends the run. Its last character begins the next one. */
  const close = () => {
    if (run.filter(({ index }) => index === 0).length >= FEWEST_SPACED) runs.push(run);
    run = run.slice(run.findLastIndex(({ index }) => index === 0));
    separator = undefined;
  };
  for (const letter of letters) {
    const { base, index, from, to, decomposition } = letter;
    if (base === WHITE || (isSeparator(text.codePointAt(from)!) && !isLetter(letter))) {
      // A run of white space is one letter, but each of its characters counts.
      for (let unit = from; unit < to; unit++) if (base !== WHITE || isWhite(text.charCodeAt(unit))) gap.push(base);
      if (letter.marks.length > 0) gap.push(NO_SEPARATOR);
      hidden ||= letter.ignoredBefore || letter.ignoredWithin;
    } else if (index > 0) {
      // The rest of a character that is read as several letters, as `ß` is.
      if (run.length > 0) run.push(letter);
    } else {
      const { kind, letters: parts } = decomposition;
      const between = gap.length <= MOST_SEPARATORS && gap.every((one) => one === gap[0]) ? gap[0] : undefined;
      const isOther = between === undefined || (separator !== undefined && between !== separator);
      if (run.length > 0 && isOther) close();
      if (between === undefined) run = [];
      const isOneLetter = kind === 'letter' || (parts.length === 1 && (kind === 'symbol' || mayReadAsLetter(base)));
      if (isOneLetter) {
        if (run.length > 0) separator = between;
        run.push(hidden && !letter.ignoredBefore ? { ...letter, ignoredBefore: true } : letter);
      } else {
        close();
        run = [];
      }
      gap = [];
      hidden = false;
    }
  }
  close();
  return runs;
}
