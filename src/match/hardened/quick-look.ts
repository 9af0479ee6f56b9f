/**
 * A look at a run of word characters without making letters of it: most runs that the scan stops at hold no term, such as
 * the first word of a phrase before another one. It took nine tenths of the time of clean texts before.
 */
import { mixClass } from './hardened-term.js';
import { classOf } from './likeness.js';
import { readingOf } from './readings.js';
import { FOLLOWS, NO_LETTER, type TermIndex } from './term-index.js';
import { classAt, UNCLEAR } from './unit-classes.js';
import { kindAt, LETTER_KIND } from './unit-kinds.js';

export interface QuickLook {
  /** Whether the run at [from, to) may hold or begin a term. */
  mayHold(text: string, from: number, to: number): boolean;
  /** Visits the terms that begin with a character that joins no words and may begin at an offset, until one has enough. */
  visitAnchored(text: string, at: number, visit: (term: number) => boolean): boolean;
}

/** Runs are words; longer ones are looked at properly. */
const MAX_LENGTH = 48;

const classes = new Int32Array(MAX_LENGTH);
const groupEnds = new Int32Array(MAX_LENGTH);
const isSpoken = new Uint8Array(MAX_LENGTH);

export function createQuickLook(index: TermIndex): QuickLook {
  const { heads, follows, anchored, hasLetterAnchors } = index;

  /** Whether the text may go on at `at` as a term does behind its first word. */
  const mayGoOn = (term: number, text: string, at: number): boolean => {
    const all = (term + 1) * FOLLOWS;
    let wanted = term * FOLLOWS;
    let last = NO_LETTER;
    for (let place = at; place - at < MAX_LENGTH; place++) {
      if (wanted === all || follows[wanted] === NO_LETTER) return true;
      const unitClass = classAt(text, place);
      if (unitClass === last) continue;
      if (unitClass !== UNCLEAR) {
        if (unitClass !== follows[wanted++]) return false;
        last = unitClass;
        continue;
      }
      // Kana with a sound mark is two letters, and common.
      const { letters } = readingOf(text.charCodeAt(place));
      if (letters.length < 2) return true;
      for (const letter of letters) {
        const letterClass = classOf(letter);
        if (letterClass === last) continue;
        if (wanted === all || follows[wanted] === NO_LETTER) return true;
        if (letterClass !== follows[wanted++]) return false;
        last = letterClass;
      }
    }
    return true;
  };

  const mayAnchor = (text: string, at: number): boolean => {
    const unitClass = classAt(text, at);
    if (unitClass === UNCLEAR) return true;
    const found = anchored.get(unitClass);
    return found?.some((term) => mayGoOn(term, text, at)) === true;
  };

  const visitAnchored = (text: string, at: number, visit: (term: number) => boolean): boolean => {
    const unitClass = classAt(text, at);
    if (unitClass !== UNCLEAR) return visitThose(anchored.get(unitClass), text, at, visit);
    // What is read as several letters begins a term with the first of them.
    const [first] = readingOf(text.codePointAt(at)!).letters;
    return first !== undefined && visitThose(anchored.get(classOf(first)), text, at, visit);
  };

  const visitThose = (
    those: readonly number[] | undefined,
    text: string,
    at: number,
    visit: (term: number) => boolean,
  ): boolean => {
    if (those === undefined) return false;
    for (const term of those) if (mayGoOn(term, text, at) && visit(term)) return true;
    return false;
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
      if (unitClass === UNCLEAR) return true;
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

  return { mayHold, visitAnchored };
}
