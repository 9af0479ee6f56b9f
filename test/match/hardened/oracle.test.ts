/** Hardened folding against the naive oracle, which tries every term at every letter of a text. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRandom } from '../../../fixtures/random.js';
import { createHardenedMatcher } from '../../../src/engine/match/hardened/hardened-matcher.js';
import { namesOf } from '../../../src/engine/match/hardened/transforms.js';
import type { KeywordMatcher } from '../../../src/engine/match/keyword-scan.js';
import { re2js } from '../../../src/engine/match/patterns/re2js.js';
import type { WordReading } from '../../../src/engine/match/word-edges.js';
import { runAtOnce } from '../../../src/foundation/portions.js';
import { createEngine } from '../../../src/index.js';
import { evasions } from '../../promises/evasions.js';
import { hardenedMatches } from '../../support/oracle-hardened.js';
import { listReadings, readingsOf, wordReadings } from '../../support/readings.js';
import { isFull, runs } from '../../support/runs.js';
import { lists, nearTexts, ofLists } from './near-texts.js';

const matcherOf = (terms: readonly string[], words: WordReading | readonly WordReading[] = 'word') =>
  runAtOnce(createHardenedMatcher(terms, { words }));

/** Adds what a matcher visits to a list: term, start and end, and the transforms. */
const noteIn =
  (found: (readonly [string, string])[]) => (term: number, start: number, end: number, transforms: number) =>
    void found.push([`${term} ${start} ${end}`, namesOf(transforms).join()]);

function foundBy(matcher: KeywordMatcher, text: string) {
  const found: (readonly [string, string])[] = [];
  matcher.scan(text, noteIn(found));
  return found;
}

const places = (found: readonly (readonly [string, string])[]) => found.map(([place]) => place).sort();

/**
 * Holds a matcher to the oracle: the same occurrences, by transforms that the oracle has for them.
 */
function compare(terms: readonly string[], words: readonly WordReading[], matcher: KeywordMatcher, text: string) {
  const wanted = terms.flatMap((term, index) =>
    hardenedMatches(term, text, words[index]!).map(
      ({ start, end, ways }) => [`${index} ${start} ${end}`, ways.map((way) => way.join())] as const,
    ),
  );
  const found = foundBy(matcher, text);
  expect([terms, text, places(found)]).toEqual([terms, text, wanted.map(([place]) => place).sort()]);
  const ways = new Map<string, readonly string[]>(wanted);
  expect([terms, text, found.filter(([place, by]) => !ways.get(place)?.includes(by))]).toEqual([terms, text, []]);
  return found;
}

describe.each(Object.entries(nearTexts))('a term agrees with the oracle: texts %s', (_, near) => {
  it.each(wordReadings)('%s', (reading) => {
    fc.assert(
      fc.property(near, ([term, text]) => {
        const matcher = matcherOf([term], reading);
        // With all states known the matcher finds the same once more.
        const first = compare([term], [reading], matcher, text);
        expect(foundBy(matcher, text)).toEqual(first);
      }),
      { numRuns: runs(50, 20_000) },
    );
  });

  it('equals', () => {
    fc.assert(
      fc.property(near, ([term, text]) => {
        const conditions = [{ operand: 'text', operator: 'equals', value: [term] }];
        const engine = createEngine(
          { rules: [{ id: 'r', action: 'blockMessage', conditions }], lists: [] },
          { folding: 'hardened' },
        );
        const matches = engine.explain(text).matched.flatMap((rule) => rule.conditions.flatMap((one) => one.matches));
        const found = matches.map((match) => (match.kind === 'word' ? [match.span.start, match.span.end] : []));
        const wanted = hardenedMatches(term, text, 'whole').map(({ start, end }) => [start, end]);
        expect([term, text, found]).toEqual([term, text, wanted]);
      }),
      { numRuns: runs(25, 5_000) },
    );
  });
});

describe('lists agree with the oracle', () => {
  const patterns = re2js.compile(
    ['k[^\\n]ll', '[0-9]{3}'].map((source) => ({ source, insensitive: false, whole: false })),
  );
  const matchers = listReadings.flatMap((reading) =>
    lists.map((list) => ({
      list,
      words: readingsOf(reading, list.length),
      matcher: matcherOf(list, readingsOf(reading, list.length)),
    })),
  );
  function check(text: string): void {
    for (const { list, words, matcher } of matchers) {
      const alone = compare(list, words, matcher, text);
      const found: typeof alone = [];
      const dfa = patterns.dfa!;
      if (!matcher.scanWith(text, noteIn(found), dfa)) continue;
      expect([text, found]).toEqual([text, alone]);
      const matched = [...dfa.matched.subarray(0, dfa.matchedCount)].sort();
      expect([text, matched]).toEqual([
        text,
        [/k[^\n]ll/u, /[0-9]{3}/u].flatMap((one, at) => (one.test(text) ? [at] : [])),
      ]);
    }
  }

  it('in any text, with patterns beside them', () => {
    fc.assert(fc.property(ofLists, check), { numRuns: runs(20, 3_000) });
  });

  it('for any character that may be a letter', () => {
    const step = (code: number) => (isFull ? (code < 0x2000 ? 1 : 29) : code < 0x180 ? 7 : code < 0x2000 ? 509 : 7993);
    for (let code = 0; code < 0x1f200; code += step(code)) {
      const character = String.fromCodePoint(code);
      for (const text of [`k${character}ll`, `oh ${character}ss`, `k i ${character} l`]) check(text);
    }
  });
});

it.each(Object.entries(evasions))('the oracle finds terms disguised by %s', (_, evasion) => {
  fc.assert(
    fc.property(fc.constantFrom('kill', 'idiot', 'drugs', 'buy now', 'free pills'), fc.nat(), (term, seed) => {
      const written = evasion(term, createRandom(seed, 'evasion'));
      const end = 3 + written.replace(/\p{Default_Ignorable_Code_Point}+$/u, '').length;
      const found = hardenedMatches(term, `oh ${written} you`, 'word').map((match) => [match.start, match.end]);
      expect(found).toContainEqual([3, end]);
    }),
    { numRuns: runs(6, 600) },
  );
});

describe('what is found does not depend on texts that were scanned before', () => {
  it.each(wordReadings)('with halves of characters among them: %s', (words) => {
    const matcher = matcherOf(['ali', 'nli'], words);
    for (const text of ['🅰', '🇦', '𝐚', '𝒶', 'n'].map((letter) => `${letter} l i`)) {
      for (const half of text.split('')) foundBy(matcher, `a l i ${half}, ${half}`);
      expect([text, places(foundBy(matcher, text))]).toEqual([text, [expect.stringMatching(/^\d 0 /)]]);
    }
  });

  it.each(wordReadings)('with an emoji that shares a half with a letter: %s', (words) => {
    const matcher = matcherOf(['kil'], words);
    for (const text of ['🐢', '🐢 · 🐢']) expect(foundBy(matcher, text)).toEqual([]);
    expect(places(foundBy(matcher, 'k.𝐢...l'))).toEqual(['0 0 8']);
  });
});
