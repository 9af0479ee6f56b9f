/** One term at one place of a text: its end and what makes them equal. */
import { isWordEdge } from '../word-edges.js';
import { align, alignPlainly, DRAWN_OUT, type Manner, MISFIT } from './align.js';
import { type HardenedTerm, plainEnd } from './hardened-term.js';
import { type Letter, type Letters, visibleAfter, visibleBefore } from './letters.js';
import { readingOf } from './readings.js';
import { COMPATIBILITY, IGNORABLE } from './transforms.js';

/** UTF-16 units of one of the two letters that a flag is. */
const FLAG_HALF = 2;

export interface Occurrence {
  readonly start: number;
  readonly end: number;
  readonly transforms: number;
}

/**
 * The occurrence of a term that begins at letter `index`: the one of case alone, or else the longest. `drawnOut`: what `align`
 * is known to find.
 */
export function occurrenceAt(
  term: HardenedTerm,
  text: string,
  letters: Letters,
  index: number,
  manner: Manner,
  mustEnd = -1,
  drawnOut?: ReadonlyMap<number, number>,
): Occurrence | undefined {
  const first = letters(index);
  if (first === undefined || first.index !== 0) return undefined;
  const start = first.from;
  if (manner === 'word' || manner === 'substring') {
    const end = plainEnd(term, text, start);
    if (
      end >= 0 &&
      (mustEnd < 0 || isSameEnd(text, mustEnd, end)) &&
      (manner !== 'word' || (isWordEdge(text, start) && isWordEdge(text, end)))
    )
      return { start, end, transforms: 0 };
  }
  if (manner === 'word' && !beginsWord(text, first, term.letters[0]!)) return undefined;
  const plainly = alignPlainly(term, letters, index, manner);
  if (plainly === MISFIT) return undefined;
  const ends =
    plainly === DRAWN_OUT
      ? (drawnOut ?? align(term, letters, index, manner))
      : [[index + term.letters.length, plainly] as const];
  let best: Occurrence | undefined;
  for (const [at, transforms] of ends) {
    const last = letters(at - 1)!;
    if (last.index !== last.reading.letters.length - 1) continue;
    if (manner === 'word' && !endsWord(text, last, term.letters.at(-1)!)) continue;
    if (mustEnd >= 0 && last.to !== mustEnd && last.end !== mustEnd) continue;
    if (best === undefined || last.end > best.end) best = { start, end: last.end, transforms };
  }
  if (best !== undefined && isFlag(text, best.start, best.end)) return undefined;
  if (best?.transforms !== 0 || manner === 'spaced') return best;
  // Equal letters, and still case alone was not enough: the term has what the text lacks, and readings do not show it.
  return { ...best, transforms: term.isOdd ? IGNORABLE : COMPATIBILITY };
}

/** Whether a stretch of text is one flag: it stands for a country, and is no word of two letters. */
function isFlag(text: string, start: number, end: number): boolean {
  return end - start === 2 * FLAG_HALF && isFlagHalf(text, start) && isFlagHalf(text, start + FLAG_HALF);
}

function isFlagHalf(text: string, at: number): boolean {
  const code = text.codePointAt(at)!;
  return code >= 0x1f1e6 && code <= 0x1f1ff;
}

/** Whether a term that ends in marks ends where its last letter does. */
function isSameEnd(text: string, letterEnd: number, end: number): boolean {
  for (let at = letterEnd; at < end; at++) {
    const { kind } = readingOf(text.codePointAt(at)!);
    if (kind !== 'mark' && kind !== 'ignorable') return false;
  }
  return end >= letterEnd;
}

/** A sign that is read as a letter counts as one: it needs no edge only where it stands for itself. */
function isPartOfWord(letter: Letter, wanted: Letter): boolean {
  return (
    letter.reading.kind === 'letter' ||
    (letter.reading.kind === 'symbol' && letter.reading.code !== wanted.reading.code)
  );
}

function beginsWord(text: string, first: Letter, wanted: Letter): boolean {
  return !isPartOfWord(first, wanted) || visibleBefore(text, first.from)?.joins !== true;
}

function endsWord(text: string, last: Letter, wanted: Letter): boolean {
  return !isPartOfWord(last, wanted) || visibleAfter(text, last.end)?.joins !== true;
}
