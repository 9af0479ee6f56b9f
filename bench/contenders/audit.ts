/** Contenders of `audit`: every message is fetched over HTTP from a service in another process. */

import { audit } from '../../src/audit/stream.js';
import { createEngine } from '../../src/engine/engine.js';
import { createClient } from '../../src/platform/client/client.js';
import { type Service, startService } from '../../src/platform/service/index.js';
import { type Contender, ours, type Pass, verdictWeights } from '../rules/contenders.js';

const pageSize = 100;
const users = ['ana', 'ben', 'chloe', 'dmitri', 'eun', 'farid', 'goran', 'hiro'].map((uid) => ({ uid, name: uid }));
const variable = 'SLUICE_BENCH_SERVICE';

/** Messages of these texts, as a platform lists them. */
export function listedMessages(texts: readonly string[]) {
  const userAt = (index: number) => users[index % users.length]!.uid;
  return texts.map((text, index) => ({
    id: String(index + 1),
    sender: userAt(index),
    receiverType: 'user' as const,
    receiver: userAt(index + 1 + (index % (users.length - 1))),
    category: 'message',
    type: 'text',
    data: { text },
    sentAt: 1_780_000_000 + index,
    updatedAt: 1_780_000_000 + index,
  }));
}

/**
 * Serves messages of these texts to a child process, which finds the service by the environment
 * that is returned.
 */
export async function serveMessages(
  texts: readonly string[],
): Promise<{ readonly env: Readonly<Record<string, string>>; readonly close: Service['close'] }> {
  const { url, apiKey, close } = await startService({
    data: { users, groups: [], messages: listedMessages(texts), rules: [], lists: [] },
  });
  return { env: { [variable]: JSON.stringify({ url, apiKey }) }, close };
}

function servedAt(): { readonly url: string; readonly apiKey: string } {
  return JSON.parse(process.env[variable] ?? '{}') as { url: string; apiKey: string };
}

/** Times passes of a walk that is asynchronous. */
export async function timed(times: number, walk: () => Promise<number>): Promise<Pass> {
  const startedAt = performance.now();
  let count = await walk();
  for (let time = 1; time < times; time++) count = await walk();
  return { ns: ((performance.now() - startedAt) * 1e6) / Math.max(1, times), count };
}

/** The whole way: pages over HTTP, parsed and checked by the client, every message explained. */
const clientAudit: Contender = {
  name: ours,
  note: `client, engine and audit, pages of ${pageSize}`,
  prepare: ({ ruleSet, semantics }) => {
    const { url, apiKey } = servedAt();
    const client = createClient({ baseUrl: url, apiKey });
    const engine = createEngine(ruleSet, semantics);
    const walk = async () => {
      let count = 0;
      const messages = client.messages.iterate({ limit: pageSize });
      for await (const { decision } of audit(messages, engine)) count += verdictWeights[decision.verdict];
      return count;
    };
    const close = async () => {
      engine.close();
      await client.close();
    };
    return { pass: (times) => timed(times, walk), close };
  },
};

interface Page {
  readonly data: readonly unknown[];
  readonly meta: { readonly next?: Readonly<Record<string, unknown>> };
}

/**
 * The least work with the same pages: fetches each, parses it as JSON, follows the cursor, counts
 * rows.
 */
const fetchFloor: Contender = {
  name: 'floor: fetch and JSON.parse',
  note: 'the same pages, nothing checked, nothing judged',
  prepare: () => {
    const { url, apiKey } = servedAt();
    const walk = async () => {
      let rows = 0;
      let next: Page['meta']['next'] = {};
      while (next !== undefined) {
        const query = new URLSearchParams({ limit: String(pageSize) });
        for (const [name, value] of Object.entries(next)) query.set(name, String(value));
        const response = await fetch(`${url}/messages?${query}`, { headers: { apikey: apiKey } });
        const page = JSON.parse(await response.text()) as Page;
        rows += page.data.length;
        next = page.meta.next;
      }
      return rows;
    };
    return { pass: (times) => timed(times, walk) };
  },
};

export const auditContenders: readonly Contender[] = [clientAudit, fetchFloor];
