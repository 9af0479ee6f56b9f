/**
 * Bodies and answers count together by their bytes: what comes beyond is refused as where all slots
 * are taken.
 */
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { GatheredBytes } from '../../src/foundation/requests/body.js';
import { createEngine } from '../../src/index.js';
import { createModerationHandler } from '../../src/live/http/handler.js';
import { Slots } from '../../src/live/http/slots.js';
import { turns } from '../support/until.js';
import { call, ruleSet } from './call.js';

const mib = 2 ** 20;
const engine = createEngine(ruleSet);
const refused = { status: 429, headers: { 'retry-after': '1' } };

describe('slots', () => {
  it('are bounded in number and together in bytes, and count what is held and carried until it is released', () => {
    const inFlight = { bytes: 0 };
    const [few, others] = [new Slots(2, 20_000, inFlight), new Slots(9, 30_000, inFlight)];
    const [first, second] = [few.take(), few.take()];
    expect(() => few.take()).toThrow(expect.objectContaining(refused));
    expect([few.taken, inFlight.bytes]).toEqual([2, 8_192]);
    first.hold(10_000);
    expect(() => second.hold(10_001)).toThrow(expect.objectContaining(refused));
    second.hold(10_000);
    expect([first.bytes, second.bytes, inFlight.bytes]).toEqual([10_000, 10_000, 20_000]);
    const third = others.take();
    third.hold(10_000);
    expect(() => others.take()).toThrow(expect.objectContaining(refused));
    expect(others.taken).toBe(1);
    const long = 'ü'.repeat(17_000);
    expect(() => second.carry({ status: 200, headers: {}, body: long })).toThrow(expect.objectContaining(refused));
    first.release();
    first.release();
    expect([few.taken, inFlight.bytes]).toEqual([1, 20_000]);
    // Work that was given up counts for nothing any more.
    first.hold(1e9);
    third.release();
    const { body, release } = others.take().carry({ status: 200, headers: {}, body: 'ü'.repeat(10_000) });
    expect([body.length, inFlight.bytes]).toEqual([10_000, 20_000]);
    release?.();
    second.release();
    const { body: bytes } = others.take().carry({ status: 200, headers: {}, body: 'ü'.repeat(14_000) });
    expect(bytes.length).toBe(14_000);
    expect([few.taken, others.taken, inFlight.bytes]).toEqual([0, 1, 14_000]);
  });

  it('keep a long answer in its bytes', () => {
    const slot = new Slots(1, 100_000, { bytes: 0 }).take();
    const text = '漢'.repeat(20_000);
    const { body } = slot.carry({ status: 200, headers: {}, body: text });
    expect([slot.bytes, new TextDecoder().decode(body as Uint8Array)]).toEqual([60_000, text]);
  });
});

const conditions = [{ operand: 'text', category: 'toxicity', value: ['toxicity_greaterThan_70'] }];
const toxic = { id: 'toxic', action: ['blockMessage'], conditions };
const scored = createEngine({ ...ruleSet, rules: [...ruleSet.rules, toxic] });

async function reached(condition: () => boolean): Promise<void> {
  while (!condition()) await turns(1);
}

/** A handler whose messages wait for their scores. */
function hanging(maxBytesInFlight?: number) {
  // Deadlines do not pass, however long the test takes.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  let go = (): void => {};
  const gate = new Promise<void>((resolve) => {
    go = resolve;
  });
  onTestFinished(() => go());
  let asked = 0;
  const explainAsync = async (message: unknown, scores?: never) => {
    if (scores === undefined) {
      asked++;
      await gate;
    }
    return scored.explain(message as string, scores);
  };
  const handler = createModerationHandler({ ...scored, explainAsync: explainAsync as never }, { maxBytesInFlight });
  return { handler, go, asked: () => asked };
}
const jsonOf = (bytes: number) => new TextEncoder().encode(`"${'a'.repeat(bytes - 2)}"`);
/** A message with so many fields, each of its own name. */
const fields = (count: number) => ({
  data: { text: 'x', ...Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, 1])) },
});

describe('bodies in flight', () => {
  it.each([
    ['64 MiB together, of which a quarter is left to the platform', undefined, 47, 16],
    ['as many bytes as the option says', 32 * mib, 23, 8],
  ])('are %s', async (_, option, backends, platform) => {
    const { handler, go, asked } = hanging(option);
    const bodies = Array.from({ length: backends }, () => call(handler, '/decide', jsonOf(mib)));
    await reached(() => asked() === backends);
    expect(await call(handler, '/decide', jsonOf(mib))).toMatchObject({
      status: 429,
      json: { error: expect.any(String) },
    });
    const ofPlatform = new TextEncoder().encode(JSON.stringify({ contextMessages: [{ ana: 'a'.repeat(mib - 100) }] }));
    const calls = Array.from({ length: platform }, () => call(handler, '/custom-api', ofPlatform));
    await reached(() => asked() === backends + platform);
    expect((await call(handler, '/custom-api', ofPlatform)).status).toBe(429);
    go();
    expect((await Promise.all(bodies)).every(({ status }) => status === 200)).toBe(true);
    await Promise.all(calls);
    expect((await call(handler, '/decide', jsonOf(mib))).status).toBe(200);
  });

  it('count for the values that they hold, beside their text', async () => {
    const { handler, asked } = hanging(16 * mib);
    const body = new TextEncoder().encode(JSON.stringify(fields(60_000)));
    expect(body.length).toBeLessThan(mib);
    for (let count = 1; count <= 4; count++) {
      void call(handler, '/decide', body);
      await reached(() => asked() === count);
    }
    expect((await call(handler, '/decide', body)).status).toBe(429);
  });

  it('count as they are read where they announce no length, and are read no further where there is no room', async () => {
    const { handler, asked } = hanging(16 * mib);
    const streamed = () => {
      let pulled = 0;
      const state = { isCancelled: false, pulled: () => pulled };
      const stream = new ReadableStream({
        pull: (controller) => controller.enqueue(new Uint8Array(2 ** 16).fill(pulled++ === 0 ? 0x22 : 0x61)),
        cancel: () => {
          state.isCancelled = true;
        },
      });
      return { ...state, state, stream };
    };
    for (let count = 0; count < 11; count++) void call(handler, '/decide', jsonOf(mib));
    await reached(() => asked() === 11);
    const { stream, state } = streamed();
    expect((await call(handler, '/decide', stream)).status).toBe(429);
    expect([state.isCancelled, state.pulled() < 20]).toEqual([true, true]);
  });

  it('are refused by their announced length before any of it is read', async () => {
    const { handler, asked } = hanging(16 * mib);
    for (let count = 0; count < 11; count++) void call(handler, '/decide', jsonOf(mib));
    await reached(() => asked() === 11);
    const body = new ReadableStream({ pull: () => expect.unreachable('the body was read') }, { highWaterMark: 0 });
    const announced = { headers: { 'content-length': String(mib) } };
    expect((await call(handler, '/decide', body, announced)).status).toBe(429);
  });

  it('that announce nonsense count as they are read', async () => {
    const handler = createModerationHandler(engine);
    for (const length of ['-5', 'x', '1e999']) {
      await call(handler, '/decide', jsonOf(9), { headers: { 'content-length': length } });
      expect((await call(handler, '/decide', jsonOf(9))).status).toBe(200);
    }
  });

  it('are gathered without keeping the pieces: a body that comes byte by byte takes its own room', () => {
    let copied = 0;
    const set = vi.spyOn(Uint8Array.prototype, 'set').mockImplementation(function (this: Uint8Array, from, at = 0) {
      copied += from.length;
      for (let index = 0; index < from.length; index++) this[at + index] = from[index]!;
    });
    onTestFinished(() => set.mockRestore());
    const gathered = new GatheredBytes();
    for (let at = 0; at < 100_000; at++) gathered.add(Uint8Array.of(at % 251, ...(at % 2 ? [] : [7])));
    expect(copied).toBeLessThan(4 * 150_000);
    expect(gathered.bytes().length).toBe(150_000);
    expect([...gathered.bytes().subarray(0, 6)]).toEqual([0, 7, 1, 2, 7, 3]);
    const whole = Uint8Array.of(1, 2, 3);
    const single = new GatheredBytes();
    single.add(whole);
    expect(single.bytes().buffer).toBe(whole.buffer);
  });
});

describe('answers in flight', () => {
  it('of a batch count while they are made: one that finds no room is given up, and leaves none taken', async () => {
    const batch = Array(500).fill('moron '.repeat(100));
    const { handler, asked } = hanging(16 * mib);
    const free = createModerationHandler(engine, { maxBytesInFlight: 16 * mib });
    expect((await call(free, '/decide/batch', batch)).text.length).toBeGreaterThan(4 * mib);
    // The handler is full but for three MiB, of which its messages take less.
    for (let count = 0; count < 9; count++) void call(handler, '/decide', jsonOf(mib));
    await reached(() => asked() === 9);
    // No score can change their verdicts.
    expect((await call(handler, '/decide/batch', batch)).status).toBe(429);
    expect((await call(handler, '/decide/batch', batch.slice(0, 100))).status).toBe(200);
    expect((await call(handler, '/metrics')).text).toContain('sluice_requests_in_flight 9\n');
  });
});

it.each([0, 16 * mib - 1, 1.5, Number.POSITIVE_INFINITY, '64'])('`maxBytesInFlight` of %s is refused', (given) => {
  expect(() => createModerationHandler(engine, { maxBytesInFlight: given as never })).toThrow(
    '`maxBytesInFlight` must be a whole number of bytes, 16777216 or more',
  );
});
