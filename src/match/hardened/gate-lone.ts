/** What tells the gate that letters that stand alone are of no term. */
import { isWhite, WHITE } from '../folding.js';
import {
  BREAK_BIT,
  type GateAlphabet,
  HIDDEN,
  isIntricate,
  isSign,
  LOOK,
  SIGN_BIT,
  TELLS,
  UNSEEN,
} from './gate-alphabet.js';
import { isDigit, isPlain, RUN } from './gate-evidence.js';
import { EDGE, type GateTraits, keyOf } from './gate-traits.js';
import { bars, isBetweenCells, isSeparator, MAX_GAP } from './spaced.js';
import { classAt, UNCLEAR } from './unit-classes.js';
import { startBefore } from './word-runs.js';

/** Stands for what is between lone letters while nothing was seen. */
const NOTHING = -3;

/**
 * Whether the letter before an offset is no part of lone letters, as most that stand alone: seen at once where a longer word
 * stands before it, or more than separators do. Before it may be one bar, which would be no more than the second letter.
 */
function isByItself(text: string, end: number, { units, breaks }: GateAlphabet): boolean {
  const hasBar = bars.has(text.charCodeAt(end - 2));
  const last = hasBar ? end - 3 : end - 2;
  let at = last;
  // Half a pair may be a break in an emoji, and a letter here.
  let isHalf = false;
  for (; at >= 0 && last - at <= MAX_GAP; at--) {
    const unit = text.charCodeAt(at);
    isHalf = isHalfOfPair(unit);
    if (isHalf || breaks[units[unit]!] === 0) break;
  }
  if (isHalf) return false;
  const gap = last - at;
  if (at < 0 || gap > MAX_GAP) return true;
  if (gap === 0 && !hasBar) {
    // Behind `!` and the like, which are no separators, letters begin anew.
    const next = units[text.charCodeAt(end - 1)]!;
    return next !== LOOK && next !== UNSEEN && isSign(text.charCodeAt(at));
  }
  if (at === 0 || isIntricate(units[text.charCodeAt(at)]!)) return false;
  const unit = text.charCodeAt(at - 1);
  const column = units[unit]!;
  return !isHalfOfPair(unit) && !isIntricate(column) && breaks[column] === 0;
}

/**
 * Whether three letters that stand alone end at an offset, so that they may be the first of a term: with one to three
 * separators of one kind between them, and not all digits. What is intricate is left open.
 */
export function mayBeSpaced(text: string, end: number, alphabet: GateAlphabet, traits: GateTraits): boolean {
  if (isByItself(text, end, alphabet) || areOfNone(text, end, alphabet, traits)) return false;
  const answer = areSpaced(text, end, alphabet, traits, true);
  return answer === 'yes' || (answer === 'no' && areSpaced(text, end, alphabet, traits, false) === 'yes');
}

/**
 * Whether three letters that stand alone end at an offset and no term has such three: seen quickly where neither bars nor
 * anything hidden is among them, as in most lists and sums.
 */
function areOfNone(text: string, end: number, { units, breaks }: GateAlphabet, traits: GateTraits): boolean {
  let at = end;
  let third = NOTHING;
  let second = NOTHING;
  let first = NOTHING;
  for (let letters = 0; letters < RUN; letters++) {
    if (letters > 0) {
      const behind = at;
      while (at > 0 && behind - at <= MAX_GAP && isBreakColumn(units[text.charCodeAt(at - 1)]!, breaks)) at--;
      if (at === behind || behind - at > MAX_GAP) return false;
    }
    const column = at > 0 ? units[text.charCodeAt(at - 1)]! : LOOK;
    if (isIntricate(column) || breaks[column] === 1) return false;
    at--;
    third = second;
    second = first;
    first = classAt(text, at);
    if (first === UNCLEAR) return false;
  }
  if (at > 0 && !isBreakColumn(units[text.charCodeAt(at - 1)]!, breaks)) return false;
  // As they are gathered backwards: `third` is the last one.
  const { beginnings, threes } = traits;
  if (second === third && (first === second || beginnings.has(keyOf(first, second, EDGE)))) return false;
  return !beginnings.has(keyOf(first, second, third)) && !threes.has(keyOf(first, second, third));
}

const isBreakColumn = (column: number, breaks: Uint8Array) => !isIntricate(column) && breaks[column] === 1;

/** `never`: not without bars either, for there are none. */
type SpacedAnswer = 'yes' | 'no' | 'never';

/** The same, where bars separate letters or are some. */
function areSpaced(
  text: string,
  end: number,
  alphabet: GateAlphabet,
  { beginnings, threes, digitsAreHeard }: GateTraits,
  barsSeparate: boolean,
): SpacedAnswer {
  let at = end;
  let kind = NOTHING;
  let isSpoken = false;
  let hasBar = false;
  let third = NOTHING;
  let second = NOTHING;
  /** `SIGN_BIT` once something was seen that may be a bar. */
  let sign = 0;
  for (let letters = 1; ; letters++) {
    at = behindHidden(text, at, alphabet);
    const look = lookBefore(text, at, alphabet);
    if (look < 0) return told(look === TELLS, sign);
    sign |= look & SIGN_BIT;
    if ((look & BREAK_BIT) !== 0 && (barsSeparate || (look & SIGN_BIT) === 0)) return told(false, sign);
    const first = classAt(text, at - 1);
    const unit = text.charCodeAt(at - 1);
    // As in `7 + 8`, and no separator among others of its kind.
    if (bars.has(unit) && isBetweenCells(text, at - 1)) return told(false, sign);
    hasBar ||= bars.has(unit);
    isSpoken ||= !isDigit(unit);
    at = behindHidden(text, startBefore(text, at), alphabet);
    const before = lookBefore(text, at, alphabet);
    if (before === TELLS) return 'yes';
    if (before !== NOTHING) sign |= before & SIGN_BIT;
    const isAlone = before === NOTHING || (before & (BREAK_BIT | SIGN_BIT)) !== 0;
    if (!isAlone) return told(false, sign);
    if (letters === RUN) {
      if (!isSpoken && !digitsAreHeard && !goesOn(text, end, alphabet)) return told(false, sign);
      // A bar may end a term where nobody asks; the last of the three may be drawn out.
      if (hasBar || first === UNCLEAR || second === UNCLEAR || third === UNCLEAR) return 'yes';
      if (first === second && second === third) return 'yes';
      if (!goesOn(text, end, alphabet)) return told(threes.has(keyOf(first, second, third)), sign);
      return told(beginnings.has(keyOf(first, second, second === third ? EDGE : third)), sign);
    }
    third = second;
    second = first;
    let gap = 0;
    for (; gap < MAX_GAP; gap++) {
      at = behindHidden(text, at, alphabet);
      const next = lookBefore(text, at, alphabet);
      if (next < 0) break;
      sign |= next & SIGN_BIT;
      if (!mayStandBetween(text.charCodeAt(at - 1), barsSeparate)) break;
      const between = text.charCodeAt(--at);
      const kindBetween = isWhite(between) ? WHITE : between;
      if (kind !== NOTHING && kind !== kindBetween) return told(false, sign);
      kind = kindBetween;
    }
    if (gap > 0) continue;
    // A bar as a letter may stand before another: those before it end with it.
    if (barsSeparate || letters > 1 || !bars.has(text.charCodeAt(at - 1))) return told(false, sign);
    if (hasBar) return 'yes';
    isSpoken = false;
    letters = 0;
  }
}

function told(is: boolean, sign: number): SpacedAnswer {
  if (is) return 'yes';
  return sign === 0 ? 'never' : 'no';
}

/** Where what stands before an offset ends, hidden characters left out. */
function behindHidden(text: string, from: number, { lookAt }: GateAlphabet): number {
  let at = from;
  while (at > 0 && lookAt(codeBefore(text, at)) === HIDDEN) at = startBefore(text, at);
  return at;
}

/** What the character before an offset is to the gate; `NOTHING` at the beginning. */
function lookBefore(text: string, at: number, { lookAt }: GateAlphabet): number {
  return at > 0 ? lookAt(codeBefore(text, at)) : NOTHING;
}

const isHalfOfPair = (unit: number) => (unit & 0xf800) === 0xd800;
const codeBefore = (text: string, at: number) => text.codePointAt(startBefore(text, at))!;

/** Whether more letters may stand alone behind an offset: most that follow are of a longer word. */
function goesOn(text: string, end: number, { units, breaks }: GateAlphabet): boolean {
  let at = end;
  while (at < text.length && at - end < MAX_GAP && isSeparator(text.charCodeAt(at))) {
    if (bars.has(text.charCodeAt(at))) return true;
    at++;
  }
  if (at >= text.length || isSeparator(text.charCodeAt(at))) return false;
  const column = units[text.charCodeAt(at)]!;
  if (!isIntricate(column) && breaks[column] === 1) return false;
  return at === end || !(isOfWord(text.charCodeAt(at)) && isOfWord(text.charCodeAt(at + 1)));
}

const isOfWord = (code: number) => isPlain(code) || isDigit(code);

function mayStandBetween(code: number, barsSeparate: boolean): boolean {
  return isSeparator(code) && (barsSeparate || !bars.has(code));
}
