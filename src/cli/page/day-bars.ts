/**
 * The days of a report as HTML: a bar for each day, the first, the highest and the last date below,
 * and a table of the same numbers.
 */
import type { DayCount } from '../../audit/count/audit-summary.js';
import { dayNames } from '../../audit/count/day-names.js';
import { stoppedNames } from '../../engine/compile/verdicts.js';
import { stoppedWords } from '../audit/wording.js';
import { binsOf, type DayBin } from '../day-bins.js';
import { type Block, type Column, table } from '../document/document.js';
import { formatCount, formatPercent } from '../terminal/text.js';
import { type Html, html, trusted } from './html.js';

/** Largest number of bars in the chart. If there are more days, several share a bar. */
const mostBars = 120;
const height = 48;

/**
 * Returns the days as bars, with dropped messages on top of blocked ones, or a sentence if there is
 * at most one day. `outside` is the number of messages whose time belongs to no day.
 */
export function dayBars(days: readonly DayCount[], outside: number): Html {
  const found = binsOf(days, mostBars);
  if (found === undefined)
    return html`<p>No message says ${outside > 0 ? 'in seconds from 1970 to 2199 ' : ''}when it was sent.</p>\n`;
  const { bins: bars, peak } = found;
  const [first, last] = [bars[0]!, bars.at(-1)!];
  if (first === last)
    return html`<p>All on ${dayWords(first.first)}: ${stoppedWords(first)} of ${formatCount(first.messages)}.</p>\n`;
  const most =
    peak.stopped === 0
      ? 'none stopped on any day'
      : `most ${onWords(peak)}: ${formatCount(peak.stopped)} (${stoppedWords(peak)})`;
  const label = `Stopped messages from ${dayWords(first.first)} to ${dayWords(last.last)}, ${most}`;
  const columns = bars.map((bar, at) => barColumn(bar, at, peak.stopped));
  return html`<figure>
<svg class="days" role="img" aria-label="${label}" viewBox="0 0 ${bars.length * 4} ${height}" preserveAspectRatio="none">${columns}</svg>
<figcaption><p class="ends"><span>${dayWords(first.first)}</span><span>${most}</span><span>${dayWords(last.last)}</span></p>${legend(bars)}</figcaption>
</figure>
`;
}

/**
 * Returns the same numbers as a table, for people who cannot see the bars or need the numbers.
 * Empty if there are no bars.
 */
export function dayNumbers(days: readonly DayCount[]): readonly Block[] {
  const { bins = [], each } = binsOf(days, mostBars) ?? {};
  if (bins.length < 2) return [];
  const nameOf = ({ first, last }: DayBin) => {
    const { iso, weekday } = dayNames(first);
    return first === last ? `${iso} ${weekday}` : `${iso}, ${dayNames(last).iso}`;
  };
  const count = (title: string, countOf: (bar: DayBin) => number): Column<DayBin> => {
    return { title, align: 'right', cell: (bar) => formatCount(countOf(bar)) };
  };
  const columns: Column<DayBin>[] = [
    { title: each === 1 ? 'day' : 'from, to', cell: nameOf },
    ...stoppedNames.map((name) => count(name, (bar) => bar[name])),
    count('of all', ({ messages }) => messages),
    { title: 'stopped', align: 'right', cell: ({ stopped, messages }) => formatPercent(stopped, messages) },
  ];
  const summary = `${each === 1 ? 'Days' : 'Spans of days'} in numbers`;
  const rows = bins.filter(({ messages }) => messages > 0);
  return [{ kind: 'fold', summary, blocks: table(columns, rows, { noun: 'days' }) }];
}

/** Returns a day since the epoch as `Sat Jun 20 2026`, so that weekends can be recognized. */
function dayWords(day: number): string {
  const { weekday, monthDay, year } = dayNames(day);
  return `${weekday} ${monthDay} ${year}`;
}

function onWords({ first, last }: DayBin): string {
  return first === last ? `on ${dayWords(first)}` : `from ${dayWords(first)} to ${dayWords(last)}`;
}

/** Returns a legend of the colours in the bars, for the verdicts that occur. */
function legend(bars: readonly DayBin[]): Html {
  const names = stoppedNames.filter((name) => bars.some((bar) => bar[name] > 0));
  const entry = (verdict: string, label: string) =>
    html`<span class="key"><svg viewBox="0 0 1 1" aria-hidden="true"><rect class="${verdict}" width="1" height="1"/></svg>${label}</span> `;
  return html`<p>${names.map((name, at) => entry(name, at === 0 ? name : `${name}, on top`))}</p>`;
}

/**
 * Returns a bar. A day without stopped messages is shown as a line, so that the axis is visible.
 */
function barColumn(bar: DayBin, at: number, most: number): Html {
  const tall = (count: number) => Math.round((count / Math.max(1, most)) * height * 10) / 10;
  const segment = (kind: string, top: number, bottom: number) =>
    trusted(
      `<rect class="${kind}" x="${at * 4}" y="${tenths(height - top)}" width="3" height="${tenths(top - bottom)}"/>`,
    );
  let below = 0;
  const stacked = stoppedNames.flatMap((name) => {
    const bottom = below;
    below += bar[name];
    return bar[name] > 0 ? [segment(name, tall(below), tall(bottom))] : [];
  });
  const title = `${onWords(bar)}: ${stoppedWords(bar)} of ${formatCount(bar.messages)}`;
  return html`<g><title>${title}</title>${bar.stopped === 0 ? [segment('none', 1, 0)] : stacked}</g>`;
}

function tenths(number: number): number {
  return Math.round(number * 10) / 10;
}
