/**
 * Keywords against brute force: every term tried at every character, as a regular expression of V8.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { wordFinder } from '../support/oracle-text.js';
import { defaultReadings, type Readings } from '../support/oracle-world.js';
import { wordReadings } from '../support/readings.js';
import { runs } from '../support/runs.js';
import { simpleFold } from '../support/simple-fold.js';
import { engineOf, findsOf } from './engines.js';

/** Characters that make terms overlap, fold, nest and end in odd places. */
const character = fc.constantFrom(
  ...['a', 'a', 'a', 'b', 'A', 'é', 'e\u0301', '\u0301', 'ß', 'ſ', 's', '\u212a', 'k', 'σ', 'ς', 'д', 'Д', '1', '_'],
  ...[' ', '\t', '\n', '\u00a0', '-', '*', '中', 'ー', 'ไ', '😀', '𐐀', '𐐨', '\ud83d', '\ude00', '\u0000', '\u200d'],
);
const join = (parts: readonly string[]) => parts.join('');

/**
 * A text and terms: pieces of it, their beginnings and ends, single letters, and some that are not
 * in it.
 */
const textAndTerms = fc.array(character, { minLength: 1, maxLength: 60 }).chain((parts) => {
  const piece = fc
    .tuple(fc.nat(parts.length - 1), fc.integer({ min: 1, max: 8 }))
    .map(([from, length]) => join(parts.slice(from, from + length)));
  const family = piece.map((term) => [term, ...[...term].map((_, at) => [...term].slice(at).join('')), [...term][0]!]);
  const strange = fc.array(character, { minLength: 1, maxLength: 4 }).map((other) => [join(other)]);
  return fc.tuple(fc.constant(join(parts)), fc.array(fc.oneof(family, strange), { minLength: 1, maxLength: 4 }));
});

/**
 * What brute force finds; V8 takes a lone surrogate as a character of its own under the flag `u`,
 * as is right.
 */
function bruteForce(terms: readonly string[], text: string, changes: Partial<Readings>): string[] {
  // Terms that are read alike and differ by case where it does not count, by blanks at their ends,
  // or by the kind of white space within are one, as first written.
  const { folding = 'case', words = 'word', wildcards = 'off' } = changes;
  const form = (written: string) => {
    const [, before = '', inner = written.trim(), after = ''] =
      (wildcards === 'off' ? null : /^(\*?)(.*?)(\*?)$/s.exec(written.trim())) ?? [];
    // An asterisk keeps a blank beside it.
    const bare = inner.replace(/\s+/g, ' ');
    const open =
      before + after === ''
        ? [words !== 'word' && words !== 'prefix', words !== 'word' && words !== 'suffix']
        : [before !== '', after !== ''];
    return JSON.stringify([folding === 'exact' ? bare : simpleFold(bare), open]);
  };
  const first = terms.filter((term, at) => terms.findIndex((other) => form(other) === form(term)) === at);
  const finders = first.map((term) => ({
    term,
    find: wordFinder(term, 'contains', { ...defaultReadings, ...changes }, '')!,
  }));
  return finders.flatMap(({ term, find }) => find(text).map(([start, end]) => `${start} ${end} ${term}`)).sort();
}

function withAsterisks(term: string, where: string): string {
  return `${where === 'begins' || where === 'both' ? '*' : ''}${term}${where === 'ends' || where === 'both' ? '*' : ''}`;
}

/** Terms that are beginnings, ends and parts of each other, in texts of few characters. */
const keywordsEqualBruteForce = fc.property(
  textAndTerms,
  fc.constantFrom(...wordReadings),
  fc.constantFrom('case' as const, 'exact' as const),
  fc.array(fc.constantFrom('', 'begins', 'ends', 'both'), { minLength: 1, maxLength: 5 }),
  ([text, families], words, folding, asterisks) => {
    const whole = [...new Set(families.flat())].filter((term) => term.trim() !== '');
    const wild = whole.map((term, at) => withAsterisks(term, asterisks[at % asterisks.length]!));
    const wildcards = asterisks.some((where) => where !== '') ? 'asterisk' : 'off';
    const terms = [...new Set(wild)];
    const found = findsOf(engineOf(terms, { words, folding, wildcards }), text);
    const expected = bruteForce(terms, text, { words, folding, wildcards });
    if (found.join('\n') !== expected.join('\n'))
      throw new Error(`found ${JSON.stringify(found)}, brute force ${JSON.stringify(expected)}`);
  },
);

describe('P2: keyword verdicts are exact', () => {
  it('agrees with brute force for terms that are prefixes, suffixes and substrings of each other', () => {
    fc.assert(keywordsEqualBruteForce, { numRuns: runs(75) });
  });

  it('agrees with brute force for all substrings of a word as terms', () => {
    const word = 'abacabadabacaba';
    const pieces = [...word].flatMap((_, from) => [...word].map((_, length) => word.slice(from, from + length + 1)));
    const terms = [...new Set(pieces)];
    for (const words of wordReadings) {
      for (const text of [word, `${word} ${word}`, `x${word}`, [...word].join(' ')]) {
        expect(findsOf(engineOf(terms, { words }), text)).toEqual(bruteForce(terms, text, { words }));
      }
    }
  });

  it('agrees with brute force for all letters of three blocks as terms', () => {
    for (const first of [0, 0x80, 0x370]) {
      const codes = Array.from({ length: 0x80 }, (_, at) => String.fromCodePoint(first + at));
      const letters = codes.filter((one) => one.trim());
      for (const text of [letters.join(' '), letters.join('')]) {
        for (const words of wordReadings)
          expect(findsOf(engineOf(letters, { words }), text)).toEqual(bruteForce(letters, text, { words }));
      }
    }
  });

  it.each(['a', '😀'])('finds terms of 65,536 units of %j', (letter) => {
    const count = 65_536 / letter.length;
    const text = letter.repeat(count);
    const terms = [1, 2, 3, 7, 64, count].map((times) => letter.repeat(times));
    const substring = engineOf([...terms, `${letter}b`, `b${letter}`], { words: 'substring' });
    expect(substring.decide(text)).toBe('blockMessage');
    const decision = substring.explain(text);
    const hits = decision.matched[0]!.conditions[0]!.matches;
    expect([decision.truncated, hits.length]).toEqual([true, 1000]);
    const joined = /[\p{L}\p{N}\p{M}]/u.test(letter) && letter !== '中';
    expect(findsOf(engineOf(terms.slice(-1)), text)).toEqual([`0 65536 ${terms.at(-1)}`]);
    if (joined) expect(engineOf(terms.slice(0, -1)).decide(text)).toBe('allow');
    expect(engineOf([`${letter}b`, `b${letter}`, `${text}${letter}`], { words: 'substring' }).decide(text)).toBe(
      'allow',
    );
  });

  it('matches lone surrogates and NUL as characters', () => {
    const odd = ['\ud83d', '\ude00', '\u0000', '\uffff'];
    for (const one of odd) {
      for (const other of odd.filter((each) => `${one}${each}` !== '😀')) {
        const text = `${one}bad${other} ${other}${one}bad bad${one}`;
        for (const words of wordReadings) {
          if (/😀/u.test(text)) continue;
          expect(findsOf(engineOf(['bad', one, `${one}bad`], { words }), text)).toEqual(
            bruteForce(['bad', one, `${one}bad`], text, { words }),
          );
        }
      }
    }
    expect(engineOf(['\ud83d', '\ude00'], { words: 'substring' }).decide('😀')).toBe('allow');
  });
});
