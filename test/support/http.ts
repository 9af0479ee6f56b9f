/**
 * Small HTTP servers on loopback, for tests of the client. They close with the test that opened
 * them.
 */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import type { Client } from '../../src/platform/client/client.js';
import { createClient } from '../../src/platform/client/client.js';
import type { ClientOptions } from '../../src/platform/client/options.js';

/** A request as it came over the wire. */
export interface Received {
  readonly method: string;
  /** Path and query, undecoded. */
  readonly target: string;
  /** Header names in the case in which they were sent. */
  readonly rawHeaders: Readonly<Record<string, string>>;
  readonly body: string;
}

interface TestServer {
  readonly origin: string;
  /** Base URL with the version prefix. */
  readonly url: string;
  readonly received: Received[];
}

export const apiKey = 'canary-0123456789abcdef-canary';

/** Serves on a free port until the test ends. */
export async function serve(
  respond: (response: ServerResponse, request: Received) => void | Promise<void>,
): Promise<TestServer> {
  const received: Received[] = [];
  const server = createServer((incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      const rawHeaders: Record<string, string> = {};
      for (let i = 0; i < incoming.rawHeaders.length; i += 2)
        rawHeaders[incoming.rawHeaders[i]!] = incoming.rawHeaders[i + 1]!;
      const body = Buffer.concat(chunks).toString('utf8');
      const request = { method: incoming.method ?? '', target: incoming.url ?? '', rawHeaders, body };
      received.push(request);
      void respond(response, request);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { origin, url: `${origin}/v3`, received };
}

/** Answers with JSON. */
export function json(response: ServerResponse, value: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}

/** A server that gives every request the same JSON. */
export function serveJson(value: unknown, status = 200): Promise<TestServer> {
  return serve((response) => json(response, value, status));
}

/**
 * A client of a server, closed with the test. Its calls may wait in line for longer than any
 * machine takes.
 */
export function clientOf(server: Pick<TestServer, 'url'>, options: Partial<ClientOptions> = {}): Client {
  const client = createClient({ baseUrl: server.url, apiKey, timeouts: { totalMs: 600_000 }, ...options });
  onTestFinished(() => client.close());
  return client;
}

/** What a promise rejects with; fails when it does not. */
export async function rejection(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error('expected a rejection');
}
