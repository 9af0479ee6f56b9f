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

  it('is noticed when it changes, by the last forty scores of a label, until one is above 1', () => {
    const watch = new ScaleWatch();
    const behind = (label: string, ...scores: readonly number[]) => {
      for (const score of scores) watch.add({ [label]: score }, undefined, true);
      return [watch.countUpToOne, watch.labelUpToOne];
    };
    const rising = Array.from({ length: 40 }, (_, index) => index / 40);
    expect(behind('a', 1.5, ...rising.slice(1))).toEqual([undefined, undefined]);
    expect(behind('a', 0)).toEqual([undefined, 'a']);
    expect(behind('b', 80)).toEqual([undefined, 'a']);
    expect(behind('a', 3)).toEqual([undefined, undefined]);
    expect(behind('a', ...rising.map(() => 0), ...rising.slice(16))).toEqual([undefined, 'a']);
    expect(behind('a', 3)).toEqual([undefined, undefined]);
    // Scores of harmless texts, of which nearly all are low on any scale.
    expect(behind('a', ...Array.from({ length: 400 }, (_, index) => (index % 20 === 0 ? 0.9 : 0.01)))).toEqual([
      undefined,
      undefined,
    ]);
    expect(behind('a', ...Array.from({ length: 400 }, (_, index) => (index % 20 === 0 ? 0.9 : 0.01)))).toEqual([
      undefined,
      'a',
    ]);
  });

  it('watches a thousand labels', () => {
    const watch = new ScaleWatch();
    for (let index = 0; index < 1000; index++) watch.add({ [`label ${index}`]: 2 });
    for (let index = 0; index < 50; index++) watch.add({ more: 0.9, 'label 7': 0.9 });
    expect(watch.labelUpToOne).toBe('label 7');
  });
});
