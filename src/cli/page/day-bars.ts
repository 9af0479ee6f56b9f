import type { DayCount } from '../../audit/count/audit-summary.js';
import { binsOf, type DayBin, dateOfDay, stoppedOf } from '../day-bins.js';
import { formatCount, formatPercent } from '../terminal/text.js';
import { type Html, html, trusted } from './html.js';

/** Most bars of the chart: more days than that share bars. */
const mostBars = 120;
const height = 48;
/** Fewest days that have a middle one. */
const fewestForMedian = 7;

/**
 * The days as bars, dropped messages on top of blocked ones, and as a table for those who cannot see them or want the numbers; a
 * sentence for one day and for none. `outside`: messages whose time is in no day.
 */
export function dayBars(days: readonly DayCount[], outside = 0): Html {
  const bars = binsOf(days, mostBars);
  const [first, ...others] = bars;
  if (first === undefined && outside > 0)
    return html`<p>No message says in seconds from 1970 to 2199 when it was sent.</p>`;
  if (first === undefined) return html`<p>No message says when it was sent.</p>`;
  const last = others.at(-1);
  if (last === undefined)
    return html`<p>All on ${dayWords(first.first)}: ${verdictWords(first)} of ${formatCount(first.messages)}.</p>`;
  const peak = bars.reduce((most, bar) => (stoppedOf(bar) > stoppedOf(most) ? bar : most), first);
  const words = captionOf(bars, peak);
  const shapes = bars.map((bar, index) => barShape(bar, index, stoppedOf(peak)));
  const unit = first.first === first.last ? 'Days' : 'Spans of days';
  return html`<figure>
<svg class="days" role="img" aria-label="${words}" viewBox="0 0 ${bars.length * 4} ${height}" preserveAspectRatio="none">${shapes}</svg>
<p class="ends"><span>${dayWords(first.first)}</span><span>${dayWords(last.last)}</span></p>
<figcaption>${legend(bars)}<p>${words}</p></figcaption>
</figure>
<details><summary>${unit} in numbers</summary>
<div class="columns"><table><thead><tr><th scope="col">${unit === 'Days' ? 'day' : 'from, to'}</th><th scope="col" class="n">blocked</th><th scope="col" class="n">dropped</th><th scope="col" class="n">of all</th><th scope="col" class="n">stopped</th></tr></thead>
<tbody>${bars.filter(({ messages }) => messages > 0).map(barRow)}</tbody></table></div></details>`;
}

/** A day since the epoch as `2026-06-20`. */
function dayOf(number: number): string {
  return dateOfDay(number).toISOString().slice(0, 10);
}

/** A day since the epoch as `Sat Jun 20 2026`: weekends are seen. */
function dayWords(number: number): string {
  const [weekday, date, month, year] = dateOfDay(number).toUTCString().split(' ');
  return `${weekday!.slice(0, 3)} ${month} ${Number(date)} ${year}`;
}

function onWords({ first, last }: DayBin): string {
  return first === last ? `on ${dayWords(first)}` : `from ${dayWords(first)} to ${dayWords(last)}`;
}

function verdictWords({ blocked, dropped }: DayBin): string {
  return `${formatCount(blocked)} blocked, ${formatCount(dropped)} dropped`;
}

/** What the chart shows: the highest bar, and a usual day beside which it can be held. */
function captionOf(bars: readonly DayBin[], peak: DayBin): string {
  if (stoppedOf(peak) === 0) return 'none stopped on any day';
  const most = `stopped messages, most ${onWords(peak)}: ${formatCount(stoppedOf(peak))} (${verdictWords(peak)})`;
  const days = bars.filter(({ messages }) => messages > 0);
  if (bars.some(({ first, last }) => first !== last) || days.length < fewestForMedian) return most;
  const sorted = days.map(stoppedOf).sort((left, right) => left - right);
  const middle = sorted[Math.floor((sorted.length - 1) / 2)]!;
  return `${most}; ${formatCount(middle)} or fewer on half of the days`;
}

/** Which part of a bar is which, of the verdicts that there are. */
function legend(bars: readonly DayBin[]): Html {
  const has = (verdict: 'blocked' | 'dropped') => bars.some((bar) => bar[verdict] > 0);
  const part = (verdict: string, words: string) =>
    html`<span class="key"><svg viewBox="0 0 1 1" aria-hidden="true"><rect class="${verdict}" width="1" height="1"/></svg>${words}</span> `;
  if (bars.every((bar) => stoppedOf(bar) === 0)) return html``;
  const above = has('blocked') ? 'dropped, on top' : 'dropped';
  return html`<p>${has('blocked') ? part('blocked', 'blocked') : undefined}${has('dropped') ? part('dropped', above) : undefined}</p>`;
}

/** A day without stopped messages keeps a line, so that the axis is seen. */
function barShape(bar: DayBin, index: number, most: number): Html {
  const tall = (count: number) => Math.round((count / Math.max(1, most)) * height * 10) / 10;
  const [all, blocked] = [tall(stoppedOf(bar)), tall(bar.blocked)];
  const part = (kind: string, top: number, bottom: number) =>
    trusted(
      `<rect class="${kind}" x="${index * 4}" y="${tenths(height - top)}" width="3" height="${tenths(top - bottom)}"/>`,
    );
  const parts =
    stoppedOf(bar) === 0
      ? [part('none', 1, 0)]
      : [
          ...(bar.blocked > 0 ? [part('blocked', blocked, 0)] : []),
          ...(bar.dropped > 0 ? [part('dropped', all, blocked)] : []),
        ];
  const words = `${onWords(bar)}: ${verdictWords(bar)} of ${formatCount(bar.messages)}`;
  return html`<g><title>${words}</title>${parts}</g>`;
}

function tenths(number: number): number {
  return Math.round(number * 10) / 10;
}

function barRow(bar: DayBin): Html {
  const { first, last, messages, blocked, dropped } = bar;
  const days = first === last ? `${dayOf(first)} ${dayWords(first).slice(0, 3)}` : `${dayOf(first)}, ${dayOf(last)}`;
  return html`<tr><th scope="row"${first === last ? html` class="day"` : undefined}>${days}</th><td class="n">${formatCount(blocked)}</td><td class="n">${formatCount(dropped)}</td><td class="n">${formatCount(messages)}</td><td class="n">${formatPercent(stoppedOf(bar), messages)}</td></tr>
`;
}
