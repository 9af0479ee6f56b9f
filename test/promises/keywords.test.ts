import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { wordReadings } from '../support/readings.js';
import { runs } from '../support/runs.js';
import { engineOf, findsOf } from './engines.js';
import { bruteForce, keywordsEqualBruteForce } from './keyword-properties.js';

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
