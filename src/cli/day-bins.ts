import type { DayCount } from '../audit/count/audit-summary.js';

const msOfDay = 86_400_000;

/** Days that are shown as one: a bar of a chart. */
export interface DayBin {
  /** Days since the epoch, both inclusive. */
  readonly first: number;
  readonly last: number;
  messages: number;
  blocked: number;
  dropped: number;
}

/**
 * Days in their order as bins of equally many, so few that there are at most `mostBins`; the last bin may have fewer days. Days that are
 * missing count nothing.
 */
export function binsOf(days: readonly DayCount[], mostBins: number): DayBin[] {
  const [first, last] = [days[0], days.at(-1)];
  if (first === undefined || last === undefined) return [];
  const [start, end] = [dayNumber(first.day), dayNumber(last.day)];
  const daysOfBin = Math.ceil((end - start + 1) / mostBins);
  const bins: DayBin[] = [];
  for (let day = start; day <= end; day += daysOfBin) {
    bins.push({ first: day, last: Math.min(day + daysOfBin - 1, end), messages: 0, blocked: 0, dropped: 0 });
  }
  for (const { day, messages, blocked, dropped } of days) {
    const bin = bins[Math.floor((dayNumber(day) - start) / daysOfBin)]!;
    bin.messages += messages;
    bin.blocked += blocked;
    bin.dropped += dropped;
  }
  return bins;
}

/** Messages of a bin that were stopped. */
export function stoppedOf({ blocked, dropped }: DayBin): number {
  return blocked + dropped;
}

/** A day like `2026-05-01` as days since the epoch. */
export function dayNumber(day: string): number {
  return Date.parse(day) / msOfDay;
}

/** Days since the epoch as a date. */
export function dateOfDay(day: number): Date {
  return new Date(day * msOfDay);
}
