/** P12: a client never worsens an outage. What counts is what reaches the wire. */
import { describe, expect, it } from 'vitest';
import type { Client } from '../../../src/platform/client/client.js';
import type { ClientOptions } from '../../../src/platform/client/options.js';
import { countByTarget, type FaultPeer, type Script, startFaultPeer } from '../../support/fault-peer.js';
import { answering, failing } from '../../support/fault-peer-answers.js';
import { clientOf } from '../../support/http.js';
import { isFull } from '../../support/runs.js';
import { failOnStrays, maxAttempts } from './play-faults.js';
import { canaryKey, expectNoKey } from './watch-call.js';

failOnStrays();

const callCount = isFull ? 10_000 : 120;
const user = answering('{"data":{"uid":"ann"}}');
const resets: Script = (line) => line.reset();

/** Not in step with anything, and the same in every run. */
function coin(seed: number): () => boolean {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state > 0x7fffffff;
  };
}

const heads = coin(7);

/** What a peer does with request number `index`. */
const outages: Readonly<Record<string, (index: number) => Script>> = {
  'all 503': () => failing(503),
  'half 503': () => (heads() ? failing(503) : user),
  'all reset': () => resets,
  'half reset': () => (heads() ? resets : user),
  '50 down, 50 up': (index) => (Math.floor(index / 50) % 2 === 0 ? failing(503) : user),
  'all 500 with right bodies': () => answering('{"data":{"uid":"ann"}}', 500),
  'all cut': () => async (line) => {
    await line.send('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"data":');
    line.finish();
  },
};

interface Burst {
  readonly requests: number;
  readonly rejected: number;
  /** Requests of the call that made the most. */
  readonly mostAttempts: number;
}

/** `calls` calls, `atOnce` at a time; each is for a user of its own, so that its requests can be counted. */
async function burst(client: Client, peer: FaultPeer, name: string, calls: number, atOnce: number): Promise<Burst> {
  const before = peer.requests.length;
  let next = 0;
  let rejected = 0;
  const worker = async (): Promise<void> => {
    while (next < calls) {
      await client.users.get(`${name}-${next++}`).catch((error: unknown) => {
        rejected++;
        if (rejected <= 3) expectNoKey(error);
      });
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  const requests = peer.requests.slice(before);
  return { requests: requests.length, rejected, mostAttempts: Math.max(...countByTarget(requests).values()) };
}

const timeouts = { totalMs: 1_800_000 };
const options = { apiKey: canaryKey, retry: { baseMs: 1, capMs: 2 }, timeouts } satisfies Partial<ClientOptions>;

describe.each(Object.entries(outages))('%s', (name, scriptOf) => {
  it(`${callCount} calls cost at most a tenth more once the budget is spent, one at a time and together`, async () => {
    const peer = await startFaultPeer({ scripts: (_, index) => scriptOf(index) });
    const client = clientOf(peer, options);
    const spending = await burst(client, peer, 'first', 60, 8);
    expect(spending.mostAttempts).toBeLessThanOrEqual(maxAttempts);
    for (const atOnce of [1, 32]) {
      const spent = await burst(client, peer, `then-${atOnce}`, callCount, atOnce);
      expect(spent.mostAttempts).toBeLessThanOrEqual(maxAttempts);
      expect(spent.requests).toBeLessThanOrEqual(callCount * 1.1);
      // A peer that gives nothing earns nothing: not one request more than calls.
      if (name.startsWith('all')) expect(spent).toMatchObject({ requests: callCount, rejected: callCount });
      else expect(spent.rejected).toBeLessThan(callCount);
    }
  });
});

describe('before the budget is spent', () => {
  it('a lone fault among many calls causes no error', async () => {
    const peer = await startFaultPeer({ scripts: (_, index) => (index % 50 === 49 ? failing(503) : user) });
    const outcome = await burst(clientOf(peer, options), peer, 'lone', 250, 8);
    expect(outcome.rejected).toBe(0);
    expect(outcome.mostAttempts).toBe(2);
  });

  it('a client of its own has a budget of its own, and one budget for all of its operations', async () => {
    const peer = await startFaultPeer({ scripts: [failing(503)] });
    const client = clientOf(peer, { ...options, retry: { baseMs: 1, capMs: 2, budget: 5 } });
    const calls = Array.from({ length: 10 }, () => [
      client.users.get('ann'),
      client.groups.get('g1'),
      client.rules.list(),
      client.groups.markAsRead('g1', { onBehalfOf: 'ann' }),
    ]).flat();
    await Promise.allSettled(calls);
    expect(peer.requests).toHaveLength(calls.length + 5);
  });
});
