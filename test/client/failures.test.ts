import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Client } from '../../src/client/client.js';
import type { ClientOptions } from '../../src/client/client-options.js';
import { startDeadline } from '../../src/client/deadline.js';
import { HttpError, NetworkError, ShapeError, SluiceError, TimeoutError } from '../../src/errors.js';
import { apiKey, clientIn, clientOf as clientWith, json, rejection, serve, serveJson } from '../support/http.js';
import { turns, until } from '../support/until.js';
import { fakeSurroundings } from './fake-surroundings.js';

/** A client that tries once: what it makes of one answer is the matter here. */
function clientOf(server: { readonly url: string }, options: Partial<ClientOptions> = {}): Client {
  return clientWith(server, { retry: false, ...options });
}

/** Listens with a bare TCP server until the test ends, and gives its base URL. */
async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v3`;
}

describe('statuses other than 200 (§7)', () => {
  it('carries status, platform code and details, and no text of the body', async () => {
    const error = {
      message: 'The secret text is wrong.',
      code: 'ERR_BAD_REQUEST',
      details: { 'tags.0': ['too long'], odd: 'text', mixed: ['a', 1], nested: { a: [] } },
    };
    const failure = await rejection(clientOf(await serveJson({ error }, 400)).users.get('ann'));
    expect(failure).toBeInstanceOf(HttpError);
    expect(failure).toMatchObject({
      code: 'http',
      operation: 'GET /users/{uid}',
      status: 400,
      platformCode: 'ERR_BAD_REQUEST',
      details: { 'tags.0': ['too long'] },
      message: 'GET /users/{uid} was answered with status 400 (ERR_BAD_REQUEST)',
    });
    expect((failure as HttpError).details).not.toHaveProperty('odd');
  });

  it.each([
    ['an empty body', 503, ''],
    ['a page for people', 502, '<html>secret</html>'],
    ['another shape', 404, '{"error":"secret"}'],
    ['a code that is no code', 404, '{"error":{"code":"the secret text"}}'],
    ['no content', 204, ''],
    ['another success', 201, '{"data":{"uid":"ann"}}'],
    ['invalid UTF-8', 500, Buffer.from([0x7b, 0xff, 0x7d])],
  ])('survives %s', async (_, status, body) => {
    const server = await serve((response) => void response.writeHead(status).end(body));
    const failure = (await rejection(clientOf(server).users.get('ann'))) as HttpError;
    expect(failure).toBeInstanceOf(HttpError);
    expect(failure.message).toBe(`GET /users/{uid} was answered with status ${status}`);
    expect(failure.platformCode).toBeUndefined();
    expect(failure.details).toBeUndefined();
  });

  it('names the status even when the failure breaks off or has no end', async () => {
    const server = await serve((response, { target }) => {
      response.writeHead(503, { 'content-length': '1000' });
      if (target.endsWith('cut')) response.write('{"error":{"code":"ERR_X"}', () => response.destroy());
      else response.write('{"error":{"code":"ERR_X"}', () => response.end('x'.repeat(2_000_000)));
    });
    expect(await rejection(clientOf(server).users.get('cut'))).toMatchObject({ status: 503, platformCode: undefined });
    const endless = await serve((response) => {
      const more = setInterval(() => response.write('x'.repeat(10_000)), 1);
      response.writeHead(500).on('close', () => clearInterval(more));
    });
    expect(await rejection(clientOf(endless).users.get('ann'))).toMatchObject({ status: 500 });
  });

  it.each([301, 302, 303, 307, 308])('does not follow a %i to another origin, nor send it the key', async (status) => {
    const other = await serveJson({ data: { uid: 'ann' } });
    const location = `${other.origin}/private/path?x=1`;
    const server = await serve((response) => void response.writeHead(status, { location }).end());
    const failure = (await rejection(clientOf(server).users.get('ann'))) as HttpError;
    expect(failure).toBeInstanceOf(HttpError);
    expect(failure.status).toBe(status);
    expect(failure.message).toContain(other.origin);
    expect(failure.message).not.toContain('private');
    expect(other.received).toEqual([]);
    expect(server.received).toHaveLength(1);
  });

  it.each(['/v3/elsewhere', 'http://[broken', 'data:text/plain,secret', ''])(
    'does not follow %j either',
    async (location) => {
      const server = await serve((response) => void response.writeHead(302, { location }).end());
      const failure = (await rejection(clientOf(server).users.get('ann'))) as HttpError;
      expect(failure.status).toBe(302);
      expect(failure.message).not.toMatch(/secret|elsewhere/);
      expect(server.received).toHaveLength(1);
    },
  );
});

describe('answers that are not what §2 gives', () => {
  it.each([
    ['a page for people', '<html>private</html>', 'should be JSON, and is not'],
    ['an empty body', '', 'is empty'],
    ['two documents', '{"data":{"uid":"a"}}{"data":{}}', 'should be JSON, and is not'],
    ['invalid UTF-8', Buffer.from('{"data":{"uid":"\xff"}}', 'latin1'), 'not valid UTF-8'],
    ['half a document', '{"data":{"uid":"private', 'should be JSON, and is not'],
  ])('%s is a ShapeError', async (_, body, words) => {
    const server = await serve((response) => void response.writeHead(200).end(body));
    const error = (await rejection(clientOf(server).users.get('ann'))) as ShapeError;
    expect(error).toBeInstanceOf(ShapeError);
    expect(error.message).toContain('GET /users/{uid}');
    expect(error.message).toContain(words);
    expect(error.message).not.toContain('private');
    expect(error.cause).toBeUndefined();
  });

  it.each([
    [{ error: { code: 'X' } }, 'data'],
    [{ data: null }, 'data'],
    [{ data: [] }, 'data'],
    [{ data: { uid: 7 } }, 'data.uid'],
    [{ data: { uid: 'a', tags: ['x', 1] } }, 'data.tags[1]'],
    [[], 'the whole value'],
    ['private', 'the whole value'],
  ])('%j is wrong at `%s`', async (body, path) => {
    const error = (await rejection(clientOf(await serveJson(body)).users.get('ann'))) as ShapeError;
    expect(error).toBeInstanceOf(ShapeError);
    expect(error).toMatchObject({ source: 'GET /users/{uid}', path });
  });

  it('names the field inside a list', async () => {
    const rules = [
      { id: 'a', conditions: [] },
      { id: 'b', conditions: [{ value: ['x', 7] }] },
    ];
    const error = await rejection(clientOf(await serveJson({ data: rules })).rules.list());
    expect(error).toMatchObject({ source: 'GET /moderation/rules', path: 'data[1].conditions[0].value[1]' });
  });

  it('takes a byte order mark', async () => {
    const server = await serve((response) => void response.end('\ufeff{"data":{"uid":"ann"}}'));
    expect(await clientOf(server).users.get('ann')).toEqual({ uid: 'ann' });
  });

  it('asks for no compression, and refuses what comes compressed anyway', async () => {
    const body = gzipSync('{"data":{"uid":"ann"}}');
    const server = await serve((response) => void response.writeHead(200, { 'content-encoding': 'gzip' }).end(body));
    const error = await rejection(clientOf(server).users.get('ann'));
    expect(error).toBeInstanceOf(ShapeError);
    expect(String(error)).toContain('compressed');
  });

  it.each(['content-length', 'chunked'])('refuses more than the cap (%s)', async (framing) => {
    const body = JSON.stringify({ data: { uid: 'a'.repeat(5000) } });
    const server = await serve((response) => {
      if (framing === 'chunked') response.write(body.slice(0, 10));
      response.end(framing === 'chunked' ? body.slice(10) : body);
    });
    const error = await rejection(clientOf(server, { maxResponseBytes: body.length - 1 }).users.get('ann'));
    expect(error).toBeInstanceOf(ShapeError);
    expect(String(error)).toContain(`${body.length - 1} bytes`);
    expect(await clientOf(server, { maxResponseBytes: body.length }).users.get('ann')).toMatchObject({});
  });

  it('believes a length that is over the cap without waiting for the body', async () => {
    const server = await serve((response) => void response.writeHead(200, { 'content-length': '1001' }).flushHeaders());
    const client = clientOf(server, { maxResponseBytes: 1000, timeouts: { totalMs: 1_800_000 } });
    expect(await rejection(client.users.get('ann'))).toBeInstanceOf(ShapeError);
  });

  it('reads no more than 64 KiB of a failure', async () => {
    const body = (padding: number) => ({ error: { code: 'ERR_X', padding: 'x'.repeat(padding) } });
    const small = await rejection(clientOf(await serveJson(body(60_000), 500)).users.get('ann'));
    const large = await rejection(clientOf(await serveJson(body(70_000), 500)).users.get('ann'));
    expect(small).toMatchObject({ status: 500, platformCode: 'ERR_X' });
    expect(large).toMatchObject({ status: 500, platformCode: undefined });
  });

  it('stops reading an answer that has no end', async () => {
    let onClose: () => void;
    const closed = new Promise<void>((resolve) => {
      onClose = resolve;
    });
    const server = await serve((response) => {
      const more = setInterval(() => response.write('x'.repeat(100_000)), 1);
      response.on('close', () => {
        clearInterval(more);
        onClose();
      });
    });
    expect(await rejection(clientOf(server, { maxResponseBytes: 500_000 }).users.get('ann'))).toBeInstanceOf(
      ShapeError,
    );
    // The client lets go of the connection: nothing else would end it.
    await closed;
  });
});

describe('connections', () => {
  it('a refused connection is a NetworkError with its code', async () => {
    const error = (await rejection(clientOf({ url: 'http://127.0.0.1:1/v3' }).users.get('ann'))) as NetworkError;
    expect(error).toBeInstanceOf(NetworkError);
    expect(error.message).toBe('GET /users/{uid} got no whole answer from http://127.0.0.1:1 (ECONNREFUSED)');
    expect(error.cause).toMatchObject({ code: 'ECONNREFUSED' });
  });

  it.each(['short body', 'cut chunk', 'reset', 'no http'])('%s is a NetworkError', async (fault) => {
    const server = createServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', () => {
        if (fault === 'short body') socket.end('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"data":{"uid":"ann"}}');
        if (fault === 'cut chunk') socket.end('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n40\r\n{"data":');
        if (fault === 'reset') socket.resetAndDestroy();
        if (fault === 'no http') socket.end(`${apiKey} is not http\r\n\r\n`);
      });
    });
    const error = await rejection(clientOf({ url: await listen(server) }).users.get('ann'));
    expect(error).toBeInstanceOf(NetworkError);
    expect(error).toMatchObject({ code: 'network', operation: 'GET /users/{uid}' });
  });
});

describe('deadlines', () => {
  const slow = { users: 'never answers', drip: 'never ends' };

  it.each(Object.entries(slow))('totalMs holds against a server that %s %s', async (kind) => {
    const server = await serve((response) => {
      if (kind !== 'drip') return;
      const drip = setInterval(() => response.write(' '), 10);
      response.writeHead(200).on('close', () => clearInterval(drip));
    });
    const world = fakeSurroundings();
    const client = clientIn(world, server, {
      retry: false,
      timeouts: { totalMs: 150, headersMs: 1_800_000, bodyMs: 1_800_000 },
    });
    let error: unknown;
    const call = rejection(client.users.get('ann')).then((rejected) => {
      error = rejected;
    });
    await until(() => server.received.length === 1);
    await turns();
    await world.pass(149);
    expect(error).toBeUndefined();
    await world.pass(1);
    await call;
    expect(error).toBeInstanceOf(TimeoutError);
    expect(error).toMatchObject({ code: 'timeout', operation: 'GET /users/{uid}', afterMs: 150 });
  });

  it('headersMs and bodyMs name themselves', async () => {
    const server = await serve((response, { target }) => {
      if (target.endsWith('body')) response.writeHead(200, { 'content-length': '10' }).write(' ');
    });
    const clientWithin = (timeouts: ClientOptions['timeouts']) =>
      clientOf(server, { timeouts: { totalMs: 1_800_000, headersMs: 1_800_000, bodyMs: 1_800_000, ...timeouts } });
    const [headers, body] = await Promise.all([
      rejection(clientWithin({ headersMs: 100 }).users.get('headers')),
      rejection(clientWithin({ bodyMs: 200 }).users.get('body')),
    ]);
    expect(headers).toMatchObject({ code: 'timeout', phase: 'headers', afterMs: 100 });
    expect(body).toMatchObject({ code: 'timeout', afterMs: 200 });
  });

  it('leaves no timer behind', async () => {
    const server = await serveJson({ data: { uid: 'ann' } });
    const before = process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
    const client = clientOf(server, { timeouts: { totalMs: 60_000 } });
    await Promise.all(Array.from({ length: 20 }, () => client.users.get('ann')));
    const after = process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
    // The pool keeps one of its own; twenty would be one for each call.
    expect(after - before).toBeLessThan(20);
  });
});

describe("the caller's signal", () => {
  const reasons: [string, unknown][] = [
    ['an error', new Error('enough')],
    ['a string', 'enough'],
    ['null', null],
  ];

  it.each(reasons)('rejects with its reason untouched: %s', async (_, reason) => {
    const server = await serve(() => {});
    const controller = new AbortController();
    const call = rejection(clientOf(server).users.get('ann', { signal: controller.signal }));
    await until(() => server.received.length === 1);
    controller.abort(reason);
    expect(await call).toBe(reason);
  });

  it('an abort without a reason stays an AbortError', async () => {
    const server = await serve((response) => void response.writeHead(200).write('{'));
    const controller = new AbortController();
    const call = rejection(clientOf(server).users.get('ann', { signal: controller.signal }));
    await until(() => server.received.length === 1);
    await turns();
    controller.abort();
    const error = await call;
    expect(error).toMatchObject({ name: 'AbortError' });
    expect(error).not.toBeInstanceOf(SluiceError);
  });

  it('does not even connect when it is aborted already', async () => {
    let connections = 0;
    const server = createServer((socket) => {
      connections++;
      socket.destroy();
    });
    const url = await listen(server);
    const client = clientOf({ url });
    expect(await rejection(client.users.get('ann', { signal: AbortSignal.abort('late') }))).toBe('late');
    // A connection of ours comes after one that the client had begun.
    await once(connect(Number(new URL(url).port), '127.0.0.1'), 'close');
    expect(connections).toBe(1);
  });

  it('counts as an abort in the middle of a failure, too', async () => {
    const server = await serve((response) => void response.writeHead(500).write('{"error":'));
    const controller = new AbortController();
    const call = rejection(clientOf(server).users.get('ann', { signal: controller.signal }));
    await until(() => server.received.length === 1);
    await turns();
    controller.abort('enough');
    expect(await call).toBe('enough');
  });

  it('and the deadline: whichever was first has ended the call', async () => {
    const world = fakeSurroundings();
    const late = new AbortController();
    const deadline = startDeadline(1, late.signal, world);
    expect(deadline.endedBy()).toBeUndefined();
    await world.pass(10);
    late.abort();
    expect(deadline.endedBy()).toBe('deadline');
    const early = startDeadline(1, AbortSignal.abort('early'), world);
    await world.pass(10);
    expect(early.endedBy()).toBe('caller');
    expect(early.signal.reason).toBe('early');
  });

  it('is let go of after every call', async () => {
    const server = await serve((response, { target }) =>
      json(response, { data: { uid: 'ann' } }, target.endsWith('ann') ? 200 : 500),
    );
    const controller = new AbortController();
    let listening = 0;
    const { signal } = controller;
    const add = signal.addEventListener.bind(signal);
    const remove = signal.removeEventListener.bind(signal);
    signal.addEventListener = (...given: Parameters<typeof add>) => {
      listening++;
      add(...given);
    };
    signal.removeEventListener = (...given: Parameters<typeof remove>) => {
      listening--;
      remove(...given);
    };
    const client = clientOf(server);
    await client.users.get('ann', { signal });
    await rejection(client.users.get('bob', { signal }));
    expect(listening).toBe(0);
  });
});
