import { audit } from '../../audit/audit.js';
import { createClient } from '../../client/client.js';
import { createEngine } from '../../engine.js';
import type { Verdict } from '../../evaluate/decision.js';
import { type BenchMessage, type Contender, type Material, ours, type Pass, type Runner } from '../model.js';
import { startServiceProcess } from '../service-process.js';

const weights: Readonly<Record<Verdict, number>> = { allow: 0, blockMessage: 1, dropMessage: 2 };
const pageSize = 100;

/** The service that one measurement shares: started by whoever asks first, ended when the last one closes. */
interface Shared {
  readonly url: string;
  readonly apiKey: string;
  release(): Promise<void>;
}

const running = new WeakMap<Material, { users: number; process: ReturnType<typeof startServiceProcess> }>();

/** Where the service is, as JSON of its `url` and `apiKey`, when whoever started this process serves the messages. */
export const serviceVariable = 'SLUICE_BENCH_SERVICE';

async function shareService(material: Material): Promise<Shared> {
  const given = process.env[serviceVariable];
  if (given !== undefined) return { ...(JSON.parse(given) as Pick<Shared, 'url' | 'apiKey'>), release: async () => {} };
  const entry = running.get(material) ?? { users: 0, process: startServiceProcess(material.messages) };
  running.set(material, entry);
  entry.users += 1;
  const { url, apiKey, close } = await entry.process;
  const release = async () => {
    entry.users -= 1;
    if (entry.users > 0) return;
    running.delete(material);
    await close();
  };
  return { url, apiKey, release };
}

async function timed(times: number, walk: () => Promise<number>): Promise<Pass> {
  const startedAt = performance.now();
  let count = await walk();
  for (let time = 1; time < times; time++) count = await walk();
  return { ns: ((performance.now() - startedAt) * 1e6) / Math.max(1, times), count };
}

/** The whole way: pages over HTTP, parsed and checked by the client, every message explained. */
export const httpAudit: Contender = {
  name: ours,
  note: `client, engine and audit, pages of ${pageSize}`,
  prepare: async (material): Promise<Runner> => {
    const service = await shareService(material);
    const client = createClient({ baseUrl: service.url, apiKey: service.apiKey });
    const engine = createEngine(material.ruleSet, material.semantics);
    const walk = async () => {
      let count = 0;
      const messages = client.messages.iterate({ limit: pageSize });
      for await (const { decision } of audit(messages, engine)) count += weights[decision.verdict];
      return count;
    };
    const close = async () => {
      engine.close();
      await client.close();
      await service.release();
    };
    return { pass: (times) => timed(times, walk), close };
  },
};

/** The least that anybody can do with the same pages: fetch each, `JSON.parse` it, follow the cursor, count rows. */
export const httpFloor: Contender = {
  name: 'floor: fetch and JSON.parse',
  note: 'the same pages, nothing checked, nothing judged',
  prepare: async (material): Promise<Runner> => {
    const service = await shareService(material);
    const headers = { apikey: service.apiKey };
    const walk = async () => {
      let rows = 0;
      let query: string | undefined = `limit=${pageSize}`;
      while (query !== undefined) {
        const response = await fetch(`${service.url}/messages?${query}`, { headers });
        const page = JSON.parse(await response.text()) as HttpPage;
        rows += page.data.length;
        const next = page.meta.next;
        query = next && new URLSearchParams({ limit: String(pageSize), ...stringified(next) }).toString();
      }
      return rows;
    };
    return { pass: (times) => timed(times, walk), close: service.release };
  },
};

interface HttpPage {
  readonly data: readonly BenchMessage[];
  readonly meta: { readonly next?: Readonly<Record<string, unknown>> };
}

function stringified(fields: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, String(value)]));
}
