import { existsSync, readdirSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSummary } from '../../src/audit/summary.js';
import { coordinateSpans } from '../../src/batch/span-coordinator.js';
import { digestOfSpanPlan, writeSpanPlan } from '../../src/batch/span-plan.js';
import { SpanResults } from '../../src/batch/span-results.js';
import type { Span } from '../../src/queue/span-queue.js';
import { type Service, startService } from '../../src/service/index.js';
import { sluice } from '../cli/terminal.js';
import { messages, world } from '../cli/world.js';
import { until } from '../support/until.js';
import { programOf, startBroker } from './brokers.js';

/** Days on which the queue goes away, refuses, forgets half, or a plan is replaced below its workers. */

const since = 1_772_323_200;
const rows = messages(1_200).map((row, index) => ({ ...row, sentAt: since + Math.floor(index / 2) }));

let directory: string;
let service: Service;

const file = (name: string) => join(directory, name);
/** Spans of two small pages: many of them. */
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

/** A plan that differs by a name. */
function planOf(revision: string): Parameters<typeof writeSpanPlan>[1] {
  const inputs = {
    version: '1',
    rules: revision,
    engine: revision,
    source: 'x',
    all: false,
    onBadRow: 'stop',
  } as const;
  const options = { scores: new Map(), summary: {}, rows: 'findings' } as const;
  return { inputs, ruleSet: { rules: [], lists: [] }, semantics: {}, patternEngine: 're2js', options };
}

it('an audit whose workers judge nothing says so, once, and again when they stop again', async () => {
  const plan = await writeSpanPlan(file('idle'), planOf('idle'));
  const results = new SpanResults(file('idle'), plan);
  const spans: Span[] = [60, 120].map((after) => ({ from: since + after, seconds: 60 }));
  let asked = 0;
  const idles: number[] = [];
  const queue = {
    add: async () => undefined,
    pending: async () => {
      asked += 1;
      return spans.length;
    },
    obstacles: async () => ({ isPaused: false, foreign: 0 }),
  };
  const { signal } = new AbortController();
  const coordinator = coordinateSpans(spans, queue, results, { signal, refillMs: 1, onIdle: () => idles.push(asked) });
  await until(() => asked >= 40);
  expect(idles).toHaveLength(1);
  await results.write(spans[0]!, nothing);
  const seen = asked;
  await until(() => asked >= seen + 40);
  await coordinator.close();
  expect(idles).toHaveLength(2);
});

/** What judging a span without messages gives. */
const nothing = { rows: '', rowCount: 0, summary: createSummary().toJSON(), bad: [], badCount: 0 } as const;

describe('a plan', () => {
  it('has a queue of its own in each directory, and the same one when the audit comes back', async () => {
    const digest = await writeSpanPlan(file('one'), planOf('a'));
    expect(await writeSpanPlan(file('one'), planOf('a'))).toBe(digest);
    expect(await digestOfSpanPlan(file('one'))).toBe(digest);
    expect(await writeSpanPlan(file('two'), planOf('a'))).not.toBe(digest);
  });

  it('takes no result of a worker that still follows the plan before it', async () => {
    const span: Span = { from: since, seconds: 60 };
    const old = new SpanResults(file('replaced'), await writeSpanPlan(file('replaced'), planOf('old')));
    const digest = await writeSpanPlan(file('replaced'), planOf('new'));
    await old.write(span, nothing);
    const results = new SpanResults(file('replaced'), digest);
    expect([await results.has(span), await results.read(span), [...(await results.names())]]).toEqual([
      false,
      undefined,
      [],
    ]);
    await results.write(span, nothing);
    expect(await results.read(span)).toEqual(nothing);
  });
});
