import { describe, expect, it } from 'vitest';
import { chanceOf } from '../../../src/service/faults/chance.js';
import type { Fault, FaultKind } from '../../../src/service/index.js';
import { serviceWith } from './service-with.js';
import { exchange, type Received } from './wire.js';

const path = '/v3/users/alice';
const clean = async (): Promise<Received> => exchange(await serviceWith(undefined), path);

describe('a fault of the wire', () => {
  it('latency: the answer is right and late', async () => {
    const service = await serviceWith({ faults: [{ kind: 'latency', ms: 120 }] });
    const { firstMs, body } = await exchange(service, path);
    expect(body).toEqual((await clean()).body);
    expect(firstMs).toBeGreaterThan(115);
  });

  it('latency: several add up, before other faults', async () => {
    const faults: Fault[] = [
      { kind: 'latency', ms: 60 },
      { kind: 'html', status: 502 },
      { kind: 'latency', ms: 60, jitterMs: 0 },
    ];
    const { firstMs, status } = await exchange(await serviceWith({ faults }), path);
    expect([status, firstMs > 115]).toEqual([502, true]);
  });

  it('latency: jitter is of the seed', async () => {
    const service = await serviceWith({ seed: 6, faults: [{ kind: 'latency', ms: 10, jitterMs: 150 }] });
    const shares = [0, 1, 2, 3].map((ordinal) => chanceOf(6, 'GET /users/{uid}', ordinal)('jitter 0'));
    expect(Math.max(...shares) - Math.min(...shares)).toBeGreaterThan(0.3);
    for (const share of shares) {
      // Timers may ring a millisecond early; how late they ring is up to the machine.
      expect((await exchange(service, path)).firstMs).toBeGreaterThan(10 + share * 150 - 2);
    }
  });

  it('reset: before the head, or in the middle of the body', async () => {
    const early = await exchange(await serviceWith({ faults: [{ kind: 'reset' }] }), path);
    expect(early).toMatchObject({ ended: 'reset', status: 0, pieces: 0 });
    const late = await exchange(await serviceWith({ faults: [{ kind: 'reset', at: 'body' }] }), path);
    const { body } = await clean();
    expect(late).toMatchObject({ ended: 'reset', status: 200 });
    expect(late.body).toEqual(body.subarray(0, body.length >> 1));
    expect(Number(late.headers['content-length'])).toBe(body.length);
  });

  it.each([
    [undefined, (length: number) => length >> 1],
    [0, () => 0],
    [7, () => 7],
    [1e9, (length: number) => length - 1],
  ])('truncate with keep %s: an end in good order, short of its length', async (keep, expected) => {
    const service = await serviceWith({ faults: [{ kind: 'truncate', keep }] });
    const { body } = await clean();
    const short = await exchange(service, path);
    expect(short).toMatchObject({ ended: 'end', status: 200 });
    expect(short.body).toEqual(body.subarray(0, expected(body.length)));
    expect(Number(short.headers['content-length'])).toBe(body.length);
  });

  it('drip: all of the body, in pieces', async () => {
    const service = await serviceWith({ faults: [{ kind: 'drip', everyMs: 5, bytes: 20 }] });
    const { body } = await clean();
    const dripped = await exchange(service, path);
    expect(dripped).toMatchObject({ ended: 'end', status: 200 });
    expect(dripped.body).toEqual(body);
    expect(dripped.pieces).toBeGreaterThan(body.length / 20 / 2);
  });

  it('never: nothing comes', async () => {
    const service = await serviceWith({ faults: [{ kind: 'never' }] });
    expect(await exchange(service, path, { leaveMs: 150 })).toMatchObject({ ended: 'silence', pieces: 0 });
  });

  it('invalid-utf8: a byte that cannot be, where careless decoding still gives JSON', async () => {
    const service = await serviceWith({ faults: [{ kind: 'invalid-utf8' }] });
    for (let i = 0; i < 8; i += 1) {
      const { body, headers } = await exchange(service, path);
      expect(() => new TextDecoder('utf-8', { fatal: true }).decode(body)).toThrow(TypeError);
      expect(() => JSON.parse(body.toString())).not.toThrow();
      expect(Number(headers['content-length'])).toBe(body.length);
    }
  });
});

describe('a fault of the answer', () => {
  it('html and content-type', async () => {
    const html = await exchange(await serviceWith({ faults: [{ kind: 'html' }] }), path);
    expect(html).toMatchObject({ status: 200, headers: { 'content-type': 'text/html; charset=utf-8' } });
    expect(html.body.toString()).toMatch(/^<!doctype html>/);
    const typed = await exchange(await serviceWith({ faults: [{ kind: 'content-type', type: 'image/png' }] }), path);
    expect(typed.headers['content-type']).toBe('image/png');
    expect(typed.body).toEqual((await clean()).body);
  });

  it.each([408, 429, 500, 502, 503, 504])('status %i, in the shape of the platform', async (status) => {
    const answer = await exchange(await serviceWith({ faults: [{ kind: 'status', status }] }), path);
    expect(answer.status).toBe(status);
    expect(JSON.parse(answer.body.toString())).toEqual({
      error: {
        message: expect.any(String),
        devMessage: expect.any(String),
        source: 'chat-api',
        code: expect.any(String),
      },
    });
  });

  it.each([
    [undefined, '1'],
    [15, '15'],
    [-3, '-3'],
    ['Wed, 21 Oct 2026 07:28:00 GMT', 'Wed, 21 Oct 2026 07:28:00 GMT'],
    ['soon', 'soon'],
  ])('rate-limited with retryAfter %s', async (retryAfter, header) => {
    const answer = await exchange(await serviceWith({ faults: [{ kind: 'rate-limited', retryAfter }] }), path);
    expect(answer).toMatchObject({ status: 429, headers: { 'retry-after': header } });
    expect(JSON.parse(answer.body.toString()).error.code).toBe('ERR_TOO_MANY_REQUESTS');
    expect('x-rate-limit-reset' in answer.headers).toBe(typeof retryAfter !== 'string');
  });
});

describe('the operation of a spoiled request', () => {
  const put = { method: 'PUT', headers: { onBehalfOf: 'alice' }, leaveMs: 150 };
  const conversation = '/v3/users/bob/conversation';

  it.each<readonly [FaultKind, boolean]>([
    [{ kind: 'status' }, false],
    [{ kind: 'rate-limited' }, false],
    [{ kind: 'never' }, false],
    [{ kind: 'reset' }, true],
    [{ kind: 'reset', at: 'body' }, true],
    [{ kind: 'truncate' }, true],
    [{ kind: 'html' }, true],
    [{ kind: 'latency', ms: 1 }, true],
  ])('%j: takes effect %s', async (kind, hasEffect) => {
    const service = await serviceWith({ faults: [{ ...kind, method: 'PUT', count: 1 }] });
    await exchange(service, conversation, { ...put, body: '{"tags":["marked"]}' });
    // Without tags it changes none, and tells those that there are.
    const { body, status } = await exchange(service, conversation, put);
    expect([status, body.includes('"tags":["marked"]')]).toEqual([200, hasEffect]);
  });
});
