import { existsSync, readdirSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openWindowQueue, type WindowBounds } from '../../src/fleet/queue.js';
import { type Service, startService } from '../../src/service/index.js';
import { sluice } from '../cli/terminal.js';
import { messages, world } from '../cli/world.js';
import { until } from '../support/until.js';
import { programOf, startBroker } from './brokers.js';

/** Queues that answer nothing, hold jobs of others, are paused, or are gone when nothing is left to be judged. */

const since = 1_772_323_200;
const rows = messages(600).map((row, index) => ({ ...row, sentAt: since + Math.floor(index / 2) }));
const windows: WindowBounds[] = [0, 60, 120].map((after) => ({ from: since + after, seconds: 60 }));

let directory: string;
let service: Service;

const file = (name: string) => join(directory, name);
const audit = (out: string) => ['audit', '--since', String(since), '--page-size', '20', '--out', file(out)];
const filesOf = (out: string, folder: string) =>
  existsSync(file(`${out}/${folder}`)) ? readdirSync(file(`${out}/${folder}`)) : [];
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
  directory = await mkdtemp(join(tmpdir(), 'sluice-odd-queues-'));
  const faults = { faults: [{ kind: 'latency', ms: 60, path: '/messages' }] } as const;
  service = await startService({ data: { ...world(), messages: rows }, faults });
});
afterAll(async () => {
  await service.close();
  await rm(directory, { recursive: true });
});

it('a queue that takes connections and answers nothing is refused, before anything is written', async () => {
  const mute = createServer(() => undefined).listen(0, '127.0.0.1');
  await new Promise((resolve) => mute.once('listening', resolve));
  const { port } = mute.address() as { port: number };
  const { code, stderr } = await run(audit('mute'), `redis://127.0.0.1:${port}`).ended;
  expect([code, stderr]).toEqual([4, expect.stringContaining('(it does not answer)')]);
  expect(filesOf('mute', '.').filter((name) => !name.startsWith('.'))).toEqual([]);
  mute.close();
});

describe.skipIf(programOf('redis') === undefined)('a queue in redis', () => {
  it('that stops answering holds up no interruption, and no end once all results are there', async () => {
    const broker = await startBroker('redis');
    const judging = run(['worker', '--concurrency', '1', '--out', file('frozen')], broker.url);
    const first = run(audit('frozen'), broker.url);
    await until(() => filesOf('frozen', 'parts').some((name) => name.endsWith('.part')));
    first.interrupt();
    expect((await first.ended).code).toBe(130);
    // The worker goes on without the audit, until all is judged.
    const seen = () => filesOf('frozen', 'parts').filter((name) => name.endsWith('.part')).length;
    const judged = () => filesOf('frozen', 'parts/windows').filter((name) => name.endsWith('.judged')).length;
    const all = Number(/(\d+) windows? of/.exec(first.stderr())?.[1]);
    await until(() => seen() + judged() >= all);
    broker.freeze();
    judging.interrupt();
    expect((await judging.ended).code).toBe(130);
    const last = await run(audit('frozen'), broker.url).ended;
    expect([last.code, last.stderr]).toEqual([0, expect.not.stringContaining('does not answer')]);
    await broker.remove();
    expect((await run(audit('frozen-alone'), '').ended).code).toBe(0);
    expect(await contents('frozen')).toEqual(await contents('frozen-alone'));
  });

  it('from which no worker takes anything has an audit that says so, and one takes it up', async ({
    onTestFinished,
  }) => {
    const broker = await startBroker('redis');
    onTestFinished(() => broker.remove());
    const audited = run(audit('lonely'), broker.url);
    await until(() => audited.stderr().includes('no worker has taken a window yet; start `sluice worker --out'));
    expect(audited.stderr()).not.toContain('a worker has taken');
    const judging = run(['worker', '--concurrency', '1', '--out', file('lonely')], broker.url);
    expect((await audited.ended).code).toBe(0);
    expect((await judging.ended).code).toBe(0);
    expect(audited.stderr()).toContain('a worker has taken a window\n');
  });

  it('says that it is paused, and how many jobs on it are of others', async ({ onTestFinished }) => {
    const broker = await startBroker('redis');
    onTestFinished(() => broker.remove());
    let foreign = 0;
    const queue = await openWindowQueue({ url: broker.url, name: 'plan', onForeignJob: () => foreign++ });
    const { hostname: host, port } = new URL(broker.url);
    const others = new Queue('plan', { connection: { host, port: Number(port) }, prefix: 'sluice' });
    await queue.add(windows);
    expect(await queue.obstacles()).toEqual({ isPaused: false, foreign: 0 });
    await others.addBulk([1, 2].map((mail) => ({ name: 'mail', data: { mail } as never })));
    await others.pause();
    expect(await queue.obstacles()).toEqual({ isPaused: true, foreign: 2 });
    await others.resume();
    const judged = new Set<number>();
    const worker = queue.work(async ({ from }) => void judged.add(from), { concurrency: 1 });
    await until(() => judged.size === windows.length && foreign === 2);
    await worker.close();
    await others.close();
    await queue.close();
  });

  it('learns nothing of an error but that there was one', async ({ onTestFinished }) => {
    const broker = await startBroker('redis');
    onTestFinished(() => broker.remove());
    const { hostname, port } = new URL(broker.url);
    const monitor = await new Redis(Number(port), hostname).monitor();
    const sent: string[] = [];
    monitor.on('monitor', (_time: string, words: readonly string[]) => sent.push(words.join(' ')));
    const queue = await openWindowQueue({ url: broker.url, name: 'plan' });
    await queue.add(windows);
    const worker = queue.work(() => Promise.reject(new Error('the secret of /etc/sluice')), { concurrency: 1 });
    await until(() => sent.filter((words) => words.includes('not judged')).length >= windows.length);
    await worker.close();
    await queue.close();
    monitor.disconnect();
    expect(sent.filter((words) => /secret|fleet\/queue|node_modules/.test(words))).toEqual([]);
  });
});
