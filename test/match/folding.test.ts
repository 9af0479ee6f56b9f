import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { foldKey, foldText } from '../../src/engine/match/folding.js';
import { runs } from '../support/runs.js';

describe('foldKey', () => {
  const part = fc.constantFrom('a', 'A', 'É', 'é', ' ', '\t', '\u00a0', '😀', '𐐀', '𐐨', '\ud83d', '\ude00', 'ſ', 'İ');
  const text = fc.array(part, { maxLength: 3 }).map((parts) => parts.join(''));
  const foldings = fc.constantFrom('exact' as const, 'case' as const);
  const symbols = (one: string, folding: 'exact' | 'case') => String(foldText(one, folding));

  it('is equal for two texts if and only if they fold to the same symbols', () => {
    fc.assert(
      fc.property(text, text, foldings, (one, other, folding) => {
        expect(foldKey(one, folding) === foldKey(other, folding)).toBe(
          symbols(one, folding) === symbols(other, folding),
        );
        expect(foldKey(one.replaceAll(/\s/gu, ' '), folding)).toBe(foldKey(one, folding));
      }),
      { numRuns: runs(1000) },
    );
  });

  it('of a long text is the concatenation of those of its parts', () => {
    for (const pair of ['É x', 'é\t\u00a0X', '😀𐐀']) {
      const long = pair.repeat(5000);
      expect(foldKey(long, 'case')).toBe(foldKey(pair, 'case').repeat(5000));
    }
  });
});
