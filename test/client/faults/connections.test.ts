/** Faults of connections: refused, dead, late, reused after their end. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { NetworkError, TimeoutError } from '../../../src/foundation/errors.js';
import { type Environment, systemEnvironment } from '../../../src/platform/client/deadline.js';
import { closedPort, type Script, startFaultPeer } from '../../support/fault-peer.js';
import { answering } from '../../support/fault-peer-answers.js';
import { fillBacklog, startDeafPeer } from '../../support/fault-peer-deaf.js';
import { clientIn, clientOf, rejection } from '../../support/http.js';
import { turns, until } from '../../support/until.js';
import { failOnStrays, quickOptions } from './play-faults.js';
import { fewRows, type Row, rows } from './rows.js';
import { watchCall } from './watch-call.js';
import { all, watchAll } from './watch-rows.js';

failOnStrays();

/** A user whose uid identifies the request. */
const user = (uid: string) => answering(JSON.stringify({ data: { uid } }));
const echoUser = ({ target }: { readonly target: string }) => user(target.slice(target.lastIndexOf('/') + 1));

describe('connecting', () => {
  it('refused', async () => {
    const url = `http://127.0.0.1:${await closedPort()}/v3`;
    expect(await watchAll(url, rows)).toEqual(all('network', rows));
    const error = (await rejection(clientOf({ url }, quickOptions).users.get('ann'))) as NetworkError;
    expect(error.cause).toMatchObject({ code: 'ECONNREFUSED' });
  });

  describe.skipIf(process.platform !== 'linux')('packets dropped (the length of the queue is a fact of Linux)', () => {
    const startFull = async () => {
      const { port, url } = await startDeafPeer(1_800_000);
      await fillBacklog(port);
      return url;
    };

    it('ended by the deadline', async () => {
      const options = { ...quickOptions, timeouts: { totalMs: 300 } };
      expect(await watchAll(await startFull(), fewRows, options)).toEqual(all('timeout', fewRows));
    });

    it('ended by `connectMs`', async () => {
      const options = { ...quickOptions, retry: false as const, timeouts: { totalMs: 1_800_000, connectMs: 100 } };
      const error = await rejection(clientOf({ url: await startFull() }, options).users.get('ann'));
      expect(error).toMatchObject({ code: 'timeout', afterMs: 100 });
    });

    it('aborted by the caller', async () => {
      const client = clientOf({ url: await startFull() }, quickOptions);
      const error = await rejection(client.users.get('ann', { signal: AbortSignal.timeout(50) }));
      expect(error).toMatchObject({ name: 'TimeoutError' });
      // `close` must not wait for the requested connection: it would be half an hour.
      await client.close();
    });
  });

  it('a name that does not resolve', async () => {
    // A label over 63 characters fails in the resolver itself, without a query to a name server.
    const url = `https://${'a'.repeat(70)}.invalid/v3`;
    expect(await watchAll(url, rows)).toEqual(all('network', rows));
  });

  it('accepted late', async () => {
    const row = rows.find(({ operation }) => operation === 'getUser')!;
    const answer = `HTTP/1.1 200 OK\r\ncontent-length: ${row.body.length}\r\n\r\n${row.body}`;
    const { url } = await startDeafPeer(200, answer);
    expect(await watchAll(url, [row])).toEqual(['right']);
  });
});

describe('reused connections', () => {
  /** Answers on a fresh connection; ends one that is used again, without a word. */
  const endsWhenReused = (row: Row, end: 'reset' | 'finish') => {
    const used = new Set<number>();
    return startFaultPeer({
      scripts: ({ connection }) => {
        if (used.has(connection)) return (line) => line[end]();
        used.add(connection);
        return answering(row.body);
      },
    });
  };

  it.each(['reset', 'finish'] as const)('closed by the peer while the request is written (%s)', async (end) => {
    const outcomes = rows.map(async (row) => {
      const peer = await endsWhenReused(row, end);
      const client = clientOf(peer, quickOptions);
      const first = await watchCall(() => row.call(client), row.right);
      // Only a connection that has come to rest is used again.
      await turns();
      const second = await watchCall(() => row.call(client), row.right);
      return [row.operation, first.outcome, second.outcome, peer.requests.length];
    });
    const expected = rows.map(({ operation, repeatable }) => {
      // A DELETE with a body gets a connection of its own from undici, which none comes after.
      if (operation === 'markAsUnread') return [operation, 'right', 'right', 2];
      return [operation, 'right', repeatable ? 'right' : 'network', repeatable ? 3 : 2];
    });
    expect(await Promise.all(outcomes)).toEqual(expected);
  });

  it('closed by the peer while idle: no attempt is lost', async () => {
    const outcomes = rows.map(async (row) => {
      const script: Script = async (line) => {
        await answering(row.body)(line);
        line.finish();
      };
      const peer = await startFaultPeer({ scripts: [script] });
      const client = clientOf(peer, quickOptions);
      const endings: string[] = [];
      for (let count = 0; count < 3; count++) {
        endings.push((await watchCall(() => row.call(client), row.right)).outcome);
        await until(() => peer.openConnections() === 0);
      }
      return [...endings, peer.requests.length];
    });
    expect(await Promise.all(outcomes)).toEqual(rows.map(() => ['right', 'right', 'right', 3]));
  });

  it('a response after an abort reaches no other call', async () => {
    let aborted = Promise.resolve<unknown>(undefined);
    const peer = await startFaultPeer({
      scripts: (request) => async (line) => {
        if (request.target.endsWith('late')) await aborted;
        await echoUser(request)(line);
      },
    });
    const lateOnes = () => peer.requests.filter(({ target }) => target.endsWith('late')).length;
    const client = clientOf(peer, quickOptions);
    for (let round = 0; round < 10; round++) {
      const controller = new AbortController();
      aborted = rejection(client.users.get('late', { signal: controller.signal }));
      const others = Array.from({ length: 5 }, (_, index) => client.users.get(`user${index}`));
      await until(() => lateOnes() === round + 1);
      controller.abort('enough');
      expect(await aborted).toBe('enough');
      others.push(client.users.get('after'));
      const uids = (await Promise.all(others)).map(({ uid }) => uid);
      expect(uids).toEqual(['user0', 'user1', 'user2', 'user3', 'user4', 'after']);
    }
  });

  it('responses in another order reach their calls', async () => {
    const peer = await startFaultPeer({
      scripts: (request, index) => async (line) => {
        await line.pause((7 * index) % 40);
        await echoUser(request)(line);
      },
    });
    const client = clientOf(peer, quickOptions);
    const uids = Array.from({ length: 60 }, (_, index) => `user${index}`);
    const users = await Promise.all(uids.map((uid) => client.users.get(uid)));
    expect(users.map(({ uid }) => uid)).toEqual(uids);
  });

  it('an unrequested response is not the result of the next call', async () => {
    for (const gapMs of [0, 5]) {
      const peer = await startFaultPeer({
        scripts: (request) => async (line) => {
          await echoUser(request)(line);
          if (gapMs > 0) await line.pause(gapMs);
          await user('evil')(line);
        },
      });
      const client = clientOf(peer, { ...quickOptions, retry: { baseMs: 1, attempts: 10 }, concurrency: 10 });
      const uids = Array.from({ length: 10 }, (_, index) => `user${index}`);
      for (const uid of uids) {
        const found = await client.users.get(uid).catch((error: unknown) => error);
        expect(found).not.toMatchObject({ uid: 'evil' });
        // A request on the same connection would race with the unrequested response; an idle connection is closed by it.
        await until(() => peer.openConnections() === 0);
      }
      const together = await Promise.allSettled(uids.map((uid) => client.users.get(uid)));
      for (const [index, settled] of together.entries()) {
        if (settled.status === 'fulfilled') expect(settled.value.uid).toBe(uids[index]);
      }
    }
  });
});

describe('a peer that goes up and down', () => {
  it('right results or typed errors, and right results once it stays up', async () => {
    let events = 0;
    let staysUp = false;
    // Up for so many connections and requests, and down for so many.
    const isUp = (): boolean => staysUp || Math.floor(events++ / 12) % 2 === 0;
    const peer = await startFaultPeer({
      scripts: (request) => (isUp() ? echoUser(request) : (line) => line.reset()),
      onConnect: (socket) => void (isUp() ? undefined : socket.resetAndDestroy()),
    });
    const client = clientOf(peer, quickOptions);
    const outcomes = new Map<string, number>();
    for (let round = 0; round < 20; round++) {
      const uids = Array.from({ length: 5 }, (_, index) => `user${index}`);
      const calls = uids.map((uid) => watchCall(() => client.users.get(uid), { uid }));
      for (const { outcome } of await Promise.all(calls)) outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
      await turns();
    }
    staysUp = true;
    expect([...outcomes.keys()].sort()).toEqual(['network', 'right']);
    expect(await client.users.get('ann')).toEqual({ uid: 'ann' });
  });
});

describe('proxy variables of the environment', () => {
  afterEach(() => void vi.unstubAllEnvs());

  it.each(['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy', 'all_proxy', 'npm_config_proxy'])(
    '%s is ignored',
    async (name) => {
      const proxy = await startFaultPeer({ scripts: [user('evil')] });
      vi.stubEnv(name, proxy.origin);
      vi.stubEnv('NODE_USE_ENV_PROXY', '1');
      const peer = await startFaultPeer({ scripts: echoUser });
      expect(await clientOf(peer, quickOptions).users.get('ann')).toEqual({ uid: 'ann' });
      expect(proxy.connections()).toBe(0);
    },
  );
});

/** A busy machine: the clock jumps over every deadline before the first timer fires. */
function busyEnvironment() {
  let elapsed = 0;
  const due = new Set<() => void>();
  const after: Environment['after'] = (_ms, fire) => {
    due.add(fire);
    return () => due.delete(fire);
  };
  const jump = (ms: number): void => {
    elapsed += ms;
    for (const fire of due) fire();
  };
  return { ...systemEnvironment, elapsedMs: () => elapsed, after, jump };
}

describe('a peer that never responds, with calls in the queue', () => {
  it('no request is sent for a call whose deadline passed in the queue', async () => {
    const peer = await startFaultPeer({ scripts: [() => {}] });
    for (let round = 1; round <= 3; round++) {
      const world = busyEnvironment();
      const client = clientIn(world, peer, { ...quickOptions, concurrency: 1, timeouts: { totalMs: 40 } });
      const calls = Array.from({ length: 5 }, (_, index) => rejection(client.users.get(`user${index}`)));
      await until(() => peer.requests.length === round);
      world.jump(55);
      const attempts = (await Promise.all(calls)).map((error) => (error as TimeoutError).attempts);
      expect(attempts).toEqual([1, 0, 0, 0, 0]);
      expect(peer.requests.length).toBeLessThanOrEqual(round);
    }
  });
});
