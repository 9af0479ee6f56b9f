/**
 * Texts of several forms, and what is found in them. Most texts have one form: the one that was sent. Two kinds of
 * characters are read in more than one way, which no step of an automaton over single characters can follow:
 *
 * - parts of letters (`composed-text.ts`): the text as it was sent, and with its letters put together;
 * - the byte order mark: a hidden character to readers, and white space to case folding;
 * - letters and signs that look empty (`blanks`): hidden characters, and white space.
 *
 * A text that holds one of these is scanned once in each form. What is found is kept by term and start, in offsets of
 * the text as it was sent, so that of all forms one match is reported: the one of case alone, or else the longest, or
 * else the one of simpler transforms.
 *
 * Example, with the term `가나`: `가` written as U+1100 U+1161, and `나`, is not found as it was sent. Put together, it is
 * found from 0 to 2, which is from 0 to 3 in what was sent, by `COMPATIBILITY`.
 */
import { BYTE_ORDER_MARK } from '../folding.js';
import type { OnTerm } from '../keyword-scan.js';
import type { RewrittenText } from '../rewritten-text.js';
import { composeLetters, hasParts, isPartOfLetter } from './composed-text.js';
import type { Lexicon } from './lexicon.js';
import { COMPATIBILITY, IGNORABLE, isSimpler } from './transforms.js';

/** Fillers of Hangul and the empty Braille pattern: no white space to `\s`, and nothing else to readers. */
const blanks = /[\u115f\u1160\u2800\u3164\uffa0]/g;
const byteOrderMark = String.fromCharCode(BYTE_ORDER_MARK);

/** Whether a text that holds this character has several forms. */
export function hasSeveralForms(code: number): boolean {
  return code === BYTE_ORDER_MARK || code === 0x2800 || code === 0x3164 || code === 0xffa0 || isPartOfLetter(code);
}

/** Whether a text has several forms: it holds a character of which `hasSeveralForms` holds. */
export function isInSeveralForms(text: string): boolean {
  return hasParts(text) || text.includes(byteOrderMark) || text.search(blanks) >= 0;
}

/** Scans one form of a text. */
type ScanForm = (text: string, onTerm: OnTerm) => void;

/** Scans all forms of a text. The matches that are to be reported, of each term and start one, as the arguments of a visitor. */
export function matchesInForms(text: string, lexicon: Lexicon, scan: ScanForm): Iterable<Parameters<OnTerm>> {
  const found = new Map<number, Parameters<OnTerm>>();
  const note: OnTerm = (term, start, end, transforms) => {
    const key = start * lexicon.pool.count + term;
    const before = found.get(key);
    if (before === undefined || isBetter(end, transforms, before)) found.set(key, [term, start, end, transforms]);
  };
  scan(text, note);
  const composed = composeLetters(text);
  if (composed !== undefined) scan(composed.text, asSent(text, composed, lexicon, note));
  if (text.includes(byteOrderMark)) {
    // To case folding alone it is white space.
    scan(text.replaceAll(byteOrderMark, ' '), (term, start, end, transforms) => {
      if (lexicon.plainEnd(term, text, start) === end) note(term, start, end, transforms);
    });
  }
  const spaced = withWhiteBlanks(text);
  if (spaced !== undefined)
    scan(spaced, (term, start, end, transforms) => {
      const isThrough = text.slice(Math.max(0, start - 1), end + 1).search(blanks) >= 0;
      note(term, start, end, transforms | (isThrough ? IGNORABLE : 0));
    });
  return found.values();
}

/** A text with white space for blanks that are none, in the same places; undefined when it has none of these. */
export function withWhiteBlanks(text: string): string | undefined {
  return text.search(blanks) < 0 ? undefined : text.replace(blanks, ' ');
}

/** Without transforms it is what case alone finds, which goes before what is longer. */
function isBetter(end: number, transforms: number, [, , endBefore, before]: Parameters<OnTerm>): boolean {
  if (end === endBefore) return isSimpler(transforms, before);
  return before !== 0 && (transforms === 0 || end > endBefore);
}

/** A visitor of the text with its letters put together, which notes what it finds as of the text that was sent. */
function asSent(text: string, composed: RewrittenText, lexicon: Lexicon, note: OnTerm): OnTerm {
  return (term, from, to, transforms) => {
    const start = composed.sentOf(from);
    const end = composed.sentOf(to);
    if (start < 0 || end < 0) return;
    // Marks in another order take as many units.
    const isChanged =
      composed.isChanged(start, end) || (transforms === 0 && lexicon.plainEnd(term, text, start) !== end);
    note(term, start, end, transforms | (isChanged ? COMPATIBILITY : 0));
  };
}
