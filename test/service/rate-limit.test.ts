import { describe, expect, it, onTestFinished } from 'vitest';
import { UsageError } from '../../src/foundation/errors.js';
import { createClient, HttpError } from '../../src/index.js';
import { type RateLimit, startService } from '../../src/platform/service/index.js';
import { serveSample } from './call.js';
import { data } from './sample-data.js';

async function limited(rateLimit: RateLimit | undefined, faults = {}) {
  const service = await serveSample({ rateLimit, ...faults });
  onTestFinished(service.close);
  return service;
}

/** 2026-01-01T00:00:00.250Z, and what a test adds. */
function clock() {
  const start = 1_767_225_600_250;
  const state = { passed: 0 };
  return { state, now: () => start + state.passed };
}

describe('a rate limit', () => {
  it('counts down, refuses past its end, and begins again after a minute', async () => {
    const { state, now } = clock();
    const { call } = await limited({ requestsPerMinute: 3, now });
    for (const left of ['2', '1', '0']) {
      const { status, headers } = await call('/users/alice');
      expect([status, headers.get('x-rate-limit'), headers.get('x-rate-limit-remaining')]).toEqual([200, '3', left]);
      expect([headers.get('retry-after'), headers.get('x-rate-limit-reset')]).toEqual([null, null]);
    }
    state.passed = 45_500;
    const refused = await call('/users/alice');
    expect(refused.status).toBe(429);
    expect(Object.fromEntries(refused.headers)).toMatchObject({
      'x-rate-limit': '3',
      'x-rate-limit-remaining': '0',
      'x-rate-limit-reset': '1767225661',
      'retry-after': '15',
      'content-type': 'application/json; charset=utf-8',
    });
    expect(refused.body).toEqual({
      error: {
        message: 'more than 3 requests came within a minute',
        devMessage: expect.stringContaining('retry-after'),
        source: 'chat-api',
        code: 'ERR_TOO_MANY_REQUESTS',
      },
    });
    state.passed = 59_999;
    expect((await call('/users/alice')).headers.get('retry-after')).toBe('1');
    state.passed = 60_000;
    const next = await call('/users/alice');
    expect([next.status, next.headers.get('x-rate-limit-remaining')]).toEqual([200, '2']);
  });

  it('has whoever waits as long as told answered', async () => {
    const { state, now } = clock();
    const { call } = await limited({ requestsPerMinute: 1, now });
    for (const passed of [0, 1, 499, 59_000]) {
      state.passed += passed;
      let answer = await call('/users/alice');
      if (answer.status === 429) {
        state.passed += Number(answer.headers.get('retry-after')) * 1_000;
        answer = await call('/users/alice');
      }
      expect(answer.status).toBe(200);
    }
  });

  it('begins again when the clock is set back', async () => {
    const { state, now } = clock();
    const { call } = await limited({ requestsPerMinute: 1, now });
    await call('/users/alice');
    expect((await call('/users/alice')).status).toBe(429);
    state.passed = -3_600_000;
    expect((await call('/users/alice')).status).toBe(200);
  });

  it('counts every request, and refuses before the operation', async () => {
    const { state, now } = clock();
    const { call } = await limited({ requestsPerMinute: 4, now });
    const tag = (tags?: readonly string[]) =>
      call('/users/bob/conversation', { method: 'PUT', onBehalfOf: 'alice', body: { tags } });
    expect((await call('/users/nobody')).status).toBe(404);
    expect((await call('/nowhere')).status).toBe(404);
    expect((await call('/users/alice', { apikey: 'wrong' })).headers.get('x-rate-limit-remaining')).toBe('1');
    expect((await tag(['first'])).status).toBe(200);
    expect((await tag(['second'])).status).toBe(429);
    state.passed = 60_000;
    expect((await tag()).body).toMatchObject({ data: [{ tags: ['first'] }] });
  });

  it('holds among many at once', async () => {
    const { call } = await limited({ requestsPerMinute: 20 });
    const answers = await Promise.all(Array.from({ length: 50 }, () => call('/users/alice')));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(20);
    const left = answers.flatMap(({ status, headers }) =>
      status === 200 ? [Number(headers.get('x-rate-limit-remaining'))] : [],
    );
    expect(left.toSorted((one, other) => one - other)).toEqual([...Array(20).keys()]);
  });

  it('does not count what a fault answers in its place', async () => {
    const faults = { faults: [{ kind: 'status', count: 5 }] as const };
    const { call } = await limited({ requestsPerMinute: 1 }, { faults });
    for (let i = 0; i < 5; i += 1) expect((await call('/users/alice')).headers.get('x-rate-limit')).toBeNull();
    expect((await call('/users/alice')).headers.get('x-rate-limit-remaining')).toBe('0');
  });

  it('is off by default', async () => {
    const { call } = await limited(undefined);
    const { headers } = await call('/users/alice');
    expect([...headers.keys()].filter((name) => /rate|retry/.test(name))).toEqual([]);
  });

  it('shows our client the platform error', async () => {
    const { url, apiKey } = await limited({ requestsPerMinute: 1, now: () => 0 });
    const client = createClient({ baseUrl: url, apiKey, timeouts: { totalMs: 50_000 } });
    onTestFinished(client.close);
    await client.users.get('alice');
    const failure = await client.users.get('alice').catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(HttpError);
    expect(failure).toMatchObject({ status: 429, platformCode: 'ERR_TOO_MANY_REQUESTS' });
  });

  it.each([
    [null, '`the whole value` must be an object with `requestsPerMinute`'],
    [500, '`the whole value` must be an object with `requestsPerMinute`'],
    [{}, '`requestsPerMinute` must be a whole number of requests, 1 or more'],
    [{ requestsPerMinute: 0 }, '`requestsPerMinute` must be a whole number of requests, 1 or more'],
    [{ requestsPerMinute: 1.5 }, '`requestsPerMinute` must be a whole number of requests, 1 or more'],
    [{ requestsPerMinute: '5' }, '`requestsPerMinute` must be a whole number of requests, 1 or more'],
    [{ requestsPerMinute: 5, now: 7 }, '`now` must be a function'],
    [{ requestsPerMinute: 5, perHour: 7 }, '`perHour` is not a known field; take it out'],
  ])('%j is refused', async (rateLimit, words) => {
    const started = startService({ data, rateLimit: rateLimit as never });
    await expect(started).rejects.toThrow(UsageError);
    await expect(started).rejects.toThrow(`rateLimit: ${words}`);
  });
});
