/** Points in time that filters compare with. */

/** A point in time: seconds since the epoch, or a number of seconds before the message was sent. */
export type Instant = { readonly at: number } | { readonly before: number };

/** Seconds from the year 5138 on are really milliseconds. */
const MAX_SECONDS = 100_000_000_000;

const secondsOf: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400, w: 604_800 };

/** ISO 8601, to which `Date.parse` is restricted: engines read `user 5` as a date, too. */
const isoDate = /^\d{4}-\d{2}-\d{2}(?:([T ])\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(Z|[+-]\d{2}:\d{2})?)?$/;

/**
 * Reads the point in time of a filter: seconds since the epoch, a date or time of ISO 8601, of UTC
 * when it names no zone, or a duration before the message, `-7d` (units `s`, `m`, `h`, `d`, `w`).
 * `undefined` for anything else.
 */
export function parseInstant(text: string): Instant | undefined {
  const duration = /^-(\d{1,9})([smhdw])$/.exec(text);
  if (duration !== null) return { before: Number(duration[1]) * secondsOf[duration[2]!]! };
  const at = secondsSinceEpoch(text);
  return Number.isNaN(at) || at >= MAX_SECONDS ? undefined : { at };
}

/**
 * Reports whether a date such as `2026-01-31` is a day of the calendar: `Date.parse` takes 30
 * February for 2 March.
 */
export function isDay(date: string): boolean {
  const milliseconds = Date.parse(date);
  return !Number.isNaN(milliseconds) && new Date(milliseconds).toISOString().startsWith(date);
}

/** Returns the seconds since the epoch of a number or a date as text; NaN for anything else. */
export function secondsSinceEpoch(text: string): number {
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text);
  const date = isoDate.exec(text);
  if (date === null || !isDay(text.slice(0, '2026-01-31'.length))) return Number.NaN;
  const [, separator, zone] = date;
  return (
    Date.parse(separator !== undefined && zone === undefined ? `${text.replace(' ', 'T')}Z` : text.replace(' ', 'T')) /
    1000
  );
}
