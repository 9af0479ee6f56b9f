import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Service, startService } from '../../src/service/index.js';
import { sluice } from '../cli/terminal.js';
import { errorLine, messages, world } from '../cli/world.js';
import { builtCommand } from '../support/built-command.js';
import { until } from '../support/until.js';
import { type Broker, type BrokerKind, programOf, startBroker } from './brokers.js';

/** An audit on several processes, whatever dies: the files are those of an audit in one that nothing disturbs. */

const since = 1_772_323_200;
const rows = messages(6_000).map((row, index) => {
  const moderation = { status: index % 3 === 0 ? 'disapproved' : 'approved' };
  return { ...row, sentAt: since + Math.floor(index / 2), data: { ...row.data, moderation } };
});
const names = ['decisions.ndjson', 'manifest.json', 'summary.json'] as const;

let bin: string;
let directory: string;
let service: Service;
let whole: readonly string[];

const file = (name: string) => join(directory, name);
const contents = (out: string) => Promise.all(names.map((name) => readFile(join(file(out), name), 'utf8')));
const audit = (out: string) => {
  return ['audit', '--quiet', '--compare-platform', '--since', String(since), '--out', file(out)];
};
/** Windows of a few pages: many of them. */
const shared = (out: string) => [...audit(out), '--page-size', '50'];
const platform = () => ({ SLUICE_BASE_URL: service.url, SLUICE_API_KEY: service.apiKey });

beforeAll(async () => {
  bin = await builtCommand();
  directory = await mkdtemp(join(tmpdir(), 'sluice-fleet-'));
  // Slow enough for something to die in its midst.
  const faults = { faults: [{ kind: 'latency', ms: 120, path: '/messages' }] } as const;
  service = await startService({ data: { ...world(), messages: rows }, faults });
  expect((await sluice([...audit('alone')], { env: platform() })).code).toBe(0);
  whole = await contents('alone');
});
afterAll(async () => {
  for (const child of running) child.kill('SIGKILL');
  await service.close();
  await rm(directory, { recursive: true });
});

const kinds: readonly BrokerKind[] = ['redis', 'postgres'];
const missing = kinds.filter((kind) => programOf(kind) === undefined);
if (missing.length > 0) {
  const words = `the audits over ${missing.join(' and ')} did not run: not installed here`;
  if (process.env.SLUICE_REQUIRE_BROKERS === '1') throw new Error(words);
  console.warn(`warning: ${words}`);
}

interface Run {
  readonly child: ChildProcess;
  readonly ended: Promise<number | string>;
  readonly stderr: () => string;
}

/** What a failed test leaves behind. */
const running = new Set<ChildProcess>();

function start(args: readonly string[], env: Readonly<Record<string, string>>): Run {
  const child = spawn(process.execPath, [bin, ...args], { env: { PATH: process.env.PATH, ...platform(), ...env } });
  let written = '';
  child.stdout.resume();
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    written += text;
  });
  const ended = once(child, 'close').then(([code, signal]) => code ?? signal);
  running.add(child);
  void ended.then(() => running.delete(child));
  return { child, ended, stderr: () => written };
}

async function kill({ child, ended }: Run): Promise<void> {
  child.kill('SIGKILL');
  expect(await ended).toBe('SIGKILL');
}

/** Files in the folder of the parts, or of the windows. */
const filesIn = (...path: readonly string[]) =>
  existsSync(file(join(...path))) ? readdirSync(file(join(...path))) : [];
const parts = (out: string) => filesIn(out, 'parts').filter((name) => name.endsWith('.part')).length;

describe.skipIf(missing.length === kinds.length)('an audit over a queue', { concurrent: true }, () => {
  for (const kind of kinds.filter((name) => !missing.includes(name))) {
    it(`in ${kind}: workers, the database and the audit are killed, and nothing of it is seen`, async ({
      expect,
      onTestFinished,
    }) => {
      const broker: Broker = await startBroker(kind);
      onTestFinished(() => broker.remove());
      const env = { SLUICE_QUEUE: broker.url };
      const worker = () => start(['worker', '--quiet', '--concurrency', '1', '--out', file(kind)], env);
      const first = worker();
      const second = worker();
      const coordinator = start(shared(kind), env);
      await until(() => parts(kind) >= 2);
      await kill(first);
      const third = worker();
      await until(() => parts(kind) >= 4);
      await broker.kill();
      await broker.start();
      const seen = parts(kind);
      // On a busy machine it may have ended meanwhile, and taken its parts away.
      await until(() => coordinator.child.exitCode !== null || parts(kind) >= seen + 4);
      coordinator.child.kill('SIGKILL');
      expect([0, 'SIGKILL']).toContain(await coordinator.ended);
      const again = start(shared(kind), env);
      expect([await again.ended, again.stderr()]).toEqual([
        0,
        errorLine.replace('http 404', 'http 404 (ERR_KEYWORD_NOT_FOUND)'),
      ]);
      expect([await second.ended, await third.ended]).toEqual([0, 0]);
      expect(await contents(kind)).toEqual(whole);
      expect(readdirSync(file(kind)).sort()).toEqual([...names]);
    });
  }

  it.skipIf(missing.includes('redis'))(
    'in redis: a worker of another platform, or without a queue, ends with words',
    async ({ expect, onTestFinished }) => {
      const broker = await startBroker('redis');
      onTestFinished(() => broker.remove());
      const env = { ...platform(), SLUICE_QUEUE: broker.url };
      const controller = new AbortController();
      const stopped = sluice(audit('mixed'), { env, interrupted: controller.signal });
      await until(() => filesIn('mixed', 'parts', 'windows').includes('plan.json'));
      const worker = ['worker', '--out', file('mixed')];
      const other = await sluice(worker, { env: { ...env, SLUICE_BASE_URL: 'http://127.0.0.2:1/v3' } });
      expect([other.code, other.stderr]).toEqual([2, expect.stringContaining('the audit is of another platform')]);
      const wrongKey = await sluice(worker, { env: { ...env, SLUICE_API_KEY: 'another-key' } });
      expect([wrongKey.code, wrongKey.stderr]).toEqual([4, expect.stringContaining('check SLUICE_API_KEY')]);
      expect(wrongKey.stderr).not.toContain('another-key');
      controller.abort(new Error('interrupted'));
      expect((await stopped).code).toBe(130);
      // The same audit goes on in this process, behind what workers judged, and the other way round.
      expect((await sluice(audit('mixed'), { env: platform() })).code).toBe(0);
      expect(await contents('mixed')).toEqual(whole);
      expect((await sluice(worker, { env })).stderr).toBe(`the audit in ${file('mixed')} is finished\n`);
    },
  );
});

describe('options of a queue', () => {
  const failure = async (args: readonly string[], env: Readonly<Record<string, string>> = {}) => {
    const { code, stderr } = await sluice(args, { env: { ...platform(), ...env } });
    return [code, stderr];
  };

  it('are refused where they mean nothing, and where the queue is no queue', async () => {
    await writeFile(file('queue'), 'redis://:secret@127.0.0.1:1\n');
    await writeFile(file('empty'), '\n');
    const withQueue = ['--queue-file', file('queue')];
    expect(await failure(['audit', '--demo', ...withQueue])).toEqual([
      2,
      expect.stringContaining('a queue is for messages of a platform'),
    ]);
    expect(await failure(['audit', '--out', file('x'), ...withQueue])).toEqual([
      2,
      expect.stringContaining('add `--since TIME`'),
    ]);
    expect(await failure([...audit('x'), '--queue-file', file('empty')])).toEqual([
      2,
      expect.stringContaining('holds no address of a queue'),
    ]);
    expect(await failure(audit('x'), { SLUICE_QUEUE: 'http://:secret@host' })).toEqual([
      2,
      expect.stringContaining('must be like `redis://host:6379`'),
    ]);
    const unreachable = await failure([...audit('x'), ...withQueue]);
    expect(unreachable).toEqual([
      4,
      expect.stringContaining('could not connect to the queue at redis://127.0.0.1:1 (ECONNREFUSED)'),
    ]);
    expect(unreachable.join()).not.toContain('secret');
    expect(await failure(['worker', '--out', file('x')])).toEqual([
      2,
      expect.stringContaining('no queue; set SLUICE_QUEUE'),
    ]);
    expect(await failure(['worker'])).toEqual([2, expect.stringContaining('no directory; add `--out DIR`')]);
  });
});
