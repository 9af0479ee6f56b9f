/** docs/many-machines.md as it is written: parts of an audit under schedulers, and `judge` on the workers of a Dask cluster. */
import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { copyFile, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Service, startService } from '../../src/platform/service/index.js';
import { builtCommand } from '../support/built-command.js';
import { hasDask, pythonWithDask } from '../support/dask.js';
import { until } from '../support/until.js';
import { messages, world, worldFiles } from './world.js';

const run = promisify(execFile);
const page = readFileSync(new URL('../../docs/many-machines.md', import.meta.url), 'utf8');
const driver = readFileSync(new URL('dask-judge.py', import.meta.url), 'utf8');

/** A block of the page: the one of its language that has the words. */
function blockWith(language: string, words: string): string {
  const blocks = [...page.matchAll(/^```(\w+)\n([\s\S]*?)^```/gm)];
  const [, , block] = blocks.find(([, of, text]) => of === language && text?.includes(words)) ?? [];
  if (block === undefined) throw new Error(`docs/many-machines.md has no block with ${words}`);
  return block;
}

const hasParallel = (() => {
  try {
    return execFileSync('parallel', ['--version'], { encoding: 'utf8' }).includes('GNU parallel');
  } catch {
    return false;
  }
})();
if (!hasParallel && process.env.SLUICE_REQUIRE_PARALLEL === '1')
  throw new Error('no GNU parallel: `apt-get install parallel`');

let bin: string;
let files: Awaited<ReturnType<typeof worldFiles>>;
let env: NodeJS.ProcessEnv;
beforeAll(async () => {
  bin = await builtCommand();
});
beforeEach(async () => {
  files = await worldFiles();
  await rename(files.file('rule-set.json'), files.file('rules.json'));
  await mkdir(files.file('bin'));
  await writeFile(files.file('bin/sluice'), `#!/bin/sh\nexec '${process.execPath}' '${bin}' "$@"\n`, { mode: 0o755 });
  env = { PATH: `${files.file('bin')}:${process.env.PATH}`, HOME: files.directory };
});
afterEach(() => files.remove());

/** Runs commands in the folder, and gives what they print. */
const shell = async (commands: string, more: NodeJS.ProcessEnv = {}) =>
  (
    await run('bash', ['-euo', 'pipefail', '-c', commands], {
      cwd: files.directory,
      env: { ...env, ...more },
      maxBuffer: 64 << 20,
    })
  ).stdout;

/** What two directories have in common where their messages are the same. */
async function resultsOf(name: string): Promise<readonly unknown[]> {
  const { input: _, ...summary } = JSON.parse(await readFile(files.file(`${name}/summary.json`), 'utf8'));
  return [await readFile(files.file(`${name}/decisions.ndjson`), 'utf8'), summary];
}

describe.skipIf(!hasParallel)('under GNU parallel (skipped: it is not installed)', () => {
  it('parts by file, one of them killed and taken up again, merge to the audit of all', async () => {
    const lines = messages(11_000).map((row) => `${JSON.stringify(row)}\n`);
    const borders = [0, 10_200, 10_201, 11_000];
    for (const [day, from] of borders.slice(0, -1).entries())
      await writeFile(files.file(`day-${day + 1}.ndjson`), lines.slice(from, borders[day + 1]).join(''));
    await writeFile(files.file('all.ndjson'), lines.join(''));
    // The first audit of the first day is killed once it has kept a part; parallel starts it again.
    await rename(files.file('bin/sluice'), files.file('bin/real'));
    const killed = `#!/bin/sh
case "$*" in *day-1*) if mkdir killed 2>/dev/null; then
  real "$@" & child=$!
  while kill -0 $child && ! [ -s parts/day-1/journal.checkpoints ]; do sleep 0.01; done 2>/dev/null
  kill -9 $child; exit 1
fi ;; esac
exec real "$@"\n`;
    await writeFile(files.file('bin/sluice'), killed, { mode: 0o755 });
    await shell(blockWith('sh', 'parallel --retries'));
    expect(existsSync(files.file('killed'))).toBe(true);
    await shell('real audit --quiet --report --rules rules.json --messages all.ndjson --threads 2 --out one');
    expect(await resultsOf('whole')).toEqual(await resultsOf('one'));
    expect(existsSync(files.file('whole/report.html'))).toBe(true);
  });
});

describe('parts by day', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({ data: world(60) });
  });
  afterAll(() => service.close());

  it.each([
    ['Slurm', 1, () => ['SLURM_ARRAY_TASK_ID', blockWith('sh', '#SBATCH')] as const],
    [
      'Kubernetes',
      0,
      () => {
        const container = /- \|\n([\s\S]*?)\n {6}volumes:/.exec(blockWith('yaml', 'completionMode'))?.[1] ?? '';
        return ['JOB_COMPLETION_INDEX', container] as const;
      },
    ],
  ])('as %s would run them, by the numbers that it gives, merge to the audit of all', async (_, first, job) => {
    const [variable, commands] = job();
    expect(commands).toContain('sluice audit');
    const platform = { SLUICE_BASE_URL: service.url, SLUICE_API_KEY: service.apiKey };
    // The last of these days has no message.
    for (const number of [0, 1, 2, 3]) await shell(commands, { ...platform, [variable]: String(first + number) });
    const merge = /sluice merge --report parts\/\* --out march/.exec(page)?.[0] ?? '';
    await shell(`${merge} --quiet`);
    await shell('sluice audit --quiet --report --rules rules.json --since 2026-03-01 --out one', platform);
    expect(await resultsOf('march')).toEqual(await resultsOf('one'));
  });
});

/** The address of a scheduler, once it has written all of its file. */
function addressIn(path: string): string | undefined {
  try {
    return (JSON.parse(readFileSync(path, 'utf8')) as { address: string }).address;
  } catch {
    return undefined;
  }
}

describe.skipIf(!hasDask)('in Dask (skipped: it is not installed)', () => {
  const started: ChildProcess[] = [];
  /** Starts a program in the folder. */
  const start = (program: string, ...args: readonly string[]) => {
    const child = spawn(program, args, { cwd: files.directory, env, stdio: 'ignore' });
    started.push(child);
    return child;
  };
  afterEach(async () => {
    for (const child of started.splice(0)) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    }
  });

  it('`judge` over partitions gives the decisions of one process, though a worker is killed', async () => {
    expect(blockWith('py', 'def judge')).toBe(driver);
    const rows = messages(1_600).map((message) => JSON.stringify(message));
    await writeFile(files.file('messages.ndjson'), rows.map((row) => `${row}\n`).join(''));
    await shell('sluice judge --quiet --rules rules.json < messages.ndjson > one.ndjson');
    // The fourth partition that is judged never ends: it says which worker has it, and waits until that is killed.
    await rename(files.file('bin/sluice'), files.file('bin/real'));
    const held = `#!/bin/sh
call=1; while ! mkdir call-$call 2>/dev/null; do call=$((call + 1)); done
if [ $call = 4 ]; then echo $PPID $$ > held.new; mv held.new held; while :; do sleep 1; done; fi
exec real "$@"\n`;
    await writeFile(files.file('bin/sluice'), held, { mode: 0o755 });
    await copyFile(new URL('dask-judge.py', import.meta.url), files.file('judge.py'));
    const at = ['--host', '127.0.0.1', '--no-dashboard'];
    start('dask-scheduler', ...at, '--port', '0', '--scheduler-file', 'scheduler.json');
    await until(() => addressIn(files.file('scheduler.json')) !== undefined);
    const one = ['--scheduler-file', 'scheduler.json', '--no-nanny', '--nthreads', '1', '--local-directory', 'dask'];
    const workers = [start('dask-worker', ...at, ...one), start('dask-worker', ...at, ...one)];
    const address = addressIn(files.file('scheduler.json'))!;
    const judging = run(pythonWithDask!, ['judge.py', address, 'messages.ndjson'], {
      cwd: files.directory,
      env,
      maxBuffer: 64 << 20,
    });
    await until(() => existsSync(files.file('held')));
    const [worker, child] = (await readFile(files.file('held'), 'utf8')).trim().split(' ').map(Number);
    expect(workers.map(({ pid }) => pid)).toContain(worker);
    process.kill(worker!, 'SIGKILL');
    process.kill(child!, 'SIGKILL');
    const { stdout } = await judging;
    expect(stdout === (await readFile(files.file('one.ndjson'), 'utf8'))).toBe(true);
    expect(stdout.split('\n')).toHaveLength(1_601);
    await rm(files.file('dask'), { recursive: true, force: true });
  });
});
