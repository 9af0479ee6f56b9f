import type { DayCount } from '../../audit/count/audit-summary.js';
import { binsOf, dayNames } from '../day-bins.js';
import type { Output } from './style.js';
import { formatCount } from './text.js';

const bars = '▁▂▃▄▅▆▇█';

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
  const { bins, peak, each } = binsOf(days, isBeside ? width - wordsWidth : width)!;
  const highest = peak.stopped;
  const tops = bins.map(({ stopped }) => Math.max(0, Math.ceil((stopped / highest) * bars.length) - 1));
  const chart = tops.map((top) => bars[top] ?? bars[0]);
  const per = each === 1 ? 'per day, most on' : `per ${each} days, most from`;
  const words = highest === 0 ? 'per day' : `${per} ${dayNames(peak.first).monthDay} (${formatCount(highest)})`;
  const line = `${chart.join('')}   ${words}`;
  return line.length <= width ? [line] : [chart.join(''), words];
}
