import { describe, expect, it } from 'vitest';
import { type RetryOptions, readRetryOptions } from '../../src/platform/client/options.js';
import { type AttemptResult, createRetryPolicy, type RetryPlan } from '../../src/platform/client/retry.js';

/** What a call is when nothing else is said. */
const firstAttempt = { repeatable: true, attempts: 1, remainingMs: 30_000 };

type Call = Partial<typeof firstAttempt>;

/** The plans of one policy; half of the longest backoff is drawn. */
function plansWith(options: RetryOptions = { baseMs: 100 }, random = () => 0.5) {
  const policy = createRetryPolicy(readRetryOptions(options), random);
  return (result: AttemptResult, call: Call = {}): RetryPlan => policy.plan(result, { ...firstAttempt, ...call });
}

const planOf = (result: AttemptResult, call?: Call): RetryPlan => plansWith()(result, call);

const response = (status: number, demandedMs?: number): AttemptResult => ({
  kind: 'response',
  response: { status, headers: {}, body: new Uint8Array(), maxBytes: 1000 },
  rateLimit: { demandedMs },
});

const fault = (code: string): AttemptResult => ({ kind: 'fault', thrown: Object.assign(new Error('x'), { code }) });

describe('backoff', () => {
  it.each([
    [1, 0.5, 50],
    [2, 0.5, 100],
    [3, 0.5, 200],
    [4, 0.5, 400],
    [5, 0.5, 500],
    [9, 0.5, 500],
    [1, 0, 0],
    [4, 0.999, 799.2],
  ])('after attempt %i with random number %d: %d ms', (attempts, drawn, wait) => {
    const plan = plansWith({ attempts: 10, baseMs: 100, capMs: 1000 }, () => drawn)(response(500), { attempts });
    expect(plan).toEqual({ waitMs: expect.closeTo(wait, 6) });
  });

  it('is spread evenly: no bin of 50 ms gets a tenth of the retries', () => {
    const draws = 20_000;
    const plan = plansWith({ budget: draws }, Math.random);
    const bins = new Map<number, number>();
    for (let i = 0; i < draws; i++) {
      const { waitMs } = plan(response(500), { attempts: 1 + (i % 2) }) as { waitMs: number };
      const bin = Math.floor(waitMs / 50);
      bins.set(bin, (bins.get(bin) ?? 0) + 1);
    }
    expect(Math.max(...bins.values())).toBeLessThan(draws * 0.1);
  });
});

describe('retry plan', () => {
  it.each([408, 429, 500, 502, 503, 504, 505, 599])('status %i: retried', (status) => {
    expect(planOf(response(status))).toEqual({ waitMs: 50 });
    expect(planOf(response(status), { attempts: 2 })).toEqual({ waitMs: 100 });
    expect(planOf(response(status), { attempts: 3 })).toBe('final');
    expect(planOf(response(status), { repeatable: false })).toBe('final');
  });

  it.each([200, 201, 204, 301, 304, 400, 401, 403, 404, 409, 410, 413, 422, 425, 501, 600])(
    'status %i: final',
    (status) => {
      expect(planOf(response(status))).toBe('final');
    },
  );

  it.each(
    'ECONNRESET ECONNREFUSED EPIPE ENOTFOUND EAI_AGAIN UND_ERR_SOCKET UND_ERR_CONNECT_TIMEOUT UND_ERR_HEADERS_TIMEOUT UND_ERR_BODY_TIMEOUT'.split(
      ' ',
    ),
  )('fault %s: retried', (code) => {
    expect(planOf(fault(code))).toEqual({ waitMs: 50 });
    expect(planOf(fault(code), { repeatable: false })).toBe('final');
  });

  it.each(
    'DEPTH_ZERO_SELF_SIGNED_CERT CERT_HAS_EXPIRED ERR_TLS_CERT_ALTNAME_INVALID HPE_INVALID_CONSTANT UND_ERR_HEADERS_OVERFLOW UND_ERR_INVALID_ARG UND_ERR_DESTROYED UND_ERR_CLOSED lower'.split(
      ' ',
    ),
  )('fault %s: final', (code) => {
    expect(planOf(fault(code))).toBe('final');
    expect(planOf({ kind: 'fault', thrown: code })).toBe('final');
  });

  it('adds the backoff to the delay that the response demands', () => {
    expect(planOf(response(503, 2000))).toEqual({ waitMs: 2050 });
    expect(planOf(response(429, 0))).toEqual({ waitMs: 50 });
  });

  it('a demanded delay beyond `maxWaitMs` is believed for that long only', () => {
    const plan = plansWith({ baseMs: 100, maxWaitMs: 5000 });
    expect(plan(response(503, 5000))).toEqual({ waitMs: 5050 });
    expect(plan(response(503, 5001))).toEqual({ waitMs: 5050 });
    expect(plan(response(429, Number.MAX_SAFE_INTEGER))).toEqual({ waitMs: 5050 });
    const byDefault = plansWith({ baseMs: 100 })(response(503, 1_000_000_000_000), { remainingMs: 3_600_000 });
    expect(byDefault).toEqual({ waitMs: 300_050 });
  });

  it('final when the demanded delay ends after the deadline, without using the budget', () => {
    const plan = plansWith({ baseMs: 100, budget: 1, budgetRatio: 0 });
    expect(plan(response(503, 2000), { remainingMs: 2000 })).toBe('final');
    expect(plan(response(503, Number.MAX_SAFE_INTEGER))).toBe('final');
    expect(plan(response(503, 1990), { remainingMs: 2000 })).toEqual({ waitMs: 1995 });
  });

  it('limits the backoff to half of the time left', () => {
    const plan = plansWith({ baseMs: 100_000, capMs: 100_000 });
    expect(plan(response(500), { remainingMs: 1000 })).toEqual({ waitMs: 500 });
  });
});

describe('retry budget', () => {
  it('distinguishes a spent budget from a final result', () => {
    const plan = plansWith({ baseMs: 100, budget: 1, budgetRatio: 0 });
    expect(plan(response(500))).toEqual({ waitMs: 50 });
    expect(plan(response(500))).toBe('budget-spent');
    expect(plan(response(404))).toBe('final');
  });

  it('holds its size at most, and ten final responses at ratio 0.1 earn one retry', () => {
    const plan = plansWith({ baseMs: 100, budget: 2, budgetRatio: 0.1 });
    const retries = (count: number) => Array.from({ length: count }, () => plan(response(500)) !== 'budget-spent');
    const answer = (count: number) => {
      for (let i = 0; i < count; i++) expect(plan(response(i % 2 === 0 ? 200 : 404))).toBe('final');
    };
    expect(retries(3)).toEqual([true, true, false]);
    answer(9);
    expect(retries(1)).toEqual([false]);
    answer(1);
    expect(retries(2)).toEqual([true, false]);
    answer(1000);
    expect(retries(3)).toEqual([true, true, false]);
  });

  it('is refilled by final responses alone: not by faults, nor by failures that could be retried', () => {
    const plan = plansWith({ baseMs: 100, budget: 1, budgetRatio: 1 });
    expect(plan(response(500))).toEqual({ waitMs: 50 });
    plan(fault('ECONNRESET'), { attempts: 3 });
    plan(fault('CERT_HAS_EXPIRED'));
    plan(response(503), { attempts: 3 });
    plan({ kind: 'blocked', blockedMs: 5 });
    expect(plan(response(500))).toBe('budget-spent');
    plan(response(200), { repeatable: false });
    expect(plan(response(500))).toEqual({ waitMs: 50 });
  });
});
