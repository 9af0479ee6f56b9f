import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { percentilesOf } from '../../bench/measure.js';
import { quantile, ratioOf, spreadOf } from '../../bench/rules/measure.js';

describe('statistics', () => {
  it('interpolates quantiles', () => {
    expect(quantile([1, 2, 3, 4], 0.5)).toBe(2.5);
    expect(quantile([1, 2, 3, 4, 5], 0.25)).toBe(2);
    expect(quantile([7], 0.99)).toBe(7);
    expect(quantile([], 0.5)).toBeNaN();
  });

  it('sorts by number, not by text', () => {
    expect(spreadOf([100, 9, 20]).median).toBe(20);
  });

  it('has the median between the quartiles, and both within the figures', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0, max: 1e9, noNaN: true }), { minLength: 1 }), (figures) => {
        const { low, median: middle, high } = spreadOf(figures);
        expect(low <= middle && middle <= high).toBe(true);
        expect(low >= Math.min(...figures) && high <= Math.max(...figures)).toBe(true);
      }),
    );
  });

  it('takes ratios round by round, so that a machine that slows down does not matter', () => {
    const drift = [1, 1.5, 4, 9];
    const ratio = ratioOf(
      drift.map((factor) => factor * 30),
      drift.map((factor) => factor * 10),
    );
    expect(ratio).toEqual({ median: 3, low: 3, high: 3 });
  });

  it('gives each message the median of its rounds before it takes percentiles', () => {
    const rounds = [Float64Array.of(10, 20, 9000), Float64Array.of(10, 9000, 30), Float64Array.of(9000, 20, 30)];
    expect(percentilesOf(rounds)).toEqual({ p50: 20, p95: 29, p99: 29.8 });
  });
});
