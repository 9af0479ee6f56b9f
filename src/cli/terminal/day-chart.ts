import type { DayCount } from '../../audit/count/audit-summary.js';
import { binsOf, dateOfDay, dayNumber, stoppedOf } from '../day-bins.js';
import type { Output } from './style.js';
import { formatCount } from './text.js';

const bars = '▁▂▃▄▅▆▇█';

/** A day since the epoch as `Jun 12`, in UTC. */
function dayWords(day: number): string {
  // `Fri, 12 Jun 2026 00:00:00 GMT`: the first `Intl.DateTimeFormat` of a process takes some 15 ms to make.
  const [, date, month] = dateOfDay(day).toUTCString().split(' ');
  return `${month} ${Number(date)}`;
}

/** Days like `2026-05-01`, from and to, as `May 1 – Jul 29 2026, UTC`; one day alone once. */
export function daysWords(first: string, last: string): string {
  const year = (day: string) => day.slice(0, 4);
  const words = (day: string) => dayWords(dayNumber(day));
  if (first === last) return `${words(first)} ${year(first)}, UTC`;
  const from = year(first) === year(last) ? words(first) : `${words(first)} ${year(first)}`;
  return `${from} – ${words(last)} ${year(last)}, UTC`;
}

/** Bars that a chart has at the least before its words go below it. */
const narrowest = 20;

/**
 * The lines of a chart of what was stopped by day, one bar a day, or several days a bar where the screen is too narrow; nothing for fewer
 * than two days. `days` are in their order; one that is missing has the lowest bar.
 */
export function dayChart(days: readonly DayCount[], { width }: Output): string[] {
  if (days.length < 2) return [];
  const most = days.reduce((largest, { stopped }) => Math.max(largest, stopped), 0);
  const wordsWidth = `   per 10 days, most from Sep 30 (${formatCount(most * 10)})`.length;
  const isBeside = width - wordsWidth >= narrowest;
  const bins = binsOf(days, isBeside ? width - wordsWidth : width);
  const counts = bins.map(stoppedOf);
  const highest = Math.max(...counts);
  const chart = counts.map((count) => bars[Math.max(0, Math.ceil((count / highest) * bars.length) - 1)] ?? bars[0]);
  const peak = dayWords(bins[counts.indexOf(highest)]!.first);
  const daysOfBar = bins[0]!.last - bins[0]!.first + 1;
  const per = daysOfBar === 1 ? 'per day, most on' : `per ${daysOfBar} days, most from`;
  const words = highest === 0 ? 'per day' : `${per} ${peak} (${formatCount(highest)})`;
  const line = `${chart.join('')}   ${words}`;
  return line.length <= width ? [line] : [chart.join(''), words];
}
