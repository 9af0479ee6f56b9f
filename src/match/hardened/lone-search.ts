import { WHITE } from '../folding.js';
import type { OnTerm } from '../keyword-matcher.js';
import { joinsWords } from '../word-edges.js';
import { mayReadAsLetter } from './likeness.js';
import { LONE_MASK, lonePatterns } from './lone-patterns.js';
import { readingOf } from './readings.js';
import { bars, isBetweenCells } from './spaced.js';
import type { SpacedSearch } from './spaced-search.js';
import { standsAlone } from './word-runs.js';

const UNDERSCORE = 0x5f;
const UNKNOWN = 4;
/** A break, and more: a bar may be a letter where it stands alone. */
const BAR = 3;
/** A letter, and more: beside a letter a sign may be none. */
const SIGN = 2;
/** Of more signs it is not found out. */
const MAX_TRIED = 32;
/** By UTF-16 unit: 1 when it separates lone letters, or nothing is known of it. One table for the process, learned as used. */
const breaks = new Uint8Array(0x10000).fill(UNKNOWN);

/**
 * Looks for letters that stand alone in a whole text, for a scan that does not see words. Answers whether the visitor had
 * enough. Signs that may be letters count as letters here, hidden characters and astral ones as whatever helps.
 */
export function searchLoneLetters(spaced: SpacedSearch, text: string, onTerm: OnTerm): boolean {
  spaced.begin();
  let seen = -1;
  let signs = 0;
  let hidden = false;
  for (let at = 0; at < text.length; at++) {
    const known = breaks[text.charCodeAt(at)]!;
    const from = at;
    if (known === BAR && mayBeLetter(text, at) && spaced.search(text, at, onTerm)) return true;
    if (known < UNKNOWN) {
      seen = (seen << 1) | (known & 1);
      signs = (signs << 1) | (known === SIGN ? 1 : 0);
    } else {
      const code = text.codePointAt(at)!;
      const { kind, letters } = readingOf(code);
      if (code > 0xffff) at++;
      if (kind === 'mark' || kind === 'ignorable') {
        hidden = true;
        continue;
      }
      const isLetter = letters.length === 1 ? isOne(letters[0]!, code) : kind === 'letter';
      const isBar = bars.has(code);
      const isSign = isLetter && !isBar && !joinsWords(code);
      if (isBar && mayBeLetter(text, from) && spaced.search(text, from, onTerm)) return true;
      // Half a pair alone tells nothing of the pairs that begin or end with it.
      const isUnit = code <= 0xffff && (code & 0xf800) !== 0xd800;
      if (isUnit) breaks[code] = isBar ? BAR : isSign ? SIGN : isLetter ? 0 : 1;
      seen = (seen << 1) | (isLetter && !isBar ? 0 : 1);
      signs = (signs << 1) | (isSign ? 1 : 0);
    }
    if (mayEndThree(seen, signs) && spaced.search(text, from, onTerm)) return true;
  }
  if (hidden || mayEndThree((seen << 1) | 1, signs << 1)) return spaced.search(text, text.length, onTerm);
  return false;
}

/** Whether three letters that stand alone may end here, each sign among the last characters a letter or none. */
function mayEndThree(seen: number, signs: number): boolean {
  const among = signs & LONE_MASK;
  for (let breaks = among, tried = 0; ; breaks = (breaks - 1) & among, tried++) {
    if (tried > MAX_TRIED || lonePatterns[(seen | breaks) & LONE_MASK] !== 0) return true;
    if (breaks === 0) return false;
  }
}

/** Whether a bar may stand alone as a letter: no letter touches it, and it is not between the cells of a table. */
function mayBeLetter(text: string, at: number): boolean {
  return standsAlone(text, at, at + 1) && !isBetweenCells(text, at);
}

function isOne(letter: number, code: number): boolean {
  return code !== UNDERSCORE && letter !== WHITE && (joinsWords(letter) || mayReadAsLetter(letter));
}
