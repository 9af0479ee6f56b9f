import type { DayCount } from '../../audit/audit-summary.js';
import { formatCount, formatPercent } from '../terminal/text.js';
import { type Html, html } from './html.js';

/** Most bars of the chart: more days than that share bars. */
const mostBars = 120;
const height = 48;
const msOfDay = 86_400_000;

/** Days that share a bar. */
interface Bar {
  readonly first: string;
  readonly last: string;
  messages: number;
  stopped: number;
}

/** The days as bars, and as a table for those who cannot see them or want the numbers; nothing without days. */
export function dayBars(days: readonly DayCount[]): Html {
  const bars = barsOf(days);
  const [first, ...others] = bars;
  if (first === undefined) return html`<p>No message says when it was sent.</p>`;
  const peak = bars.reduce((most, bar) => (bar.stopped > most.stopped ? bar : most), first);
  const words =
    peak.stopped === 0
      ? 'none stopped on any day'
      : `stopped messages, most ${onWords(peak)}: ${formatCount(peak.stopped)}`;
  const shapes = bars.map((bar, index) => barShape(bar, index, peak.stopped));
  return html`<figure>
<svg class="days" role="img" aria-label="${words}" viewBox="0 0 ${bars.length * 4} ${height}" preserveAspectRatio="none">${shapes}</svg>
<p class="ends"><span>${first.first}</span><span>${(others.at(-1) ?? first).last}</span></p>
<figcaption>${words}</figcaption>
</figure>
<details><summary>${first.first === first.last ? 'Days' : 'Spans of days'} in numbers</summary>
<table><thead><tr><th scope="col">${first.first === first.last ? 'day' : 'from, to'}</th><th scope="col" class="n">stopped</th><th scope="col" class="n">messages</th><th scope="col" class="n">share</th></tr></thead>
<tbody>${bars.filter(({ messages }) => messages > 0).map(barRow)}</tbody></table></details>`;
}

function barsOf(days: readonly DayCount[]): Bar[] {
  const [first, last] = [days[0], days.at(-1)];
  if (first === undefined || last === undefined) return [];
  const start = numberOf(first.day);
  const count = numberOf(last.day) - start + 1;
  const daysOfBar = Math.ceil(count / mostBars);
  const bars: Bar[] = [];
  for (let day = 0; day < count; day += daysOfBar) {
    const to = Math.min(day + daysOfBar, count) - 1;
    bars.push({ first: dayOf(start + day), last: dayOf(start + to), messages: 0, stopped: 0 });
  }
  for (const { day, messages, stopped } of days) {
    const bar = bars[Math.floor((numberOf(day) - start) / daysOfBar)]!;
    bar.messages += messages;
    bar.stopped += stopped;
  }
  return bars;
}

function numberOf(day: string): number {
  return Date.parse(day) / msOfDay;
}

function dayOf(number: number): string {
  return new Date(number * msOfDay).toISOString().slice(0, 10);
}

function onWords({ first, last }: Bar): string {
  return first === last ? `on ${first}` : `from ${first} to ${last}`;
}

/** A day without stopped messages keeps a line, so that the axis is seen. */
function barShape(bar: Bar, index: number, most: number): Html {
  const tall = Math.max(1, Math.round((bar.stopped / Math.max(1, most)) * height));
  const { messages, stopped } = bar;
  const words = `${onWords(bar)}: ${formatCount(stopped)} of ${formatCount(messages)} stopped`;
  return html`<rect x="${index * 4}" y="${height - tall}" width="3" height="${tall}"><title>${words}</title></rect>`;
}

function barRow({ first, last, messages, stopped }: Bar): Html {
  const days = first === last ? first : `${first}, ${last}`;
  return html`<tr><th scope="row">${days}</th><td class="n">${formatCount(stopped)}</td><td class="n">${formatCount(messages)}</td><td class="n">${formatPercent(stopped, messages)}</td></tr>
`;
}
