import { describe, expect, it } from 'vitest';
import { demandedDelayMs, readRateLimit } from '../../src/client/rate-limit.js';
import {
  type AttemptResult,
  backoffMs,
  createRetryBudget,
  planRetry,
  type RetryContext,
  readRetryOptions,
} from '../../src/client/retry.js';

/** Sunday, 06 Nov 2039 08:49:37 GMT. */
const now = Date.UTC(2039, 10, 6, 8, 49, 37);
const second = now / 1000;

describe('the random wait', () => {
  const limits = { baseMs: 100, capMs: 1000 };

  it.each([
    [0, 0.5, 50],
    [1, 0.5, 100],
    [2, 0.5, 200],
    [3, 0.5, 400],
    [4, 0.5, 500],
    [9, 0.5, 500],
    [2000, 0.5, 500],
    [0, 0, 0],
    [3, 0.999, 799.2],
  ])('before retry %i, with %d drawn, is %d ms', (retry, drawn, wait) => {
    expect(backoffMs(retry, limits, () => drawn)).toBeCloseTo(wait, 6);
  });

  it('is spread evenly: no 50 ms get a tenth of the retries', () => {
    const { baseMs, capMs } = readRetryOptions(undefined);
    const bins = new Map<number, number>();
    const draws = 20_000;
    for (let i = 0; i < draws; i++) {
      const bin = Math.floor(backoffMs(i % 2, { baseMs, capMs }, Math.random) / 50);
      bins.set(bin, (bins.get(bin) ?? 0) + 1);
    }
    expect(Math.max(...bins.values())).toBeLessThan(draws * 0.1);
  });
});

describe('Retry-After', () => {
  it.each<[string | string[] | undefined, number | undefined]>([
    ['15', 15_000],
    ['0', 0],
    [' 7 ', 7000],
    ['007', 7000],
    ['Sun, 06 Nov 2039 08:49:52 GMT', 15_000],
    ['Sunday, 06-Nov-39 08:49:52 GMT', 15_000],
    ['Sun Nov  6 08:49:52 2039', 15_000],
    ['Sun, 06 Nov 2039 08:49:37 GMT', 0],
    ['Sun, 06 Nov 1994 08:49:37 GMT', 0],
    ['86400', 86_400_000],
    ['99999999999999999999', Number.MAX_SAFE_INTEGER],
    ['9'.repeat(400), Number.MAX_SAFE_INTEGER],
    ['-5', undefined],
    ['1.5', undefined],
    ['1e3', undefined],
    ['0x10', undefined],
    ['soon 1', undefined],
    ['2039-11-06T08:49:52Z', undefined],
    ['Sun, 06 Nov 2039 08:49:52 +0100', undefined],
    ['Sun, 99 Nov 2039 08:49:52 GMT', undefined],
    ['', undefined],
    ['GMT, 123', 123_000],
    ['5, 120', 120_000],
    [['5', '120'], 120_000],
    [['soon', '5'], 5000],
    [['Sun, 06 Nov 2039 08:49:52 GMT', '5'], 15_000],
    [undefined, undefined],
  ])('%j asks for %j ms', (value, wait) => {
    expect(readRateLimit({ 'retry-after': value }, now).retryAfterMs).toBe(wait);
  });

  it('counts a date from the platform’s clock when that differs from this one', () => {
    const headers = { date: 'Sun, 06 Nov 2039 08:49:37 GMT', 'retry-after': 'Sun, 06 Nov 2039 08:49:52 GMT' };
    const hour = 3_600_000;
    expect(readRateLimit(headers, now + hour).retryAfterMs).toBe(15_000);
    expect(readRateLimit(headers, now - hour).retryAfterMs).toBe(15_000);
    expect(readRateLimit(headers, now + 800).retryAfterMs).toBe(14_200);
    expect(readRateLimit({ ...headers, date: 'yesterday' }, now + 1000).retryAfterMs).toBe(14_000);
  });
});

describe('X-Rate-Limit-Reset', () => {
  it.each([
    [String(second + 30), 30_000],
    [String(second), undefined],
    [String(second - 1), undefined],
    [String(second + 86_401), undefined],
    [String(now + 30_000), undefined],
    ['30', undefined],
    ['-30', undefined],
    ['soon', undefined],
    ['9'.repeat(30), undefined],
  ])('%s is %j ms away', (value, away) => {
    expect(readRateLimit({ 'x-rate-limit-reset': value }, now).reset?.inMs).toBe(away);
  });

  it('holds for a 429 alone, and the later of both headers counts', () => {
    const headers = { 'retry-after': '15', 'x-rate-limit-reset': String(second + 30) };
    const pacing = readRateLimit(headers, now);
    expect(demandedDelayMs(429, pacing)).toBe(30_000);
    expect(demandedDelayMs(503, pacing)).toBe(15_000);
    expect(demandedDelayMs(429, readRateLimit({ ...headers, 'retry-after': '45' }, now))).toBe(45_000);
    expect(demandedDelayMs(429, readRateLimit({ 'x-rate-limit-reset': String(second + 30) }, now))).toBe(30_000);
    expect(demandedDelayMs(503, readRateLimit({ 'x-rate-limit-reset': String(second + 30) }, now))).toBeUndefined();
    expect(demandedDelayMs(429, readRateLimit({}, now))).toBeUndefined();
  });
});

describe('the plan after an attempt', () => {
  const retry = readRetryOptions({ baseMs: 100 });
  const context = (more: Partial<RetryContext> = {}): RetryContext => ({
    repeatable: true,
    attempts: 1,
    remainingMs: 30_000,
    retry,
    budget: createRetryBudget(retry.budget),
    random: () => 0.5,
    ...more,
  });
  const answer = (status: number, retryAfterMs?: number): AttemptResult => ({
    kind: 'response',
    response: { status, headers: {}, body: new Uint8Array() },
    rateLimit: { retryAfterMs },
  });
  const fault = (code: string): AttemptResult => ({ kind: 'fault', thrown: Object.assign(new Error('x'), { code }) });
  const over = 'final';

  it.each([408, 429, 500, 502, 503, 504, 505, 599])('tries again after %i', (status) => {
    expect(planRetry(answer(status), context())).toEqual({ waitMs: 50 });
    expect(planRetry(answer(status), context({ attempts: 2 }))).toEqual({ waitMs: 100 });
    expect(planRetry(answer(status), context({ attempts: 3 }))).toEqual(over);
    expect(planRetry(answer(status), context({ repeatable: false }))).toEqual(over);
  });

  it.each([200, 201, 204, 301, 304, 400, 401, 403, 404, 409, 410, 413, 422, 425, 501, 600])(
    'stays with %i',
    (status) => {
      expect(planRetry(answer(status), context())).toEqual(over);
    },
  );

  it.each([
    'ECONNRESET',
    'ECONNREFUSED',
    'EPIPE',
    'ENOTFOUND',
    'EAI_AGAIN',
    'UND_ERR_SOCKET',
    'UND_ERR_CONNECT_TIMEOUT',
    'UND_ERR_HEADERS_TIMEOUT',
    'UND_ERR_BODY_TIMEOUT',
  ])('tries again after %s', (code) => {
    expect(planRetry(fault(code), context())).toEqual({ waitMs: 50 });
    expect(planRetry(fault(code), context({ repeatable: false }))).toEqual(over);
  });

  it.each([
    'DEPTH_ZERO_SELF_SIGNED_CERT',
    'CERT_HAS_EXPIRED',
    'ERR_TLS_CERT_ALTNAME_INVALID',
    'HPE_INVALID_CONSTANT',
    'UND_ERR_HEADERS_OVERFLOW',
    'UND_ERR_INVALID_ARG',
    'UND_ERR_DESTROYED',
    'UND_ERR_CLOSED',
    'lower',
  ])('stays with %s', (code) => {
    expect(planRetry(fault(code), context())).toEqual(over);
    expect(planRetry({ kind: 'fault', thrown: code }, context())).toEqual(over);
  });

  it('adds the random wait to the one asked for', () => {
    expect(planRetry(answer(503, 2000), context())).toEqual({ waitMs: 2050 });
    expect(planRetry(answer(429, 0), context())).toEqual({ waitMs: 50 });
  });

  it('ends where the wait asked for outlasts the deadline, and takes nothing from the budget for it', () => {
    const budget = createRetryBudget({ retries: 1, ratio: 0 });
    expect(planRetry(answer(503, 2000), context({ remainingMs: 2000, budget }))).toEqual(over);
    expect(planRetry(answer(503, Number.MAX_SAFE_INTEGER), context({ budget }))).toEqual(over);
    expect(planRetry(answer(503, 1990), context({ remainingMs: 2000, budget }))).toEqual({ waitMs: 1995 });
  });

  it('spends at most half of the time left on the random wait', () => {
    const slow = readRetryOptions({ baseMs: 100_000, capMs: 100_000 });
    expect(planRetry(answer(500), context({ retry: slow, remainingMs: 1000 }))).toEqual({ waitMs: 500 });
  });

  it('says when only the budget stands against it', () => {
    const budget = createRetryBudget({ retries: 1, ratio: 0 });
    expect(planRetry(answer(500), context({ budget }))).toEqual({ waitMs: 50 });
    expect(planRetry(answer(500), context({ budget }))).toEqual('budget-spent');
    expect(planRetry(answer(404), context({ budget }))).toEqual(over);
  });
});

describe('the retry budget', () => {
  it('holds so many, and ten answers earn one', () => {
    const budget = createRetryBudget({ retries: 2, ratio: 0.1 });
    expect([budget.take(), budget.take(), budget.take()]).toEqual([true, true, false]);
    for (let i = 0; i < 9; i++) budget.refill();
    expect(budget.take()).toBe(false);
    budget.refill();
    expect([budget.take(), budget.take()]).toEqual([true, false]);
    for (let i = 0; i < 1000; i++) budget.refill();
    expect([budget.take(), budget.take(), budget.take()]).toEqual([true, true, false]);
  });
});
