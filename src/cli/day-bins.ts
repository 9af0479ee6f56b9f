/** Days for screens and pages: the bins of a chart, its highest bin, and spans of days, in UTC. */
import type { DayCount } from '../audit/count/audit-summary.js';
import { dayNames } from '../audit/count/day-names.js';
import { byStopped, type StoppedAs, stoppedNames } from '../engine/compile/verdicts.js';

const msOfDay = 86_400_000;
/** The first second of the year 10000. */
const endOfYears = 253_402_300_800;

/** One or more days that are shown as one bar of a chart. */
export interface DayBin extends Record<StoppedAs, number> {
  /** Days since the epoch. Both are included. */
  readonly first: number;
  readonly last: number;
  messages: number;
  stopped: number;
}

/** The bars of a chart of days. */
interface DayBins {
  /**
   * In the order of the days. Each has the same number of days, except that the last may have
   * fewer.
   */
  readonly bins: readonly DayBin[];
  /** The first of the bins with the most stopped messages. */
  readonly peak: DayBin;
  /** Number of days of each bin. */
  readonly each: number;
}

/**
 * Groups days, which must be in order, into at most `mostBins` bins. Missing days count as zero.
 * Undefined if there are no days.
 */
export function binsOf(days: readonly DayCount[], mostBins: number): DayBins | undefined {
  const [first, last] = [days[0], days.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  const [start, end] = [dayNumber(first.day), dayNumber(last.day)];
  const each = Math.ceil((end - start + 1) / mostBins);
  const bins: DayBin[] = [];
  for (let day = start; day <= end; day += each) {
    bins.push({ first: day, last: Math.min(day + each - 1, end), messages: 0, stopped: 0, ...byStopped(() => 0) });
  }
  for (const { day, ...counts } of days) {
    const bin = bins[Math.floor((dayNumber(day) - start) / each)]!;
    for (const name of ['messages', 'stopped', ...stoppedNames] as const) bin[name] += counts[name];
  }
  const peak = bins.reduce((most, bin) => (bin.stopped > most.stopped ? bin : most));
  return { bins, peak, each };
}

/** Returns a day like `2026-05-01` as days since the epoch. */
function dayNumber(day: string): number {
  return Date.parse(day) / msOfDay;
}

/**
 * Returns a time in seconds since the epoch as `Jun 20 2026, 14:03`, or undefined if it is not a
 * second from 1970 to 9999.
 */
export function timeWords(seconds: number): string | undefined {
  if (!(seconds >= 0 && seconds < endOfYears)) return undefined;
  const { monthDay, year } = dayNames(Math.floor((seconds * 1000) / msOfDay));
  return `${monthDay} ${year}, ${new Date(seconds * 1000).toISOString().slice('yyyy-mm-ddT'.length, 'yyyy-mm-ddThh:mm'.length)}`;
}

/**
 * Returns a range of days like `2026-05-01` as `May 1 – Jul 29 2026, UTC`. A single day is named
 * once.
 */
export function daysWords(first: string, last: string): string {
  const [from, to] = [first, last].map((day) => dayNames(dayNumber(day))) as [
    ReturnType<typeof dayNames>,
    ReturnType<typeof dayNames>,
  ];
  const end = `${to.monthDay} ${to.year}, UTC`;
  if (first === last) return end;
  return `${from.monthDay}${from.year === to.year ? '' : ` ${from.year}`} – ${end}`;
}
