/**
 * Finds hardened terms as whole words. The hot loop hashes words, but for letters that are repeated, which
 * count once: a term is found though it is drawn out; and for letters that stand alone. Everything else is found out by `walk`, word by word.
 */
import { endsTerms, type OnTerm } from '../keyword-scan.js';
import type { HardenedTerms } from './hardened-terms.js';
import { createHardenedUnits } from './hardened-units.js';
import { type LetterRun, runUntil } from './letter-run.js';
import { isPairBefore, lettersFrom } from './letters.js';
import { classOf } from './likeness.js';
import { LONE_MASK, lonePatterns } from './lone-patterns.js';
import { occurrenceAt } from './occurrence.js';
import { createQuickLook } from './quick-look.js';
import { createSpacedSearch } from './spaced-search.js';
import { createTermIndex } from './term-index.js';
import type { ThoroughScan } from './thorough-scan.js';
import { kindAt, LETTER_KIND } from './unit-kinds.js';
import { BREAK, hashOf } from './word-hash.js';
import {
  belongsToWord,
  isAlone,
  isAmongLone,
  isHidden,
  mayStandAlone,
  startBefore,
  visibleStartBefore,
} from './word-runs.js';

const STOPPED = -1;
/** Read as a letter in the midst of a word only: behind one it is what it seems. */
const EXCLAMATION = 0x21;
const MIN_FILTER_BITS = 14;
const PLACES_PER_TERM = 16;
const MAX_FILTER_BITS = 22;

export function createHardenedWordScan(terms: HardenedTerms): ThoroughScan {
  const index = createTermIndex(terms);
  const { entries, learn } = createHardenedUnits((letterClass) => index.anchored.has(letterClass));
  const { filter, shift } = createFilter(terms);
  /** How far the runs of a text have been looked at. */
  let searched = 0;
  const spaced = createSpacedSearch(terms, index, 'word');
  const { mayHold, visitAnchored } = createQuickLook(index);

  const visit = (term: number, text: string, run: LetterRun, start: number, onTerm: OnTerm): boolean => {
    const found = occurrenceAt(terms.at(term), text, run.letters, start, 'word');
    return found !== undefined && endsTerms(onTerm(term, found.start, found.end));
  };

  /** Looks at the run of word characters, and what may be some, around `at`; answers where to go on. */
  const walk = (text: string, at: number, isWord: boolean, onTerm: OnTerm): number => {
    const unit = text.charCodeAt(at);
    if (!isWord && unit === EXCLAMATION && !isAnchored(unit) && !belongsToWord(text, at + 1)) {
      if (isAlone(text, at)) return spaced.search(text, at, onTerm) ? STOPPED : at + 1;
      // Behind a letter that may stand alone itself there is more to look at.
      if (at > 1 && kindAt(text, at - 1) === LETTER_KIND && kindAt(text, at - 2) === LETTER_KIND) return at + 1;
    }
    let from = at;
    while (from > searched && belongsToWord(text, startBefore(text, from))) from = startBefore(text, from);
    let to = Math.max(at, from);
    while (to < text.length && belongsToWord(text, to)) to += text.codePointAt(to)! > 0xffff ? 2 : 1;
    searched = to;
    const hasLetters = !isHidden(text, from, to);
    if (hasLetters && mayHold(text, from, to) && searchRun(text, from, to, onTerm)) return STOPPED;
    const mayBeSpaced = hasLetters && mayStandAlone(text, from, to) && isAmongLone(text, from, to);
    if (mayBeSpaced && spaced.searchWithin(text, from, to, onTerm)) return STOPPED;
    if (to > at) return to;
    if (at < text.length && searchAnchored(text, at, onTerm)) return STOPPED;
    return at + (at < text.length && text.codePointAt(at)! > 0xffff ? 2 : 1);
  };

  const searchRun = (text: string, from: number, to: number, onTerm: OnTerm): boolean => {
    const run = runUntil(lettersFrom(text, from), to);
    for (let start = 0; start < run.count; start++) {
      const letter = run.letters(start)!;
      if (letter.index !== 0) continue;
      if (isAnchored(letter.base) && visitAnchored(text, letter.from, (term) => visit(term, text, run, start, onTerm)))
        return true;
      const before = start > 0 ? run.letters(start - 1)! : undefined;
      const mayBegin =
        before === undefined ||
        before.reading.kind !== 'letter' ||
        letter.reading.kind !== 'letter' ||
        letter.ignoredBefore ||
        letter.from > before.end;
      if (mayBegin && index.candidates(run, start, (term) => visit(term, text, run, start, onTerm))) return true;
    }
    return false;
  };

  const isAnchored = (base: number) => index.anchored.size > 0 && index.anchored.has(classOf(base));

  const searchAnchored = (text: string, at: number, onTerm: OnTerm): boolean => {
    if (index.anchored.size === 0 || isPairBefore(text, at + 1) || entries[text.charCodeAt(at)] === BREAK) return false;
    let run: LetterRun | undefined;
    let start = 0;
    return visitAnchored(text, at, (term) => {
      if (run === undefined) {
        // A run that is drawn out is a whole one, so what stands before has to be known.
        run = runUntil(lettersFrom(text, visibleStartBefore(text, at)), at + 1);
        while (run.letters(start)!.from < at) start++;
      }
      return visit(term, text, run, start, onTerm);
    });
  };

  const scan = (text: string, onTerm: OnTerm): void => {
    spaced.begin();
    searched = 0;
    // Learned before, or what is found would depend on the texts that were read earlier.
    for (let at = 0; at < text.length; at++) learn(text.charCodeAt(at));
    let hash = 0;
    let last = 0;
    let breaks = -1;
    for (let at = 0; at < text.length; at++) {
      const entry = entries[text.charCodeAt(at)]!;
      const ends = entry >>> 31;
      breaks = (breaks << 1) | ends;
      if (((filter[hash >>> shift]! | entry | lonePatterns[breaks & LONE_MASK]!) & ends) !== 0) {
        at = walk(text, at, filter[hash >>> shift] !== 0, onTerm) - 1;
        if (at < 0) return;
        hash = 0;
        last = 0;
      } else if (entry !== last) {
        hash = ((hash << 5) + hash + entry) & ~(entry >> 31);
        last = entry;
      }
    }
    if ((filter[hash >>> shift]! | lonePatterns[((breaks << 1) | 1) & LONE_MASK]!) !== 0)
      walk(text, text.length, true, onTerm);
  };

  return {
    states: terms.count,
    classes: terms.count,
    bytes: filter.byteLength + entries.byteLength + index.bytes,
    scan,
  };
}

/**
 * `filter[hash >>> shift]` is 1 when a term may begin with a word of that hash, as the hot loop hashes words: repetitions left
 * out.
 */
function createFilter(terms: HardenedTerms) {
  const bits = Math.ceil(Math.log2((terms.count + 1) * PLACES_PER_TERM));
  const size = Math.min(MAX_FILTER_BITS, Math.max(MIN_FILTER_BITS, bits));
  const filter = new Uint8Array(2 ** size);
  const shift = 32 - size;
  for (let term = 0; term < terms.count; term++) {
    const { letters, head, isPlainOnly } = terms.at(term);
    if (head === 0 || isPlainOnly) continue;
    let hash = 0;
    let last = 0;
    for (let index = 0; index < head; index++) {
      const entry = hashOf(classOf(letters[index]!.base));
      if (entry !== last) hash = ((hash << 5) + hash + entry) | 0;
      last = entry;
    }
    filter[hash >>> shift] = 1;
  }
  return { filter, shift };
}
