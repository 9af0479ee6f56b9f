import { existsSync, readdirSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { type FleetEvent, openReportingQueue } from '../../src/fleet/events.js';
import type { WindowBounds } from '../../src/fleet/windows.js';
import { type Service, startService } from '../../src/service/index.js';
import { sluice } from '../cli/terminal.js';
import { messages, world } from '../cli/world.js';
import { until } from '../support/until.js';
import { programOf, startBroker } from './brokers.js';

/** Days on which the queue goes away, refuses or forgets half. */

const since = 1_772_323_200;
const rows = messages(1_200).map((row, index) => ({ ...row, sentAt: since + Math.floor(index / 2) }));

let directory: string;
let service: Service;

const file = (name: string) => join(directory, name);
/** Windows of two small pages: many of them. */
const audit = (out: string, ...others: string[]) => [
  ...['audit', '--since', String(since), '--page-size', '20', '--out', file(out), ...others],
];
const worker = (out: string) => ['worker', '--concurrency', '1', '--out', file(out)];
const parts = (out: string) =>
  existsSync(file(`${out}/parts`))
    ? readdirSync(file(`${out}/parts`)).filter((name) => name.endsWith('.part')).length
    : 0;
const contents = (out: string) =>
  Promise.all(
    ['decisions.ndjson', 'manifest.json', 'summary.json'].map((name) => readFile(file(`${out}/${name}`), 'utf8')),
  );

/** A command in this process, until it ends or is interrupted. */
function run(args: readonly string[], queue: string) {
  const controller = new AbortController();
  const env = { SLUICE_BASE_URL: service.url, SLUICE_API_KEY: service.apiKey, SLUICE_QUEUE: queue };
  let stderr = '';
  const onWrite = (stream: 'stdout' | 'stderr', text: string) => {
    if (stream === 'stderr') stderr += text;
  };
  const ended = sluice(args, { env, interrupted: controller.signal, onWrite });
  return { ended, stderr: () => stderr, interrupt: () => controller.abort(new Error('interrupted')) };
}

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sluice-bad-days-'));
  const faults = { faults: [{ kind: 'latency', ms: 120, path: '/messages' }] } as const;
  service = await startService({ data: { ...world(), messages: rows }, faults });
});
afterAll(async () => {
  await service.close();
  await rm(directory, { recursive: true });
});

const kinds = (['redis', 'postgres'] as const).filter((kind) => programOf(kind) !== undefined);

describe.skipIf(kinds.length === 0)('a queue', { concurrent: true }, () => {
  it.for(kinds)(
    'in %s that is away when audit and worker are interrupted holds up neither',
    async (kind, { expect, onTestFinished }) => {
      const broker = await startBroker(kind);
      onTestFinished(() => broker.remove());
      const [coordinator, judging] = [run(audit(`away-${kind}`), broker.url), run(worker(`away-${kind}`), broker.url)];
      await until(() => parts(`away-${kind}`) >= 2);
      await broker.kill();
      coordinator.interrupt();
      judging.interrupt();
      const [{ code, stderr }, { code: workerCode }] = await Promise.all([coordinator.ended, judging.ended]);
      expect([code, workerCode]).toEqual([130, 130]);
      expect(stderr).toContain('the same command goes on behind them');
    },
  );

  it.for(kinds)('in %s that goes away and comes back is said to', async (kind, { expect, onTestFinished }) => {
    const broker = await startBroker(kind);
    onTestFinished(() => broker.remove());
    const [coordinator, judging] = [run(audit(`back-${kind}`), broker.url), run(worker(`back-${kind}`), broker.url)];
    await until(() => parts(`back-${kind}`) >= 1);
    await broker.kill();
    await until(() => [coordinator, judging].every(({ stderr }) => stderr().includes('the queue does not answer')));
    await broker.start();
    const ended = await Promise.all([coordinator.ended, judging.ended]);
    expect(ended.map(({ code }) => code)).toEqual([0, 0]);
    for (const { stderr } of ended) expect(stderr).toMatch(/the queue does not answer[\s\S]*\nthe queue is back\n/);
  });

  it.for(kinds.flatMap((kind) => (['the audit', 'a worker'] as const).map((end) => [kind, end] as const)))(
    'in %s is said to be back at the end of %s that has nothing left to ask it',
    async ([kind, end], { expect, onTestFinished }) => {
      const broker = await startBroker(kind);
      onTestFinished(() => broker.remove());
      const said: FleetEvent['kind'][] = [];
      const queue = await openReportingQueue(broker.url, 'nothing-left', ({ kind: event }) => void said.push(event));
      let judged = 0;
      const judge = async () => {
        judged += 1;
      };
      const judging = end === 'a worker' ? queue.work(judge, { concurrency: 1 }) : undefined;
      await queue.add([{ from: since, seconds: 60 }]);
      // A worker has connected when it judges.
      await until(() => judging === undefined || judged > 0);
      await broker.kill();
      await queue.pending().catch(() => undefined);
      expect(said).toEqual(['queue-away']);
      await broker.start();
      await (judging === undefined ? queue.remove() : judging.close());
      expect(said.slice(1)).toContain('queue-back');
      await queue.close();
    },
  );

  it.for(kinds)('in %s that dies while a worker connects is worked on when it is back', async (kind, context) => {
    const { expect, onTestFinished } = context;
    const broker = await startBroker(kind);
    onTestFinished(() => broker.remove());
    const said: FleetEvent[] = [];
    const queue = await openReportingQueue(broker.url, 'dies-early', (event) => void said.push(event));
    const judged: WindowBounds[] = [];
    const judging = queue.work(async (window) => void judged.push(window), { concurrency: 1 });
    await broker.kill();
    await until(() => said.length > 0);
    await broker.start();
    const window = { from: since, seconds: 60 };
    const isAdded = () =>
      queue.add([window]).then(
        () => true,
        () => false,
      );
    while (!(await isAdded())) await pause(20);
    await until(() => judged.length > 0);
    expect(judged[0]).toEqual(window);
    await judging.close();
    await queue.close();
  });

  it.skipIf(!kinds.includes('postgres'))(
    'whose user may make no schema is refused in words',
    async ({ expect, onTestFinished }) => {
      const broker = await startBroker('postgres');
      onTestFinished(() => broker.remove());
      const { Client } = (await import('pg')).default;
      const client = new Client({ connectionString: broker.url });
      await client.connect();
      await client.query("create role reader login password 'hidden-word'");
      await client.end();
      const url = broker.url.replace('sluice@', 'reader:hidden-word@');
      const { code, stderr } = await run(audit('refused'), url).ended;
      expect([code, stderr]).toEqual([4, expect.stringContaining('its user may not make the schema `bullmq`')]);
      expect(stderr).not.toContain('hidden-word');
    },
  );

  it.skipIf(!kinds.includes('redis'))(
    'goes on with the workers that are there when the audit is begun anew',
    async ({ expect, onTestFinished }) => {
      const broker = await startBroker('redis');
      onTestFinished(() => broker.remove());
      const [first, judging] = [run(audit('anew'), broker.url), run(worker('anew'), broker.url)];
      await until(() => parts('anew') >= 2);
      first.interrupt();
      expect((await first.ended).code).toBe(130);
      const again = await run(audit('anew', '--force', '--all'), broker.url).ended;
      expect(again.code).toBe(0);
      const { code, stderr } = await judging.ended;
      expect([code, stderr]).toEqual([0, expect.stringContaining('is finished')]);
      expect((await run(audit('anew-alone', '--all'), '').ended).code).toBe(0);
      expect(await contents('anew')).toEqual(await contents('anew-alone'));
    },
  );
});
