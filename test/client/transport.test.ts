import { type AddressInfo, createServer, type Socket } from 'node:net';
import { Agent } from 'undici';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ShapeError } from '../../src/foundation/errors.js';
import type { Client } from '../../src/platform/client/client.js';
import type { ClientOptions } from '../../src/platform/client/options.js';
import { clientOf as clientWith, json, rejection, serve, serveJson, type TestServer } from '../support/http.js';

const user = { data: { uid: 'ann' } };

/** A client without retries, unless the options enable them. */
function clientOf(server: Pick<TestServer, 'url'>, options: Partial<ClientOptions> = {}): Client {
  return clientWith(server, { retry: false, ...options });
}

describe('size limit of a response', () => {
  it.each(['content-length', 'chunked'])('refuses a larger body (%s)', async (framing) => {
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

  it('is 64 KiB for a failure', async () => {
    const failure = (padding: number) => ({ error: { code: 'ERR_X', padding: 'x'.repeat(padding) } });
    const small = await rejection(clientOf(await serveJson(failure(60_000), 500)).users.get('ann'));
    const large = await rejection(clientOf(await serveJson(failure(70_000), 500)).users.get('ann'));
    expect(small).toMatchObject({ status: 500, platformCode: 'ERR_X' });
    expect(large).toMatchObject({ status: 500, platformCode: undefined });
  });

  it('closes the connection of an endless body', async () => {
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

  it('are used again', async () => {
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

  it('that died while idle use up one attempt at most', async () => {
    const server = await serveOnceEach();
    const client = clientOf(server, { retry: { attempts: 2, baseMs: 1 } });
    await Promise.all(Array.from({ length: 5 }, () => client.users.get('ann')));
    expect(server.connections()).toBe(5);
    const again = await Promise.all(Array.from({ length: 5 }, () => client.users.get('ann')));
    expect(again).toHaveLength(5);
  });

  it('of an injected dispatcher are used for every attempt', async () => {
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
