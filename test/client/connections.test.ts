/**
 * Connections: refused, dead, used again, secured; and their end with the client. Each answer
 * reaches its own call.
 */
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { Worker } from 'node:worker_threads';
import { Agent } from 'undici';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { UsageError } from '../../src/foundation/errors.js';
import { closedPort, type PeerRequest, type Script, startFaultPeer } from '../support/fault-peer.js';
import { answering } from '../support/fault-peer-answers.js';
import { selfSigned } from '../support/fault-peer-certificate.js';
import { clientOf, json, rejection, serve } from '../support/http.js';
import { turns, until } from '../support/until.js';
import { endOf, failOnStrays, isRepeatable, rows } from './rows.js';

const program = `
const { createServer } = require('node:net');
const { parentPort, workerData } = require('node:worker_threads');
const server = createServer((socket) => {
  socket.on('error', () => {});
  socket.once('data', () => socket.end(workerData.answer));
});
server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
  parentPort.postMessage(server.address().port);
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, workerData.deafMs);
});
`;

/**
 * Starts a peer that accepts nothing for `deafMs`, then gives every request the bytes of `answer`.
 */
async function startDeafPeer(deafMs: number, answer = ''): Promise<{ readonly port: number; readonly url: string }> {
  const worker = new Worker(program, { eval: true, workerData: { deafMs, answer } });
  onTestFinished(async () => void (await worker.terminate()));
  const port = await new Promise<number>((resolve, reject) => {
    worker.once('message', resolve).once('error', reject);
  });
  return { port, url: `http://127.0.0.1:${port}/v3` };
}

/** Fills the queue of a deaf peer: two connections wait in it, the rest keep knocking. */
async function fillBacklog(port: number): Promise<void> {
  const sockets = Array.from({ length: 4 }, (): Socket => connect(port, '127.0.0.1').on('error', () => {}));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
  });
  // They knock within a turn of the event loop; the kernel counts them at once.
  await turns();
}

failOnStrays();

const quick = { retry: { baseMs: 1 } };
const user = (uid: string) => answering(JSON.stringify({ data: { uid } }));
const echoUser = ({ target }: PeerRequest) => user(target.slice(target.lastIndexOf('/') + 1));
const uids = Array.from({ length: 40 }, (_, index) => `user${index}`);

/** How all operations end at an address. */
async function endsAt(url: string, options: object = quick): Promise<string[]> {
  const client = clientOf({ url }, options);
  const ends = await Promise.all(rows.map((row) => endOf(row.call(client), row.right)));
  return [...new Set(ends.map(({ outcome }) => outcome))];
}

describe('no connection', () => {
  it('refused, or to a name that does not resolve: a network error', async () => {
    expect(await endsAt(`http://127.0.0.1:${await closedPort()}/v3`)).toEqual(['network']);
    // A label over 63 characters fails in the resolver, without a query to a name server.
    expect(await endsAt(`https://${'a'.repeat(70)}.invalid/v3`)).toEqual(['network']);
  });

  it.skipIf(process.platform !== 'linux')(
    'packets are dropped: the deadline, `connectMs` or the caller ends it',
    async () => {
      const { port, url } = await startDeafPeer(600_000);
      await fillBacklog(port);
      expect(await endsAt(url, { timeouts: { totalMs: 100 } })).toEqual(['timeout']);
      const brief = clientOf({ url }, { retry: false, timeouts: { totalMs: 600_000, connectMs: 50 } });
      expect(await rejection(brief.users.get('ann'))).toMatchObject({ code: 'timeout', phase: 'connect', afterMs: 50 });
      const client = clientOf({ url });
      expect(await rejection(client.users.get('ann', { signal: AbortSignal.timeout(50) }))).toMatchObject({
        name: 'TimeoutError',
      });
      // Nor does a call that has ended hold the turn of the next one.
      const one = clientOf({ url }, { concurrency: 1, timeouts: { totalMs: 100 } });
      for (const _ of [1, 2]) expect(await rejection(one.users.get('ann'))).toMatchObject({ attempts: 1 });
      // The requested connection does not hold up the end, which would come in ten minutes.
      await client.close();
    },
  );

  it('a proxy that the environment names is not used', async () => {
    const proxy = await startFaultPeer({ scripts: [user('evil')] });
    for (const name of ['HTTP_PROXY', 'http_proxy', 'ALL_PROXY', 'npm_config_proxy']) vi.stubEnv(name, proxy.origin);
    vi.stubEnv('NODE_USE_ENV_PROXY', '1');
    onTestFinished(() => void vi.unstubAllEnvs());
    expect(await clientOf(await startFaultPeer({ scripts: echoUser })).users.get('ann')).toEqual({ uid: 'ann' });
    expect(proxy.connections()).toBe(0);
  });
});

describe('TLS', () => {
  const day = 86_400_000;
  const address = '127.0.0.1';
  const certificates = {
    unknown: selfSigned({ address }),
    expired: selfSigned({ address, notBefore: new Date(Date.now() - 3 * day), notAfter: new Date(Date.now() - day) }),
    'of another address': selfSigned({ address: '127.0.0.2' }),
    'of another name': selfSigned({ name: 'evil.example' }),
  };

  it.each(Object.entries(certificates))(
    'a certificate that is %s: a network error, and nothing is sent',
    async (name, certificate) => {
      vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', undefined);
      onTestFinished(() => void vi.unstubAllEnvs());
      const peer = await startFaultPeer({ certificate, scripts: echoUser });
      // Trusted as far as can be, unless that is the point: what is wrong must be found all the
      // same.
      const dispatcher = name === 'unknown' ? undefined : new Agent({ connect: { ca: certificate.cert } });
      expect(await endsAt(peer.url, { ...quick, dispatcher })).toEqual(['network']);
      expect(peer.requests).toEqual([]);
      await dispatcher?.close();
    },
  );

  it('a certificate that is trusted, a peer without TLS, a handshake that never ends', async () => {
    const certificate = selfSigned({ address });
    const peer = await startFaultPeer({ certificate, scripts: echoUser });
    const dispatcher = new Agent({ connect: { ca: certificate.cert } });
    expect(await clientOf(peer, { dispatcher }).users.get('ann')).toEqual({ uid: 'ann' });
    await dispatcher.close();
    const plain = await startFaultPeer({
      scripts: [],
      onConnect: (socket) => void socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\n\r\n')),
    });
    expect(await endsAt(plain.url.replace('http:', 'https:'))).toEqual(['network']);
    const silent = await startFaultPeer({ scripts: [] });
    expect(await endsAt(silent.url.replace('http:', 'https:'), { timeouts: { totalMs: 100 } })).toEqual(['timeout']);
  });
});

describe('kept connections', () => {
  it.each(['reset', 'finish'] as const)(
    'one that ends as it is used again (%s): one attempt is lost, or the call',
    async (end) => {
      const ends = await Promise.all(
        rows.map(async (row) => {
          const used = new Set<number>();
          const peer = await startFaultPeer({
            scripts: ({ connection }) => {
              if (used.has(connection)) return (line) => line[end]();
              used.add(connection);
              return answering(row.body);
            },
          });
          const client = clientOf(peer, quick);
          const first = await endOf(row.call(client), row.right);
          // Only a connection that has come to rest is used again.
          await turns();
          return [first.outcome, (await endOf(row.call(client), row.right)).outcome];
        }),
      );
      // A DELETE with a body gets a connection of its own from undici.
      const isSaved = (row: (typeof rows)[number]) => isRepeatable(row) || row.operation === 'markAsUnread';
      expect(ends).toEqual(rows.map((row) => ['right', isSaved(row) ? 'right' : 'network']));
    },
  );

  it('one that was closed while idle costs nothing', async () => {
    const script: Script = async (line) => {
      await answering('{"data":{"uid":"ann"}}')(line);
      line.finish();
    };
    const peer = await startFaultPeer({ scripts: [script] });
    const client = clientOf(peer, { retry: false });
    for (let count = 0; count < 3; count++) {
      expect(await client.users.get('ann')).toEqual({ uid: 'ann' });
      await until(() => peer.openConnections() === 0);
    }
  });

  it('answers in another order, and answers after an abort, reach their own calls', async () => {
    const peer = await startFaultPeer({
      scripts: (request, index) => async (line) => {
        // A pause ends with its connection, so nobody gets the answer to the call that is aborted.
        await line.pause(request.target.endsWith('late') ? 600_000 : (7 * index) % 40);
        await echoUser(request)(line);
      },
    });
    const client = clientOf(peer);
    for (let round = 0; round < 5; round++) {
      const controller = new AbortController();
      const aborted = rejection(client.users.get('late', { signal: controller.signal }));
      const users = Promise.all(uids.map((uid) => client.users.get(uid)));
      await turns();
      controller.abort('enough');
      expect([await aborted, (await users).map(({ uid }) => uid)]).toEqual(['enough', uids]);
    }
  });

  it('an answer that nobody asked for is the result of no call', async () => {
    const peer = await startFaultPeer({
      scripts: (request) => async (line) => {
        await echoUser(request)(line);
        await user('evil')(line);
      },
    });
    const client = clientOf(peer, { retry: { baseMs: 1, attempts: 10 }, concurrency: 10 });
    for (const uid of uids) {
      expect(await client.users.get(uid).catch(() => ({ uid }))).toEqual({ uid });
      // A request on the same connection would race with the second answer; an idle connection is
      // closed by it.
      await until(() => peer.openConnections() === 0);
    }
  });

  it('a peer that goes up and down: right results or network errors, and right ones once it stays up', async () => {
    let events = 0;
    const isUp = (): boolean => events > 200 || Math.floor(events++ / 12) % 2 === 0;
    const peer = await startFaultPeer({
      scripts: (request) => (isUp() ? echoUser(request) : (line) => line.reset()),
      onConnect: (socket) => void (isUp() ? undefined : socket.resetAndDestroy()),
    });
    const client = clientOf(peer, quick);
    const outcomes = new Set<string>();
    while (events <= 200) outcomes.add((await endOf(client.users.get('ann'), { uid: 'ann' })).outcome);
    expect([...outcomes].sort()).toEqual(['network', 'right']);
    expect(await client.users.get('ann')).toEqual({ uid: 'ann' });
  });
});

describe('close', () => {
  it('waits for calls and their retries, refuses later ones, and may come twice', async () => {
    const server = await serve((response) =>
      json(response, { data: { uid: 'ann' } }, server.received.length === 1 ? 503 : 200),
    );
    const client = clientOf(server, { retry: { baseMs: 200 } });
    const call = client.users.get('ann');
    await until(() => server.received.length > 0);
    await Promise.all([client.close(), client.close()]);
    expect(await call).toEqual({ uid: 'ann' });
    const error = await rejection(client.users.get('ann'));
    expect([error instanceof UsageError, String(error)]).toEqual([
      true,
      expect.stringContaining('the client is closed'),
    ]);
    expect(server.received).toHaveLength(2);
  });

  it('leaves a dispatcher of the caller open', async () => {
    const dispatcher = new Agent();
    onTestFinished(() => dispatcher.close());
    const peer = await startFaultPeer({ scripts: echoUser });
    await clientOf(peer, { dispatcher }).close();
    expect(await clientOf(peer, { dispatcher }).users.get('ann')).toEqual({ uid: 'ann' });
  });
});

describe('undici', () => {
  const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

  it('is no older than its last security release, and used for pools alone: its retries splice, its redirects send the key on', () => {
    for (const version of [
      JSON.parse(read('package.json')).dependencies.undici,
      JSON.parse(read('node_modules/undici/package.json')).version,
    ]) {
      const [, minor] = /^\^?7\.(\d+)\./.exec(version)!;
      expect(Number(minor)).toBeGreaterThanOrEqual(29);
    }
    const code = read('src/platform/client/call.ts').replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '');
    expect(code).toContain("import { Agent, type Dispatcher } from 'undici'");
    expect(code).not.toMatch(/\bfetch\(|maxRedirections|RetryAgent|interceptors|setGlobalDispatcher/);
  });
});
