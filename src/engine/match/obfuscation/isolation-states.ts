/**
 * Isolated letters as the automaton sees them: whether three of them, or more, may stand before a place in a text.
 *
 * An instance of: a bit-parallel NFA (as Shift-And has it). Its NFA counts isolated letters: the first, the second, the
 * third and all later ones; once for letters with white space between them and once for those with other separators. A
 * state is the set of positions that the NFA may be in, as bits of one number, which is a part of the states of
 * `automaton.ts`.
 *
 * Invariant: whenever the text before a place ends in a run of isolated letters that `isolated-runs.ts` finds, one of
 * them alphabetic, and a term may begin with its first letter, `mayEndIsolated` holds there. The reverse is not so: how
 * many separators stand in between, and which of the other separators, is not part of the state.
 */
import { ALPHABETIC, BEGINS, IN_WORD, IS_SIGN, Isolation, KIND } from './isolation-classes.js';

const WAS_FIRST = 1;
const MAY_BE_FIRST = 2;
const IS_ALPHABETIC = 4;
/** These four with white space between the letters, and `KIND_BITS` higher with other separators. */
const WAS_SECOND = 8;
const WAS_THIRD = 16;
const MAY_BE_SECOND = 32;
const MAY_BE_THIRD = 64;
const MAY_BE = MAY_BE_SECOND | MAY_BE_THIRD;
const KIND_BITS = 4;
/** The last character was white space; it was a bar behind white space, which does not count as a letter when white space follows. */
const WAS_SPACE = 1 << 11;
const WAS_BAR = 1 << 12;
/**
 * Set since the last white space: for a letter; for a sign behind one; both when a letter follows that sign, or when the
 * sign may stand for a letter. `IS_OTHER` replaces them when no term had the letters before the first such sign.
 */
const HAS_LETTER = 1 << 13;
const HAS_SIGN = 1 << 14;
const IS_OTHER = 1 << 15;
const TOKEN = HAS_LETTER | HAS_SIGN | IS_OTHER;
const THIRDS = WAS_THIRD | (WAS_THIRD << KIND_BITS);
const WAS = WAS_FIRST | WAS_SECOND | (WAS_SECOND << KIND_BITS) | THIRDS;
/** The state before a text, and before a passage of isolated letters within one. */
export const START = MAY_BE_FIRST | WAS_SPACE;
export const START_WITHIN = MAY_BE_FIRST;

/** Returns the state after a character of a class. `isTerm`: the letters before it may be the beginning of a term. */
export function isolationAfter(state: number, isolation: number, isTerm: boolean): number {
  const kind = isolation & KIND;
  const alphabetic = (isolation & ALPHABETIC) !== 0 ? IS_ALPHABETIC : 0;
  const before = isBetweenCells(state, kind) ? state & ~WAS : state;
  if (kind === Isolation.SAME) return before | alphabetic;
  let after = 0;
  if (kind === Isolation.LETTER || kind === Isolation.SIGN || kind === Isolation.BAR) {
    if ((before & MAY_BE_FIRST) !== 0 && (isolation & BEGINS) !== 0) after |= WAS_FIRST;
    for (const shift of [0, KIND_BITS]) {
      const may = before >> shift;
      if ((may & MAY_BE_SECOND) !== 0) after |= WAS_SECOND << shift;
      if ((may & MAY_BE_THIRD) !== 0) after |= WAS_THIRD << shift;
    }
  }
  if (kind === Isolation.SPACE || kind === Isolation.SEPARATOR || kind === Isolation.BAR || kind === Isolation.MASK) {
    const shift = kind === Isolation.SPACE ? 0 : KIND_BITS;
    const was = before >> shift;
    if ((before & WAS) !== 0) after |= MAY_BE_SECOND << shift;
    if ((was & (WAS_SECOND | WAS_THIRD)) !== 0) after |= MAY_BE_THIRD << shift;
    after |= (was & MAY_BE) << shift;
  }
  if (kind !== Isolation.LETTER) after |= MAY_BE_FIRST;
  if (kind === Isolation.SPACE) after |= WAS_SPACE;
  else after |= tokenAfter(state & TOKEN, isolation, isTerm);
  if (kind === Isolation.BAR && (before & WAS_SPACE) !== 0) after |= WAS_BAR;
  // Letters before do not matter where the next can only be the first; this saves states.
  if ((after & ~(MAY_BE_FIRST | WAS_SPACE | WAS_BAR | TOKEN)) === 0) return after;
  return after | (before & IS_ALPHABETIC) | alphabetic;
}

/** Reports whether three isolated letters or more may end before a character of a class; see the invariant. */
export function mayEndIsolated(state: number, isolation: number): boolean {
  const kind = isolation & KIND;
  const isThird = !isBetweenCells(state, kind) && (state & THIRDS) !== 0 && (state & IS_ALPHABETIC) !== 0;
  return isThird && kind !== Isolation.LETTER && kind !== Isolation.SAME;
}

/** Reports whether a word with signs in it or for its letters may end before a character of a class. */
export function mayEndToken(state: number, isolation: number): boolean {
  const kind = isolation & KIND;
  const isEnd = kind === Isolation.SPACE || (kind === Isolation.NONE && (isolation & IS_SIGN) === 0);
  return isEnd && (state & TOKEN) === (HAS_LETTER | HAS_SIGN);
}

/** Returns the bits of a token with one more character. */
function tokenAfter(token: number, isolation: number, isTerm: boolean): number {
  if (token === IS_OTHER) return token;
  if (token === HAS_LETTER) {
    if ((isolation & IS_SIGN) === 0) return token;
    if (!isTerm) return IS_OTHER;
    return (isolation & KIND) === Isolation.MASK ? HAS_LETTER | HAS_SIGN : HAS_SIGN;
  }
  return (isolation & IN_WORD) !== 0 ? token | HAS_LETTER : token;
}

/** Reports whether the last character was a bar with white space on both sides: a column of a table, and no letter. */
function isBetweenCells(state: number, kind: number): boolean {
  return (state & WAS_BAR) !== 0 && kind === Isolation.SPACE;
}
