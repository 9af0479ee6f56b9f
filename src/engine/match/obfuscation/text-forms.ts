/**
 * Texts of several forms, and what is found in them. Most texts have one form: the one that was sent. Two kinds of
 * characters are read in more than one way, which no step of an automaton over single characters can follow:
 *
 * - parts of letters (`composed-text.ts`): the text as it was sent, with its letters put together, and without iotas below;
 * - the byte order mark: a hidden character to readers, and white space to case folding;
 * - letters and signs that look empty (`blanks`): hidden characters, and white space.
 *
 * A text that holds one of these is scanned once in each form. What is found is kept by term and start, in offsets of
 * the text as it was sent, so that of all forms one match is reported: the one of case alone, or else the longest, or
 * else the one of simpler transforms.
 */
import { withoutIotas } from '../accents.js';
import { BYTE_ORDER_MARK } from '../folding.js';
import type { OnTerm } from '../keyword-scan.js';
import { RewrittenText } from '../rewritten-text.js';
import { composeLetters } from './composed-text.js';
import { endOfMarks } from './letters.js';
import type { Lexicon } from './lexicon.js';
import { COMPATIBILITY, IGNORABLE, isSimpler, MARK } from './transforms.js';

/** Fillers of Hangul and the empty Braille pattern: no white space to `\s`, and nothing else to readers. */
const blanks = /[\u115f\u1160\u2800\u3164\uffa0]/g;
const byteOrderMark = String.fromCharCode(BYTE_ORDER_MARK);

/** Characters that give several forms: blanks, byte order marks, parts of letters, and Greek letters of which most have an iota below. */
const severalForms = /[\u0345\u1100-\u11ff\u1f80-\u1fff\u2800\u3164\ua960-\ua97f\ud7b0-\ud7ff\ufeff\uffa0]/;

/** Whether a text has several forms. */
export const isInSeveralForms = (text: string): boolean => severalForms.test(text);

/** Reports whether a text that holds this character has several forms. Allocates nothing, since scans ask it of characters that have no column. */
export function hasSeveralForms(code: number): boolean {
  if (code < 0x1100 || code > 0xffa0) return code === 0x345;
  if (code < 0x2800) return code < 0x1200 || (code >= 0x1f80 && code < 0x2000);
  if (code < 0xd7b0) return code === 0x2800 || code === 0x3164 || (code >= 0xa960 && code < 0xa980);
  return code < 0xd800 || code === BYTE_ORDER_MARK || code === 0xffa0;
}

/** Scans one form of a text. */
type ScanForm = (text: string, onTerm: OnTerm) => void;

/** Scans all forms of a text. The matches that are to be reported, of each term and start one, as the arguments of a visitor. */
export function matchesInForms(text: string, lexicon: Lexicon, scan: ScanForm): Iterable<Parameters<OnTerm>> {
  const found = new Map<number, Parameters<OnTerm>>();
  const note: OnTerm = (one, start, end, through) => {
    const term = lexicon.ownerOf(one);
    const transforms = through | (term === one ? 0 : MARK);
    const key = start * lexicon.pool.count + term;
    const before = found.get(key);
    if (before === undefined || isBetter(end, transforms, before)) found.set(key, [term, start, end, transforms]);
  };
  scan(text, note);
  for (const form of formsOf(text)) scan(form.text, asSent(text, form, lexicon, note));
  if (text.includes(byteOrderMark)) {
    // To case folding alone it is white space.
    scan(text.replaceAll(byteOrderMark, ' '), (term, start, end, transforms) => {
      if (lexicon.plainEnd(term, text, start) === end) note(term, start, end, transforms);
    });
  }
  return found.values();
}

/** Returns the forms of a text except the one that was sent and that of byte order marks, with the transforms that they are read through. */
export function formsOf(text: string) {
  const sent = new RewrittenText(text, []);
  const origin = composeLetters(text) ?? sent;
  const forms = [
    { text: origin.text, origin, through: 0 },
    { text: withoutIotas(origin.text), origin, through: MARK },
    { text: text.replace(blanks, ' '), origin: sent, through: IGNORABLE },
  ];
  return forms.filter((form) => form.text !== (form.through === MARK ? origin.text : text));
}

export type Form = ReturnType<typeof formsOf>[number];

/** Reports whether an occurrence goes before another one of its start: one of case alone does, or else a longer one. */
function isBetter(end: number, transforms: number, [, , endBefore, before]: Parameters<OnTerm>): boolean {
  if (end === endBefore) return isSimpler(transforms, before);
  return before !== 0 && (transforms === 0 || end > endBefore);
}

/** Returns a visitor of a form, which notes what it finds as of the text that was sent. */
function asSent(text: string, { origin, through }: Form, lexicon: Lexicon, note: OnTerm): OnTerm {
  return (term, from, to, transforms) => {
    const start = origin.sentOf(from);
    const last = origin.sentOf(to);
    // To case folding, marks behind a letter are not a part of it; of a text that was read otherwise they are.
    const end = through === 0 ? last : endOfMarks(text, last);
    if (start < 0 || end < 0) return;
    // Marks in another order take as many units.
    const isChanged =
      origin.isChanged(start, end) || ((transforms | through) === 0 && lexicon.plainEnd(term, text, start) !== end);
    note(term, start, end, transforms | through | (isChanged ? COMPATIBILITY : 0));
  };
}
