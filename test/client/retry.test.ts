/**
 * P12, P13, P15: when a request is sent again, when it waits, and how many are under way. The clock
 * stands still.
 */
import { getEventListeners } from 'node:events';
import { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { type HttpError, TimeoutError } from '../../src/foundation/errors.js';
import type { ClientOptions } from '../../src/platform/client/options.js';
import { stopClock } from '../support/clock.js';
import { clientOf, json, type Received, rejection, serve, serveJson } from '../support/http.js';
import { turns, until } from '../support/until.js';
import { failOnStrays } from './rows.js';

failOnStrays();

const quick = { retry: { baseMs: 1 } };
const user = { data: { uid: 'ann' } };
type Reply = number | readonly [status: number, headers: Record<string, string | string[]>];

/** Answers by these statuses one after the other, the last one again and again; 0 is a reset. */
function serveReplies(replies: readonly Reply[], body: unknown = user) {
  let at = 0;
  return serve((response) => {
    const reply = replies[Math.min(at++, replies.length - 1)]!;
    const [status, headers] = typeof reply === 'number' ? [reply, {}] : reply;
    if (status === 0) response.socket?.resetAndDestroy();
    else response.writeHead(status, headers).end(JSON.stringify(status === 200 ? body : {}));
  });
}

/**
 * The request without its `connection` header, which differs after a fault: a new connection is
 * used then.
 */
const withoutConnection = (request: Received) =>
  JSON.stringify({ ...request, rawHeaders: { ...request.rawHeaders, connection: undefined } });

describe('attempts', () => {
  it.each([503, 0])('after %i are the same request again, body and all', async (status) => {
    const server = await serveReplies([status, status, 200], { data: { success: true, message: '' } });
    await clientOf(server, quick).groups.markAsRead('g1', { onBehalfOf: 'ann', messageId: 7 });
    expect(server.received.map(({ body }) => body)).toEqual(Array(3).fill('{"messageId":7}'));
    expect(new Set(server.received.map(withoutConnection)).size).toBe(1);
  });

  it.each<[Partial<ClientOptions>, number]>([
    [{ retry: false }, 1],
    [{ retry: { attempts: 1 } }, 1],
    [{ retry: { baseMs: 1, attempts: 2 } }, 2],
    [quick, 3],
  ])('with %j: %i, and the error of the last one', async (options, attempts) => {
    const server = await serveReplies([500, 502, [503, { 'x-request-id': 'req-1' }]]);
    const error = (await rejection(clientOf(server, options).users.get('ann'))) as HttpError;
    const status = [500, 502, 503][attempts - 1]!;
    const note = attempts === 1 ? '' : ` after ${attempts} attempts`;
    expect(error.message).toBe(`GET /users/{uid} was answered with status ${status}${note}`);
    expect(error).toMatchObject({ code: 'http', status, attempts });
    expect(error.requestId).toBe(status === 503 ? 'req-1' : undefined);
    expect(server.received).toHaveLength(attempts);
  });

  it.each([
    ['UND_ERR_CONNECT_TIMEOUT', 'connect', 30, 'did not connect within 30 ms'],
    ['UND_ERR_HEADERS_TIMEOUT', 'headers', 40, 'got no answer within 40 ms'],
    ['UND_ERR_BODY_TIMEOUT', 'body', 50, 'got no further part of its answer within 50 ms'],
  ])('%s: a TimeoutError of its phase', async (code, phase, afterMs, words) => {
    const request = () => Promise.reject(Object.assign(new Error('late'), { code }));
    const dispatcher = { request } as unknown as Dispatcher;
    const timeouts = { connectMs: 30, headersMs: 40, bodyMs: 50 };
    const client = clientOf({ url: 'http://127.0.0.1:1/v3' }, { ...quick, dispatcher, timeouts });
    const error = await rejection(client.users.get('ann'));
    expect(error).toBeInstanceOf(TimeoutError);
    expect(error).toMatchObject({ code: 'timeout', phase, afterMs, attempts: 3 });
    expect((error as Error).message).toBe(`GET /users/{uid} ${words} after 3 attempts`);
  });

  it('wait for a random part of a time that doubles, up to its cap', async () => {
    const clock = stopClock(0.5);
    const server = await serveReplies([503]);
    const call = clientOf(server, { retry: { attempts: 5, baseMs: 100, capMs: 300 } }).users.get('ann');
    const ending = rejection(call);
    for (const [sent, ms] of [50, 100, 150, 150].entries()) {
      await until(() => server.received.length === sent + 1 && clock.timers() >= 2);
      await turns();
      await clock.pass(ms - 1);
      await turns();
      expect(server.received).toHaveLength(sent + 1);
      await clock.pass(1);
    }
    await until(() => server.received.length === 5);
    expect(await ending).toMatchObject({ attempts: 5 });
  });

  it('after a fault go over a new connection, though all kept ones are dead', async () => {
    const ports: (number | undefined)[] = [];
    const server = await serve((response) => {
      // The first answer of each connection is right, the second request resets it.
      const isKnown = ports.includes(response.socket?.remotePort);
      ports.push(response.socket?.remotePort);
      if (isKnown) response.socket?.resetAndDestroy();
      else json(response, user);
    });
    const client = clientOf(server, { retry: { attempts: 2, baseMs: 1 } });
    await Promise.all(Array.from({ length: 5 }, () => client.users.get('ann')));
    expect(new Set(ports).size).toBe(5);
    // Four other connections are kept, and as dead as the first that is used.
    expect(await client.users.get('ann')).toEqual({ uid: 'ann' });
  });
});

const now = Date.parse('2027-01-15T08:00:00Z');
const inUtc = (ms: number) => new Date(now + ms).toUTCString();

describe('Retry-After', () => {
  it.each<[name: string, headers: Record<string, string | string[]>, ms: number | undefined]>([
    ['seconds', { 'retry-after': '3' }, 3000],
    ['a fraction', { 'retry-after': '0.25' }, 250],
    ['none', { 'retry-after': '0' }, 0],
    ['a date', { 'retry-after': inUtc(7000) }, 7000],
    ['an obsolete date', { 'retry-after': 'Friday, 15-Jan-27 08:00:09 GMT' }, 9000],
    ['the date of asctime', { 'retry-after': 'Fri Jan 15 08:00:04 2027' }, 4000],
    ['a date of another clock', { 'retry-after': inUtc(-3_600_000 + 5000), date: inUtc(-3_600_000) }, 5000],
    ['a date that is past', { 'retry-after': inUtc(-1000) }, 0],
    ['seconds since 1970', { 'retry-after': String(now / 1000 + 6) }, 6000],
    ['several', { 'retry-after': ['1', '2'] }, 2000],
    ['more than is believed', { 'retry-after': '9'.repeat(40) }, Number.MAX_SAFE_INTEGER],
    ['a word', { 'retry-after': 'fast 1' }, undefined],
    ['a negative number', { 'retry-after': '-5' }, undefined],
    ['an exponent', { 'retry-after': '1e3' }, undefined],
    ['nothing', { 'retry-after': '' }, undefined],
    ['rate headers', { 'x-rate-limit-reset': String(now / 1000 + 60), 'x-rate-limit-remaining': '0' }, undefined],
  ])('%s: holds for every call of the client', async (_, headers, ms) => {
    const clock = stopClock();
    const given = { date: inUtc(0), ...headers };
    const server = await serveReplies([[429, given], 200]);
    const client = clientOf(server, { retry: { maxWaitMs: 10_000, baseMs: 1 }, timeouts: { totalMs: 60_000 } });
    const first = client.users.get('ann');
    await until(() => server.received.length >= 1);
    await turns();
    // A client that never retries tells the delay.
    const told = clientOf(await serveReplies([[503, given]]), { retry: false }).rules.list();
    expect(((await rejection(told)) as HttpError).retryAfterMs).toBe(ms);
    const waitMs = Math.min(ms ?? 0, 10_000);
    const second = client.groups.markAsRead('g1', { onBehalfOf: 'ann' }).catch(() => {});
    if (waitMs > 0) {
      await clock.pass(waitMs - 1);
      await turns();
      expect(server.received).toHaveLength(1);
      await clock.pass(1);
    }
    await Promise.all([first, second]);
    expect(server.received).toHaveLength(3);
  });

  it.each([429, 503])(
    'beyond the deadline, with status %i: the call ends, and later ones are not sent',
    async (status) => {
      const clock = stopClock();
      const server = await serveReplies([[status, { 'retry-after': '60' }], 200]);
      const client = clientOf(server, { timeouts: { totalMs: 30_000 } });
      const error = await rejection(client.users.get('ann'));
      expect(error).toMatchObject({ code: 'http', status, attempts: 1, retryAfterMs: 60_000 });
      expect(String(error)).toContain(`status ${status}, try again in 60 s`);
      await clock.pass(10_000);
      const unsent = await rejection(client.rules.list());
      expect(unsent).toMatchObject({ code: 'http', status: 429, attempts: 0 });
      expect(String(unsent)).toContain('was not sent: the platform takes no more requests for now, try again in 50 s');
      expect(server.received).toHaveLength(1);
      await clock.pass(50_000);
      expect(await client.users.get('ann')).toEqual({ uid: 'ann' });
    },
  );

  it.each([200, 404, 301])('of status %i, which is final, holds nobody up', async (status) => {
    stopClock();
    const server = await serveReplies([[status, { 'retry-after': '60' }], 200]);
    const client = clientOf(server);
    await client.users.get('ann').catch(() => {});
    expect(await client.users.get('ann')).toEqual({ uid: 'ann' });
  });
});

describe('the budget of retries', () => {
  it('bounds those of an outage over all calls and operations', async () => {
    const server = await serveJson({}, 503);
    const client = clientOf(server, { retry: { baseMs: 1, budget: 5 } });
    const calls = Array.from({ length: 10 }, () => [
      client.users.get('ann'),
      client.groups.get('g'),
      client.rules.list(),
    ]);
    const errors = await Promise.all(calls.flat().map(rejection));
    expect(server.received).toHaveLength(35);
    expect(errors.reduce<number>((sum, error) => sum + (error as HttpError).attempts, 0)).toBe(35);
    expect(String(errors.at(-1))).toContain('not tried again since the retry budget of the client is spent');
  });

  it('earns a retry by ten final answers', async () => {
    let down = true;
    const server = await serve((response) => json(response, user, down ? 503 : 200));
    const client = clientOf(server, { retry: { baseMs: 1, budget: 1 } });
    await rejection(client.users.get('ann'));
    for (const [answers, attempts] of [
      [0, 1],
      [9, 1],
      [1, 2],
      [30, 2],
    ] as const) {
      down = false;
      for (let at = 0; at < answers; at++) await client.users.get('ann');
      down = true;
      expect([answers, await rejection(client.users.get('ann'))]).toMatchObject([answers, { attempts }]);
    }
  });

  it.each([
    ['fails half of the time', (at: number) => at % 2 === 0, 0.5],
    ['is down for fifty, and up for fifty', (at: number) => at % 100 < 50, 0.6],
    ['is down', () => true, 1],
  ])('keeps the load on a platform that %s', async (_, isDown, most) => {
    const server = await serve((response) => json(response, user, isDown(server.received.length) ? 500 : 200));
    const client = clientOf(server, { retry: { baseMs: 0 } });
    const burst = async (count: number) => {
      let failed = 0;
      const call = () => client.users.get('ann').catch(() => failed++);
      for (let at = 0; at < count; at += 10) await Promise.all(Array.from({ length: 10 }, call));
      return failed;
    };
    await burst(100);
    const before = server.received.length;
    const failed = await burst(200);
    expect(server.received.length - before).toBeLessThanOrEqual(220);
    expect(failed).toBeLessThanOrEqual(200 * most);
  });
});

describe('the deadline and the signal of a call', () => {
  it('covers attempts and waits', async () => {
    const clock = stopClock(0.5);
    const server = await serve((response) => {
      if (server.received.length === 1) response.writeHead(503).end();
    });
    const client = clientOf(server, { retry: { baseMs: 10 }, timeouts: { totalMs: 200 } });
    const call = rejection(client.users.get('ann'));
    await until(() => server.received.length === 1);
    await turns();
    await clock.pass(5);
    await until(() => server.received.length === 2);
    await clock.pass(194);
    expect(await Promise.race([call, turns()])).toBeUndefined();
    await clock.pass(1);
    const error = await call;
    expect(error).toMatchObject({ code: 'timeout', phase: 'total', afterMs: 200, attempts: 2 });
    expect(String(error)).toContain('did not finish within 200 ms (2 attempts)');
  });

  it('holds where no timer fires: a response that takes too long to parse is late', async () => {
    const clock = vi.spyOn(performance, 'now');
    onTestFinished(() => clock.mockRestore());
    const request = async () => {
      clock.mockReturnValue(1e9);
      return { statusCode: 200, headers: {}, body: Readable.from([Buffer.from(JSON.stringify(user))]) };
    };
    const client = clientOf({ url: 'http://127.0.0.1:1' }, { dispatcher: { request } as unknown as Dispatcher });
    expect(await rejection(client.users.get('ann'))).toMatchObject({ code: 'timeout', attempts: 1 });
  });

  it.each([new Error('enough'), 'enough', null])('a wait is ended by an abort, with the reason %s', async (reason) => {
    const clock = stopClock(0.5);
    const server = await serveJson({}, 503);
    const controller = new AbortController();
    const client = clientOf(server, { retry: { baseMs: 20_000 } });
    const call = rejection(client.users.get('ann', { signal: controller.signal }));
    await until(() => server.received.length === 1);
    await turns();
    controller.abort(reason);
    expect(await call).toBe(reason);
    await clock.pass(60_000);
    expect(server.received).toHaveLength(1);
  });

  it('nothing is sent for a signal that has aborted', async () => {
    const server = await serveJson(user);
    const call = clientOf(server).users.get('ann', { signal: AbortSignal.abort('late') });
    expect([await rejection(call), server.received]).toEqual(['late', []]);
  });

  it('one signal of many calls warns of nothing, and nothing listens to it afterwards', async () => {
    const server = await serve((response, { target }) => json(response, user, target.endsWith('ann') ? 200 : 500));
    const { signal } = new AbortController();
    const client = clientOf(server, { retry: false });
    const calls = Array.from({ length: 40 }, (_, at) => client.users.get(at % 2 === 0 ? 'ann' : 'bob', { signal }));
    await Promise.allSettled(calls);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });
});

describe('concurrency', () => {
  it('bounds the requests in flight', async () => {
    let open = 0;
    let most = 0;
    const server = await serve(async (response) => {
      most = Math.max(most, ++open);
      await turns();
      open--;
      json(response, user);
    });
    const client = clientOf(server, { concurrency: 3 });
    await Promise.all(Array.from({ length: 30 }, () => client.users.get('ann')));
    expect(most).toBe(3);
  });

  it('is one after a 429, which all in flight have met, and grows by one for every forty answers', async () => {
    let open = 0;
    const opened: number[] = [];
    const server = await serve(async (response) => {
      const isEarly = server.received.length <= 20;
      if (!isEarly) opened.push(++open);
      await turns();
      if (!isEarly) open--;
      json(response, user, isEarly ? 429 : 200);
    });
    const client = clientOf(server, { retry: { baseMs: 0 } });
    await Promise.all(Array.from({ length: 140 }, () => client.users.get('ann')));
    expect(server.received).toHaveLength(160);
    expect([Math.max(...opened.slice(0, 39)), Math.max(...opened.slice(45, 75)), Math.max(...opened)]).toEqual([
      1, 2, 4,
    ]);
  });

  it('a call that is aborted while it waits for its turn is never sent', async () => {
    const release: (() => void)[] = [];
    const server = await serve((response) => void release.push(() => json(response, user)));
    const client = clientOf(server, { concurrency: 1 });
    const first = client.users.get('first');
    const controller = new AbortController();
    const second = rejection(client.users.get('second', { signal: controller.signal }));
    const third = client.users.get('third');
    await until(() => release.length === 1);
    controller.abort('tired');
    expect(await second).toBe('tired');
    release[0]!();
    await first;
    await until(() => release.length === 2);
    release[1]!();
    await third;
    expect(server.received.map(({ target }) => target)).toEqual(['/v3/users/first', '/v3/users/third']);
  });

  it('a call whose deadline passes before its turn tells that it was not sent', async () => {
    const clock = stopClock();
    const server = await serve(() => {});
    const client = clientOf(server, { concurrency: 1, timeouts: { totalMs: 100 } });
    const calls = Promise.all([rejection(client.users.get('a')), rejection(client.users.get('b'))]);
    await until(() => server.received.length === 1);
    await clock.pass(100);
    const [first, second] = await calls;
    expect([first, second]).toMatchObject([{ attempts: 1 }, { code: 'timeout', attempts: 0 }]);
    expect(String(second)).toContain('nor was it sent');
    await turns();
    expect(server.received).toHaveLength(1);
  });
});
