import { precisionInterval } from '../precision-interval.js';

/** `41 of 3,000 (1.0 to 1.9 %)`, with the interval of 95 % by Clopper and Pearson; its ends are rounded outwards, so that they hold it. */
export function shareWords(count: number, of: number): string {
  const { low, high } = precisionInterval(count, of);
  const [floor, ceil] = [Math.floor(low * 1000) / 10, Math.ceil(high * 1000) / 10];
  return `${count.toLocaleString('en')} of ${of.toLocaleString('en')} (${floor.toFixed(1)} to ${ceil.toFixed(1)} %)`;
}
