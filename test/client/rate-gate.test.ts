import { describe, expect, it } from 'vitest';
import { startDeadline } from '../../src/client/deadline.js';
import type { RateLimit } from '../../src/client/rate-limit.js';
import { createThrottle } from '../../src/client/throttle.js';
import { fakeEnvironment } from './fake-environment.js';

const minute = 60_000;

/** A throttle in a world whose clock stands still, and requests that wait at it. */
function gateInTime() {
  const world = fakeEnvironment();
  const throttle = createThrottle(world);
  const passed: string[] = [];
  const reset = (inMs: number) => ({ second: Math.round((world.wallMs() + inMs) / 1000), inMs });

  function knock(name: string, totalMs = 10 * minute, caller?: AbortSignal): Promise<number | string> {
    const deadline = startDeadline(totalMs, caller, world);
    return throttle.acquire(deadline).then(
      (held) => {
        if (held === 0) passed.push(name);
        deadline.clear();
        return held;
      },
      () => deadline.endedBy()!,
    );
  }
  const answer = (rateLimit: RateLimit, status = 200) => throttle.release({ status, rateLimit });
  return { world, throttle, passed, reset, knock, answer };
}

describe('the throttle', () => {
  it('lets everything through while nobody has stated a limit', async () => {
    const { passed, knock } = gateInTime();
    await Promise.all(Array.from({ length: 100 }, (_, index) => knock(String(index))));
    expect(passed).toHaveLength(100);
  });

  it.each<[string, RateLimit, number, number]>([
    ['429 with Retry-After', { retryAfterMs: 15_000 }, 429, 15_000],
    ['429 with a reset', { reset: { second: 1, inMs: 9000 } }, 429, 9000],
    ['429 with both', { retryAfterMs: 15_000, reset: { second: 1, inMs: 9000 } }, 429, 15_000],
    ['429 with neither', {}, 429, 0],
    ['nothing remaining until a reset', { remaining: 0, reset: { second: 1, inMs: 9000 } }, 200, 9000],
    ['nothing remaining, nobody knows until when', { remaining: 0 }, 200, 0],
    ['503 with Retry-After, which is for that request', { retryAfterMs: 15_000 }, 503, 0],
    ['429 for years', { retryAfterMs: Number.MAX_SAFE_INTEGER }, 429, 24 * 60 * minute],
  ])('shuts by %s', async (_, rateLimit, status, heldMs) => {
    const { throttle, knock, answer } = gateInTime();
    await knock('first');
    answer(rateLimit, status);
    expect(throttle.blockedMs()).toBe(heldMs);
  });

  it('opens at the instant that was named and not before', async () => {
    const { world, passed, knock, answer } = gateInTime();
    await knock('first');
    answer({ retryAfterMs: 15_000 }, 429);
    const later = [knock('a'), knock('b')];
    await world.pass(14_999);
    expect(passed).toEqual(['first']);
    await world.pass(1);
    expect(passed).toEqual(['first', 'a', 'b']);
    await Promise.all(later);
    expect(world.timers()).toBe(0);
  });

  it('waits longer when a later answer says so, and never shorter', async () => {
    const { world, throttle, passed, knock, answer } = gateInTime();
    await Promise.all([knock('one'), knock('two'), knock('three')]);
    answer({ retryAfterMs: 5000 }, 429);
    const waiting = knock('later');
    await world.pass(3000);
    answer({ retryAfterMs: 5000 }, 429);
    answer({ retryAfterMs: 1000 }, 429);
    expect(throttle.blockedMs()).toBe(5000);
    await world.pass(4999);
    expect(passed).not.toContain('later');
    await world.pass(1);
    await waiting;
    expect(passed).toContain('later');
  });

  it('answers at once when it stays shut beyond the deadline', async () => {
    const { world, knock, answer } = gateInTime();
    await knock('first');
    answer({ retryAfterMs: 15_000 }, 429);
    expect(await knock('short', 15_000)).toBe(15_000);
    expect(world.timers()).toBe(0);
    const long = knock('long', 15_001);
    await world.pass(15_000);
    expect(await long).toBe(0);
  });

  it('lets go of a caller who gives up', async () => {
    const { world, passed, knock, answer } = gateInTime();
    await knock('first');
    answer({ retryAfterMs: 15_000 }, 429);
    const controller = new AbortController();
    const waiting = knock('tired', minute, controller.signal);
    controller.abort();
    expect(await waiting).toBe('caller');
    await world.pass(minute);
    expect(passed).toEqual(['first']);
  });

  it('has no more under way than remain', async () => {
    const { world, passed, knock, answer, reset } = gateInTime();
    await Promise.all([knock('1'), knock('2')]);
    answer({ limit: 10, remaining: 2, reset: reset(minute) });
    const waiting = ['3', '4', '5', '6'].map((name) => knock(name));
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

  it('takes the smallest count of a window, since answers come out of order', async () => {
    const { world, passed, knock, answer, reset } = gateInTime();
    await Promise.all([knock('1'), knock('2'), knock('3')]);
    answer({ remaining: 1, reset: reset(minute) });
    answer({ remaining: 3, reset: reset(minute) });
    answer({ remaining: 99, reset: reset(minute - 5000) });
    void knock('4');
    void knock('5');
    await world.pass(0);
    expect(passed).toEqual(['1', '2', '3', '4']);
  });

  it('sends one to find out when nothing remains and nobody says until when', async () => {
    const { world, passed, knock, answer } = gateInTime();
    await Promise.all([knock('1'), knock('2')]);
    answer({ remaining: 0 });
    void knock('3');
    void knock('4');
    await world.pass(0);
    expect(passed).toEqual(['1', '2']);
    answer({ remaining: 0 });
    await world.pass(0);
    expect(passed).toEqual(['1', '2', '3']);
    answer({ remaining: 10 });
    await world.pass(0);
    expect(passed).toEqual(['1', '2', '3', '4']);
  });

  it('keeps to the limit in the next window as well', async () => {
    const { world, passed, knock, answer, reset } = gateInTime();
    await knock('1');
    answer({ limit: 3, remaining: 0, reset: reset(minute) });
    for (const name of ['2', '3', '4', '5']) void knock(name);
    await world.pass(minute);
    expect(passed).toEqual(['1', '2', '3', '4']);
  });
});

describe('a platform with windows', () => {
  it.each([
    [500, 'on every answer'],
    [500, 'on 429 alone'],
    [20_000, 'on every answer'],
    [7, 'on every answer'],
  ])('%i a minute, the reset %s: none before its time, nearly all of it used', async (limit, when) => {
    const { world, throttle, reset } = gateInTime();
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
      if (!fits) return { status: 429, rateLimit: { ...told, retryAfterMs: leftMs, reset: reset(leftMs) } };
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
