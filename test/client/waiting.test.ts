import { type AddressInfo, createServer, type Socket } from 'node:net';
import { Agent } from 'undici';
import { describe, expect, it, onTestFinished } from 'vitest';
import { TimeoutError, UsageError } from '../../src/errors.js';
import { clientIn, clientOf, json, rejection, serve, serveJson } from '../support/http.js';
import { turns, until } from '../support/until.js';
import { fakeSurroundings } from './fake-surroundings.js';

const user = { data: { uid: 'ann' } };

describe('between attempts', () => {
  it.each([new Error('enough'), 'enough', null])('an abort stays the reason %s', async (reason) => {
    const server = await serveJson({}, 503);
    const controller = new AbortController();
    // The clock stands still: a wait that is not cut short has no end.
    const world = fakeSurroundings(undefined, 0.5);
    const client = clientIn(world, server, { retry: { baseMs: 20_000 } });
    const call = rejection(client.users.get('ann', { signal: controller.signal }));
    await until(() => world.timers() === 2);
    controller.abort(reason);
    expect(await call).toBe(reason);
    expect(server.received).toHaveLength(1);
  });

  it('a call waits on its own deadline, and the error counts its attempts', async () => {
    let at = 0;
    const server = await serve((response) => {
      if (at++ === 0) response.writeHead(503).end();
    });
    const world = fakeSurroundings(undefined, 0.5);
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

  it('close waits for the attempts to come', async () => {
    let at = 0;
    const server = await serve((response) => {
      if (at++ === 0) response.writeHead(503).end();
      else json(response, user);
    });
    const client = clientOf(server, { retry: { baseMs: 200 } });
    const call = client.users.get('ann');
    await until(() => at > 0);
    await client.close();
    expect(await call).toEqual({ uid: 'ann' });
    expect(await rejection(client.users.get('ann'))).toBeInstanceOf(UsageError);
  });

  it('a call that waits gives its turn to others', async () => {
    const server = await serve((response, { target }) => {
      if (target.endsWith('bob')) json(response, user);
      else response.writeHead(503, { 'retry-after': '1' }).end();
    });
    const client = clientIn(fakeSurroundings(), server, { concurrency: 1 });
    const controller = new AbortController();
    const waiting = rejection(client.users.get('ann', { signal: controller.signal }));
    await until(() => server.received.length === 1);
    // The clock stands still, so the wait of the first does not end.
    await client.users.get('bob');
    controller.abort();
    await waiting;
  });
});

describe('turns', () => {
  it('no more than `concurrency` requests are under way', async () => {
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

  it('a call that gives up in line is never sent, and makes no room twice', async () => {
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

  it('the deadline holds in line, and the error says that nothing was sent', async () => {
    const server = await serve(() => {});
    const world = fakeSurroundings();
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

describe('connections', () => {
  /** Answers the first request of each connection, keeps it open, and resets it at the second one. */
  async function serveOnceEach(): Promise<{ readonly url: string; readonly connections: () => number }> {
    const sockets: Socket[] = [];
    const server = createServer((socket) => {
      sockets.push(socket);
      let requests = 0;
      socket.on('error', () => {});
      socket.on('data', () => {
        if (++requests > 1) socket.resetAndDestroy();
        else socket.write(`HTTP/1.1 200 OK\r\ncontent-length: 22\r\n\r\n${JSON.stringify(user)}`);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      for (const socket of sockets) socket.destroy();
      server.close();
    });
    return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v3`, connections: () => sockets.length };
  }

  it('are kept', async () => {
    const ports = new Set<number | undefined>();
    const server = await serve((response) => {
      ports.add(response.socket?.remotePort);
      json(response, user);
    });
    const client = clientOf(server);
    for (let i = 0; i < 20; i++) await client.users.get('ann');
    // undici marks a connection as free a moment after the answer is read, so two take turns.
    expect(ports.size).toBeLessThanOrEqual(2);
  });

  it('that went dead while they were kept do not use up the attempts', async () => {
    const server = await serveOnceEach();
    const client = clientOf(server, { retry: { attempts: 2, baseMs: 1 } });
    await Promise.all(Array.from({ length: 5 }, () => client.users.get('ann')));
    expect(server.connections()).toBe(5);
    const again = await Promise.all(Array.from({ length: 5 }, () => client.users.get('ann')));
    expect(again).toHaveLength(5);
  });

  it('of an injected dispatcher are used for every attempt, and left open', async () => {
    const server = await serveOnceEach();
    const dispatcher = new Agent({ connections: 1 });
    onTestFinished(() => dispatcher.close());
    const client = clientOf(server, { dispatcher, retry: { baseMs: 1 } });
    await client.users.get('ann');
    expect(await client.users.get('ann')).toEqual({ uid: 'ann' });
    await client.close();
    expect(dispatcher.closed).toBe(false);
  });
});
