import { type PrecisionInterval, precisionInterval } from '../precision-interval.js';

/** From here on a tenth of a percent hides differences. */
const many = 10_000;

/**
 * Returns `41 of 3,000 messages (1.0 to 1.9 %)`, with the interval of 95 % by Clopper and Pearson. Its ends are rounded outwards, so that they hold
 * it.
 */
export function shareWords(count: number, of: number, nouns: string): string {
  const digits = of > many ? 2 : 1;
  const unit = 100 * 10 ** digits;
  const { low, high } = intervalOf(count, of);
  const [floor, ceil] = [Math.floor(low * unit), Math.ceil(high * unit)].map((end) =>
    (end / (unit / 100)).toFixed(digits),
  );
  return `${count.toLocaleString('en')} of ${of.toLocaleString('en')} ${nouns} (${floor} to ${ceil} %)`;
}

/** Intervals by their counts: most terms of a long list have one of a few counts, and an interval is the sum of two tails. */
const known = new Map<string, PrecisionInterval>();
const mostKnown = 10_000;

function intervalOf(count: number, of: number): PrecisionInterval {
  const key = `${count} ${of}`;
  const before = known.get(key);
  if (before !== undefined) return before;
  const interval = precisionInterval(count, of);
  if (known.size < mostKnown) known.set(key, interval);
  return interval;
}
