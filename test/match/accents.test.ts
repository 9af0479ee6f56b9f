/** `folding: 'accents'` by engine and oracle, and its tables against Unicode's data. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createAccentMatcher } from '../../src/engine/match/accent-matcher.js';
import { accentFolds, withoutAccents } from '../../src/engine/match/accents.js';
import { bareText, foldKey } from '../../src/engine/match/folding.js';
import { runAtOnce } from '../../src/foundation/portions.js';
import { createEngine, type Semantics, type WordReading } from '../../src/index.js';
import { bareForm, isAccent } from '../support/oracle-accents.js';
import { termFinder } from '../support/oracle-text.js';
import { defaultReadings } from '../support/oracle-world.js';
import { wordReadings } from '../support/readings.js';
import { isFull, runs, sampled } from '../support/runs.js';
import { simpleFold } from '../support/simple-fold.js';

/** All characters of the basic plane but halves of others. */
const characters = Array.from({ length: 0x10000 }, (_, code) => code)
  .filter((code) => code < 0xd800 || code > 0xdfff)
  .map((code) => String.fromCharCode(code));

describe('tables of accents', () => {
  it('pass over the marks of five scripts, and no other mark', () => {
    const passed = characters.filter((character) => bareText(`x${character}`, 'accents') === 'x');
    expect(passed).toEqual(characters.filter((character) => isAccent(character) && /^[\p{M}\p{L}]$/u.test(character)));
    expect(passed.length).toBeGreaterThan(500);
  });

  it('read every character as the definition does', () => {
    const wrong = characters.filter((character) => {
      const expected = simpleFold(bareForm(simpleFold(character)).text);
      // A text never has marks when it is folded: they are left out before.
      return (
        !isAccent(character) &&
        expected !== '' &&
        !/^[…\s]$/.test(character) &&
        foldKey(character, 'accents') !== expected
      );
    });
    expect(wrong).toEqual([]);
    expect(accentFolds().size).toBeGreaterThan(800);
  });

  it('put together whatever composes with the character before it', () => {
    const seconds = new Set(
      characters.flatMap((character) => {
        const [, second] = character.normalize('NFD');
        return second !== undefined && character.normalize('NFD').normalize('NFC') === character ? [character] : [];
      }),
    );
    for (const character of seconds)
      expect(foldKey(character.normalize('NFD'), 'accents')).toBe(foldKey(character, 'accents'));
    expect(seconds.size).toBeGreaterThan(11_000);
  });
});

const pieces = [
  ...[
    'k',
    'i',
    'ill',
    'í',
    'e',
    'é',
    'E\u0301',
    'ß',
    'ss',
    'ẞ',
    'æ',
    'ae',
    'Ø',
    'o',
    'ł',
    'ı',
    'İ',
    'ᾴ',
    'α',
    '\u0345',
  ],
  ...[
    '\u0301',
    '\u0323',
    '\u0489',
    '\u05b8',
    'ש',
    'שׁ',
    'أ',
    'ا',
    'ي',
    'ی',
    'ئ',
    'ك',
    'ک',
    '\u0640',
    '\u064e',
    '\u0654',
  ],
  ...[
    'か',
    'が',
    '\u3099',
    '가',
    '\u1100',
    '\u1161',
    '\u11a8',
    '각',
    'क',
    '\u093c',
    'क़',
    'कि',
    '\u0bc6',
    '\u0bbe',
    'ொ',
  ],
  ...['\u1025', '\u102e', '\u1026', 'ᾠ', 'ω', 'ι', '↮', '↔', '\u0338', '\u{1109a}', '\u{11099}', '\u{110ba}'],
  ...[' ', '  ', '!', '…', '.', '’', '_', '\ufe0f', '\u20e3', '❤', '中', '𝐬', '\ud83d', '\u034f', '\u200d'],
];
const written = (maxLength: number) =>
  fc.array(fc.constantFrom(...pieces), { minLength: 1, maxLength }).map((parts) => parts.join(''));
const term = written(3).filter((text) => text.trim() !== '');

/** What an engine with this one term finds in a text. */
function found(one: string, text: string, operator: string, readings: Partial<Semantics>): Set<string> {
  const rules = [{ id: 'r', action: 'blockMessage', conditions: [{ operand: 'text', operator, value: [one] }] }];
  const decision = createEngine({ rules, lists: [] }, readings).explain(text);
  const matches = decision.matched.flatMap(({ conditions }) => conditions.flatMap((condition) => condition.matches));
  return new Set(matches.flatMap((match) => (match.kind === 'word' ? [`${match.span.start} ${match.span.end}`] : [])));
}

describe('folding `accents`', () => {
  it.each(wordReadings)('finds what the oracle finds: %s', (words: WordReading) => {
    fc.assert(
      fc.property(term, written(12), fc.constantFrom('contains', 'equals'), (one, text, operator) => {
        const readings = { words, folding: 'accents' } as const;
        const expected = termFinder(one, operator, { ...defaultReadings, ...readings }, '')(text);
        expect(found(one, text, operator, readings)).toEqual(
          new Set(expected.map(([start, end]) => `${start} ${end}`)),
        );
      }),
      { numRuns: runs(62, 6_250) },
    );
  });

  it('finds the same in composed and decomposed texts, by composed and decomposed terms', () => {
    const matches = (one: string, text: string, form: string) =>
      found(one.normalize(form), text, 'contains', { folding: 'accents' }).size;
    fc.assert(
      fc.property(term, written(12), (one, text) => {
        const counts = ['NFC', 'NFD'].flatMap((form) =>
          ['NFC', 'NFD'].map((other) => matches(one, text.normalize(other), form)),
        );
        expect(new Set(counts).size).toBe(1);
      }),
      { numRuns: runs(37, 3_750) },
    );
  });

  const hasIotaBelow = (text: string) => text.normalize('NFD').includes('\u0345');

  it.each(wordReadings)('is part of `hardened`: %s', (words: WordReading) => {
    // Hardened folding reads a term by case alone that begins with a mark or holds what is hidden,
    // which is not an edge to it elsewhere; to `_` a mark is a letter. The Greek iota below is an
    // iota to it.
    const plain = term.filter(
      (text) =>
        !hasIotaBelow(text) &&
        !/^\s*[\p{M}\u0640]|^\p{Lo}?[\u3099\u0bbe\u1161\u11a8\u102e\u{110ba}]|\u200d|\u20e3|\ufe0f/u.test(text),
    );
    const odd = /\u200d|\u20e3|\ufe0f|_[\p{M}\u0640]|[\p{M}\u0640]_/u;
    const visible = written(8).filter((text) => !odd.test(text) && !hasIotaBelow(text));
    fc.assert(
      fc.property(plain, visible, (one, text) => {
        const spans = (folding: 'accents' | 'hardened') =>
          [...found(one, text, 'contains', { words, folding })].map((span) => span.split(' ').map(Number));
        const hardened = spans('hardened');
        for (const [start, end] of spans('accents'))
          expect(
            hardened.some(([from, to]) => from! < end! && to! > start!),
            JSON.stringify([one, text]),
          ).toBe(true);
      }),
      { numRuns: runs(62, 6_250) },
    );
  });

  it('takes no more than the text for any number of marks', () => {
    const terms = Array.from({ length: 200 }, (_, index) => `${'a'.repeat(index + 1)}b`);
    const matcher = runAtOnce(createAccentMatcher(terms, { words: 'substring' }));
    const text = `${'a'.repeat(200)}${'\u0301\u0323'.repeat(10_000)}b`;
    let last = '';
    matcher.scan(text, (_, start, end) => {
      last = text.slice(start, end);
    });
    expect(last).toBe(text.slice(199));
    expect(matcher.steps).toBeLessThan(2 * text.length);
    expect(withoutAccents('か\u3099\u093c'.repeat(10_000))?.text.length).toBe(20_000);
  });
});

describe('canonical decompositions', () => {
  /** A character, its decompositions, and what is composed of their first characters alone. */
  const spellingsOf = (character: string) => {
    const parts = [...character.normalize('NFD')];
    const half = parts.map((_, at) => parts.slice(0, at).join('').normalize('NFC') + parts.slice(at).join(''));
    return [...new Set([character, character.normalize('NFC'), ...half])];
  };
  const decomposed = Array.from({ length: 0x110000 }, (_, code) => code)
    .filter((code) => (code & 0xfffff800) !== 0xd800 && (code < 0xac00 || code > 0xd7a3 || isFull || code % 97 === 0))
    .map((code) => String.fromCodePoint(code))
    .filter(
      (character) => character.normalize('NFD') !== character && !/^[\p{M}\s]+$/u.test(character.normalize('NFD')),
    );
  const all = sampled(decomposed, 7);

  it.each(['accents', 'hardened'] as const)('are one under `%s`, each of them', (folding) => {
    // A rule for each spelling: every one of them stops the texts of all spellings of its
    // character.
    const groups = all.map((character) => spellingsOf(character).map((spelling) => `x${spelling}x`));
    const rules = groups.flat().map((spelling, id) => ({
      id: `${id}`,
      action: 'blockMessage',
      conditions: [{ operand: 'text', value: [spelling] }],
    }));
    const engine = createEngine({ rules, lists: [] }, { folding });
    let before = 0;
    for (const spellings of groups) {
      const wanted = spellings.map((_, index) => `${before + index}`);
      for (const text of spellings) {
        const found = engine.explain(text).matched.map(({ ruleId }) => ruleId);
        expect([text, found]).toEqual([text, expect.arrayContaining(wanted)]);
      }
      before += spellings.length;
    }
    expect(decomposed.length).toBeGreaterThan(2_000);
  });
});
