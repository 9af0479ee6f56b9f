import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { lockName } from '../../src/foundation/files/directory-lock.js';
import { runs } from '../support/runs.js';
import { inProcess } from './in-process.js';
import { data } from './sample-data.js';

/** Services in processes of their own: what only a process can be, several of a kind, or killed. */
const cache = fileURLToPath(new URL('../../node_modules/.cache/sluice-service-test/', import.meta.url));
const program = join(cache, 'service.mjs');
const source = `
  import { startService } from ${JSON.stringify(fileURLToPath(new URL('../../src/platform/service/index.ts', import.meta.url)))};
  const [, , data, save] = process.argv;
  try {
    const service = await startService({ data, save });
    process.once('SIGTERM', () => service.close().then(() => console.log('saved')));
    console.log('started');
  } catch (error) {
    console.log(error.name, error.message);
  }
`;

let root: string;
let from: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'sluice-processes-'));
  await mkdir(cache, { recursive: true });
  const stdin = { contents: source, resolveDir: cache };
  await build({ stdin, bundle: true, format: 'esm', platform: 'node', packages: 'external', outfile: program });
  from = await mkdtemp(join(root, 'from-'));
  for (const [name, rows] of Object.entries(data)) await writeFile(join(from, `${name}.json`), JSON.stringify(rows));
});
afterAll(() => rm(root, { recursive: true }));

interface Started {
  readonly child: ChildProcess;
  /** The next line that it prints; empty when it ends without one. */
  readonly line: () => Promise<string>;
  readonly ended: Promise<unknown>;
}

function start(...args: readonly string[]): Started {
  const child = spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const ended = once(child, 'close');
  let text = '';
  let isOver = false;
  let changed = (): void => {};
  child.stdout.setEncoding('utf8').on('data', (more: string) => {
    text += more;
    changed();
  });
  child.stdout.on('close', () => {
    isOver = true;
    changed();
  });
  const line = async (): Promise<string> => {
    while (!text.includes('\n') && !isOver) await new Promise<void>((resolve) => (changed = resolve));
    const [first = ''] = text.split('\n');
    text = text.slice(first.length + 1);
    return first;
  };
  return { child, line, ended };
}

async function kill({ child, ended }: Started): Promise<void> {
  child.kill('SIGKILL');
  await ended;
}

describe('services in processes of their own', () => {
  it('of eight that start at once beside the lock of a dead one, one has it', async () => {
    const directory = await mkdtemp(join(root, 'eight-'));
    const { pid } = spawnSync(process.execPath, ['-e', '']);
    await mkdir(join(directory, lockName, `${pid}-00000000-0000-4000-8000-000000000000`), { recursive: true });
    const started = Array.from({ length: 8 }, () => start(from, directory));
    const lines = await Promise.all(started.map(({ line }) => line()));
    const winners = started.filter((_, index) => lines[index] === 'started');
    expect(winners).toHaveLength(1);
    const refused = `UsageError cannot save into \`${directory}\`: the service of process ${winners[0]!.child.pid} does so`;
    for (const line of lines) if (line !== 'started') expect(line).toContain(refused);
    winners[0]!.child.kill('SIGTERM');
    expect(await winners[0]!.line()).toBe('saved');
    expect((await readdir(directory)).filter((name) => name.startsWith('.'))).toEqual([]);
    expect((await inProcess(directory)).rows.messages).toHaveLength(data.messages.length);
  });

  it('killed at any point of a save leave the old data or the new, and a directory that the next one cleans', async () => {
    const older = await mkdtemp(join(root, 'older-'));
    await writeFile(join(older, 'users.ndjson'), '{"uid":"old"}\n');
    for (let run = 0; run < runs(3, 100); run += 1) {
      const directory = await mkdtemp(join(root, 'killed-'));
      await cp(older, directory, { recursive: true });
      const service = start(from, directory);
      expect(await service.line()).toBe('started');
      service.child.kill('SIGTERM');
      // From the first instant of the save to behind its end.
      for (let turn = 0; turn < run * 80; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      await kill(service);
      const { rows } = await inProcess(directory);
      const counts = [rows.users.length, rows.messages.length];
      expect([
        [1, 0],
        [data.users.length, data.messages.length],
      ]).toContainEqual(counts);
      const next = start(directory, directory);
      expect(await next.line()).toBe('started');
      expect((await readdir(directory)).filter((name) => name.startsWith('.'))).toEqual([lockName]);
      await kill(next);
      expect((await inProcess(directory)).rows.messages).toHaveLength(rows.messages.length);
    }
  });
});
