/**
 * A server of the benchmark `http`, in a process of its own: `http-server.js sluice|handler|hono`.
 * Sends its port, and ends with its parent.
 */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { getRequestListener } from '@hono/node-server';
import { Hono } from 'hono';
import { listen } from '../../src/foundation/listener/listen.js';
import { createModerator, type KeywordList, type Rule, type RuleSource } from '../../src/index.js';
import { createAnswering } from '../../src/live/http/answering.js';
import { createModerationHandler } from '../../src/live/http/handler.js';
import { projectRoot } from '../record.js';

const read = (name: string) => JSON.parse(readFileSync(join(projectRoot, 'fixtures/data', name), 'utf8')) as unknown;

/** The rules of the demo. */
function demoSource(): RuleSource {
  const rules = read('rules.json') as Rule[];
  const lists = read('lists.json') as KeywordList[];
  return {
    rules: { list: async () => ({ data: rules, meta: {} }), get: async (id) => lists.find((list) => list.id === id)! },
  };
}

/** Serves a Hono app as its own bridge does by default. */
async function serveHono(app: Hono): Promise<number> {
  // Others have their turns meanwhile.
  const server = createServer({ keepAliveTimeout: 3_600_000 }, getRequestListener(app.fetch));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

const servers: Readonly<Record<string, () => Promise<number>>> = {
  /** As `sluice moderate` serves it. */
  sluice: async () => {
    const { authority } = await listen({
      host: '127.0.0.1',
      port: 0,
      times: { idleMs: 2_400_000 },
      fetch: createAnswering(await createModerator({ source: demoSource() })),
      isWholeProcess: true,
    });
    return Number(authority.split(':')[1]);
  },
  /** In a Hono app of one's own. */
  handler: async () => {
    const handler = createModerationHandler(await createModerator({ source: demoSource() }));
    return serveHono(new Hono().post('/decide', ({ req }) => handler(req.raw)));
  },
  /** Parses and answers. */
  hono: () =>
    serveHono(
      new Hono().post('/decide', async (context) => {
        const { data } = await context.req.json<{ readonly data: { readonly text: string } }>();
        return context.json({ verdict: 'allow', length: data.text.length });
      }),
    ),
};

const port = await servers[process.argv[2]!]!();
process.on('disconnect', () => process.exit());
process.send?.(port);
