/**
 * Finds hardened terms as parts of words. The automaton of the plain matcher is stepped by classes of letters, a run of
 * one class being one step; where it ends a term, the text is read back and compared.
 */
import { buildKeywordAutomaton, outputBelow, outputOf, symbolOf } from '../keyword-automaton.js';
import { endsTerms, type OnTerm } from '../keyword-scan.js';
import { align, alignPlainly, DRAWN_OUT, MAX_CHANGES } from './align.js';
import { plainEnd } from './hardened-term.js';
import type { HardenedTerms } from './hardened-terms.js';
import { isPairBefore, type Letters, lettersFrom } from './letters.js';
import { LastGroup, LastSpoken } from './letters-back.js';
import { classOf, likeness } from './likeness.js';
import { searchLoneLetters } from './lone-search.js';
import { occurrenceAt } from './occurrence.js';
import { readingOf } from './readings.js';
import { createSpacedSearch } from './spaced-search.js';
import { buildSqueezedRows, createSqueezedAlphabet, LOOK_CELL, OTHER } from './squeezed-alphabet.js';
import { createTermIndex } from './term-index.js';
import type { ThoroughScan } from './thorough-scan.js';

const STOPPED = -1;
/** How much further than its own length a term may begin within a run of letters that look like its first one. */
const MAX_SLACK = 64;
type DrawnOut = ReadonlyMap<number, ReadonlyMap<number, number>>;
const none: DrawnOut = new Map();
const noEnds: ReadonlyMap<number, number> = new Map();
const nothing: Letters = () => undefined;
/** Letters are kept until so many are done with. */
const MAX_READ = 1024;

export function createHardenedSubstringScan(terms: HardenedTerms): ThoroughScan {
  const { classes: squeezed, from, tails, isTailDrawn } = squeeze(terms);
  const alphabet = createSqueezedAlphabet(squeezed);
  const { units, width } = alphabet;
  const symbols = squeezed.map(alphabet.symbolOf);
  const automaton = buildKeywordAutomaton({ count: terms.count, symbols, from }, alphabet.size);
  const { hot, cells } = buildSqueezedRows(automaton, width);
  const { ends, table, twin } = automaton;
  const spaced = createSpacedSearch(terms, createTermIndex(terms), 'substring');
  /** Letters of the text that is read; those before place `readerAt`, where offset `readerFrom` is, are done with. */
  let reader = nothing;
  const drawnOut = new Map<number, { until: number; readonly starts: Map<number, ReadonlyMap<number, number>> }>();
  let readerFrom = Number.POSITIVE_INFINITY;
  let readerAt = 0;
  /** Near the place of the letter behind what was looked at last. */
  let endAt = 0;
  const lastSpoken = new LastSpoken();
  const group = new LastGroup();
  /** Where the walk left the automaton: the offset of a row. */
  let resumed = 0;

  /** Visits the occurrences that end with the character that ends at `end`. */
  const visit = (text: string, state: number, end: number, onTerm: OnTerm): boolean => {
    group.moveTo(text, end);
    for (let at = outputOf(table, state); at >= 0; at = outputBelow(table, at)) {
      for (let term = ends[at]!; term >= 0; term = twin[term]!) {
        const count = from[term + 1]! - from[term]!;
        // Behind a letter of another class stand as many as the term has there, if none of them can be drawn out.
        if (count > 1 && isTailDrawn[term] === 0 && group.letters !== tails[term]) continue;
        const { letters, isStretchable, isSpoken } = terms.at(term);
        const { length } = letters;
        // More equal letters than the term has: they cannot be its last ones, and a run is not stretched in part.
        if (count > 1 && (group.equal > length || group.changes > (MAX_CHANGES + 1) * tails[term]!)) continue;
        // Signs alone are no word.
        const spokenAt = isSpoken ? lastSpoken.before(text, end) : end;
        if (spokenAt < 0) continue;
        const lowest = group.startOf(text, count, isStretchable ? length + MAX_SLACK : length);
        if (spokenAt < lowest) continue;
        if (visitTerm(term, text, lowest, end, onTerm)) return true;
      }
    }
    return false;
  };

  const visitTerm = (term: number, text: string, lowest: number, end: number, onTerm: OnTerm): boolean => {
    const lowestLetter = readFrom(text, lowest);
    const letters = reader;
    const firstClass = squeezed[from[term]!]!;
    let last = lowestLetter;
    for (let next = letters(last + 1); next !== undefined && next.from < end; next = letters(last + 1)) {
      if (next.base !== letters(last)!.base && classOf(next.base) !== firstClass) break;
      last++;
    }
    const wanted = terms.at(term);
    const place = placeOf(end);
    const exact = place - wanted.letters.length;
    const drawn = wanted.isStretchable ? drawnOutUntil(term, lowestLetter, last) : none;
    // Letter by letter there is one start for an end.
    const starts = drawn.size === 0 ? [exact] : [...drawn.keys(), exact].sort((one, other) => other - one);
    for (const start of starts) {
      const first = start < lowestLetter || start > last ? undefined : reader(start);
      if (first === undefined || first.index !== 0 || likeness(first.base, wanted.letters[0]!.base) < 0) continue;
      const all = drawn.get(start);
      const transforms = all?.get(place);
      const ends = transforms === undefined ? noEnds : new Map([[place, transforms]]);
      const found = occurrenceAt(wanted, text, reader, start, 'substring', end, ends);
      if (found === undefined) continue;
      if (all === undefined) return endsTerms(onTerm(term, found.start, found.end));
      // Of those that begin there the one of case alone is told, or else the longest, and no other at its end.
      if (found.transforms !== 0 && plainEnd(wanted, text, found.start) >= 0) continue;
      drawnOut.get(term)!.starts.set(start, noEnds);
      const longest = found.transforms === 0 ? found : occurrenceAt(wanted, text, reader, start, 'substring', -1, all);
      return endsTerms(onTerm(term, found.start, (longest ?? found).end));
    }
    return false;
  };

  /** How many letters of `reader` stand before an offset. */
  const placeOf = (end: number): number => {
    while (endAt > 0 && (reader(endAt - 1)?.from ?? end) >= end) endAt--;
    for (let letter = reader(endAt); letter !== undefined && letter.from < end; letter = reader(endAt)) endAt++;
    return endAt;
  };

  /** The starts, in a run of letters, from which a term fits drawn out, with its ends: each is found out once. */
  const drawnOutUntil = (term: number, from: number, last: number): DrawnOut => {
    const known = drawnOut.get(term) ?? { until: 0, starts: new Map<number, ReadonlyMap<number, number>>() };
    drawnOut.set(term, known);
    for (const start of known.starts.keys()) if (start < from) known.starts.delete(start);
    const wanted = terms.at(term);
    for (let start = Math.max(known.until, from); start <= last; start++) {
      if (alignPlainly(wanted, reader, start, 'substring') !== DRAWN_OUT) continue;
      const ends = align(wanted, reader, start, 'substring');
      if (ends.size > 0) known.starts.set(start, ends);
    }
    known.until = Math.max(known.until, last + 1);
    return known.starts;
  };

  /** Sees to it that `reader` has the letters from an offset on; answers the place of the first of them. */
  const readFrom = (text: string, lowest: number): number => {
    // Where terms end one behind the other they begin so, too, and the letters were read before.
    const isNear = Math.abs(lowest - readerFrom) <= 2 * MAX_SLACK && readerAt < MAX_READ;
    if (isNear && find(lowest)) return readerAt;
    const before = isNear && lowest < readerFrom ? Math.max(0, lowest - 2 * MAX_SLACK) : lowest;
    for (const start of [isPairBefore(text, before + 1) ? before - 1 : before, lowest]) {
      reader = lettersFrom(text, start);
      drawnOut.clear();
      readerAt = 0;
      endAt = 0;
      if (find(lowest)) break;
    }
    readerFrom = lowest;
    return readerAt;
  };

  /** Moves to the first letter at an offset, when there is one. */
  const find = (offset: number): boolean => {
    let at = readerAt;
    while (at > 0 && reader(at - 1)!.from >= offset) at--;
    while (reader(at) !== undefined && reader(at)!.from < offset) at++;
    if (reader(at)?.from !== offset) return false;
    readerAt = at;
    readerFrom = offset;
    return true;
  };

  /** Takes the character at `from` and those after it, until a state with a row. Answers the offset after them. */
  const walk = (text: string, start: number, offset: number, cell: number, onTerm: OnTerm): number => {
    let at = start;
    let state = cell === LOOK_CELL ? offset / width : ~cell;
    let taken = cell !== LOOK_CELL;
    for (;;) {
      const code = text.codePointAt(at)!;
      at += code > 0xffff ? 2 : 1;
      let isLetter = true;
      if (!taken) {
        if (code <= 0xffff) alphabet.learn(code);
        const { letters } = readingOf(code);
        isLetter = letters.length > 0;
        for (const letter of letters) {
          const symbol = alphabet.symbolOf(classOf(letter));
          if (symbol === OTHER) state = 0;
          else if (state === 0 || symbolOf(table, state) !== symbol) state = automaton.step(state, symbol);
        }
      }
      taken = false;
      if (isLetter && outputOf(table, state) >= 0 && visit(text, state, at, onTerm)) return STOPPED;
      if (state < hot || at >= text.length) break;
    }
    resumed = state < hot ? state * width : 0;
    return at;
  };

  const scan = (text: string, onTerm: OnTerm): void => {
    lastSpoken.begin();
    group.begin();
    try {
      scanWhole(text, onTerm);
    } finally {
      // A hundred bytes a letter, which nobody needs until the next text.
      reader = nothing;
      readerFrom = Number.POSITIVE_INFINITY;
      drawnOut.clear();
    }
  };

  const scanWhole = (text: string, onTerm: OnTerm): void => {
    let offset = 0;
    for (let at = 0; at < text.length; at++) {
      const cell = cells[offset + units[text.charCodeAt(at)]!]!;
      if (cell >= 0) offset = cell;
      else {
        at = walk(text, at, offset, cell, onTerm) - 1;
        if (at < 0) return;
        offset = resumed;
      }
    }
    searchLoneLetters(spaced, text, onTerm);
  };

  return {
    states: automaton.states,
    classes: alphabet.size,
    bytes: automaton.bytes + units.byteLength + cells.byteLength + tails.byteLength + isTailDrawn.byteLength,
    scan,
  };
}

/**
 * The classes of the letters of all terms, repetitions left out: term `n` from `from[n]` to `from[n + 1]`; how many letters the
 * last of them stands for, and whether a run among these may be drawn out.
 */
function squeeze(terms: HardenedTerms) {
  const classes: number[] = [];
  const from = new Int32Array(terms.count + 1);
  const tails = new Uint16Array(terms.count);
  const isTailDrawn = new Uint8Array(terms.count);
  for (let term = 0; term < terms.count; term++) {
    const { letters, isPlainOnly, isStretchable, spoken, runEnds } = terms.at(term);
    for (const { base } of isPlainOnly ? [] : letters) {
      const letterClass = classOf(base);
      if (classes.length === from[term] || classes.at(-1) !== letterClass) classes.push(letterClass);
    }
    from[term + 1] = classes.length;
    if (isPlainOnly) continue;
    const tail = letters.length - 1 - letters.findLastIndex(({ base }) => classOf(base) !== classes.at(-1));
    tails[term] = tail;
    if (isStretchable && spoken.some((is, at) => is && at >= letters.length - tail && runEnds[at]! < letters.length))
      isTailDrawn[term] = 1;
  }
  return { classes: Int32Array.from(classes), from, tails, isTailDrawn };
}
