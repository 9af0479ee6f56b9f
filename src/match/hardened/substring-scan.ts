/**
 * Finds hardened terms as parts of words. The automaton of the plain matcher is stepped by classes of letters, a run of
 * one class being one step; where it ends a term, the text is read back and compared.
 */
import { buildKeywordAutomaton, OUTPUT, outputBelow, STRIDE, symbolOf } from '../keyword-automaton.js';
import type { OnTerm } from '../keyword-matcher.js';
import type { HardenedTerms } from './hardened-terms.js';
import { isPairBefore, lettersFrom } from './letters.js';
import { classOf } from './likeness.js';
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

export function createHardenedSubstringScan(terms: HardenedTerms): ThoroughScan {
  const { classes: squeezed, from } = squeeze(terms);
  const alphabet = createSqueezedAlphabet(squeezed);
  const { units, width } = alphabet;
  const symbols = squeezed.map(alphabet.symbolOf);
  const automaton = buildKeywordAutomaton({ count: terms.count, symbols, from }, alphabet.size);
  const { hot, cells } = buildSqueezedRows(automaton, width);
  const { ends, table, twin } = automaton;
  const spaced = createSpacedSearch(terms, createTermIndex(terms), 'substring');
  /** Where the walk left the automaton: the offset of a row. */
  let resumed = 0;

  /** Visits the occurrences that end with the character that ends at `end`. */
  const visit = (text: string, state: number, end: number, onTerm: OnTerm): boolean => {
    const groups = lettersBack(text, end);
    for (let at = table[state * STRIDE + OUTPUT]!; at >= 0; at = outputBelow(table, at)) {
      for (let term = ends[at]!; term >= 0; term = twin[term]!) {
        const count = from[term + 1]! - from[term]!;
        const length = terms.at(term).letters.length;
        // More equal letters than the term has: they cannot be its last ones, and a run is not stretched in part.
        if (count > 1 && groups.equalLetters(length) > length) continue;
        if (visitTerm(term, text, groups.startOf(count, length + MAX_SLACK), end, onTerm)) return true;
      }
    }
    return false;
  };

  const visitTerm = (term: number, text: string, lowest: number, end: number, onTerm: OnTerm): boolean => {
    const letters = lettersFrom(text, lowest);
    const firstClass = squeezed[from[term]!]!;
    let last = 0;
    while (
      letters(last + 1) !== undefined &&
      letters(last + 1)!.from < end &&
      classOf(letters(last + 1)!.base) === firstClass
    )
      last++;
    for (let start = last; start >= 0; start--) {
      const found = occurrenceAt(terms.at(term), text, letters, start, 'substring', end);
      if (found !== undefined) return onTerm(term, found.start, found.end) === true;
    }
    return false;
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
      if (isLetter && table[state * STRIDE + OUTPUT]! >= 0 && visit(text, state, at, onTerm)) return STOPPED;
      if (state < hot || at >= text.length) break;
    }
    resumed = state < hot ? state * width : 0;
    return at;
  };

  const scan = (text: string, onTerm: OnTerm): void => {
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
    bytes: automaton.bytes + units.byteLength + cells.byteLength,
    scan,
  };
}

/** The classes of the letters of all terms, repetitions left out: term `n` from `from[n]` to `from[n + 1]`. */
function squeeze(terms: HardenedTerms) {
  const classes: number[] = [];
  const from = new Int32Array(terms.count + 1);
  for (let term = 0; term < terms.count; term++) {
    const { letters, isPlainOnly } = terms.at(term);
    for (const { base } of isPlainOnly ? [] : letters) {
      const letterClass = classOf(base);
      if (classes.length === from[term] || classes.at(-1) !== letterClass) classes.push(letterClass);
    }
    from[term + 1] = classes.length;
  }
  return { classes: Int32Array.from(classes), from };
}

/** Reads a text backwards from `end`. */
function lettersBack(text: string, end: number) {
  const before = (at: number) => at - (isPairBefore(text, at) ? 2 : 1);
  const basesBefore = (at: number) => readingOf(text.codePointAt(before(at))!).letters;

  /** How many equal letters end here, counted up to one more than `most`. */
  const equalLetters = (most: number): number => {
    const base = basesBefore(end).at(-1)!;
    let count = 0;
    for (let at = end; at > 0 && count <= most; at = before(at)) {
      const bases = basesBefore(at);
      if (bases.some((other) => other !== base)) break;
      count += bases.length;
    }
    return count;
  };

  /** Where the `groups`-th run of one class before `end` begins, of the first one at most `most` letters. */
  const startOf = (groups: number, most: number): number => {
    let seen = 0;
    let last: number | undefined;
    let inFirst = 0;
    let start = end;
    for (let at = end; at > 0; at = before(at)) {
      const bases = basesBefore(at);
      for (let index = bases.length - 1; index >= 0; index--) {
        const letterClass = classOf(bases[index]!);
        if (letterClass !== last) seen++;
        last = letterClass;
        if (seen > groups) return start;
        if (seen === groups && ++inFirst > most) return start;
      }
      if (bases.length > 0) start = before(at);
    }
    return start;
  };
  return { equalLetters, startOf };
}
