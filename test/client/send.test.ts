import { Agent, type Dispatcher } from 'undici';
import { describe, expect, it } from 'vitest';
import { HttpError, NetworkError, ShapeError, TimeoutError } from '../../src/foundation/errors.js';
import { clientIn, clientOf, json, type Received, rejection, serve, serveJson } from '../support/http.js';
import { turns, until } from '../support/until.js';
import { fakeEnvironment } from './fake-environment.js';

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

/** The request without its `connection` header, which differs after a fault: the connection is not reused then. */
function withoutConnection(request: Received): string {
  return JSON.stringify({ ...request, rawHeaders: { ...request.rawHeaders, connection: undefined } });
}

describe('send with retry: requests', () => {
  it.each([503, 0])('a read is repeated unchanged after %i', async (status) => {
    const server = await serveStatuses([status, status, 200]);
    expect(await clientOf(server, quick).users.get('ann')).toEqual({ uid: 'ann' });
    expect(server.received).toHaveLength(3);
    expect(new Set(server.received.map(withoutConnection)).size).toBe(1);
  });

  it('a read marker is repeated with its body', async () => {
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

  it.each([{ retry: false }, { retry: { attempts: 1 } }] as const)('none is repeated with %j', async (options) => {
    const server = await serveStatuses([503, 200]);
    expect(await rejection(clientOf(server, options).users.get('ann'))).toMatchObject({ status: 503, attempts: 1 });
    expect(server.received).toHaveLength(1);
  });

  it('a response of a wrong shape is final', async () => {
    const server = await serveJson({ data: 7 });
    const error = await rejection(clientOf(server, quick).users.get('ann'));
    expect(error).toBeInstanceOf(ShapeError);
    expect(error).toMatchObject({ code: 'shape', attempts: 1 });
    expect(server.received).toHaveLength(1);
  });

  it('an attempt that timed out is repeated', async () => {
    const server = await serveJson(user);
    // The first attempt ends with a time-out of the dispatcher.
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

describe('send with retry: error of the last attempt', () => {
  it('HttpError with attempts and request id', async () => {
    const server = await serveStatuses([500, 0, 503], { 'x-request-id': 'req-1' });
    const error = await rejection(clientOf(server, quick).users.get('ann'));
    expect(error).toBeInstanceOf(HttpError);
    expect(error).toMatchObject({ code: 'http', status: 503, attempts: 3, requestId: 'req-1' });
    expect((error as HttpError).message).toBe('GET /users/{uid} was answered with status 503 after 3 attempts');
  });

  it('NetworkError with attempts', async () => {
    const error = await rejection(clientOf({ url: 'http://127.0.0.1:1/v3' }, quick).users.get('ann'));
    expect(error).toBeInstanceOf(NetworkError);
    expect(error).toMatchObject({ code: 'network', attempts: 3 });
    expect(String(error)).toContain('(ECONNREFUSED) after 3 attempts');
  });

  it('TimeoutError with attempts and phase', async () => {
    // Simulates the time-out, since undici's own fires up to a second late.
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
  ])('request id of %s: %s is %s', async (name, value, requestId) => {
    const server = await serveStatuses([404], { [name]: value });
    expect(((await rejection(clientOf(server).users.get('ann'))) as HttpError).requestId).toBe(requestId);
  });

  it('ShapeError with request id', async () => {
    const server = await serve((response) => void response.writeHead(200, { 'request-id': 'r7' }).end('{}'));
    expect(await rejection(clientOf(server).users.get('ann'))).toMatchObject({ code: 'shape', requestId: 'r7' });
  });
});

describe('send with retry: Retry-After', () => {
  it('delays the next attempt', async () => {
    const world = fakeEnvironment();
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

  it.each([
    [503, '3600', 3_600_000],
    [429, '3600', 3_600_000],
    [503, '9'.repeat(40), Number.MAX_SAFE_INTEGER],
  ])('beyond the deadline ends the call at once: status %i, %s', async (status, value, retryAfterMs) => {
    const server = await serveStatuses([status, 200], { 'retry-after': value });
    const error = await rejection(clientIn(fakeEnvironment(), server, quick).users.get('ann'));
    expect(error).toMatchObject({ code: 'http', status, attempts: 1, retryAfterMs });
    expect(String(error)).toContain(`status ${status}, try again in ${Math.ceil(retryAfterMs / 1000)} s`);
    expect(server.received).toHaveLength(1);
  });
});

describe('send with retry: budget', () => {
  it('limits the retries of an outage over all calls', async () => {
    const server = await serveJson({}, 503);
    const client = clientOf(server, { retry: { baseMs: 1, budget: 5 } });
    const errors = await Promise.all(Array.from({ length: 30 }, () => rejection(client.users.get('ann'))));
    expect(server.received).toHaveLength(35);
    const attempts = errors.map((error) => (error as HttpError).attempts);
    expect(attempts.reduce((sum, each) => sum + each, 0)).toBe(35);
    expect(String(errors.at(-1))).toContain('not tried again since the retry budget of the client is spent');
  });

  it('is refilled after an outage', async () => {
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

describe('send with retry: waits between attempts', () => {
  it.each([new Error('enough'), 'enough', null])('an abort rejects with the reason %s', async (reason) => {
    const server = await serveJson({}, 503);
    const controller = new AbortController();
    // The clock stands still: a wait that is not cut short has no end.
    const world = fakeEnvironment(undefined, 0.5);
    const client = clientIn(world, server, { retry: { baseMs: 20_000 } });
    const call = rejection(client.users.get('ann', { signal: controller.signal }));
    await until(() => world.timers() === 2);
    controller.abort(reason);
    expect(await call).toBe(reason);
    expect(server.received).toHaveLength(1);
  });

  it('count towards the deadline', async () => {
    let at = 0;
    const server = await serve((response) => {
      if (at++ === 0) response.writeHead(503).end();
    });
    const world = fakeEnvironment(undefined, 0.5);
    const client = clientIn(world, server, { retry: { baseMs: 10 }, timeouts: { totalMs: 200 } });
    const call = rejection(client.users.get('ann'));
    await until(() => world.timers() === 2);
    await world.pass(5);
    await until(() => server.received.length === 2);
    await world.pass(195);
    const error = await call;
    expect(error).toBeInstanceOf(TimeoutError);
    expect(error).toMatchObject({ phase: 'total', afterMs: 200, attempts: 2 });
    expect(String(error)).toContain('did not finish within 200 ms (2 attempts)');
  });

  it('do not count in the concurrency limit', async () => {
    const server = await serve((response, { target }) => {
      if (target.endsWith('bob')) json(response, user);
      else response.writeHead(503, { 'retry-after': '1' }).end();
    });
    const client = clientIn(fakeEnvironment(), server, { concurrency: 1 });
    const controller = new AbortController();
    const waiting = rejection(client.users.get('ann', { signal: controller.signal }));
    await until(() => server.received.length === 1);
    // The clock stands still, so the wait of the first does not end.
    await client.users.get('bob');
    controller.abort();
    await waiting;
  });
});

describe('concurrency limit', () => {
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

  it('a call aborted in the queue is never sent, and frees no place', async () => {
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

  it('a call aborted in flight frees its place', async () => {
    const server = await serve((response, { target }) => {
      if (target.endsWith('bob')) json(response, user);
    });
    const client = clientOf(server, { concurrency: 1 });
    const controller = new AbortController();
    const first = rejection(client.users.get('ann', { signal: controller.signal }));
    const second = client.users.get('bob');
    await until(() => server.received.length === 1);
    controller.abort('enough');
    expect(await first).toBe('enough');
    expect(await second).toEqual(user.data);
  });

  it('the deadline applies in the queue, with an error that nothing was sent', async () => {
    const server = await serve(() => {});
    const world = fakeEnvironment();
    const client = clientIn(world, server, { concurrency: 1, timeouts: { totalMs: 100 } });
    const calls = Promise.all([rejection(client.users.get('a')), rejection(client.users.get('b'))]);
    await until(() => server.received.length === 1);
    await world.pass(100);
    const [first, second] = await calls;
    expect(first).toMatchObject({ code: 'timeout', attempts: 1 });
    expect(second).toMatchObject({ code: 'timeout', attempts: 0 });
    expect(String(second)).toContain('nor was it sent');
    expect(server.received).toHaveLength(1);
  });
});
