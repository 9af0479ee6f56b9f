import { describe, expect, it } from 'vitest';
import { asPercent, ScaleWatch } from '../src/engine/score-scale.js';

describe('scores of a scale, as percent', () => {
  it('of 100 are as they are, of 1 multiplied without a digit too many', () => {
    const labels = { a: 0, b: 1, c: 0.07, d: 0.29, e: 0.57, f: 0.123456 };
    expect(asPercent(labels, 100)).toBe(labels);
    expect(asPercent(labels, 1)).toEqual({ a: 0, b: 100, c: 7, d: 29, e: 57, f: 12.3456 });
  });

  it('of 1: every hundredth is a whole number', () => {
    for (let percent = 0; percent <= 100; percent++) expect(asPercent({ a: percent / 100 }, 1)).toEqual({ a: percent });
  });

  it('keep labels that objects have by nature', () => {
    const labels = JSON.parse('{ "__proto__": 0.5 }');
    expect(Object.entries(asPercent(labels, 1))).toEqual([['__proto__', 50]]);
  });
});

describe('the scale of scores', () => {
  const watched = (...files: readonly (readonly [Record<string, unknown>, string?])[]) => {
    const watch = new ScaleWatch();
    for (const [labels, url] of files) watch.add(labels, url);
    return watch.countUpToOne;
  };
  const files = (count: number, labels: Record<string, unknown>) =>
    Array.from({ length: count }, (_, index) => [labels, `u${index}`] as const);

  it.each<[string, readonly (readonly [Record<string, unknown>, string?])[], number | undefined]>([
    ['nineteen files', files(19, { a: 0.97 }), undefined],
    ['twenty files', files(20, { a: 0.97, b: 1 }), 20],
    ['more', files(31, { a: 0.97 }), 31],
    ['a score above 1 behind them', [...files(20, { a: 0.97 }), [{ a: 1.01 }]], undefined],
    ['a score above 1 before them', [[{ a: 3 }], ...files(30, { a: 0.97 })], undefined],
    ['files of one address', Array.from({ length: 30 }, () => [{ a: 0.5 }, 'u'] as const), undefined],
    ['files without an address', Array.from({ length: 20 }, () => [{ a: 0.5 }] as const), 20],
    ['zeros alone, which any scale has', files(30, { a: 0 }), undefined],
    ['what is not a number', files(30, { a: '0.5', b: Number.NaN }), undefined],
  ])('%s', (_, given, expected) => {
    expect(watched(...given)).toBe(expected);
  });
});
