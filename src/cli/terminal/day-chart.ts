import type { DayCount } from '../../audit/count/audit-summary.js';
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

/** Days like `2026-05-01`, from and to, as `May 1 – Jul 29 2026, UTC`; one day alone once. */
export function daysWords(first: string, last: string): string {
  const year = (day: string) => day.slice(0, 4);
  const words = (day: string) => dayWords(numberOf(day));
  if (first === last) return `${words(first)} ${year(first)}, UTC`;
  const from = year(first) === year(last) ? words(first) : `${words(first)} ${year(first)}`;
  return `${from} – ${words(last)} ${year(last)}, UTC`;
}

/** A day like `2026-05-01` as days since the epoch. */
function numberOf(day: string): number {
  return Date.parse(day) / msOfDay;
}

/** Bars that a chart has at the least before its words go below it. */
const narrowest = 20;

/**
 * The lines of a chart of what was stopped by day, one bar a day, or several days a bar where the screen is too narrow; nothing for fewer
 * than two days. `days` are in their order; one that is missing has the lowest bar.
 */
export function dayChart(days: readonly DayCount[], { width }: Output): string[] {
  if (days.length < 2) return [];
  const [first, last] = [numberOf(days[0]!.day), numberOf(days.at(-1)!.day)];
  const most = days.reduce((largest, { stopped }) => Math.max(largest, stopped), 0);
  const wordsWidth = `   per 10 days, most from Sep 30 (${formatCount(most * 10)})`.length;
  const isBeside = width - wordsWidth >= narrowest;
  const daysOfBar = Math.ceil((last - first + 1) / (isBeside ? width - wordsWidth : width));
  const counts = new Array<number>(Math.ceil((last - first + 1) / daysOfBar)).fill(0);
  for (const { day, stopped } of days) counts[Math.floor((numberOf(day) - first) / daysOfBar)]! += stopped;
  const highest = Math.max(...counts);
  const chart = counts.map((count) => bars[Math.max(0, Math.ceil((count / highest) * bars.length) - 1)] ?? bars[0]);
  const peak = dayWords(first + counts.indexOf(highest) * daysOfBar);
  const per = daysOfBar === 1 ? 'per day, most on' : `per ${daysOfBar} days, most from`;
  const words = highest === 0 ? 'per day' : `${per} ${peak} (${formatCount(highest)})`;
  const line = `${chart.join('')}   ${words}`;
  return line.length <= width ? [line] : [chart.join(''), words];
}
