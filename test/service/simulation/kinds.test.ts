import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { Hono } from 'hono';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ServiceEnv } from '../../../src/platform/service/app.js';
import { jsonResponse } from '../../../src/platform/service/errors.js';
import type { Fault, FaultKind, FaultPlan } from '../../../src/platform/service/index.js';
import { createSimulation } from '../../../src/platform/service/simulation/middleware.js';
import { chanceOf } from '../../../src/platform/service/simulation/plan.js';
import { requestsTaken } from '../hygiene/raw.js';
import { serviceWith } from './service-with.js';
import { exchange, type Received } from './wire.js';

const path = '/v3/users/alice';
/** A listener that fails by a plan, what it did in order, and no wait that takes time. */
function watched(plan: FaultPlan) {
  const events: string[] = [];
  const pause = async (ms: number) => void events.push(`pause of ${ms}`);
  const app = new Hono<ServiceEnv>();
  app.use(createSimulation(plan, () => ({ method: 'GET', path: '/users/{uid}' }), pause).middleware);
  app.all('*', () => {
    events.push('answer');
    return jsonResponse({ is: 'it' });
  });
  const listener: RequestListener = getRequestListener(app.fetch, { overrideGlobalObjects: false });
  return { events, listener };
}

/** A server of one listener for the length of one test. */
async function listening(listener: RequestListener) {
  const server = createServer(listener).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, apiKey: 'none' };
}

const clean = async (): Promise<Received> => exchange(await serviceWith(undefined), path);

describe('a fault of the wire', () => {
  it('latency: the answer is right and late', async () => {
    const service = await serviceWith({ faults: [{ kind: 'latency', ms: 20 }] });
    expect((await exchange(service, path)).body).toEqual((await clean()).body);
    const { events, listener } = watched({ faults: [{ kind: 'latency', ms: 120 }] });
    expect((await exchange(await listening(listener), path)).status).toBe(200);
    expect(events).toEqual(['pause of 120', 'answer']);
  });

  it('latency: several add up, before other faults', async () => {
    const faults: Fault[] = [
      { kind: 'latency', ms: 60 },
      { kind: 'html', status: 502 },
      { kind: 'latency', ms: 60, jitterMs: 0 },
    ];
    const { events, listener } = watched({ faults });
    expect((await exchange(await listening(listener), path)).status).toBe(502);
    expect(events).toEqual(['pause of 120', 'answer']);
  });

  it('latency: jitter is of the seed', async () => {
    const { events, listener } = watched({ seed: 6, faults: [{ kind: 'latency', ms: 10, jitterMs: 150 }] });
    const server = await listening(listener);
    const shares = [0, 1, 2, 3].map((ordinal) => chanceOf(6, 'GET /users/{uid}', ordinal)('jitter 0'));
    expect(Math.max(...shares) - Math.min(...shares)).toBeGreaterThan(0.3);
    for (const _ of shares) await exchange(server, path);
    expect(events).toEqual(shares.flatMap((share) => [`pause of ${10 + Math.round(share * 150)}`, 'answer']));
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
    const { body } = await clean();
    const dripped = await exchange(await serviceWith({ faults: [{ kind: 'drip', everyMs: 1, bytes: 20 }] }), path);
    expect(dripped).toMatchObject({ ended: 'end', status: 200 });
    expect(dripped.body).toEqual(body);

    const { events, listener } = watched({ faults: [{ kind: 'drip', everyMs: 5, bytes: 4 }] });
    const writes: number[] = [];
    const server = await listening((request, response) => {
      const write = response.write.bind(response) as (chunk: Buffer) => boolean;
      response.write = (chunk: Buffer) => {
        writes.push(chunk.length);
        return write(chunk);
      };
      listener(request, response);
    });
    expect((await exchange(server, path)).body.toString()).toBe('{"is":"it"}');
    expect(writes).toEqual([4, 4, 3]);
    expect(events).toEqual(['answer', ...writes.map(() => 'pause of 5')]);
  });

  it('never: nothing comes', async () => {
    const service = await serviceWith({ faults: [{ kind: 'never', count: 1 }] });
    const taken = requestsTaken(1);
    const others = taken.then(async () => {
      for (let answered = 0; answered < 20; answered += 1) await exchange(service, path);
    });
    expect(await exchange(service, path, { leave: others })).toMatchObject({ ended: 'silence', pieces: 0 });
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
  const put = { method: 'PUT', headers: { onBehalfOf: 'alice' } };
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
    const sent = { ...put, body: '{"tags":["marked"]}' };
    await exchange(service, conversation, kind.kind === 'never' ? { ...sent, leave: requestsTaken(1) } : sent);
    // Without tags it changes none, and tells those that there are.
    const { body, status } = await exchange(service, conversation, put);
    expect([status, body.includes('"tags":["marked"]')]).toEqual([200, hasEffect]);
  });
});
