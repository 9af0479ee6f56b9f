const counts = new Intl.NumberFormat('en-US');
const tenths = new Intl.NumberFormat('en-US', { minimumFractionDigits: 1, maximumFractionDigits: 1 });

/** A number with thousands separators. */
export function formatCount(count: number): string {
  return counts.format(count);
}

/** A number and its noun: `1 rule`, `1,204 terms`. */
export function counted(count: number, noun: string): string {
  return `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`;
}

/** A share in percent with one decimal; what is there but would round to nothing is `<0.1 %`. */
export function formatPercent(part: number, whole: number): string {
  if (whole === 0) return '';
  const percent = (part / whole) * 100;
  return part > 0 && percent < 0.05 ? '<0.1 %' : `${tenths.format(percent)} %`;
}

/** Seconds since the epoch as `2026-03-01 08:00`, in UTC; the bare number when it is no date. */
export function formatTime(seconds: number): string {
  const date = new Date(seconds * 1000);
  return Number.isNaN(date.getTime()) ? String(seconds) : date.toISOString().slice(0, 16).replace('T', ' ');
}

/** A duration as a person says it. */
export function formatDuration(milliseconds: number): string {
  return milliseconds < 1000 ? `${Math.round(milliseconds)} ms` : `${tenths.format(milliseconds / 1000)} s`;
}
