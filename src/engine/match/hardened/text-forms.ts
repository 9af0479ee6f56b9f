/**
 * Texts that are read in several forms, and what is found in them. Most texts have one form: the
 * one that was sent. Three kinds of characters are read in more than one way, which no step of an
 * automaton over single characters can follow:
 *
 * - consonants and vowels of Korean, which are read as the syllables that they make;
 * - letters and signs that look empty, which are hidden characters, and white space;
 * - the byte order mark, which is hidden to readers, and white space to case folding.
 *
 * A text that holds one of these is scanned once in each form. What is found is kept by term and
 * start, in offsets of the text as it was sent, so that one match is reported: the one of case
 * alone, or else the one that ends first, or else that of fewest transforms.
 */
import { BYTE_ORDER_MARK } from '../folding.js';
import type { OnTerm } from '../keyword-scan.js';
import { type Piece, type RewrittenText, rewrite } from '../rewritten-text.js';
import { endOfMarks } from './letters.js';
import { COMPATIBILITY, IGNORABLE, isSimpler } from './transforms.js';

/** Consonants and vowels of Korean. */
const syllableParts = /[\u1100-\u11ff\ua960-\ua97f\ud7b0-\ud7ff]/;
const syllables =
  /[\u1100-\u115f\ua960-\ua97f][\u1160-\u11a7\ud7b0-\ud7c6][\u11a8-\u11ff\ud7cb-\ud7ff]?|[\uac00-\ud7a3][\u11a8-\u11c2]/g;
/** Fillers of Hangul and the empty Braille pattern: no white space to `\s`, nothing to readers. */
const blanks = /[\u115f\u1160\u2800\u3164\uffa0]/g;
const byteOrderMark = String.fromCharCode(BYTE_ORDER_MARK);
const severalForms = /[\u1100-\u11ff\u2800\u3164\ua960-\ua97f\ud7b0-\ud7ff\ufeff\uffa0]/;

/** Reports whether a text has several forms. */
export const isInSeveralForms = (text: string): boolean => severalForms.test(text);

/** Reports whether a text that holds this character has several forms. Allocates nothing. */
export function hasSeveralForms(code: number): boolean {
  if (code < 0x1100 || code > 0xffa0) return false;
  if (code < 0x2801) return code < 0x1200 || code === 0x2800;
  if (code < 0xd7b0) return code === 0x3164 || (code >= 0xa960 && code < 0xa980);
  return code < 0xd800 || code === BYTE_ORDER_MARK || code === 0xffa0;
}

/** Reports whether a text holds consonants or vowels of Korean. */
export function hasSyllableParts(text: string): boolean {
  return syllableParts.test(text);
}

/** Puts Korean syllables together; undefined when that changes nothing. */
export function composeSyllables(text: string): RewrittenText | undefined {
  return hasSyllableParts(text) ? rewrite(text, composedPieces(text)) : undefined;
}

function* composedPieces(text: string): Generator<Piece> {
  for (const { 0: written, index } of text.matchAll(syllables))
    yield { start: index, end: index + written.length, read: written.normalize('NFC') };
}

/** Scans one form of a text. */
type ScanForm = (text: string, onTerm: OnTerm) => void;

/** More terms no matcher has. */
const TERMS = 1 << 22;

/** Scans all forms of a text. Returns the matches to report, as the arguments of a visitor. */
export function matchesInForms(text: string, scan: ScanForm): Iterable<Parameters<OnTerm>> {
  const found = new Map<number, Parameters<OnTerm>>();
  const note: OnTerm = (term, start, end, transforms) => {
    const key = start * TERMS + term;
    const before = found.get(key);
    if (before === undefined || isBetter(end, transforms, before)) found.set(key, [term, start, end, transforms]);
  };
  scan(text, note);
  const composed = composeSyllables(text);
  if (composed !== undefined)
    scan(composed.text, (term, from, to, transforms) => {
      const start = composed.sentOf(from);
      const end = composed.sentOf(to);
      if (start < 0 || end < 0) return;
      const isChanged = composed.isChanged(start, end);
      note(term, start, end, transforms | (isChanged ? COMPATIBILITY : 0));
    });
  const shown = text.replace(blanks, ' ');
  if (shown !== text)
    scan(shown, (term, start, to, transforms) => note(term, start, endOfMarks(text, to), transforms | IGNORABLE));
  if (text.includes(byteOrderMark))
    scan(text.replaceAll(byteOrderMark, ' '), (term, start, end, transforms) => {
      if (transforms === 0) note(term, start, end, transforms);
    });
  return found.values();
}

/** Reports whether an occurrence goes before another one of its start. */
function isBetter(end: number, transforms: number, [, , endBefore, before]: Parameters<OnTerm>): boolean {
  if (end === endBefore) return isSimpler(transforms, before);
  return before !== 0 && (transforms === 0 || end < endBefore);
}
