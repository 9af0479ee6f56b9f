import { RE2JS } from 're2js';
import { describe, expect, it } from 'vitest';
import { admitPatterns } from '../../../src/engine/match/patterns/complexity-limits.js';
import { re2js } from '../../../src/engine/match/patterns/re2js.js';
import { runAtOnce } from '../../../src/foundation/portions.js';

const spec = (source: string) => ({ source, insensitive: false, whole: false });
const repeated = (count: number, make: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => spec(make(index)));
const good = repeated(100, (index) => `\\bgood${index}[a-z]{2,4}\\b`);

describe('admitPatterns', () => {
  it.each<[string, ReturnType<typeof spec>[], RegExp]>([
    [
      'long repeats',
      repeated(100, (index) => `.{1,1000}x${index}`),
      /needs \d+ loose instructions, and smaller patterns leave \d+ of/,
    ],
    ['words', repeated(20, (index) => Array.from({ length: 100 }, (_, at) => `w${index}x${at}y`).join('|')), /^$/],
    ['Unicode classes', repeated(5_000, (index) => `\\p{L}{1,3}x${index}`), /^$/],
    [
      'deep groups',
      [spec(`${'('.repeat(100_000)}a${')'.repeat(100_000)}`)],
      /is 200001 characters long, more than 32768/,
    ],
    ['quadratic ways', repeated(10, (index) => `(?:a?){500}b${index}`), /has \d+ ways from one character to the next/],
    ['a very long repeat', [spec('(?:abcdefghijklmno){900}')], /needs \d+ instructions, more than/],
    ['invalid ones', repeated(10_000, (index) => `[a-z${index}`), /missing closing \]/],
  ])('rejects heavy or invalid patterns with the reason, and admits the others: %s', (_, heavy, reason) => {
    const set = re2js.compile([...heavy, ...good]);
    expect(set.rejected.filter(({ index }) => index >= heavy.length)).toEqual([]);
    for (const rejected of set.rejected) expect(rejected.reason).toMatch(reason);
    const found: number[] = [];
    set.mark(good.map((_, index) => `good${index}abc`).join(' '), (index) => found.push(index));
    const expected = good.map((_, index) => heavy.length + index);
    expect(found.filter((index) => index >= heavy.length).sort((a, b) => a - b)).toEqual(expected);
  });

  it('sizes are upper bounds of the compiled programs', () => {
    for (const source of ['abc', '(a|b)+c?', '.{1,100}x', '(?:ab|cd){3,}', '\\bx\\p{L}*$', '((a)(b))?']) {
      const size = RE2JS.compile(source).programSize();
      const budget = {
        source: 99,
        sources: 999,
        instructions: 999,
        allInstructions: size - 3,
        looseInstructions: 999,
        ways: 999,
      };
      // FAIL and MATCH are not counted, hence 3.
      expect(runAtOnce(admitPatterns([spec(source)], budget)).rejected).toHaveLength(1);
    }
  });

  it('patterns beyond the total length are not parsed', () => {
    const budget = { source: 99, sources: 100, instructions: 99, allInstructions: 99, looseInstructions: 99, ways: 99 };
    const { admitted, rejected } = runAtOnce(
      admitPatterns(
        repeated(5, () => 'a'),
        budget,
      ),
    );
    expect(admitted).toEqual([0, 1, 2]);
    expect(rejected.map(({ reason }) => reason)).toEqual(
      Array(2).fill('the patterns together are longer than 100 characters'),
    );
  });
});
