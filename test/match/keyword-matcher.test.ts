import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  Advice,
  createKeywordMatcher,
  type KeywordMatcher,
  type KeywordOptions,
} from '../../src/engine/match/keyword-matcher.js';
import { isWordEdge, type WordReading } from '../../src/engine/match/word-edges.js';
import { runAtOnce } from '../../src/foundation/portions.js';
import { listReadings, readingsOf, wordReadings } from '../support/readings.js';
import { runs } from '../support/runs.js';

type Hit = readonly [term: number, start: number, end: number];

function hits(terms: readonly string[], text: string, options: Partial<KeywordOptions> = {}): Hit[] {
  return scanned(runAtOnce(createKeywordMatcher(terms, { folding: 'case', words: 'substring', ...options })), text);
}

function scanned(matcher: KeywordMatcher, text: string): Hit[] {
  const found: Hit[] = [];
  matcher.scan(text, (term, start, end) => {
    found.push([term, start, end]);
  });
  return found.sort((a, b) => a[1] - b[1] || a[2] - b[2] || a[0] - b[0]);
}

/** Every occurrence by brute force: the term as a regular expression, tried at every character. */
function bruteForce(
  terms: readonly string[],
  text: string,
  folding: 'exact' | 'case' = 'case',
  words: readonly WordReading[] = [],
): Hit[] {
  const found: Hit[] = [];
  terms.forEach((term, index) => {
    if (term.trim() === '') return;
    const source = term.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&').replace(/\s+/g, '\\s+');
    const regex = new RegExp(source, folding === 'case' ? 'iuy' : 'uy');
    for (let at = 0; at < text.length; at += text.codePointAt(at)! > 0xffff ? 2 : 1) {
      regex.lastIndex = at;
      const match = regex.exec(text);
      const insideRun = /^\s/.test(term) && at > 0 && /\s/.test(text[at - 1]!);
      if (match === null || insideRun) continue;
      const end = at + match[0].length;
      const reading = words[index] ?? 'substring';
      const begins = reading === 'substring' || reading === 'suffix' || isWordEdge(text, at);
      const ends = reading === 'substring' || reading === 'prefix' || isWordEdge(text, end);
      if (begins && ends) found.push([index, at, end]);
    }
  });
  return found.sort((a, b) => a[1] - b[1] || a[2] - b[2] || a[0] - b[0]);
}

/**
 * Texts over few characters, so that terms overlap, nest and repeat; with pairs, halves of pairs,
 * marks and white space.
 */
const character = fc.constantFrom(
  ...[
    'a',
    'b',
    'A',
    'ß',
    'ſ',
    's',
    'K',
    'k',
    '\u212a',
    'İ',
    'σ',
    'ς',
    'Σ',
    'é',
    'e\u0301',
    '\u0301',
    '_',
    '1',
    ' ',
    '\t',
    '\n',
    '\u00a0',
  ],
  ...['😀', '\ud83d', '\ude00', '𐐀', '𐐨', '中', 'ー', 'ไ', '-', "'", '*', '\u0000', '\u200d'],
);
const text = fc.array(character, { maxLength: 40 }).map((characters) => characters.join(''));

/** A text, and terms that are mostly pieces of it, some in another case. */
const textAndTerms = text.chain((whole) =>
  fc.tuple(
    fc.constant(whole),
    fc.uniqueArray(
      fc.oneof(
        {
          weight: 4,
          arbitrary: fc
            .tuple(fc.nat(40), fc.integer({ min: 1, max: 6 }))
            .map(([from, length]) => [...whole].slice(from, from + length).join('')),
        },
        {
          weight: 1,
          arbitrary: fc.array(character, { minLength: 1, maxLength: 4 }).map((characters) => characters.join('')),
        },
      ),
      { maxLength: 12, selector: (term) => fold(term) },
    ),
  ),
);

/** The readings of terms in turn: of one kind, or of several. */
const anyReadings = fc.oneof(
  fc.constantFrom(...wordReadings).map((reading) => [reading]),
  fc.array(fc.constantFrom(...wordReadings), { minLength: 2, maxLength: 5 }),
);

/** Terms must differ once folded; compared by the folding of JavaScript itself. */
const fold = (term: string) =>
  [...term.replace(/\s+/g, ' ')]
    .map((c) => ['a', 's', 'k', 'σ', '𐐨'].find((base) => new RegExp(`^${base}$`, 'iu').test(c)) ?? c)
    .join('');

describe('keyword matcher', () => {
  it('reports overlapping, nested and repeated terms', () => {
    expect(hits(['he', 'she', 'his', 'hers'], 'ushers')).toEqual([
      [1, 1, 4],
      [0, 2, 4],
      [3, 2, 6],
    ]);
    expect(hits(['aa'], 'aaaa')).toEqual([
      [0, 0, 2],
      [0, 1, 3],
      [0, 2, 4],
    ]);
    expect(hits(['a', 'ab', 'bab', 'b'], 'abab')).toEqual(bruteForce(['a', 'ab', 'bab', 'b'], 'abab'));
  });

  it('equals brute force on random texts, with terms drawn from them, a reading for each or several for one', () => {
    fc.assert(
      fc.property(textAndTerms, anyReadings, fc.boolean(), ([whole, terms], cycle, isRepeated) => {
        const given = isRepeated ? terms.flatMap((term) => wordReadings.map(() => term)) : terms;
        const words = given.map((_, at) => (isRepeated ? wordReadings[at % 4]! : cycle[at % cycle.length]!));
        expect(hits(given, whole, { words })).toEqual(bruteForce(given, whole, 'case', words));
      }),
      { numRuns: runs(150) },
    );
  });

  // Halves of letters beyond the basic plane do not tell whether a word may begin there: a step for
  // each term that would.
  it.each([
    ['a', 2],
    ['ab', 2],
    ['a ', 2],
    ['aXaX', 2],
    ['a-', 2],
    [`${'a'.repeat(130)} `, 2],
    ['𐐨', 120],
  ])('takes a bounded number of steps a unit for nested terms of every reading: %j over and over', (piece, most) => {
    const nested = Array.from({ length: 120 }, (_, at) => (piece.length < 9 ? piece.trim() : 'a').repeat(at + 1));
    for (const reading of listReadings) {
      const given = reading === 'mixed' ? nested.flatMap((term) => wordReadings.map(() => term)) : nested;
      const matcher = runAtOnce(
        createKeywordMatcher(given, { folding: 'case', words: readingsOf(reading, given.length) }),
      );
      for (const units of [4000, 16_000]) {
        const closed = matcher.createClosedTerms();
        matcher.scan(`b${piece.repeat(units / piece.length)}`, (term) => closed.close(term), closed);
        expect(matcher.steps, `${reading}, ${units} units`).toBeLessThan(most * units);
      }
    }
  });

  it('exact: folds nothing', () => {
    fc.assert(
      fc.property(
        text,
        fc.uniqueArray(
          fc.array(character, { minLength: 1, maxLength: 3 }).map((c) => c.join('')),
          { maxLength: 8, selector: (t) => t.replace(/\s+/g, ' ') },
        ),
        (whole, terms) => {
          expect(hits(terms, whole, { folding: 'exact' })).toEqual(bruteForce(terms, whole, 'exact'));
        },
      ),
      { numRuns: runs(100) },
    );
  });

  it('reports the same on repeated scans, with room for all rows or for few', () => {
    fc.assert(
      fc.property(textAndTerms, anyReadings, ([whole, terms], cycle) => {
        const words = terms.map((_, at) => cycle[at % cycle.length]!);
        const wanted = hits(terms, whole, { words });
        for (const rows of [1, 3, 1000]) {
          const matcher = runAtOnce(createKeywordMatcher(terms, { folding: 'case', words, rows }));
          for (const _ of [1, 2, 3]) expect([rows, scanned(matcher, whole)]).toEqual([rows, wanted]);
        }
      }),
      { numRuns: runs(40) },
    );
  });

  it('reports the same where many letters share a column', () => {
    const letters = Array.from({ length: 400 }, (_, index) => String.fromCodePoint(0x4e00 + index));
    const terms = letters.map(
      (letter, index) =>
        letter + letters[(index * 7 + 1) % 400]! + (index % 3 === 0 ? letters[(index * 3) % 400]! : ''),
    );
    const whole = terms.join('').repeat(2);
    expect(hits(terms, whole)).toEqual(bruteForce(terms, whole));
  });

  it.each(['a ', 'a b ', 'a\t', 'a a  ', ' a\u00a0b', 'a a a  b'])(
    'reports nested terms of words in %j repeated',
    (piece) => {
      const terms = Array.from({ length: 12 }, (_, at) => 'a '.repeat(at + 1)).flatMap((one) => [
        one,
        one.trim(),
        `${one}b`,
      ]);
      const distinct = [...new Set(terms)];
      const text = `${piece.repeat(20)}b`;
      expect(hits(distinct, text)).toEqual(bruteForce(distinct, text));
    },
  );

  it('never matches a blank term, and stops on `Advice.STOP`', () => {
    expect(hits(['', ' ', '\t'], 'a b\tc')).toEqual([]);
    let seen = 0;
    runAtOnce(createKeywordMatcher(['a'], { folding: 'case', words: 'word' })).scan('a a a', () =>
      ++seen === 2 ? Advice.STOP : Advice.CONTINUE,
    );
    expect(seen).toBe(2);
  });

  it.each([
    ['kill', 'skill kill killer kill. KILL', [6, 18, 24]],
    ['spic', 'spice, conspicuous', []],
    ['culo', 'vehículo culo', [9]],
    ['дура', 'дурак дура', [6]],
    ['cafe', 'cafe\u0301 cafe', [6]],
    ['شتم', 'شتمك شتم', [5]],
    ['死ね', '早く死ねよ', [2]],
    ['ユーザー', 'ユーザー1', [0]],
    ['ass', 'ass_ _ass ass1 😀ass😀', [0, 6, 17]],
    ['ass', 'big_ass_truck __ass__ x_ass a_ 😀_ass', [16, 34]],
    ['kill', '❤️kill kill⃣ 💀kill 1️⃣kill', [2, 7, 15, 23]],
    ['@home', 'x@home @home', [1, 7]],
    ['*', '2*3 *', [1, 4]],
    ["don't", "don't don't-", [0, 6]],
    ['ผี', 'กลัวผีมาก', [4]],
    ['bad', '\ud83dbad bad\ude00', [1, 5]],
    ['𝒶𝒷', '𝒶𝒷 x𝒶𝒷', [0]],
  ] as const)('whole word: `%s` in `%s`', (term, whole, starts) => {
    expect(hits([term], whole, { words: 'word' }).map(([, start]) => start)).toEqual(starts);
  });

  it('matches white space of a term with any run of white space', () => {
    expect(hits(['buy now'], 'BUY \t\u00a0\n now, buy now, buynow', { words: 'word' })).toEqual([
      [0, 0, 11],
      [0, 13, 20],
    ]);
  });
});
