import { describe, expect, it } from 'vitest';
import {
  type AttemptResult,
  backoffMs,
  createRetryBudget,
  planRetry,
  type RetryContext,
  readRetryOptions,
} from '../../src/client/retry.js';

describe('backoff', () => {
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
  ])('before retry %i with random number %d: %d ms', (retry, drawn, wait) => {
    expect(backoffMs(retry, limits, () => drawn)).toBeCloseTo(wait, 6);
  });

  it('is spread evenly: no bin of 50 ms gets a tenth of the retries', () => {
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

describe('retry plan', () => {
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

  const response = (status: number, retryAfterMs?: number): AttemptResult => ({
    kind: 'response',
    response: { status, headers: {}, body: new Uint8Array() },
    rateLimit: { retryAfterMs },
  });

  const fault = (code: string): AttemptResult => ({ kind: 'fault', thrown: Object.assign(new Error('x'), { code }) });

  it.each([408, 429, 500, 502, 503, 504, 505, 599])('status %i: retried', (status) => {
    expect(planRetry(response(status), context())).toEqual({ waitMs: 50 });
    expect(planRetry(response(status), context({ attempts: 2 }))).toEqual({ waitMs: 100 });
    expect(planRetry(response(status), context({ attempts: 3 }))).toBe('final');
    expect(planRetry(response(status), context({ repeatable: false }))).toBe('final');
  });

  it.each([200, 201, 204, 301, 304, 400, 401, 403, 404, 409, 410, 413, 422, 425, 501, 600])(
    'status %i: final',
    (status) => {
      expect(planRetry(response(status), context())).toBe('final');
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
  ])('fault %s: retried', (code) => {
    expect(planRetry(fault(code), context())).toEqual({ waitMs: 50 });
    expect(planRetry(fault(code), context({ repeatable: false }))).toBe('final');
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
  ])('fault %s: final', (code) => {
    expect(planRetry(fault(code), context())).toBe('final');
    expect(planRetry({ kind: 'fault', thrown: code }, context())).toBe('final');
  });

  it('adds the backoff to the delay that the response demands', () => {
    expect(planRetry(response(503, 2000), context())).toEqual({ waitMs: 2050 });
    expect(planRetry(response(429, 0), context())).toEqual({ waitMs: 50 });
  });

  it('final when the demanded delay ends after the deadline, without using the budget', () => {
    const budget = createRetryBudget({ retries: 1, ratio: 0 });
    expect(planRetry(response(503, 2000), context({ remainingMs: 2000, budget }))).toBe('final');
    expect(planRetry(response(503, Number.MAX_SAFE_INTEGER), context({ budget }))).toBe('final');
    expect(planRetry(response(503, 1990), context({ remainingMs: 2000, budget }))).toEqual({ waitMs: 1995 });
  });

  it('limits the backoff to half of the time left', () => {
    const slow = readRetryOptions({ baseMs: 100_000, capMs: 100_000 });
    expect(planRetry(response(500), context({ retry: slow, remainingMs: 1000 }))).toEqual({ waitMs: 500 });
  });

  it('distinguishes a spent budget from a final result', () => {
    const budget = createRetryBudget({ retries: 1, ratio: 0 });
    expect(planRetry(response(500), context({ budget }))).toEqual({ waitMs: 50 });
    expect(planRetry(response(500), context({ budget }))).toBe('budget-spent');
    expect(planRetry(response(404), context({ budget }))).toBe('final');
  });
});

describe('retry budget', () => {
  it('holds its size at most, and ten responses at ratio 0.1 earn one retry', () => {
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
