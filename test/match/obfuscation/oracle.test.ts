/**
 * Hardened folding against the naive oracle: terms written so that a list does not find them, texts that nearly hold
 * one, and texts that hold nothing.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRandom } from '../../../fixtures/random.js';
import type { KeywordMatcher } from '../../../src/engine/match/keyword-scan.js';
import { createObfuscationMatcher } from '../../../src/engine/match/obfuscation/obfuscation-matcher.js';
import { runAtOnce } from '../../../src/foundation/portions.js';
import { createEngine, type WordReading } from '../../../src/index.js';
import { evade, evasions } from '../../promises/evasions.js';
import { hardenedMatches, putTogether } from '../../support/oracle-hardened.js';
import { wordReadings } from '../../support/readings.js';
import { runs } from '../../support/runs.js';

const words = ['kill', 'scam', 'idiot', 'ass', 'hate', 'drugs', 'nazi', 'moron', 'casino', 'buy now', 'free pills'];
const anyTerm = fc.constantFrom(...words);
const seed = fc.nat();
const around = fc.constantFrom('', 'oh ', 'you, ', '(', '😀 ', '\u200b', '... ', 'мы ', '中');
const after = fc.constantFrom('', ' now', '!', '?!', ') ok', ' 😀', '\u200b', ', du', ' 中');

/** Terms that may stand alone, signs that are read as letters or stand between them, and letters that are new to a matcher. */
const aloneTerm = fc.constantFrom('las', 'fag', 'kill', 'жид', 'áéi', 'дно', 'süß', 'læs', 'aeß');
const anySign = fc.constantFrom('@', '$', 'é$', '!', '_', '1', 'x', 'ж$', '\u0301', '\u200b', ' ', '');
const aloneText = fc
  .tuple(aloneTerm, fc.constantFrom(' ', '.', '-', '_', '|'), fc.array(anySign, { maxLength: 4 }), anySign)
  .map(([term, between, before, behind]) => `${before.join('')}${[...term].join(between)}${behind}`);

/** Words with signs in them, or nearly: their letters, signs of all kinds, and what is hidden. */
const brokenTerm = fc.constantFrom(
  'as si',
  'las las',
  'kil 1 sala',
  'las',
  'kill',
  'жид',
  'süß',
  'læs',
  'all',
  'a1b',
  'сса',
);
const inWord = fc.constantFrom(
  ...[
    '',
    '',
    '',
    '.',
    '-',
    ')(',
    '_',
    '!',
    '@',
    '|',
    "'",
    '’',
    '…',
    '🔥',
    '\u0301',
    '\u200b',
    ' ',
    'l',
    '中',
    '*',
    '#',
    '\u2800',
    '\u3164',
  ],
);
const brokenText = fc
  .tuple(brokenTerm, fc.array(inWord, { minLength: 10, maxLength: 10 }), fc.boolean())
  .map(
    ([term, signs, isUpper]) =>
      [...(isUpper ? term.toUpperCase() : term)].reduce((text, one, at) => text + signs[at] + one, signs[9]!) +
      signs[8],
  );

/** Pieces that words, near misses and disguises are made of. */
const letter = fc.constantFrom(
  ...['a', 's', 'S', 'k', 'i', 'l', 'e', 'b', 'ß', 'ſ', 'а', 'ѕ', 'і', 'α', 'ａ', '𝐬', 'ⓢ', 'á', 'š'],
  ...['4', '5', '1', '3', '8', '$', '@', '\u200b', '\u00ad', '\u0301', '\u0308', ' ', ' ', '.', '-', ',', '中', '_'],
  ...['❤', '\ufe0f', '|', '|||'],
);
const anyText = fc.array(letter, { maxLength: 24 }).map((letters) => letters.join(''));
const shortTerm = fc.constantFrom(
  'as',
  'ass',
  'sas',
  'kill',
  'ali',
  'aß',
  'ás',
  'as si',
  'sala',
  'li',
  'bas',
  'ab4',
  'асс',
  'a\u200bs',
  'i\u200bll',
  '❤\ufe0f',
  'kil',
  'ail',
  'bale',
);

/** Terms with letters in parts, and what texts near them are made of, script by script. */
const beside = ['k', '\u0489', '\u05b8', ' ', '.', '\u200b'];
const inParts = fc.oneof(
  ...[
    {
      terms: ['가나', '가', '각가', '\u1100\u1161\u1102\u1161', '\u1100'],
      pieces: ['가', '각', '나', '\u1100', '\u1161', '\u11a8', '\u1102\u1161', '\u1100\u1161', '\u0345'],
    },
    { terms: ['أب', 'اب', '\u0627\u0654ب'], pieces: ['\u0627\u0654', 'أ', '\u0654', 'ب'] },
    {
      terms: ['αι', 'kι', 'ᾀk', 'α\u0313\u0345', 'kk', 'ᾳε'],
      pieces: ['α', 'ᾳ', 'ᾀ', '\u0313', '\u0345', 'ι', 'ε'],
    },
  ].map(({ terms, pieces }) =>
    fc.tuple(fc.constantFrom(...terms), fc.uniqueArray(fc.constantFrom(...pieces, ...beside), { maxLength: 14 })),
  ),
);

interface Found {
  readonly start: number;
  readonly end: number;
  readonly transforms: readonly string[];
}

/** What an engine with this one term finds in a text. */
function engineFinds(
  term: string,
  text: string,
  reading: WordReading,
  folding: 'hardened' | 'case',
  operator: 'contains' | 'equals' = 'contains',
): Found[] {
  const rules = [{ id: 'r', action: 'blockMessage', conditions: [{ operand: 'text', operator, value: [term] }] }];
  const decision = createEngine({ rules, lists: [] }, { words: reading, folding }).explain(text);
  const matches = decision.matched.flatMap(({ conditions }) => conditions.flatMap((condition) => condition.matches));
  return matches.flatMap((match) =>
    match.kind === 'word' ? [{ ...match.span, transforms: match.transforms ?? [] }] : [],
  );
}

/** Where occurrences begin that a matcher reports. */
function startsOf(matcher: KeywordMatcher, text: string): number[] {
  const starts = new Set<number>();
  matcher.scan(text, (_, start) => {
    starts.add(start);
  });
  return [...starts].sort((a, b) => a - b);
}

const bare = (text: string) => text.normalize('NFKD').replace(/[\p{M}\p{Default_Ignorable_Code_Point}]/gu, '');
const covers = (all: readonly Found[], one: Found) =>
  all.some((other) => JSON.stringify(other) === JSON.stringify(one));
const places = (all: readonly Found[]) => [...new Set(all.map(({ start, end }) => `${start} ${end}`))].sort();

describe('oracle of hardened folding', () => {
  it.each(Object.entries(evasions))('finds terms disguised by %s', (_, evasion) => {
    fc.assert(
      fc.property(anyTerm, seed, (term, number) => {
        const written = evasion(term, createRandom(number, 'evasion'));
        const found = hardenedMatches(term, `oh ${written} you`, 'word');
        expect(places(found)).toContain(`3 ${endOf(written, 3)}`);
      }),
      { numRuns: runs(12) },
    );
  });

  it('finds terms disguised in several ways at once', () => {
    fc.assert(
      fc.property(anyTerm, seed, around, after, (term, number, prefix, suffix) => {
        const written = evade(term, createRandom(number, 'evade'));
        const found = hardenedMatches(term, prefix + written + suffix, 'word');
        expect(places(found)).toContain(`${prefix.length} ${endOf(written, prefix.length)}`);
      }),
      { numRuns: runs(30) },
    );
  });
});

/** Where a match ends: before the unseen characters behind it. */
const endOf = (written: string, start: number) =>
  start + written.replace(/(?:\p{Default_Ignorable_Code_Point})+$/u, '').length;

describe('obfuscation matcher', () => {
  it.each(wordReadings)('finds disguised terms with their spans: %s', (reading) => {
    fc.assert(
      fc.property(anyTerm, seed, around, after, (term, number, prefix, suffix) => {
        const written = evade(term, createRandom(number, 'evade'));
        const text = prefix + written + suffix;
        const found = engineFinds(term, text, reading, 'hardened');
        const end = endOf(written, prefix.length);
        // As a substring a term is found in what is drawn out at its ends, not with all of it.
        if (reading !== 'word') expect(found.some((one) => one.start >= prefix.length && one.end <= end)).toBe(true);
        // What case alone finds at its beginning goes before what is drawn out behind it.
        else if (!found.some((one) => one.start === prefix.length && one.transforms.length === 0))
          expect(places(found)).toContain(`${prefix.length} ${end}`);
      }),
      { numRuns: runs(25) },
    );
  });

  it.each(wordReadings)('agrees with the oracle on spans, with transforms that the oracle has too: %s', (reading) => {
    fc.assert(
      fc.property(shortTerm, anyText, (term, text) => {
        // A letter with marks drawn out without them: the oracle reads the marks apart, and so behind the last one.
        fc.pre(!(/\p{M}/u.test(term.normalize('NFD')) && /(\p{L})\1\1/iu.test(bare(text).replace(/[@4]/g, 'a'))));
        const plain = engineFinds(term, text, reading, 'case');
        const oracle = hardenedMatches(term, text, reading);
        const found = engineFinds(term, text, reading, 'hardened');
        expect(found.filter((match) => !covers(oracle, match) && !covers(plain, match))).toEqual([]);
        const starts = (all: readonly Found[]) => [...new Set(all.map(({ start }) => start))].sort((a, b) => a - b);
        expect(starts(found)).toEqual(starts([...oracle, ...plain]));
      }),
      { numRuns: runs(30) },
    );
  });

  it.each(wordReadings)('agrees with the oracle on letters that are written several times: %s', (reading) => {
    const repeated = fc
      .tuple(
        fc.constantFrom('kil', 'kill', 'crazy', 'sala', 'las', 'süß', 'as si', 'a1bc', 'ааса', 'maß', 'İsli', '가나다'),
        fc.array(fc.constantFrom(1, 1, 1, 2, 2, 3, 4), { minLength: 5, maxLength: 5 }),
        fc.array(fc.constantFrom('', '', '', '\u200b', '1', 'l', 's', '@', '.', 'ß', 'а', 'L'), {
          maxLength: 2,
        }),
        fc.boolean(),
        fc.nat(20),
      )
      .map(([term, times, more, isUpper, at]) => {
        const text = [...term].map((one, place) => one.repeat(times[place]!)).join('');
        const written = isUpper ? text.toUpperCase() : text;
        return [term, written.slice(0, at) + more.join('') + written.slice(at)] as const;
      });
    fc.assert(
      fc.property(repeated, ([term, text]) => {
        fc.pre(!(/\p{M}/u.test(term.normalize('NFD')) && /(\p{L})\1\1/iu.test(bare(text).replace(/[@4]/g, 'a'))));
        fc.pre(!/(?:^|[^\p{L}\p{N}\p{M}]|\u200b)\p{M}/u.test(text));
        const plain = engineFinds(term, text, reading, 'case');
        const oracle = hardenedMatches(term, text, reading);
        const found = engineFinds(term, text, reading, 'hardened');
        expect(found.filter((match) => !covers(oracle, match) && !covers(plain, match))).toEqual([]);
        const starts = (all: readonly Found[]) => [...new Set(all.map(({ start }) => start))].sort((a, b) => a - b);
        expect(starts(found)).toEqual(starts([...oracle, ...plain]));
      }),
      { numRuns: runs(100) },
    );
  });

  it.each(wordReadings)('agrees with the oracle on decomposed letters: %s', (reading) => {
    fc.assert(
      fc.property(inParts, ([term, pieces]) => {
        const text = pieces.join('');
        const plain = engineFinds(term, text, reading, 'case');
        const oracle = hardenedMatches(term, text, reading);
        const found = engineFinds(term, text, reading, 'hardened');
        // What case alone finds once they are put together goes before what is seen through hidden characters.
        const joined = putTogether(text);
        const plainly = engineFinds(putTogether(term).text, joined.text, reading, 'case').flatMap(({ start, end }) =>
          // So does what it finds in both without their iotas.
          ['compatibility', 'mark'].map((name) => ({
            start: joined.from[start]!,
            end: joined.to[end - 1]!,
            transforms: [name],
          })),
        );
        const allowed = [...oracle, ...plain, ...plainly];
        expect(found.filter((match) => !covers(allowed, match))).toEqual([]);
        expect(plain.filter((match) => !covers(found, match))).toEqual([]);
        const starts = (all: readonly Found[]) => [...new Set(all.map(({ start }) => start))].sort((a, b) => a - b);
        const wanted = reading === 'word' ? starts([...oracle, ...plain]) : [];
        expect(wanted.filter((start) => !starts(found).includes(start))).toEqual([]);
      }),
      { numRuns: runs(30) },
    );
  });

  it.each([
    [['жид'], '@ж и д'],
    [['las'], 'é$l-a-s'],
    [['fag'], 'you @f.a.g'],
  ])('finds %j in %j after any other text', (terms, text) => {
    const matcher = runAtOnce(createObfuscationMatcher(terms, { words: 'word' }));
    const oracle = [...new Set(terms.flatMap((term) => hardenedMatches(term, text, 'word').map(({ start }) => start)))];
    expect(oracle).toHaveLength(1);
    for (let turn = 0; turn < 3; turn++) expect(startsOf(matcher, text)).toEqual(oracle);
  });

  it.each(wordReadings)('does not depend on texts scanned before, surrogate halves included: %s', (words) => {
    const texts = ['🅰', '🇦', '𝐚', '𝒶', 'n'].map((letter) => `${letter} l i`);
    const matcher = runAtOnce(createObfuscationMatcher(['ali', 'nli'], { words }));
    for (const text of texts) {
      for (const unit of text) for (const half of unit.split('')) startsOf(matcher, `a l i ${half}, ${half}`);
      expect([text, startsOf(matcher, text)]).toEqual([text, [0]]);
    }
  });

  it.each(wordReadings)('finds a confusable that shares a surrogate with an emoji scanned before: %s', (words) => {
    const matcher = runAtOnce(createObfuscationMatcher(['kil'], { words }));
    for (const text of ['🐢', '🐢 · 🐢']) expect(startsOf(matcher, text)).toEqual([]);
    expect(startsOf(matcher, 'k.𝐢...l')).toEqual([0]);
  });

  it.each(wordReadings)('reports the same on a second scan: %s', (words) => {
    fc.assert(
      fc.property(fc.oneof(shortTerm, aloneTerm), fc.oneof(anyText, aloneText), (term, text) => {
        const matcher = runAtOnce(createObfuscationMatcher([term], { words }));
        const first = startsOf(matcher, text);
        expect(startsOf(matcher, text)).toEqual(first);
      }),
      { numRuns: runs(30) },
    );
  });

  it.each(wordReadings)('finds isolated letters between any signs: %s', (words) => {
    fc.assert(
      fc.property(aloneTerm, aloneText, (term, text) => {
        // A mark on white space or a sign: the oracle takes it for one on nothing.
        fc.pre(!/(?:^|[^\p{L}\p{N}\p{M}])\p{M}/u.test(text));
        const matcher = runAtOnce(createObfuscationMatcher([term], { words }));
        const oracle = new Set(hardenedMatches(term, text, words).map(({ start }) => start));
        for (let turn = 0; turn < 2; turn++) expect(startsOf(matcher, text)).toEqual([...oracle].sort((a, b) => a - b));
      }),
      { numRuns: runs(30) },
    );
  });

  it.each(wordReadings)('agrees with the oracle on words with signs in them: %s', (reading) => {
    fc.assert(
      fc.property(brokenTerm, brokenText, (term, text) => {
        // A mark on white space, a sign or nothing: the oracle takes it for one on nothing. Drawn out with marks: as above.
        fc.pre(!/(?:^|[^\p{L}\p{N}\p{M}]|\u200b)\p{M}/u.test(text));
        fc.pre(!(/\p{M}/u.test(term.normalize('NFD')) && /(\p{L})\P{L}*\1\P{L}*\1/iu.test(bare(text))));
        const plain = engineFinds(term, text, reading, 'case');
        const oracle = hardenedMatches(term, text, reading);
        const found = engineFinds(term, text, reading, 'hardened');
        expect(found.filter((match) => !covers(oracle, match) && !covers(plain, match))).toEqual([]);
        const starts = (all: readonly Found[]) => [...new Set(all.map(({ start }) => start))].sort((a, b) => a - b);
        expect(starts(found)).toEqual(starts([...oracle, ...plain]));
        expect(new Set(found.map(({ start }) => start)).size).toBe(found.length);
      }),
      { numRuns: runs(30) },
    );
  });

  it('agrees with the oracle on texts that equal a term with signs in it, for its letters or between its words', () => {
    const masked = fc
      .tuple(brokenTerm, fc.array(fc.constantFrom('', '', '*', '#', '＊', '＃'), { minLength: 10, maxLength: 10 }))
      .map(([term, masks]) => [term, [...term].map((one, at) => masks[at] || one).join('')] as const);
    const joined = fc
      .tuple(brokenTerm, fc.constantFrom('-', '.', '_', '/', '..', '·', '\u2800'))
      .map(([term, sign]) => [term, term.replaceAll(' ', sign)] as const);
    const interrupted = fc
      .tuple(
        brokenTerm,
        fc.array(fc.constantFrom('', '', ...'.-_!*', ')(', "'", '\u200b', ' '), { minLength: 10, maxLength: 10 }),
      )
      .map(([term, signs]) => [term, [...term].map((one, at) => one + signs[at]).join('')] as const);
    const hiddenAround = /^[\s\p{Default_Ignorable_Code_Point}\u2800]+|[\s\p{Default_Ignorable_Code_Point}\u2800]+$/gu;
    fc.assert(
      fc.property(fc.oneof(masked, joined, interrupted), ([term, text]) => {
        const visible = text.replace(hiddenAround, '');
        const start = text.indexOf(visible);
        const isWhole = (one: Found) => one.start === start && one.end === start + visible.length;
        const wanted = hardenedMatches(term, text, 'whole').filter(isWhole);
        const plain = engineFinds(term, text, 'word', 'case', 'equals');
        const found = engineFinds(term, text, 'word', 'hardened', 'equals');
        expect(found.length > 0).toBe(wanted.length > 0 || plain.length > 0);
        expect(found.filter((one) => !covers(wanted, one) && !covers(plain, one))).toEqual([]);
      }),
      { numRuns: runs(100) },
    );
  });

  it('substring: finds nothing that the oracle does not find', () => {
    fc.assert(
      fc.property(shortTerm, anyText, (term, text) => {
        const allowed = [...hardenedMatches(term, text, 'substring'), ...engineFinds(term, text, 'substring', 'case')];
        const found = engineFinds(term, text, 'substring', 'hardened');
        expect(found.filter((match) => !covers(allowed, match))).toEqual([]);
        expect(new Set(found.map(({ start }) => start)).size).toBe(found.length);
      }),
      { numRuns: runs(30) },
    );
  });

  it.each(wordReadings)('finds all that case folding finds, with the same spans: %s', (reading) => {
    fc.assert(
      fc.property(shortTerm, anyText, (term, text) => {
        const found = engineFinds(term, text, reading, 'hardened');
        expect(engineFinds(term, text, reading, 'case').filter((match) => !covers(found, match))).toEqual([]);
      }),
      { numRuns: runs(30) },
    );
  });
});
