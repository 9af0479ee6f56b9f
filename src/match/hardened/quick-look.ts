/**
 * A look at a run of word characters without making letters of it: most runs that the scan stops at hold no term, such as
 * the first word of a phrase before another one. It took nine tenths of the time of clean texts before.
 */
import { mixClass } from './hardened-term.js';
import { classOf } from './likeness.js';
import { readingOf } from './readings.js';
import { NO_LETTER, type TermIndex } from './term-index.js';
import { kindAt, LETTER_KIND } from './unit-kinds.js';

export interface QuickLook {
  /** Whether the run at [from, to) may hold or begin a term. */
  mayHold(text: string, from: number, to: number): boolean;
  /** Whether one that begins with a character that joins no words may begin at an offset. */
  mayAnchor(text: string, at: number): boolean;
}

const UNKNOWN = -5;
/** No letter or several, half a pair, something hidden: to be looked at properly. */
const INTRICATE = -4;
/** Stands behind the last character of a text. */
const END = -3;
/** Runs are words; longer ones are looked at properly. */
const MAX_LENGTH = 48;

/** By UTF-16 unit: its class, learned as used. One table for the process. */
const unitClasses = new Int32Array(0x10000).fill(UNKNOWN);
const classes = new Int32Array(MAX_LENGTH);
const groupEnds = new Int32Array(MAX_LENGTH);
const isSpoken = new Uint8Array(MAX_LENGTH);

export function createQuickLook(index: TermIndex): QuickLook {
  const { heads, follows, anchored, hasLetterAnchors } = index;

  /** Whether the text may go on at `at` as a term does behind its first word. */
  const mayGoOn = (term: number, text: string, at: number): boolean => {
    const behind = follows[2 * term]!;
    if (behind === NO_LETTER) return true;
    let unitClass = classAt(text, at);
    if (unitClass !== behind) return unitClass === INTRICATE;
    const next = follows[2 * term + 1]!;
    if (next === NO_LETTER) return true;
    let place = at;
    while (unitClass === behind) unitClass = classAt(text, ++place);
    return unitClass === next || unitClass === INTRICATE;
  };

  const mayAnchor = (text: string, at: number): boolean => {
    const unitClass = classAt(text, at);
    if (unitClass === INTRICATE) return true;
    const found = anchored.get(unitClass);
    return found?.some((term) => mayGoOn(term, text, at)) === true;
  };

  /** Whether a word may end among the letters from `from` to `to` of a run: a letter does not follow. */
  const mayEnd = (from: number, to: number, count: number): boolean => {
    if (to === count) return true;
    for (let at = from + 1; at <= to; at++) if (isSpoken[at] === 0) return true;
    return false;
  };

  const mayHold = (text: string, from: number, to: number): boolean => {
    const count = to - from;
    if (count > MAX_LENGTH) return true;
    let signs = false;
    for (let at = 0; at < count; at++) {
      const unitClass = classAt(text, from + at);
      if (unitClass === INTRICATE) return true;
      const isLetter = kindAt(text, from + at) === LETTER_KIND;
      if (!isLetter) signs = true;
      isSpoken[at] = isLetter ? 1 : 0;
      classes[at] = unitClass;
      if (anchored.size > 0 && (hasLetterAnchors || !isLetter) && mayAnchor(text, from + at)) return true;
    }
    for (let at = count - 1; at >= 0; at--) {
      groupEnds[at] = at + 1 < count && classes[at + 1] === classes[at] ? groupEnds[at + 1]! : at + 1;
    }
    // Among signs a term may begin and end anywhere; a run of letters is one word.
    if (signs) {
      for (let start = 0; start < count; start++) {
        const mayStart = start === 0 || isSpoken[start - 1] === 0 || isSpoken[start] === 0;
        if (mayStart && index.mayBegin(classes, groupEnds, count, start, mayEnd)) return true;
      }
      return false;
    }
    let key = 0;
    let isDrawn = false;
    for (let at = 0; at < count; at = groupEnds[at]!) {
      key = mixClass(key, classes[at]!);
      if (groupEnds[at]! - at > 2) isDrawn = true;
    }
    // Without a letter that is drawn out, the word of a term has as many letters.
    for (let term = index.firstOf(key); term >= 0; term = index.nextOf(term)) {
      if ((isDrawn || heads[term] === count) && mayGoOn(term, text, to)) return true;
    }
    return false;
  };

  return { mayHold, mayAnchor };
}

function classAt(text: string, at: number): number {
  if (at >= text.length) return END;
  const unit = text.charCodeAt(at);
  const known = unitClasses[unit]!;
  if (known !== UNKNOWN) return known;
  const { letters } = readingOf(unit);
  const isHalf = (unit & 0xf800) === 0xd800;
  const learned = isHalf || letters.length !== 1 ? INTRICATE : classOf(letters[0]!);
  unitClasses[unit] = learned;
  return learned;
}
