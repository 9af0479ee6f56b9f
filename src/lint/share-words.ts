import { precisionInterval } from '../precision-interval.js';

/** More things are so many that a tenth of a percent hides differences. */
const many = 10_000;

/**
 * `41 of 3,000 messages (1.0 to 1.9 %)`, with the interval of 95 % by Clopper and Pearson; its ends are rounded outwards, so that they hold
 * it.
 */
export function shareWords(count: number, of: number, nouns: string): string {
  const digits = of > many ? 2 : 1;
  const unit = 100 * 10 ** digits;
  const { low, high } = precisionInterval(count, of);
  const [floor, ceil] = [Math.floor(low * unit), Math.ceil(high * unit)].map((end) =>
    (end / (unit / 100)).toFixed(digits),
  );
  return `${count.toLocaleString('en')} of ${of.toLocaleString('en')} ${nouns} (${floor} to ${ceil} %)`;
}
