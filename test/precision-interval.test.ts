import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { UsageError } from '../src/foundation/errors.js';
import { type PrecisionInterval, precisionInterval } from '../src/review/precision-interval.js';
import { isFull, runs } from './support/runs.js';

/** Of all sizes of a sample from 10 to 400 `npm test` takes these. */
const everySize = Array.from({ length: 391 }, (_, index) => index + 10);
const sizes = isFull ? everySize : [10, 11, 40, 97, 400];

/**
 * Logarithms of factorials, of which the oracle makes every probability: the intervals use none.
 */
const logFactorials = [0];
for (let number = 1; number <= 10_000; number++) logFactorials.push(logFactorials[number - 1]! + Math.log(number));
const logChoose = (all: number, some: number) =>
  logFactorials[all]! - logFactorials[some]! - logFactorials[all - some]!;

function binomial(right: number, labelled: number, precision: number): number {
  if (precision === 0 || precision === 1) return right === labelled * precision ? 1 : 0;
  const wrong = labelled - right;
  return Math.exp(logChoose(labelled, right) + right * Math.log(precision) + wrong * Math.log1p(-precision));
}

function hypergeometric(right: number, labelled: number, all: number, of: number): number {
  if (right > all || labelled - right > of - all) return 0;
  return Math.exp(logChoose(all, right) + logChoose(of - all, labelled - right) - logChoose(of, labelled));
}

const intervalsOf = (labelled: number, options = {}) =>
  Array.from({ length: labelled + 1 }, (_, right) => precisionInterval(right, labelled, options));

/**
 * How often the interval of a sample holds the precision: over all samples, each by its
 * probability.
 */
function coverage(
  intervals: readonly PrecisionInterval[],
  precision: number,
  probability: (right: number) => number,
): number {
  return intervals.reduce(
    (sum, { low, high }, right) => (low <= precision && precision <= high ? sum + probability(right) : sum),
    0,
  );
}

const percents = ({ low, high }: PrecisionInterval) => [low, high].map((end) => Number((100 * end).toFixed(2)));

describe('precisionInterval', () => {
  // Of published tables of exact binomial limits.
  it.each([
    [12, 40, 0.95, [16.56, 46.53]],
    [0, 10, 0.95, [0, 30.85]],
    [1, 10, 0.95, [0.25, 44.5]],
    [3, 10, 0.95, [6.67, 65.25]],
    [5, 10, 0.95, [18.71, 81.29]],
    [8, 10, 0.95, [44.39, 97.48]],
    [10, 10, 0.95, [69.15, 100]],
    [10, 100, 0.95, [4.9, 17.62]],
    [50, 100, 0.95, [39.83, 60.17]],
    [5, 10, 0.9, [22.24, 77.76]],
    [5, 10, 0.99, [12.83, 87.17]],
  ])('of %i of %i, level %f, is that of the tables', (right, labelled, level, expected) => {
    expect(percents(precisionInterval(right, labelled, { level }))).toEqual(expected);
  });

  it('has the ends that can be written down', () => {
    for (const labelled of [1, 2, 10, 400, 100_000]) {
      for (const level of [0.5, 0.9, 0.95, 0.999_999]) {
        const end = ((1 - level) / 2) ** (1 / labelled);
        expect(precisionInterval(labelled, labelled, { level })).toEqual({ low: expect.closeTo(end, 12), high: 1 });
        expect(precisionInterval(0, labelled, { level })).toEqual({ low: 0, high: expect.closeTo(1 - end, 12) });
      }
    }
  });

  it('knows nothing without a label, and everything with all of them', () => {
    for (const of of [undefined, 0, 7, 1e9]) expect(precisionInterval(0, 0, { of })).toEqual({ low: 0, high: 1 });
    for (const right of [0, 3, 7]) {
      expect(precisionInterval(right, 7, { of: 7 })).toEqual({ low: right / 7, high: right / 7 });
    }
  });

  it.each(sizes)('holds the true precision in 95 of 100 samples of %i and more, whatever it is', (labelled) => {
    const intervals = intervalsOf(labelled);
    const grid = Array.from({ length: 201 }, (_, index) => index / 200);
    // It is least where an interval has just ended.
    const ends = intervals.flatMap(({ low, high }) => [low * (1 - 1e-9), high * (1 + 1e-9)]).filter((end) => end <= 1);
    const least = [...grid, ...ends].map((precision) =>
      coverage(intervals, precision, (right) => binomial(right, labelled, precision)),
    );
    expect(Math.min(...least)).toBeGreaterThanOrEqual(0.95);
    // It is not just wide: somewhere it is close.
    expect(Math.min(...least)).toBeLessThan(0.98);
  });

  it.each(sizes)('holds each number that a population can have in 95 of 100 samples of %i and more', (labelled) => {
    for (const of of [labelled, labelled + 1, 2 * labelled, 1000, ...(isFull ? [labelled + 10, 7919] : [])]) {
      const intervals = intervalsOf(labelled, { of });
      const step = isFull || of < 1000 ? 1 : 7;
      for (let all = 0; all <= of; all += step) {
        const held = coverage(intervals, all / of, (right) => hypergeometric(right, labelled, all, of));
        if (held < 0.95) expect([labelled, of, all, held]).toEqual('0.95 and more');
      }
    }
  });

  it('has no number for an end that another one beside it would be as well', () => {
    fc.assert(
      fc.property(
        fc
          .integer({ min: 1, max: 300 })
          .chain((of) =>
            fc
              .integer({ min: 1, max: of })
              .chain((labelled) =>
                fc.record({ of: fc.constant(of), labelled: fc.constant(labelled), right: fc.nat(labelled) }),
              ),
          ),
        fc.constantFrom(0.5, 0.9, 0.95, 0.99),
        ({ of, labelled, right }, level) => {
          const counts = Array.from({ length: labelled + 1 }, (_, count) => count);
          const sum = (all: number, isTail: (count: number) => boolean) =>
            counts.filter(isTail).reduce((total, count) => total + hypergeometric(count, labelled, all, of), 0);
          // One that is at the limit belongs to it.
          const limit = ((1 - level) / 2) * (1 - 1e-9);
          const isHeld = (all: number) =>
            sum(all, (count) => count >= right) > limit && sum(all, (count) => count <= right) > limit;
          const held = Array.from({ length: of + 1 }, (_, all) => all).filter(isHeld);
          const { low, high } = precisionInterval(right, labelled, { of, level });
          expect([low, high]).toEqual([held[0]! / of, held.at(-1)! / of]);
        },
      ),
      { numRuns: runs(150, 5000) },
    );
  });

  it('is the same from the other side, grows with the level, and comes to that of a population without end', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 2000 }),
        fc.nat(),
        fc.double({ min: 0.5, max: 0.99, noNaN: true }),
        (labelled, any, level) => {
          const right = any % (labelled + 1);
          const { low, high } = precisionInterval(right, labelled, { level });
          const other = precisionInterval(labelled - right, labelled, { level });
          expect([low, high]).toEqual([expect.closeTo(1 - other.high, 9), expect.closeTo(1 - other.low, 9)]);
          expect(low <= right / labelled && right / labelled <= high).toBe(true);
          const surer = precisionInterval(right, labelled, { level: (1 + level) / 2 });
          expect(surer.low <= low && high <= surer.high).toBe(true);
          const ofMany = precisionInterval(right, labelled, { of: 1e12, level });
          expect([ofMany.low, ofMany.high]).toEqual([expect.closeTo(low, 8), expect.closeTo(high, 8)]);
        },
      ),
      { numRuns: 300 },
    );
  });

  it('takes large counts, and work in proportion to the width of what is likely', () => {
    // Of nearly a billion: the normal approximation is as good as exact.
    const { low, high } = precisionInterval(300_000_000, 1_000_000_000);
    const half = 1.959_963_985 * Math.sqrt((0.3 * 0.7) / 1e9);
    expect([low, high]).toEqual([expect.closeTo(0.3 - half, 8), expect.closeTo(0.3 + half, 8)]);
    const known = precisionInterval(30_000, 100_000, { of: 100_001 });
    expect(percents(known)).toEqual([30, 30]);
  });

  it.each([
    [3, 2, {}, '`right` must be at most `labelled`'],
    [1, 3, { of: 2 }, '`labelled` must be at most `of`'],
    [-1, 2, {}, '`right` must be a whole number'],
    [0.5, 2, {}, '`right` must be a whole number'],
    [1, Number.NaN, {}, '`labelled` must be a whole number'],
    [1, 2 ** 53, {}, '`labelled` must be a whole number'],
    ['1', 2, {}, '`right` must be a whole number'],
    [1, 2, { of: 2.5 }, '`of` must be a whole number'],
    [1, 2, { of: null }, '`of` must be a whole number'],
    [1, 2, { level: 0 }, '`level` must be between 0 and 1'],
    [1, 2, { level: 1 }, '`level` must be between 0 and 1'],
    [1, 2, { level: 95 }, '`level` must be between 0 and 1'],
    [1, 2, { level: Number.NaN }, '`level` must be between 0 and 1'],
    [1, 2, { level: '0.9' }, '`level` must be between 0 and 1'],
  ])('refuses %j of %j, %j', (right, labelled, options, words) => {
    const call = () => precisionInterval(right as number, labelled, options as object);
    expect(call).toThrow(UsageError);
    expect(call).toThrow(words);
  });
});
