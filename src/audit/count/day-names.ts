const msOfDay = 86_400_000;

/** Returns the name of a day since the epoch, in UTC: `2026-06-20`. */
export function isoDay(day: number): string {
  return new Date(day * msOfDay).toISOString().slice(0, 10);
}

/** Returns the names of a day since the epoch, in UTC: `2026-06-20`, `Sat`, `Jun 20` and `2026`. */
export function dayNames(day: number): Readonly<Record<'iso' | 'weekday' | 'monthDay' | 'year', string>> {
  const date = new Date(day * msOfDay);
  // `Sat, 20 Jun 2026 00:00:00 GMT`: the first `Intl.DateTimeFormat` of a process takes some 15 ms.
  const [weekday = '', number, month, year = ''] = date.toUTCString().split(' ');
  return {
    iso: isoDay(day),
    weekday: weekday.slice(0, 3),
    monthDay: `${month} ${Number(number)}`,
    year,
  };
}
