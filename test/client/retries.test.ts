import type { ServerResponse } from 'node:http';
import { Agent, type Dispatcher } from 'undici';
import { describe, expect, it } from 'vitest';
import { HttpError, NetworkError, ShapeError, TimeoutError } from '../../src/errors.js';
import { clientIn, clientOf, json, type Received, rejection, serve, serveJson } from '../support/http.js';
import { turns, until } from '../support/until.js';
import { fakeSurroundings, passUntil } from './fake-surroundings.js';

const quick = { retry: { baseMs: 1 } };
const user = { data: { uid: 'ann' } };

/** Serves these statuses one after the other, the last one again and again. */
function serveStatuses(statuses: readonly number[], headers: Record<string, string> = {}, body: unknown = user) {
  let at = 0;
  return serve((response) => {
    const status = statuses[Math.min(at++, statuses.length - 1)]!;
    if (status === 0) response.socket?.resetAndDestroy();
    else response.writeHead(status, status === 200 ? {} : headers).end(JSON.stringify(status === 200 ? body : {}));
  });
}

/** A request after a fault goes over a connection of its own, and says so. */
function withoutConnection(request: Received): string {
  return JSON.stringify({ ...request, rawHeaders: { ...request.rawHeaders, connection: undefined } });
}

describe('what is sent again', () => {
  it.each([408, 429, 500, 502, 503, 504, 0])('a read after %i', async (status) => {
    const server = await serveStatuses([status, status, 200]);
    expect(await clientOf(server, quick).users.get('ann')).toEqual({ uid: 'ann' });
    expect(server.received).toHaveLength(3);
    expect(new Set(server.received.map(withoutConnection)).size).toBe(1);
  });

  it.each([201, 204, 302, 400, 401, 403, 404, 409, 425, 501])('nothing after %i', async (status) => {
    const server = await serveStatuses([status, 200]);
    expect(await rejection(clientOf(server, quick).users.get('ann'))).toMatchObject({ status, attempts: 1 });
    expect(server.received).toHaveLength(1);
  });

  it('read markers, with their body', async () => {
    const done = { data: { success: true, message: 'done' } };
    const server = await serveStatuses([503, 200, 0, 200], {}, done);
    const { groups } = clientOf(server, quick);
    await groups.markAsRead('g1', { onBehalfOf: 'ann', messageId: 7 });
    await groups.markAsUnread('g1', { messageId: 8 });
    expect(server.received.map(({ method, body }) => method + body)).toEqual([
      'POST{"messageId":7}',
      'POST{"messageId":7}',
      'DELETE{"messageId":8}',
      'DELETE{"messageId":8}',
    ]);
  });

  it.each([0, 408, 429, 500, 503])('never tags, after %i', async (status) => {
    const server = await serveStatuses([status, 200], { 'retry-after': '0' });
    const { users } = clientOf(server, quick);
    const error = await rejection(users.updateConversation('bob', { onBehalfOf: 'ann', tags: ['x'] }));
    expect(error).toMatchObject({ attempts: 1 });
    expect(server.received).toHaveLength(1);
  });

  it.each([{ retry: false }, { retry: { attempts: 1 } }] as const)('nothing with %j', async (options) => {
    const server = await serveStatuses([503, 200]);
    expect(await rejection(clientOf(server, options).users.get('ann'))).toMatchObject({ status: 503, attempts: 1 });
    expect(server.received).toHaveLength(1);
  });

  it('nothing whose shape is wrong: the platform has answered', async () => {
    const server = await serveJson({ data: 7 });
    const error = await rejection(clientOf(server, quick).users.get('ann'));
    expect(error).toBeInstanceOf(ShapeError);
    expect(error).toMatchObject({ code: 'shape', attempts: 1 });
    expect(server.received).toHaveLength(1);
  });

  it('the whole of a body that broke off, never its rest', async () => {
    let at = 0;
    const server = await serve((response) => {
      if (at++ > 0) return json(response, { data: { uid: 'ann', name: 'new' } });
      const begun = '{"data":{"uid":"ann","name":"o';
      response.writeHead(200, { 'content-length': '100', etag: '"1"' });
      response.write(begun, () => response.socket?.resetAndDestroy());
    });
    expect(await clientOf(server, quick).users.get('ann')).toEqual({ uid: 'ann', name: 'new' });
    expect(server.received[1]?.rawHeaders).not.toHaveProperty('range');
    expect(withoutConnection(server.received[1]!)).toBe(withoutConnection(server.received[0]!));
  });

  it.each(['keep-alive', 'close'])(
    'a body that breaks off again and again, with connection: %s',
    async (connection) => {
      const server = await serve((response) => {
        response.writeHead(200, { 'content-length': '100', connection });
        response.write('{"data":', () => response.socket?.end());
      });
      const error = await rejection(clientOf(server, quick).users.get('ann'));
      expect(error).toMatchObject({ code: 'network', attempts: 3, cause: { code: 'UND_ERR_SOCKET' } });
      expect(server.received).toHaveLength(3);
    },
  );

  it('an attempt that got no answer in time', async () => {
    const server = await serveJson(user);
    // The first attempt runs into the clock of the dispatcher, which is late at once.
    const agent = new Agent();
    let attempts = 0;
    const late = Object.assign(new Error('late'), { code: 'UND_ERR_HEADERS_TIMEOUT' });
    const request = (...given: Parameters<Agent['request']>) =>
      attempts++ === 0 ? Promise.reject(late) : agent.request(...given);
    const client = clientOf(server, { ...quick, dispatcher: { request } as unknown as Dispatcher });
    expect(await client.users.get('ann')).toEqual({ uid: 'ann' });
    expect(attempts).toBe(2);
    await agent.close();
  });
});

describe('the error of the last attempt', () => {
  it('is an HttpError that counts them and names the answer', async () => {
    const server = await serveStatuses([500, 0, 503], { 'x-request-id': 'req-1' });
    const error = await rejection(clientOf(server, quick).users.get('ann'));
    expect(error).toBeInstanceOf(HttpError);
    expect(error).toMatchObject({ code: 'http', status: 503, attempts: 3, requestId: 'req-1' });
    expect((error as HttpError).message).toBe('GET /users/{uid} was answered with status 503 after 3 attempts');
  });

  it('is a NetworkError that counts them', async () => {
    const error = await rejection(clientOf({ url: 'http://127.0.0.1:1/v3' }, quick).users.get('ann'));
    expect(error).toBeInstanceOf(NetworkError);
    expect(error).toMatchObject({ code: 'network', attempts: 3 });
    expect(String(error)).toContain('(ECONNREFUSED) after 3 attempts');
  });

  it('is a TimeoutError that counts them and names the clock', async () => {
    // A dispatcher whose clock has run out, since undici's own rings a second late.
    const late = Object.assign(new Error('late'), { code: 'UND_ERR_HEADERS_TIMEOUT' });
    const dispatcher = { request: () => Promise.reject(late) } as unknown as Dispatcher;
    const options = { dispatcher, retry: { attempts: 2, baseMs: 1 }, timeouts: { headersMs: 50 } };
    const client = clientOf({ url: 'http://127.0.0.1:1/v3' }, options);
    const error = await rejection(client.users.get('ann'));
    expect(error).toBeInstanceOf(TimeoutError);
    expect(error).toMatchObject({ code: 'timeout', phase: 'headers', afterMs: 50, attempts: 2 });
    expect(String(error)).toContain('got no answer within 50 ms after 2 attempts');
  });

  it.each([
    ['request-id', 'abc', 'abc'],
    ['x-request-id', 'a b', undefined],
    ['x-request-id', '\u00e4', undefined],
    ['x-request-id', 'x'.repeat(200), undefined],
    ['x-other', 'abc', undefined],
  ])('reads %s: %s as %s', async (name, value, requestId) => {
    const server = await serveStatuses([404], { [name]: value });
    expect(((await rejection(clientOf(server).users.get('ann'))) as HttpError).requestId).toBe(requestId);
  });

  it('of a wrong shape names the answer as well', async () => {
    const server = await serve((response) => void response.writeHead(200, { 'request-id': 'r7' }).end('{}'));
    expect(await rejection(clientOf(server).users.get('ann'))).toMatchObject({ code: 'shape', requestId: 'r7' });
  });
});

describe('Retry-After', () => {
  it('is waited for', async () => {
    const world = fakeSurroundings();
    const server = await serve((response) => {
      if (server.received.length > 1) json(response, user);
      else response.writeHead(503, { 'retry-after': '1' }).end();
    });
    const call = clientIn(world, server, quick).users.get('ann');
    await until(() => world.timers() === 2);
    await world.pass(999);
    await turns();
    expect(server.received).toHaveLength(1);
    await world.pass(1);
    await call;
    expect(server.received).toHaveLength(2);
  });

  it.each(['-1', 'soon', '0', 'Sun, 06 Nov 1994 08:49:37 GMT'])('of %j is no wait', async (value) => {
    const server = await serveStatuses([503, 200], { 'retry-after': value });
    // The clock stands still, and the random wait is nothing: whoever waited at all would wait for good.
    const world = fakeSurroundings();
    const call = clientIn(world, server, quick).users.get('ann');
    await passUntil(world, call, 0);
    expect(server.received).toHaveLength(2);
  });

  it.each([
    [503, '3600', 3_600_000],
    [429, '3600', 3_600_000],
    [503, '9'.repeat(40), Number.MAX_SAFE_INTEGER],
  ])('longer than the deadline ends the call at once, with %i and %s', async (status, value, retryAfterMs) => {
    const server = await serveStatuses([status, 200], { 'retry-after': value });
    const error = await rejection(clientIn(fakeSurroundings(), server, quick).users.get('ann'));
    expect(error).toMatchObject({ code: 'http', status, attempts: 1, retryAfterMs });
    expect(String(error)).toContain(`status ${status}, come back in ${Math.ceil(retryAfterMs / 1000)} s`);
    expect(server.received).toHaveLength(1);
  });
});

describe('an outage', () => {
  it.each([
    ['503', (response: ServerResponse) => void response.writeHead(503).end()],
    ['reset', (response: ServerResponse) => void response.socket?.resetAndDestroy()],
  ])('is not made worse: %s, 200 calls', async (_, fail) => {
    const server = await serve(fail);
    const client = clientOf(server, quick);
    const calls = 200;
    const errors = await Promise.all(Array.from({ length: calls }, () => rejection(client.users.get('ann'))));
    expect(server.received.length).toBeLessThanOrEqual(calls * 1.1);
    expect(server.received.length).toBe(calls + 20);
    const attempts = errors.map((error) => (error as HttpError).attempts);
    expect(Math.max(...attempts)).toBeLessThanOrEqual(3);
    expect(attempts.reduce((sum, each) => sum + each, 0)).toBe(server.received.length);
    expect(String(errors.at(-1))).toContain('not tried again since the retry budget of the client is spent');
  });

  it('by halves costs a tenth more at most, once the budget is spent', async () => {
    let up = 0;
    const server = await serve((response) => {
      if (up++ % 2 === 0) response.writeHead(503).end();
      else json(response, user);
    });
    const client = clientOf(server, quick);
    const many = (calls: number) => Promise.allSettled(Array.from({ length: calls }, () => client.users.get('ann')));
    await many(100);
    const before = server.received.length;
    await many(400);
    expect(server.received.length - before).toBeGreaterThan(404);
    expect(server.received.length - before).toBeLessThanOrEqual(440);
  });

  it('that is over lets retries come back', async () => {
    let down = true;
    const server = await serve((response) => {
      if (down) response.writeHead(503).end();
      else json(response, user);
    });
    const client = clientOf(server, { retry: { baseMs: 1, budget: 1 } });
    await rejection(client.users.get('ann'));
    expect(await rejection(client.users.get('ann'))).toMatchObject({ attempts: 1 });
    down = false;
    for (let i = 0; i < 10; i++) await client.users.get('ann');
    down = true;
    expect(await rejection(client.users.get('ann'))).toMatchObject({ attempts: 2 });
  });
});
