/**
 * Letters that stand alone, `f u c k` or `f.u.c.k`: runs of characters with nothing but separators of one kind between them.
 */
import { isWhite, WHITE } from '../folding.js';
import { isPairBefore, type Letter, lettersFrom, visibleAfter, visibleBefore } from './letters.js';
import { mayReadAsLetter } from './likeness.js';
import { type Reading, readingOf } from './readings.js';

/** What may stand between letters; white space too. */
const separators = new Set('.-_*,/\\|~+=:;\'"^#&·•‧∙・…–—'.split('').map((sign) => sign.charCodeAt(0)));
/** Separators that can also be read as letters. */
export const bars: ReadonlySet<number> = new Set('|+'.split('').map((sign) => sign.charCodeAt(0)));
const UNDERSCORE = 0x5f;
/** So many separators may stand between two letters. */
export const MAX_GAP = 3;
/** Stands among separators for what makes them none: marks on one. */
const NO_SEPARATOR = -2;
const MIN_LETTERS = 3;

/** Whether a character may stand between letters that stand alone. */
export function isSeparator(code: number): boolean {
  return isWhite(code) || separators.has(code);
}

export interface LoneLetters {
  /** Where the stretch of lone letters and separators ends: nothing before it has to be looked at again. */
  readonly until: number;
  /** Runs with separators of one kind, of at least three letters each. */
  readonly runs: readonly (readonly Letter[])[];
}

/** Lone letters around an offset, neither before `floor` nor from `ceiling` on. */
export function loneLettersAround(text: string, at: number, floor: number, ceiling = text.length): LoneLetters {
  let from = at;
  while (from > floor) {
    const before = from - (isPairBefore(text, from) ? 2 : 1);
    if (!belongs(text, before)) break;
    from = before;
  }
  let until = at;
  while (until < ceiling && belongs(text, until)) until += text.codePointAt(until)! > 0xffff ? 2 : 1;
  if (from === until) return { until, runs: [] };
  const letters: Letter[] = [];
  const read = lettersFrom(text, from, until);
  for (let letter = read(0); letter !== undefined; letter = read(letters.length)) letters.push(letter);
  const isLoneBar = ({ base, from }: Letter) =>
    bars.has(base) && isLone(text, from, base) && !isBetweenCells(text, from);
  const hasLoneBars = letters.some(isLoneBar);
  return {
    until,
    runs: [...runsOf(text, letters, () => false), ...(hasLoneBars ? runsOf(text, letters, isLoneBar) : [])],
  };
}

/** Whether a character is a separator, a hidden one, or a letter that no letter touches. */
function belongs(text: string, at: number): boolean {
  const code = text.codePointAt(at)!;
  if (isSeparator(code)) return true;
  const { kind } = readingOf(code);
  if (kind === 'other') return false;
  if (kind === 'mark' || kind === 'ignorable') return true;
  return isLone(text, at, code);
}

function isLone(text: string, at: number, code: number): boolean {
  const end = at + (code > 0xffff ? 2 : 1);
  return !touches(visibleBefore(text, at)) && !touches(visibleAfter(text, end));
}

/** Whether white space, or nothing, stands on both sides of a sign, as of the bars of a table: it is no letter there. */
export function isBetweenCells(text: string, at: number): boolean {
  return isOutside(text, at - 1) && isOutside(text, at + 1);
}

function isOutside(text: string, at: number): boolean {
  return at < 0 || at >= text.length || isWhite(text.charCodeAt(at));
}

/** Whether a neighbour joins with a letter. `_` joins words, but it separates letters here. */
function touches(neighbour: Reading | undefined): boolean {
  return neighbour?.joins === true && neighbour.code !== UNDERSCORE;
}

/** Runs of letters, some bars among them. */
function runsOf(text: string, letters: readonly Letter[], isLetter: (bar: Letter) => boolean): Letter[][] {
  const separates = (letter: Letter) =>
    letter.base === WHITE || (separators.has(letter.reading.code) && !isLetter(letter));
  const runs: Letter[][] = [];
  let run: Letter[] = [];
  let runKind: number | undefined;
  let gap: number[] = [];
  let hidden = false;
  const close = () => {
    if (run.filter(({ index }) => index === 0).length >= MIN_LETTERS) runs.push(run);
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
    const isOne = letter.reading.letters.length === 1 || letter.reading.kind === 'letter';
    const reads = letter.reading.kind === 'letter' || mayReadAsLetter(letter.base) || letter.reading.kind === 'symbol';
    const kind = gap.length > 0 && gap.length <= MAX_GAP && gap.every((base) => base === gap[0]) ? gap[0] : undefined;
    if (run.length > 0 && (kind === undefined || (runKind !== undefined && kind !== runKind))) close();
    if (run.length > 0 && kind === undefined) run = [];
    gap = [];
    const ignoredBefore = letter.ignoredBefore || hidden;
    hidden = false;
    if (!isOne || !reads) {
      close();
      run = [];
      continue;
    }
    if (run.length > 0) runKind = kind;
    run.push(ignoredBefore === letter.ignoredBefore ? letter : { ...letter, ignoredBefore });
  }
  close();
  return runs;
}
