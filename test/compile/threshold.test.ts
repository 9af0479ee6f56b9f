import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { labelKey, parseThreshold, printThreshold } from '../../src/engine/compile/threshold.js';

describe('thresholds (§2.5)', () => {
  it.each([
    ['violence_greaterThan_30', 'violence', 30],
    ['Any unsafe content_greaterThan_70', 'Any unsafe content', 70],
    ['AnyOf_greaterThan_90.5', 'AnyOf', 90.5],
    ['a_greaterThan_1_greaterThan_2', 'a_greaterThan_1', 2],
    ['hate-symbols_greaterThan_0', 'hate-symbols', 0],
    ['x_greaterThan_007', 'x', 7],
    ['x_greaterThan_99.99', 'x', 99.99],
  ])('reads %s', (text, label, greaterThan) => {
    expect(parseThreshold(text)).toMatchObject({ label, greaterThan });
  });

  it.each([
    ...['violence', '_greaterThan_30', ' _greaterThan_30', 'violence_greaterThan_', 'violence_greaterThan_-5'],
    ...['violence_greaterThan_1e3', 'violence_greaterThan_0x10', 'violence_greaterThan_80abc'],
    ...['violence_greaterThan_ 12', 'violence_greaterThan_.5', 'violence_greaterThan_5.'],
    ...['violence_greaterThan_Infinity', 'violence_greaterThan_100', 'violence_greaterThan_100.0'],
    ...['violence_greaterThan_99.99999999999999999999', 'violence_greaterThan_1000000'],
    ...['violence_GREATERTHAN_5', 'violence_greaterThan_٣', ''],
  ])('does not read `%s`', (text) => {
    expect(parseThreshold(text)).toBeUndefined();
  });

  it('printThreshold: is the inverse of parseThreshold', () => {
    fc.assert(
      fc.property(
        fc.string({ minLength: 1 }).filter((label) => label.trim() !== ''),
        fc.integer({ min: 0, max: 999 }),
        (label, tenths) => {
          const threshold = { label, greaterThan: tenths / 10 };
          expect(parseThreshold(printThreshold(threshold))).toMatchObject(threshold);
        },
      ),
    );
  });

  it('labelKey: ignores case, and equates spaces, `_` and `-`', () => {
    expect(labelKey('Any_unsafe-Content')).toBe(labelKey('any unsafe content'));
    expect(labelKey('anyunsafe')).not.toBe(labelKey('any unsafe'));
    expect(parseThreshold('ANYOF_greaterThan_3')?.any).toBe(true);
    expect(parseThreshold('Any Of_greaterThan_3')?.any).toBe(false);
  });
});
