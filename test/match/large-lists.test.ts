import { describe, expect, it } from 'vitest';
import { foldKey } from '../../src/engine/match/folding.js';
import { createKeywordMatcher } from '../../src/engine/match/keyword-matcher.js';
import { isWordEdge, type WordReading } from '../../src/engine/match/word-edges.js';
import { runAtOnce } from '../../src/foundation/portions.js';
import { listReadings, readingsOf } from '../support/readings.js';
import { runs } from '../support/runs.js';

/** Numbers below a limit, the same ones every time. */
function createDice(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

const LONGEST = 12;
const letters = [...'aabcdeeé_'];
const others = [...' --!中ー', '😀', '😁', '\ud83d', '\u0301'];

/** Terms with much in common: texts come to many more states than there is room for in few rows. */
const dice = createDice(20_261_121);
const pick = <T>(from: readonly T[]): T => from[dice(from.length)]!;
const word = (length: number): string => {
  let made = '';
  while (made.length < length) made += dice(7) === 0 ? pick(others) : pick(letters);
  return made.slice(0, LONGEST).trim();
};
const written = [...new Set(Array.from({ length: 16_000 }, () => word(2 + dice(LONGEST - 2))))].filter(
  (term) => term.isWellFormed() && !term.includes('  '),
);
const terms = [...new Map(written.filter((term) => term !== '').map((term) => [foldKey(term, 'case'), term])).values()];
const indexOf = new Map(terms.map((term, index) => [foldKey(term, 'case'), index]));

/** Beginnings of terms, whole terms and what stands between them. */
function randomText(): string {
  let text = '';
  for (let parts = 1 + dice(8); parts > 0; parts--) {
    const term = pick(terms);
    text += dice(3) === 0 ? term : term.slice(0, 1 + dice(term.length));
    if (dice(3) > 0) text += pick([' ', '  ', '\n', ...others]);
    if (dice(4) === 0) text += pick(letters).toUpperCase();
  }
  return text;
}

/** Every stretch of a text, looked up. */
function lookUp(text: string, words: readonly WordReading[]): string[] {
  const found: string[] = [];
  for (let start = 0; start < text.length; start++) {
    for (let end = start + 1; end <= text.length && end - start <= 3 * LONGEST; end++) {
      const piece = text.slice(start, end);
      if (!piece.isWellFormed() || /^\s|\s$/.test(piece)) continue;
      const term = indexOf.get(foldKey(piece, 'case'));
      if (term === undefined) continue;
      const begins = ['substring', 'suffix'].includes(words[term]!) || isWordEdge(text, start);
      const ends = ['substring', 'prefix'].includes(words[term]!) || isWordEdge(text, end);
      if (begins && ends) found.push(`${start} ${end} ${term}`);
    }
  }
  return found.sort();
}

describe('keyword matcher: lists larger than the row cache', () => {
  it.each(listReadings)('agrees with a lookup of every substring (%s)', (reading) => {
    const words = readingsOf(reading, terms.length);
    const matcher = runAtOnce(createKeywordMatcher(terms, { folding: 'case', words, rows: 100 }));
    let hits = 0;
    for (let run = 0; run < runs(100, 10_000); run++) {
      const text = randomText();
      const found: string[] = [];
      matcher.scan(text, (term, start, end) => {
        found.push(`${start} ${end} ${term}`);
      });
      hits += found.length;
      expect(found.sort(), JSON.stringify(text)).toEqual(lookUp(text, words));
    }
    expect(hits).toBeGreaterThan(300);
  });
});
