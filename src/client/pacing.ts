import { readHttpDate } from './http-date.js';

/** Headers of an answer, names in lower case. */
export type AnswerHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** What an answer says about when the next request is welcome. */
export interface Pacing {
  /** Of `Retry-After`, in milliseconds from now. */
  readonly retryAfterMs?: number | undefined;
  /** Of `X-Rate-Limit-Reset`: the second it names, which tells one window from the next, and how far away that is. */
  readonly reset?: { readonly second: number; readonly inMs: number } | undefined;
  /** `X-Rate-Limit`: requests in a whole window. */
  readonly limit?: number | undefined;
  /** `X-Rate-Limit-Remaining`: requests left in this window. */
  readonly remaining?: number | undefined;
}

const dayMs = 24 * 60 * 60 * 1000;

/** Truncated to whole seconds and some time under way: a `Date` this close says that both clocks agree. */
const agreement = { earliestMs: -250, latestMs: 1500 };

/**
 * Reads what live platforms send with an answer; the document shows none of it (§8). `wallMs` is the time of day here.
 * Dates count from the answer's own `Date` when that shows the clocks to differ. Negative, broken and otherwise
 * unreadable values are as if they were not there; so is a reset that is past, or more than a day away.
 */
export function readPacing(headers: AnswerHeaders, wallMs: number): Pacing {
  const there = platformTime(headers, wallMs);
  return {
    retryAfterMs: readRetryAfter(valuesOf(headers, 'retry-after'), there),
    reset: readReset(wholeNumberOf(headers, 'x-rate-limit-reset'), there),
    limit: wholeNumberOf(headers, 'x-rate-limit'),
    remaining: wholeNumberOf(headers, 'x-rate-limit-remaining'),
  };
}

/** How long an answer asks to wait, in milliseconds; the later of the two headers, which no request may come before. */
export function askedMs(status: number, { retryAfterMs, reset }: Pacing): number | undefined {
  const untilReset = status === 429 ? reset?.inMs : undefined;
  if (retryAfterMs === undefined) return untilReset;
  return Math.max(retryAfterMs, untilReset ?? 0);
}

function platformTime(headers: AnswerHeaders, wallMs: number): number {
  const [date] = valuesOf(headers, 'date');
  const there = date === undefined ? undefined : readHttpDate(date);
  if (there === undefined) return wallMs;
  const behindMs = wallMs - there;
  return behindMs > agreement.earliestMs && behindMs < agreement.latestMs ? wallMs : there;
}

/** Seconds or a date, of several the longest; a date that is past is no wait, and no wait is endless. */
function readRetryAfter(values: readonly string[], wallMs: number): number | undefined {
  const waits = values.flatMap((value) => {
    const date = readHttpDate(value);
    if (date !== undefined) return [Math.max(0, date - wallMs)];
    return value
      .split(',')
      .map((part) => part.trim())
      .filter((part) => /^\d+$/.test(part))
      .map((part) => Math.min(Number(part) * 1000, Number.MAX_SAFE_INTEGER));
  });
  return waits.length === 0 ? undefined : Math.max(...waits);
}

function readReset(second: number | undefined, wallMs: number): Pacing['reset'] {
  if (second === undefined) return undefined;
  const inMs = second * 1000 - wallMs;
  return inMs > 0 && inMs <= dayMs ? { second, inMs } : undefined;
}

function wholeNumberOf(headers: AnswerHeaders, name: string): number | undefined {
  const [value] = valuesOf(headers, name);
  return value !== undefined && /^\d{1,15}$/.test(value) ? Number(value) : undefined;
}

function valuesOf(headers: AnswerHeaders, name: string): string[] {
  const value = headers[name];
  if (value === undefined) return [];
  return (Array.isArray(value) ? value : [value]).map((each) => String(each).trim());
}
