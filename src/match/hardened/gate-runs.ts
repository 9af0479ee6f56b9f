/** What tells the gate that letters of one class in a row are no letter drawn out. */
import { isWhite, WHITE } from '../folding.js';
import { isDigit, isPlain, RUN } from './gate-evidence.js';
import { beside, EDGE, type GateTraits, keyOf } from './gate-traits.js';
import { isPairBefore } from './letters.js';
import { classOf, likeness } from './likeness.js';
import { isPicture } from './pictures.js';
import { readingOf } from './readings.js';
import { classAt, UNCLEAR } from './unit-classes.js';
import { kindAt, LETTER_KIND, OTHER_KIND } from './unit-kinds.js';

const EXCLAMATION = 0x21;
/** Runs are followed so far; a longer one opens the gate. */
const MAX_FOLLOWED = 32;

/**
 * Whether three letters of a column in a row may be one drawn out: of one class, between letters or edges as a term has them
 * there. A `!` before white space is none. What is intricate is left open.
 */
export function isDrawnOut(text: string, end: number, traits: GateTraits): boolean {
  // `i` and `l` share a class, for both may be written as `1`; yet `ill` is hardly ever one letter drawn out.
  if (traits.mixedRuns.size === 0 && arePlainAndDiffer(text, end)) return false;
  const run = classAt(text, end - 1);
  // Halves of pictures share a column with letters, or with each other.
  if (run === UNCLEAR) return !isPicture(codeAround(text, end - 1));
  const { wholeWords } = traits;
  const runs = areDifferent(text, end, run) ? traits.mixedRuns : traits.runs;
  if (runs.size === 0) return false;
  if (text.charCodeAt(end - 1) === EXCLAMATION && isBeforeWhite(text, end)) return false;
  let from = end - 1;
  let isJoined = kindAt(text, end - 1) === LETTER_KIND;
  for (; from > 0 && classAt(text, from - 1) === run; from--) {
    if (end - from > MAX_FOLLOWED) return true;
    isJoined &&= kindAt(text, from - 1) === LETTER_KIND;
  }
  const before = besideAt(text, from - 1, -1, run);
  if (before === UNCLEAR) return true;
  if (end - from < RUN) return false;
  let to = end;
  for (; classAt(text, to) === run; to++) {
    if (to - end > MAX_FOLLOWED) return true;
    isJoined &&= kindAt(text, to) === LETTER_KIND;
  }
  const after = besideAt(text, to, 1, run);
  if (after === UNCLEAR) return true;
  // A word that is all digits stands for none, unless a letter looks like one.
  if (!traits.numbersAreHeard && isNumber(text, from, to)) return false;
  // Letters that join none may begin a word in their midst, and so may what is no whole word.
  const mayBegin = !wholeWords || !isJoined || before === EDGE || !joins(text, from - 1);
  const mayEnd = !wholeWords || !isJoined || after === EDGE || !joins(text, to);
  return (
    runs.has(keyOf(before, run, after)) ||
    (mayBegin && runs.has(keyOf(EDGE, run, after))) ||
    (mayEnd && runs.has(keyOf(before, run, EDGE))) ||
    (mayBegin && mayEnd && runs.has(keyOf(EDGE, run, EDGE)))
  );
}

/** What stands beside a run at an offset, as `beside` tells it, or `UNCLEAR`. */
function besideAt(text: string, at: number, step: number, run: number): number {
  let far = at;
  while (isWhite(text.charCodeAt(far))) {
    if (far - at === step * MAX_FOLLOWED) return UNCLEAR;
    far += step;
  }
  if (far < 0 || far >= text.length) return far === at ? EDGE : beside(WHITE, EDGE);
  const beyond = classAround(text, far);
  // A pair may be of the run that it is next to.
  if (far === at) return beyond === run ? UNCLEAR : beyond;
  return beyond === UNCLEAR ? UNCLEAR : beside(WHITE, beyond);
}

/** The class of the character that has a unit at an offset. */
function classAround(text: string, at: number): number {
  const known = classAt(text, at);
  if (known !== UNCLEAR) return known;
  const { letters } = readingOf(codeAround(text, at));
  return letters.length === 1 ? classOf(letters[0]!) : UNCLEAR;
}

/** The code point that has a unit at an offset. */
function codeAround(text: string, at: number): number {
  return text.codePointAt(isPairBefore(text, at + 1) ? at - 1 : at)!;
}

const joins = (text: string, at: number) => readingOf(text.charCodeAt(at)).joins;

/** Whether the three characters before an offset are letters of one class, but hardly ever one letter. */
function areDifferent(text: string, end: number, run: number): boolean {
  stroke ||= classOf(0x69);
  if (run !== stroke) return false;
  const last = strokesOf(text.charCodeAt(end - 1));
  return (last & strokesOf(text.charCodeAt(end - 2)) & strokesOf(text.charCodeAt(end - 3))) === 0;
}

/** Whether the three characters before an offset are letters of ASCII, and not the same. */
function arePlainAndDiffer(text: string, end: number): boolean {
  const last = text.charCodeAt(end - 1) | 0x20;
  const second = text.charCodeAt(end - 2) | 0x20;
  const first = text.charCodeAt(end - 3) | 0x20;
  return isPlain(last) && isPlain(second) && isPlain(first) && (last !== second || last !== first);
}

/** The class of `i` and `l`, once asked. */
let stroke = 0;
const AN_I = 1;
const AN_L = 2;
/** By UTF-16 unit: which of the two it may be, learned as used. */
const strokes = new Uint8Array(0x10000);

function strokesOf(unit: number): number {
  if (strokes[unit] === 0) {
    const letter = readingOf(unit).letters[0] ?? unit;
    const may = (likeness(letter, 0x69) >= 0 ? AN_I : 0) | (likeness(letter, 0x6c) >= 0 ? AN_L : 0);
    strokes[unit] = may === 0 ? AN_I | AN_L : may;
  }
  return strokes[unit]!;
}

/** Whether no part of a word stands at an offset, nor a sign that may be one. */
function isBreak(text: string, at: number): boolean {
  return at < 0 || at >= text.length || kindAt(text, at) === OTHER_KIND;
}

/** Whether a run, and what joins it, is all digits. */
function isNumber(text: string, from: number, to: number): boolean {
  for (let at = from; at < to; at++) if (!isDigit(text.charCodeAt(at))) return false;
  let first = from;
  while (first > 0 && from - first < MAX_FOLLOWED && isDigit(text.charCodeAt(first - 1))) first--;
  let last = to;
  while (last - to < MAX_FOLLOWED && isDigit(text.charCodeAt(last))) last++;
  return isBreak(text, first - 1) && isBreak(text, last);
}

function isBeforeWhite(text: string, end: number): boolean {
  let at = end;
  while (at - end < MAX_FOLLOWED && text.charCodeAt(at) === EXCLAMATION) at++;
  return at >= text.length || isWhite(text.charCodeAt(at));
}
