import type { Output } from './style.js';
import { formatCount } from './text.js';

const bars = '▁▂▃▄▅▆▇█';
const msOfDay = 86_400_000;

/** A day since the epoch as `Jun 12`, in UTC. */
function dayWords(day: number): string {
  // `Fri, 12 Jun 2026 00:00:00 GMT`: the first `Intl.DateTimeFormat` of a process takes some 15 ms to make.
  const [, date, month] = new Date(day * msOfDay).toUTCString().split(' ');
  return `${month} ${Number(date)}`;
}

/** Days since the epoch, from and to, as `May 1 – Jul 29 2026, UTC`; one day alone once. */
export function daysWords(first: number, last: number): string {
  const year = (day: number) => new Date(day * msOfDay).getUTCFullYear();
  if (first === last) return `${dayWords(first)} ${year(first)}, UTC`;
  const from = year(first) === year(last) ? dayWords(first) : `${dayWords(first)} ${year(first)}`;
  return `${from} – ${dayWords(last)} ${year(last)}, UTC`;
}

/** Bars that a chart has at the least before its words go below it. */
const narrowest = 20;

/**
 * The lines of a chart of counts by day, one bar a day, or several days a bar where the screen is too narrow; nothing for fewer
 * than two days. Days without a count have the lowest bar.
 */
export function dayChart(days: ReadonlyMap<number, number>, { width }: Output): string[] {
  if (days.size < 2) return [];
  let [first, last, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 0];
  for (const [day, count] of days)
    [first, last, most] = [Math.min(first, day), Math.max(last, day), Math.max(most, count)];
  const wordsWidth = `   per 10 days, most from Sep 30 (${formatCount(most * 10)})`.length;
  const isBeside = width - wordsWidth >= narrowest;
  const daysOfBar = Math.ceil((last - first + 1) / (isBeside ? width - wordsWidth : width));
  const counts = new Array<number>(Math.ceil((last - first + 1) / daysOfBar)).fill(0);
  for (const [day, count] of days) counts[Math.floor((day - first) / daysOfBar)]! += count;
  const highest = Math.max(...counts);
  const chart = counts.map((count) => bars[Math.max(0, Math.ceil((count / highest) * bars.length) - 1)] ?? bars[0]);
  const peak = dayWords(first + counts.indexOf(highest) * daysOfBar);
  const per = daysOfBar === 1 ? 'per day, most on' : `per ${daysOfBar} days, most from`;
  const words = highest === 0 ? 'per day' : `${per} ${peak} (${formatCount(highest)})`;
  const line = `${chart.join('')}   ${words}`;
  return line.length <= width ? [line] : [chart.join(''), words];
}
