/**
 * Terms that a whole text is to equal under hardened folding: looked up by the classes of their letters, repetitions left
 * out, then compared. Hidden characters around a text count as the white space around it does.
 */
import { foldKey, isWhite, WHITE } from '../folding.js';
import type { Span } from '../span.js';
import { type ComposedText, composeLetters, isPartOfLetter } from './composed.js';
import { keyOfLetters } from './hardened-term.js';
import { createHardenedTerms } from './hardened-terms.js';
import { isPairBefore, type Letter, lettersFrom } from './letters.js';
import { classOf } from './likeness.js';
import { readingOf } from './readings.js';
import { isSeparator, loneLettersAround } from './spaced.js';
import { COMPATIBILITY, IGNORABLE, namesOf, type TransformName } from './transforms.js';
import { transformsAt } from './transforms-at.js';

/** A term that a text is. */
export interface HardenedWhole {
  readonly term: number;
  readonly span: Span;
  readonly transforms: readonly TransformName[];
}

export interface HardenedWholes {
  /** Whether it is worth looking at a text: it begins as a term does. */
  mayEqual(text: string): boolean;
  find(text: string): readonly HardenedWhole[];
}

/** Stand for what follows the last letter, and for what separates letters that stand alone. */
const END = -2;
const SEPARATOR = -3;
const BITS = 12;

/** Compiles terms that are trimmed, and different after simple case folding. */
export function createHardenedWholes(written: readonly string[]): HardenedWholes {
  const terms = createHardenedTerms(written);
  const byFold = new Map(written.map((term, index) => [foldKey(term, 'case'), index]));
  const byLetters = new Map<number, number[]>();
  const beginnings = new Uint8Array(1 << BITS);
  let longest = 0;
  for (let term = 0; term < terms.count; term++) {
    const { letters, isSpaceable, beginsWithMark } = terms.at(term);
    const first = classAt(letters, 0);
    const second = classAt(letters, 1);
    beginnings[placeOf(first, second)] = 1;
    if (second === END) beginnings[placeOf(first, WHITE)] = 1;
    if (isSpaceable) beginnings[placeOf(first, SEPARATOR)] = 1;
    if (beginsWithMark) continue;
    const { key, groups } = keyOfLetters(letters, letters.length);
    longest = Math.max(longest, groups);
    const same = byLetters.get(key);
    if (same === undefined) byLetters.set(key, [term]);
    else same.push(term);
  }

  terms.forget();

  /** Terms whose letters may be those that are given. */
  const candidates = (letters: readonly Letter[]) => byLetters.get(keyOfLetters(letters, letters.length).key) ?? [];

  const findIn = (text: string): Whole[] => {
    const trimmed = trimmedSpan(text);
    const same = byFold.get(foldKey(text.slice(trimmed.start, trimmed.end), 'case'));
    const found: Whole[] = same === undefined ? [] : [{ term: same, span: trimmed, transforms: 0 }];
    const span = visibleSpan(text);
    const hidden = span.start === trimmed.start && span.end === trimmed.end ? 0 : IGNORABLE;
    const asked = new Set([
      ...candidates(lettersWithin(text, span, longest)),
      ...loneLetters(text, span).flatMap(candidates),
    ]);
    for (const term of asked) {
      const transforms =
        term === same ? undefined : transformsAt(terms.at(term), 'substring', text, span.start, span.end);
      if (transforms !== undefined) found.push({ term, span, transforms: transforms | hidden });
    }
    return found;
  };

  return {
    mayEqual: (text) => {
      let first = END;
      for (let at = 0; at < text.length; ) {
        const code = text.codePointAt(at)!;
        at += code > 0xffff ? 2 : 1;
        if (first === END && isWhite(code)) continue;
        if (isPartOfLetter(code)) return true;
        for (const letter of readingOf(code).letters) {
          const letterClass = classOf(letter);
          if (first === END) first = letterClass;
          else if (letterClass !== first) {
            if (beginnings[placeOf(first, letterClass)] === 1) return true;
            return isSeparator(code) && beginnings[placeOf(first, SEPARATOR)] === 1;
          }
        }
      }
      return beginnings[placeOf(first, END)] === 1;
    },
    find: (text) => {
      const found = findIn(text);
      const composed = composeLetters(text);
      if (composed !== undefined) {
        const known = new Set(found.map(({ term }) => term));
        for (const whole of findIn(composed.text)) if (!known.has(whole.term)) found.push(asSent(whole, composed));
      }
      return found.map(({ term, span, transforms }) => ({ term, span, transforms: namesOf(transforms) }));
    },
  };
}

/** A term that a text is, with transforms as bits. */
interface Whole {
  readonly term: number;
  readonly span: Span;
  readonly transforms: number;
}

/** What was found in a text with its letters put together, as of the text that was sent. */
function asSent({ term, span, transforms }: Whole, composed: ComposedText): Whole {
  const start = composed.sentOf(span.start);
  const end = composed.sentOf(span.end);
  return { term, span: { start, end }, transforms: transforms | (composed.isChanged(start, end) ? COMPATIBILITY : 0) };
}

/** The class of the first letter, or of the first one after it that is of another. */
function classAt(letters: readonly Letter[], place: 0 | 1): number {
  if (letters.length === 0) return END;
  const first = classOf(letters[0]!.base);
  const other = place === 0 ? letters[0] : letters.find(({ base }) => classOf(base) !== first);
  return other === undefined ? END : classOf(other.base);
}

function placeOf(first: number, second: number): number {
  return Math.imul(Math.imul(first, 31) + second, 0x9e3779b1) >>> (32 - BITS);
}

/** The letters of a stretch of text; none when they are of more than `most` classes in a row. */
function lettersWithin(text: string, { start, end }: Span, most: number): readonly Letter[] {
  const read = lettersFrom(text, start);
  const letters: Letter[] = [];
  let groups = 0;
  for (let letter = read(0); letter !== undefined && letter.from < end; letter = read(letters.length)) {
    if (letters.length === 0 || classOf(letters.at(-1)!.base) !== classOf(letter.base)) groups++;
    if (groups > most) return [];
    letters.push(letter);
  }
  return letters;
}

/** The letters of a stretch of text that all stand alone, in each way to read them. */
function loneLetters(text: string, { start, end }: Span): readonly (readonly Letter[])[] {
  const { runs } = loneLettersAround(text, start, start);
  return runs.filter((letters) => letters[0]!.from === start && letters.at(-1)!.end === end);
}

function trimmedSpan(text: string): Span {
  const start = text.length - text.trimStart().length;
  return { start, end: Math.max(start, text.trimEnd().length) };
}

/** The text without the white space and the hidden characters around it. */
function visibleSpan(text: string): Span {
  const isSurrounding = (at: number) =>
    isWhite(text.charCodeAt(at)) || readingOf(text.codePointAt(at)!).kind === 'ignorable';
  let start = 0;
  while (start < text.length && isSurrounding(start)) start += text.codePointAt(start)! > 0xffff ? 2 : 1;
  let end = text.length;
  while (end > start) {
    const before = end - (isPairBefore(text, end) ? 2 : 1);
    if (!isSurrounding(before)) break;
    end = before;
  }
  return { start, end };
}
