/** Headers of a response, names in lower case. */
export type ResponseHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** The time at which the next request is permitted, as a response states it. */
export interface RateLimit {
  /** The delay that the response demands, in milliseconds: the later of `Retry-After` and, for a 429, of the reset. */
  readonly demandedMs?: number | undefined;
  /** `X-Rate-Limit-Reset`: the second it names, which identifies the window, and the milliseconds until then. */
  readonly reset?: { readonly second: number; readonly inMs: number } | undefined;
  /** `X-Rate-Limit`: requests in a whole window. */
  readonly limit?: number | undefined;
  /** `X-Rate-Limit-Remaining`: requests left in this window. */
  readonly remaining?: number | undefined;
}

const dayMs = 24 * 60 * 60 * 1000;

/** Both clocks agree when `Date`, which is truncated to seconds and has travelled, differs from ours by this much. */
const agreement = { earliestMs: -250, latestMs: 1500 };

/**
 * Reads the rate-limit headers of live platforms; the document shows none (§8). `wallMs` is the local time of day. Dates
 * count from the response's own `Date` when that shows the clocks to differ. Unreadable values count as absent; so does
 * a reset that is past or more than a day away.
 */
export function readRateLimit(status: number, headers: ResponseHeaders, wallMs: number): RateLimit {
  const serverMs = serverTime(headers, wallMs);
  const reset = readReset(wholeNumberOf(headers, 'x-rate-limit-reset'), serverMs);
  const delays = readRetryAfter(valuesOf(headers, 'retry-after'), serverMs);
  if (status === 429 && reset !== undefined) delays.push(reset.inMs);
  return {
    demandedMs: delays.length === 0 ? undefined : Math.max(...delays),
    reset,
    limit: wholeNumberOf(headers, 'x-rate-limit'),
    remaining: wholeNumberOf(headers, 'x-rate-limit-remaining'),
  };
}

function serverTime(headers: ResponseHeaders, wallMs: number): number {
  const [date] = valuesOf(headers, 'date');
  const serverMs = date === undefined ? undefined : readHttpDate(date);
  if (serverMs === undefined) return wallMs;
  const behindMs = wallMs - serverMs;
  return behindMs > agreement.earliestMs && behindMs < agreement.latestMs ? wallMs : serverMs;
}

/**
 * From 2017 to 5138, in milliseconds: such a number is an instant, since as a delay it would be
 * more than 47 years.
 */
const instants = { from: 1.5e12, until: 1e14 };

/**
 * Every delay that is stated, in seconds, as a second since 1970 or as a date; what is past is 0,
 * and each is finite.
 */
function readRetryAfter(values: readonly string[], serverMs: number): number[] {
  return values.flatMap((value) => {
    const date = readHttpDate(value);
    if (date !== undefined) return [Math.max(0, date - serverMs)];
    return value
      .split(',')
      .map((part) => part.trim())
      .filter((part) => /^\d+(?:\.\d+)?$/.test(part))
      .map((part) => {
        const ms = Math.min(Math.ceil(Number(part) * 1000), Number.MAX_SAFE_INTEGER);
        return ms < instants.from || ms >= instants.until ? ms : Math.max(0, ms - serverMs);
      });
  });
}

function readReset(second: number | undefined, serverMs: number): RateLimit['reset'] {
  if (second === undefined) return undefined;
  const inMs = second * 1000 - serverMs;
  return inMs > 0 && inMs <= dayMs ? { second, inMs } : undefined;
}

function wholeNumberOf(headers: ResponseHeaders, name: string): number | undefined {
  const [value] = valuesOf(headers, name);
  return value !== undefined && /^\d{1,15}$/.test(value) ? Number(value) : undefined;
}

function valuesOf(headers: ResponseHeaders, name: string): string[] {
  const value = headers[name];
  if (value === undefined) return [];
  return (Array.isArray(value) ? value : [value]).map((each) => String(each).trim());
}

const day = '(?:Mon|Tues?|Wed(?:nes)?|Thu(?:rs)?|Fri|Sat(?:ur)?|Sun)(?:day)?';
const month = '(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)';
const time = '\\d{2}:\\d{2}:\\d{2}';

/** The current form of a date, and the two obsolete ones that RFC 9110 §5.6.7 requires recipients to read. */
const current = new RegExp(`^${day}, \\d{2} ${month} \\d{4} ${time} GMT$`);
const rfc850 = new RegExp(`^${day}, \\d{2}-${month}-\\d{2} ${time} GMT$`);
const asctime = new RegExp(`^${day} ${month} [ \\d]\\d ${time} \\d{4}$`);

/** Returns a date of a header in milliseconds since 1970; `undefined` if it is not a date. */
function readHttpDate(text: string): number | undefined {
  // The form is checked first, since `Date.parse` reads `fast 1` as a day in 2001.
  const zone = asctime.test(text) ? ' GMT' : '';
  if (zone === '' && !current.test(text) && !rfc850.test(text)) return undefined;
  const ms = Date.parse(`${text}${zone}`);
  return Number.isFinite(ms) ? ms : undefined;
}
