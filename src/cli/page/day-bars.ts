import type { DayCount } from '../../audit/count/audit-summary.js';
import { binsOf, type DayBin, dayNames } from '../day-bins.js';
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
  const found = binsOf(days, mostBars);
  if (found === undefined)
    return html`<p>No message says ${outside > 0 ? 'in seconds from 1970 to 2199 ' : ''}when it was sent.</p>`;
  const { bins: bars, peak, each } = found;
  const [first, last] = [bars[0]!, bars.at(-1)!];
  if (first === last)
    return html`<p>All on ${dayWords(first.first)}: ${verdictWords(first)} of ${formatCount(first.messages)}.</p>`;
  const words = captionOf(bars, peak);
  const shapes = bars.map((bar, index) => barShape(bar, index, peak.stopped));
  const unit = each === 1 ? 'Days' : 'Spans of days';
  return html`<figure>
<svg class="days" role="img" aria-label="${words}" viewBox="0 0 ${bars.length * 4} ${height}" preserveAspectRatio="none">${shapes}</svg>
<p class="ends"><span>${dayWords(first.first)}</span><span>${dayWords(last.last)}</span></p>
<figcaption>${legend(bars)}<p>${words}</p></figcaption>
</figure>
<details><summary>${unit} in numbers</summary>
<div class="columns"><table><thead><tr><th scope="col">${unit === 'Days' ? 'day' : 'from, to'}</th><th scope="col" class="n">blocked</th><th scope="col" class="n">dropped</th><th scope="col" class="n">of all</th><th scope="col" class="n">stopped</th></tr></thead>
<tbody>${bars.filter(({ messages }) => messages > 0).map(barRow)}</tbody></table></div></details>`;
}

/** A day since the epoch as `Sat Jun 20 2026`: weekends are seen. */
function dayWords(day: number): string {
  const { weekday, monthDay, year } = dayNames(day);
  return `${weekday} ${monthDay} ${year}`;
}

function onWords({ first, last }: DayBin): string {
  return first === last ? `on ${dayWords(first)}` : `from ${dayWords(first)} to ${dayWords(last)}`;
}

function verdictWords({ blocked, dropped }: DayBin): string {
  return `${formatCount(blocked)} blocked, ${formatCount(dropped)} dropped`;
}

/** What the chart shows: the highest bar, and a usual day beside which it can be held. */
function captionOf(bars: readonly DayBin[], peak: DayBin): string {
  if (peak.stopped === 0) return 'none stopped on any day';
  const most = `stopped messages, most ${onWords(peak)}: ${formatCount(peak.stopped)} (${verdictWords(peak)})`;
  const days = bars.filter(({ messages }) => messages > 0);
  if (bars.some(({ first, last }) => first !== last) || days.length < fewestForMedian) return most;
  const sorted = days.map(({ stopped }) => stopped).sort((left, right) => left - right);
  const middle = sorted[Math.floor((sorted.length - 1) / 2)]!;
  return `${most}; ${formatCount(middle)} or fewer on half of the days`;
}

/** Which part of a bar is which, of the verdicts that there are. */
function legend(bars: readonly DayBin[]): Html {
  const has = (verdict: 'blocked' | 'dropped') => bars.some((bar) => bar[verdict] > 0);
  const part = (verdict: string, words: string) =>
    html`<span class="key"><svg viewBox="0 0 1 1" aria-hidden="true"><rect class="${verdict}" width="1" height="1"/></svg>${words}</span> `;
  if (bars.every((bar) => bar.stopped === 0)) return html``;
  const above = has('blocked') ? 'dropped, on top' : 'dropped';
  return html`<p>${has('blocked') ? part('blocked', 'blocked') : undefined}${has('dropped') ? part('dropped', above) : undefined}</p>`;
}

/** A day without stopped messages keeps a line, so that the axis is seen. */
function barShape(bar: DayBin, index: number, most: number): Html {
  const tall = (count: number) => Math.round((count / Math.max(1, most)) * height * 10) / 10;
  const [all, blocked] = [tall(bar.stopped), tall(bar.blocked)];
  const part = (kind: string, top: number, bottom: number) =>
    trusted(
      `<rect class="${kind}" x="${index * 4}" y="${tenths(height - top)}" width="3" height="${tenths(top - bottom)}"/>`,
    );
  const parts =
    bar.stopped === 0
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
  const { first, last, messages, stopped, blocked, dropped } = bar;
  const { iso, weekday } = dayNames(first);
  const days = first === last ? `${iso} ${weekday}` : `${iso}, ${dayNames(last).iso}`;
  return html`<tr><th scope="row"${first === last ? html` class="day"` : undefined}>${days}</th><td class="n">${formatCount(blocked)}</td><td class="n">${formatCount(dropped)}</td><td class="n">${formatCount(messages)}</td><td class="n">${formatPercent(stopped, messages)}</td></tr>
`;
}
