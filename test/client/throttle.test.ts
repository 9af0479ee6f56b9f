import { describe, expect, it } from 'vitest';
import { HttpError } from '../../src/foundation/errors.js';
import { startDeadline } from '../../src/platform/client/deadline.js';
import type { RateLimit } from '../../src/platform/client/rate-limit.js';
import { Throttle } from '../../src/platform/client/throttle.js';
import { clientIn, json, rejection, serve } from '../support/http.js';
import { turns, until } from '../support/until.js';
import { fakeEnvironment, passUntil } from './fake-environment.js';

const minute = 60_000;

/** A throttle whose clock stands still, and requests that wait for it. */
function throttleInTime() {
  const world = fakeEnvironment();
  const throttle = new Throttle(5 * minute, world);
  const passed: string[] = [];
  const reset = (inMs: number) => ({ second: Math.round((world.wallMs() + inMs) / 1000), inMs });

  function request(name: string, totalMs = 10 * minute, caller?: AbortSignal): Promise<number | string> {
    const deadline = startDeadline(totalMs, caller, world);
    return throttle.acquire(deadline).then(
      (blockedMs) => {
        if (blockedMs === 0) passed.push(name);
        deadline.clear();
        return blockedMs;
      },
      () => deadline.endedBy()!,
    );
  }
  const answer = (rateLimit: RateLimit, status = 200) => throttle.release({ status, rateLimit });
  return { world, throttle, passed, reset, request, answer };
}

describe('throttle', () => {
  it('admits every request while no limit is stated', async () => {
    const { passed, request } = throttleInTime();
    await Promise.all(Array.from({ length: 100 }, (_, index) => request(String(index))));
    expect(passed).toHaveLength(100);
  });

  it.each<[string, RateLimit, number, number]>([
    ['429 with Retry-After', { demandedMs: 15_000 }, 429, 15_000],
    ['429 with a reset', { demandedMs: 9000, reset: { second: 1, inMs: 9000 } }, 429, 9000],
    ['429 with both', { demandedMs: 15_000, reset: { second: 1, inMs: 9000 } }, 429, 15_000],
    ['429 with neither', {}, 429, 0],
    ['nothing remaining until a reset', { remaining: 0, reset: { second: 1, inMs: 9000 } }, 200, 9000],
    ['nothing remaining, without a reset', { remaining: 0 }, 200, 0],
    ['503 with Retry-After, which is for that request', { demandedMs: 15_000 }, 503, 0],
    ['429 for years, believed for `maxWaitMs`', { demandedMs: Number.MAX_SAFE_INTEGER }, 429, 5 * minute],
    ['a reset in an hour', { remaining: 0, reset: { second: 1, inMs: 60 * minute } }, 200, 5 * minute],
  ])('blocks after %s', async (_, rateLimit, status, heldMs) => {
    const { throttle, request, answer } = throttleInTime();
    await request('first');
    answer(rateLimit, status);
    expect(throttle.blockedMs()).toBe(heldMs);
  });

  it('admits at the stated instant and not before', async () => {
    const { world, passed, request, answer } = throttleInTime();
    await request('first');
    answer({ demandedMs: 15_000 }, 429);
    const later = [request('a'), request('b')];
    await world.pass(14_999);
    expect(passed).toEqual(['first']);
    await world.pass(1);
    expect(passed).toEqual(['first', 'a']);
    answer({});
    await Promise.all(later);
    expect(passed).toEqual(['first', 'a', 'b']);
    expect(world.timers()).toBe(0);
  });

  it('admits one at a time behind a 429 that states no count, and one more for every forty answers', async () => {
    const { world, passed, request, answer } = throttleInTime();
    await Promise.all(Array.from({ length: 16 }, (_, index) => request(`early ${index}`)));
    for (let index = 0; index < 16; index++) answer({ demandedMs: 1000 }, 429);
    for (let index = 0; index < 200; index++) void request(String(index));
    await world.pass(1000);
    const inFlight = () => passed.length - 16 - answered;
    let answered = 0;
    const widths: number[] = [];
    while (answered < 130) {
      widths.push(inFlight());
      answer({});
      answered++;
      await world.pass(0);
    }
    expect(widths.slice(0, 40)).toEqual(Array(40).fill(1));
    expect([widths[41], widths[79], widths[81], widths[121]]).toEqual([2, 2, 3, 4]);
    answer({ demandedMs: 1000, remaining: 0 }, 429);
    await world.pass(1000);
    answer({ remaining: 50 });
    await world.pass(0);
    // A 429 that states its count leaves the rest to it.
    expect(inFlight() - 2).toBeGreaterThan(2);
  });

  it('prolongs a block by a later response, and never shortens it', async () => {
    const { world, throttle, passed, request, answer } = throttleInTime();
    await Promise.all([request('one'), request('two'), request('three')]);
    answer({ demandedMs: 5000 }, 429);
    const waiting = request('later');
    await world.pass(3000);
    answer({ demandedMs: 5000 }, 429);
    answer({ demandedMs: 1000 }, 429);
    expect(throttle.blockedMs()).toBe(5000);
    await world.pass(4999);
    expect(passed).not.toContain('later');
    await world.pass(1);
    await waiting;
    expect(passed).toContain('later');
  });

  it('resolves at once when it stays blocked beyond the deadline', async () => {
    const { world, request, answer } = throttleInTime();
    await request('first');
    answer({ demandedMs: 15_000 }, 429);
    expect(await request('short', 15_000)).toBe(15_000);
    expect(world.timers()).toBe(0);
    const long = request('long', 15_001);
    await world.pass(15_000);
    expect(await long).toBe(0);
  });

  it('drops the request of a caller that aborts', async () => {
    const { world, passed, request, answer } = throttleInTime();
    await request('first');
    answer({ demandedMs: 15_000 }, 429);
    const controller = new AbortController();
    const waiting = request('tired', minute, controller.signal);
    controller.abort();
    expect(await waiting).toBe('caller');
    await world.pass(minute);
    expect(passed).toEqual(['first']);
  });

  it('admits no more in flight than remain', async () => {
    const { world, passed, request, answer, reset } = throttleInTime();
    await Promise.all([request('1'), request('2')]);
    answer({ limit: 10, remaining: 2, reset: reset(minute) });
    const waiting = ['3', '4', '5', '6'].map((name) => request(name));
    await world.pass(0);
    expect(passed).toEqual(['1', '2', '3']);
    answer({ limit: 10, remaining: 1, reset: reset(minute) });
    await world.pass(0);
    expect(passed).toHaveLength(3);
    answer({ limit: 10, remaining: 1, reset: reset(minute) });
    await world.pass(0);
    expect(passed).toHaveLength(4);
    answer({ limit: 10, remaining: 0, reset: reset(minute) });
    await world.pass(minute - 1);
    expect(passed).toHaveLength(4);
    await world.pass(1);
    await Promise.all(waiting);
    expect(passed).toHaveLength(6);
  });

  it('uses the smallest count of a window, since responses come out of order', async () => {
    const { world, passed, request, answer, reset } = throttleInTime();
    await Promise.all([request('1'), request('2'), request('3')]);
    answer({ remaining: 1, reset: reset(minute) });
    answer({ remaining: 3, reset: reset(minute) });
    answer({ remaining: 99, reset: reset(minute - 5000) });
    void request('4');
    void request('5');
    await world.pass(0);
    expect(passed).toEqual(['1', '2', '3', '4']);
  });

  it('admits one at a time when nothing remains and no reset is stated', async () => {
    const { world, passed, request, answer } = throttleInTime();
    await Promise.all([request('1'), request('2')]);
    answer({ remaining: 0 });
    void request('3');
    void request('4');
    await world.pass(0);
    expect(passed).toEqual(['1', '2']);
    answer({ remaining: 0 });
    await world.pass(0);
    expect(passed).toEqual(['1', '2', '3']);
    answer({ remaining: 10 });
    await world.pass(0);
    expect(passed).toEqual(['1', '2', '3', '4']);
  });

  it('applies the limit to the next window as well', async () => {
    const { world, passed, request, answer, reset } = throttleInTime();
    await request('1');
    answer({ limit: 3, remaining: 0, reset: reset(minute) });
    for (const name of ['2', '3', '4', '5']) void request(name);
    await world.pass(minute);
    expect(passed).toEqual(['1', '2', '3', '4']);
  });
});

describe('throttle: a simulated platform with windows', () => {
  it.each([
    [500, 'on every answer'],
    [500, 'on 429 alone'],
    [20_000, 'on every answer'],
    [7, 'on every answer'],
  ])('%i a minute, reset %s: no request too early, 95 % of the rate used', async (limit, when) => {
    const { world, throttle, reset } = throttleInTime();
    const windows = 4;
    const calls = limit * windows;
    const latencyMs = 20;
    let windowEnds = 0;
    let taken = 0;
    let permittedAt = 0;
    let done = 0;
    let early = 0;
    let refused = 0;
    let next = 0;

    function serve(): { status: number; rateLimit: RateLimit } {
      const now = world.elapsedMs();
      if (now < permittedAt) early++;
      if (now >= windowEnds) {
        windowEnds = now + minute;
        taken = 0;
      }
      const fits = taken < limit;
      if (fits) taken++;
      else refused++;
      const told = { limit, remaining: limit - taken };
      const leftMs = windowEnds - now;
      if (!fits) return { status: 429, rateLimit: { ...told, demandedMs: leftMs, reset: reset(leftMs) } };
      return { status: 200, rateLimit: when === 'on 429 alone' ? told : { ...told, reset: reset(leftMs) } };
    }

    async function worker(): Promise<void> {
      while (next < calls) {
        next++;
        for (let served = false; !served; ) {
          const deadline = startDeadline(100 * minute, undefined, world);
          await throttle.acquire(deadline);
          deadline.clear();
          const answer = serve();
          const until = windowEnds;
          await new Promise<void>((resolve) => world.after(latencyMs, resolve));
          if (answer.status === 429) permittedAt = until;
          throttle.release(answer);
          served = answer.status === 200;
        }
        done++;
      }
    }
    const workers = Promise.all(Array.from({ length: 20 }, worker));
    const busyMs = Math.ceil((limit / 20) * latencyMs);
    await world.pass((windows - 1) * minute + Math.min(busyMs, minute) + 2000);
    expect(done).toBeGreaterThanOrEqual(Math.floor(calls * 0.95));
    expect(early).toBe(0);
    expect(refused).toBeLessThan(windows * 20);
    if (when === 'on every answer') expect(refused).toBeLessThanOrEqual(20);
    await world.pass(10 * minute);
    await workers;
  });
});

describe('throttle of a client', () => {
  const user = { data: { uid: 'ann' } };

  it('all calls wait for the instant that a 429 states', async () => {
    const world = fakeEnvironment();
    const server = await serve((response) => {
      if (server.received.length > 1) json(response, user);
      else response.writeHead(429, { 'retry-after': '1' }).end();
    });
    const client = clientIn(world, server, { retry: { baseMs: 1 } });
    const first = client.users.get('ann');
    await until(() => world.timers() === 2);
    const others = Array.from({ length: 30 }, () => client.users.get('bob'));
    await world.pass(999);
    await turns();
    expect(server.received).toHaveLength(1);
    await passUntil(world, Promise.all([first, ...others]), 1);
    expect(server.received).toHaveLength(32);
  });

  it('a call that ends before that instant fails at once, unsent, with the delay', async () => {
    const server = await serve((response) => void response.writeHead(429, { 'retry-after': '60' }).end());
    // The clock stands still: what waited would wait for good.
    const client = clientIn(fakeEnvironment(), server);
    await rejection(client.users.get('ann'));
    const error = await rejection(client.users.get('bob'));
    expect(error).toBeInstanceOf(HttpError);
    expect(error).toMatchObject({ code: 'http', status: 429, attempts: 0 });
    const { message, retryAfterMs } = error as HttpError;
    expect(retryAfterMs).toBe(60_000);
    expect(message).toMatch(
      /^GET \/users\/\{uid\} was not sent: the platform takes no more requests for now, try again in 60 s$/,
    );
    expect(server.received).toHaveLength(1);
  });

  it.each([
    [undefined, 300_000],
    [{ maxWaitMs: 7000 }, 7000],
  ])('a Retry-After of 31 years silences a client with `retry` %j for %d ms', async (retry, maxWaitMs) => {
    const world = fakeEnvironment();
    const server = await serve((response) => {
      if (server.received.length > 1) json(response, user);
      else response.writeHead(429, { 'retry-after': '1000000000' }).end();
    });
    const client = clientIn(world, server, { retry, timeouts: { totalMs: 1000 } });
    // The error states what the response did.
    expect(await rejection(client.users.get('ann'))).toMatchObject({ status: 429, retryAfterMs: 1_000_000_000_000 });
    await world.pass(maxWaitMs - 1001);
    const unsent = await rejection(client.users.get('ann'));
    expect(unsent).toMatchObject({ status: 429, attempts: 0, retryAfterMs: 1001 });
    await world.pass(1001);
    expect(await client.users.get('ann')).toEqual(user.data);
    expect(server.received).toHaveLength(2);
  });

  it('applies to operations that are never retried', async () => {
    const server = await serve((response) => void response.writeHead(429, { 'retry-after': '60' }).end());
    // The clock stands still: a call that waited would wait for good.
    const client = clientIn(fakeEnvironment(), server);
    const tags = { onBehalfOf: 'ann', tags: ['x'] };
    expect(await rejection(client.users.updateConversation('bob', tags))).toMatchObject({ attempts: 1 });
    expect(await rejection(client.users.updateConversation('bob', tags))).toMatchObject({ attempts: 0, status: 429 });
  });

  it('with nothing remaining, the next request is sent after the reset', async () => {
    const world = fakeEnvironment();
    let answers = 0;
    const server = await serve((response) => {
      answers++;
      const reset = String(world.wallMs() / 1000 + 30);
      const headers = { 'x-rate-limit': '700', 'x-rate-limit-remaining': '0', 'x-rate-limit-reset': reset };
      response.sendDate = false;
      response.writeHead(200, headers).end(JSON.stringify(user));
    });
    const client = clientIn(world, server, { timeouts: { totalMs: 60_000 } });
    await client.users.get('ann');
    const second = client.users.get('ann');
    await world.pass(29_999);
    await turns();
    expect(answers).toBe(1);
    await world.pass(1);
    await second;
    expect(answers).toBe(2);
  });
});
