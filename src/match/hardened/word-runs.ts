/** Runs of word characters, and of what may be some: as far as the scan has to know of them before letters are made. */
import { isPairBefore } from './letters.js';
import { readingOf } from './readings.js';
import { MAX_GAP } from './spaced.js';
import { HIDDEN_KIND, kindAt, LETTER_KIND, OTHER_KIND, PAIR_KIND, SYMBOL_KIND } from './unit-kinds.js';

const UNDERSCORE = 0x5f;

/** Where the character before an offset begins. */
export function startBefore(text: string, at: number): number {
  return at - (isPairBefore(text, at) ? 2 : 1);
}

/** The same, marks and ignorable characters passed over. */
export function visibleStartBefore(text: string, offset: number): number {
  let at = offset;
  do at = startBefore(text, at);
  while (at > 0 && readingOf(text.codePointAt(at)!).letters.length === 0);
  return Math.max(0, at);
}

/** Whether the character at an offset joins words, may be read as a letter, or is hidden. */
export function belongsToWord(text: string, at: number): boolean {
  if (at >= text.length) return false;
  const kind = kindAt(text, at);
  return kind === PAIR_KIND ? readingOf(text.codePointAt(at)!).kind !== 'other' : kind !== OTHER_KIND;
}

/** Whether nothing stands in a run but what is hidden, such as between the parts of an emoji. */
export function isHidden(text: string, from: number, to: number): boolean {
  for (let at = from; at < to; at++) if (kindAt(text, at) !== HIDDEN_KIND) return false;
  return true;
}

/** Whether a letter of a run of word characters may stand alone: none touches it, or something hidden is there. */
export function mayStandAlone(text: string, from: number, to: number): boolean {
  let touches = false;
  for (let at = from; at < to; at++) {
    const kind = kindAt(text, at);
    if (kind >= HIDDEN_KIND) return true;
    const joins = kind === LETTER_KIND && text.charCodeAt(at) !== UNDERSCORE;
    const isNext = at + 1 < to && kindAt(text, at + 1) === LETTER_KIND && text.charCodeAt(at + 1) !== UNDERSCORE;
    if (!touches && !isNext && (joins || kind === SYMBOL_KIND)) return true;
    touches = joins;
  }
  return false;
}

/** Whether the letter from `from` to `to` may be one of three that stand alone, up to three others between each two. */
export function isAmongLone(text: string, from: number, to: number): boolean {
  if (to - from > 1) return true;
  const after = loneFrom(text, to, 1);
  return after > 1 || after + loneFrom(text, from - 1, -1) > 1;
}

/** How many letters may stand alone in one direction; two are enough to know. */
function loneFrom(text: string, start: number, step: 1 | -1): number {
  let count = 0;
  let gap = 0;
  for (let at = start; at >= 0 && at < text.length && gap <= MAX_GAP; at += step) {
    const kind = kindAt(text, at);
    if (kind >= HIDDEN_KIND) return 2;
    if (kind === OTHER_KIND || kind === SYMBOL_KIND || text.charCodeAt(at) === UNDERSCORE) gap++;
    if (kind === OTHER_KIND || text.charCodeAt(at) === UNDERSCORE) continue;
    const beyond = at + step;
    if (kind === LETTER_KIND && (gap === 0 || (beyond >= 0 && beyond < text.length && isLetterAt(text, beyond)))) break;
    if (++count > 1) break;
    gap = kind === SYMBOL_KIND ? 1 : 0;
  }
  return count;
}

function isLetterAt(text: string, at: number): boolean {
  return kindAt(text, at) === LETTER_KIND && text.charCodeAt(at) !== UNDERSCORE;
}

/** Whether neither neighbour belongs to a word. */
export function isAlone(text: string, at: number): boolean {
  return at > 0 && !belongsToWord(text, startBefore(text, at)) && !belongsToWord(text, at + 1);
}

/** Whether no letter touches the character at [at, end), so that it may stand alone as one. */
export function standsAlone(text: string, at: number, end: number): boolean {
  return !(at > 0 && isLetterAt(text, at - 1)) && !(end < text.length && isLetterAt(text, end));
}
