import type { DayCount } from '../../audit/count/audit-summary.js';
import { dayNames } from '../../audit/count/day-names.js';
import { stoppedNames } from '../../engine/compile/verdicts.js';
import { stoppedWords } from '../audit/words.js';
import { binsOf, type DayBin } from '../day-bins.js';
import { type Block, type Column, table } from '../document/document.js';
import { formatCount, formatPercent } from '../terminal/text.js';
import { type Html, html, trusted } from './html.js';

/** Most bars of the chart: more days than that share bars. */
const mostBars = 120;
const height = 48;
/** Largest number of bars that all have a date below, and of those that have one a week. */
const [mostDated, mostWeekly] = [16, 45];
const week = 7;
/** Most months or years that are named, and of how many months each that has a name is the first. */
const mostNamed = 12;
const stretches = [1, 2, 3, 6, 12, 24, 60, 120, 240] as const;
/** Fewest days that have a middle one. */
const fewestForMedian = 7;

/** Returns the days as bars, dropped messages on top of blocked ones; a sentence for one day and for none. `outside`: messages whose time is in no day. */
export function dayBars(days: readonly DayCount[], outside: number): Html {
  const found = binsOf(days, mostBars);
  if (found === undefined)
    return html`<p>No message says ${outside > 0 ? 'in seconds from 1970 to 2199 ' : ''}when it was sent.</p>\n`;
  const { bins: bars, peak } = found;
  const [first, last] = [bars[0]!, bars.at(-1)!];
  if (first === last)
    return html`<p>All on ${dayWords(first.first)}: ${stoppedWords(first)} of ${formatCount(first.messages)}.</p>\n`;
  const caption = captionOf(bars, peak);
  const dates = datesOf(bars);
  const columns = bars.map((bar, index) => barColumn(bar, dates[index], peak.stopped));
  return html`<figure>
<div class="${bars.length > mostDated ? 'days many' : 'days'}" role="img" aria-label="${caption}">${columns}</div>
<figcaption>${legend(bars)}<p>${caption}</p></figcaption>
</figure>
`;
}

/** Returns the same as a table, for those who cannot see the bars or want the numbers; nothing where there are no bars. */
export function dayNumbers(days: readonly DayCount[]): readonly Block[] {
  const { bins = [], each } = binsOf(days, mostBars) ?? {};
  if (bins.length < 2) return [];
  const nameOf = ({ first, last }: DayBin) => {
    const { iso, weekday } = dayNames(first);
    return first === last ? `${iso} ${weekday}` : `${iso}, ${dayNames(last).iso}`;
  };
  const count = (title: string, of: (bar: DayBin) => number): Column<DayBin> => {
    return { title, align: 'right', cell: (bar) => formatCount(of(bar)) };
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

/** Returns a day since the epoch as `Sat Jun 20 2026`: weekends are seen. */
function dayWords(day: number): string {
  const { weekday, monthDay, year } = dayNames(day);
  return `${weekday} ${monthDay} ${year}`;
}

function onWords({ first, last }: DayBin): string {
  return first === last ? `on ${dayWords(first)}` : `from ${dayWords(first)} to ${dayWords(last)}`;
}

/** Caption of the chart: the highest bar, and the number of an ordinary day to compare it with. */
function captionOf(bars: readonly DayBin[], peak: DayBin): string {
  if (peak.stopped === 0) return 'none stopped on any day';
  const most = `stopped messages, most ${onWords(peak)}: ${formatCount(peak.stopped)} (${stoppedWords(peak)})`;
  const days = bars.filter(({ messages }) => messages > 0);
  if (bars.some(({ first, last }) => first !== last) || days.length < fewestForMedian) return most;
  const sorted = days.map(({ stopped }) => stopped).sort((left, right) => left - right);
  const middle = sorted[Math.floor((sorted.length - 1) / 2)]!;
  return `${most}; ${formatCount(middle)} or fewer on half of the days`;
}

/** Returns which part of a bar is which, of the verdicts that there are. */
function legend(bars: readonly DayBin[]): Html {
  const names = stoppedNames.filter((name) => bars.some((bar) => bar[name] > 0));
  const part = (verdict: string, words: string) =>
    html`<span class="key"><svg viewBox="0 0 1 1" aria-hidden="true"><rect class="${verdict}" width="1" height="1"/></svg>${words}</span> `;
  if (bars.every((bar) => bar.stopped === 0)) return html``;
  return html`<p>${names.map((name, at) => part(name, at === 0 ? name : `${name}, on top`))}</p>`;
}

/** The date below a bar, in two lines; undefined for no date. */
type BarDate = readonly [string, string] | undefined;

/** Returns the date of each bar; of many days one of each week, of more bars the months that begin there, or years. */
function datesOf(bars: readonly DayBin[]): readonly BarDate[] {
  const names = bars.map(({ first }) => dayNames(first));
  const months = names.map(({ iso }) => iso.slice(0, 7));
  const each = bars.length <= mostDated ? 1 : bars.length <= mostWeekly ? week : undefined;
  if (each !== undefined) {
    return names.map(({ monthDay }, index): BarDate => {
      const [month = '', day = ''] = monthDay.split(' ');
      return index % each > 0 ? undefined : [day, months[index] === months[index - each] ? '' : month];
    });
  }
  const monthOf = (index: number) => Number(names[index]!.year) * 12 + Number(months[index]!.slice(5)) - 1;
  const last = bars.length - 1;
  const every = stretches.find((step) => (monthOf(last) - monthOf(0)) / step < mostNamed) ?? Number.POSITIVE_INFINITY;
  const stretchOf = (index: number) => Math.floor(monthOf(index) / every);
  // The end of a stretch at the beginning has no room for its name.
  const room = Math.min(last, Math.ceil(bars.length / (2 * mostNamed)));
  const isCut = stretchOf(room) !== stretchOf(0) && !(names[0]!.iso.endsWith('-01') && monthOf(0) % every === 0);
  let year: string | undefined;
  return names.map(({ monthDay, year: own }, index): BarDate => {
    if (index === 0 ? isCut : stretchOf(index) === stretchOf(index - 1)) return undefined;
    const shown = own === year ? '' : own;
    year = own;
    return every < 12 ? [monthDay.split(' ')[0] ?? '', shown] : [own, ''];
  });
}

/** Returns a bar with its date. A day without stopped messages keeps a line, so that the axis is seen. */
function barColumn(bar: DayBin, date: BarDate, most: number): Html {
  const tall = (count: number) => Math.round((count / Math.max(1, most)) * height * 10) / 10;
  const part = (kind: string, top: number, bottom: number) =>
    trusted(`<rect class="${kind}" y="${tenths(height - top)}" width="3" height="${tenths(top - bottom)}"/>`);
  let below = 0;
  const stacked = stoppedNames.flatMap((name) => {
    const bottom = below;
    below += bar[name];
    return bar[name] > 0 ? [part(name, tall(below), tall(bottom))] : [];
  });
  const parts = bar.stopped === 0 ? [part('none', 1, 0)] : stacked;
  const words = `${onWords(bar)}: ${stoppedWords(bar)} of ${formatCount(bar.messages)}`;
  const label = date === undefined ? undefined : html`<span>${date[0]}<br>${date[1]}</span>`;
  return html`<div><svg viewBox="0 0 4 ${height}" preserveAspectRatio="none"><title>${words}</title>${parts}</svg>${label}</div>`;
}

function tenths(number: number): number {
  return Math.round(number * 10) / 10;
}
