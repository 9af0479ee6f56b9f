/** What makes a stretch of text a term, once it is known where it begins and ends. */
import { isWordEdge } from '../word-edges.js';
import { IOTA_BELOW } from './composed.js';
import { type HardenedTerm, plainEnd } from './hardened-term.js';
import { lettersFrom } from './letters.js';
import { occurrenceAt } from './occurrence.js';
import { readingOf } from './readings.js';
import { loneLettersAround } from './spaced.js';
import { IGNORABLE, MARK, SPACED } from './transforms.js';

/** The simplest transforms under which the text at [start, end) is a term; undefined when it is not. */
export function transformsAt(
  wanted: HardenedTerm,
  words: 'word' | 'substring',
  text: string,
  start: number,
  end: number,
): number | undefined {
  if (plainEnd(wanted, text, start) === end) {
    if (words === 'substring' || (isWordEdge(text, start) && isWordEdge(text, end))) return 0;
    // Equal, but something hidden beside it joins it to a word for case alone.
    return isMarkBeside(text, start, end) ? MARK : IGNORABLE;
  }
  // Letters behind it are none of its business, and there may be very many that look like its last one.
  const joined = occurrenceAt(wanted, text, lettersFrom(text, start, endOfMarks(text, end)), 0, 'whole', end);
  return joined?.start === start ? joined.transforms : spacedAt(wanted, text, start, end);
}

/** Where the hidden characters and marks end that begin at an offset. */
function endOfMarks(text: string, from: number): number {
  let at = from;
  while (at < text.length && readingOf(text.codePointAt(at)!).letters.length === 0) {
    at += text.codePointAt(at)! > 0xffff ? 2 : 1;
  }
  return at;
}

/** Transforms under which a stretch of lone letters is a term; undefined when it is not. */
function spacedAt(wanted: HardenedTerm, text: string, start: number, end: number): number | undefined {
  if (!wanted.isSpaceable) return undefined;
  for (const letters of loneLettersAround(text, start, start, end).runs) {
    const first = letters.findIndex(({ from }) => from === start);
    const found = first < 0 ? undefined : occurrenceAt(wanted, text, (n) => letters[n], first, 'spaced', end);
    if (found !== undefined) return found.transforms | SPACED;
  }
  return undefined;
}

function isMarkBeside(text: string, start: number, end: number): boolean {
  const besides = [start - 1, end].filter((at) => at >= 0 && at < text.length);
  return besides.some((at) => readingOf(text.charCodeAt(at)).kind === 'mark' || text.charCodeAt(at) === IOTA_BELOW);
}
