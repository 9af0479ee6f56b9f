/**
 * docs/data-engines.md as it is written: parts of an audit under schedulers, their totals by
 * DuckDB, and `judge` on the workers of a Dask cluster.
 */
import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { copyFile, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Service, startService } from '../../src/platform/service/index.js';
import { builtCommand } from '../support/built-command.js';
import { hasParallel } from '../support/parallel.js';
import { until } from '../support/until.js';
import { messages, world, worldFiles } from './world.js';

function runs(program: string, ...args: readonly string[]): boolean {
  try {
    execFileSync(program, args, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/**
 * The interpreter that has `distributed`: that of the path, or else of the system, for which
 * Debian's package is.
 */
const pythonWithDask = ['python3', '/usr/bin/python3'].find((python) => runs(python, '-c', 'import distributed'));

/** Whether the tests with Dask can run. Throws where it must be there. */
const hasDask = pythonWithDask !== undefined && runs('dask-scheduler', '--version');
if (!hasDask && process.env.SLUICE_REQUIRE_DASK === '1')
  throw new Error('no Dask: `apt-get install python3-distributed`');

const run = promisify(execFile);
const page = readFileSync(new URL('../../docs/data-engines.md', import.meta.url), 'utf8');
const queries = readFileSync(new URL('../../docs/queries.sql', import.meta.url), 'utf8');
const driver = readFileSync(new URL('dask-judge.py', import.meta.url), 'utf8');

/** The blocks of the page in one language. */
const blocksOf = (language: string) =>
  [...page.matchAll(/^```(\w+)\n([\s\S]*?)^```/gm)].flatMap(([, of, text]) => (of === language ? [text!] : []));

/** The block of a language that has these words. */
function blockWith(language: string, words: string): string {
  const block = blocksOf(language).find((text) => text.includes(words));
  if (block === undefined) throw new Error(`docs/data-engines.md has no block with ${words}`);
  return block;
}

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

/** What DuckDB answers to the questions of the page and of queries.sql in a folder, by question. */
async function totalsOf(folder: string): Promise<readonly (readonly [string, unknown])[]> {
  const connection = await (await DuckDBInstance.create(':memory:')).connect();
  await connection.run(`SET file_search_path = '${files.file(folder)}'`);
  const [views = '', ...named] = queries.split(/^-- name: /m);
  await connection.run(views);
  const answers: (readonly [string, unknown])[] = [];
  for (const sql of [...named.map((each) => each.replace(/.*/, '')), ...blocksOf('sql')])
    answers.push([sql, (await connection.runAndReadAll(sql)).getRowsJson()]);
  connection.closeSync();
  return answers;
}

/** Holds the parts of an audit to one audit of all messages in `one/all`. */
async function expectSum(parts: number): Promise<void> {
  const all = await totalsOf('one');
  expect(all).toHaveLength(13);
  // The first column of the totals of summaries is the number of parts.
  const expected = all.map(([sql, answer]) =>
    sql.includes('AS parts') ? [sql, [[String(parts), ...(answer as string[][])[0]!.slice(1)]]] : [sql, answer],
  );
  expect(await totalsOf('parts')).toEqual(expected);
  const rows = await shell('cat parts/*/decisions.ndjson');
  expect(rows === (await readFile(files.file('one/all/decisions.ndjson'), 'utf8'))).toBe(true);
  expect(rows.length).toBeGreaterThan(1000);
}

describe.skipIf(!hasParallel)('under GNU parallel (skipped: it is not installed)', () => {
  it('parts by file, one of them killed and taken up again, add up to the audit of all', async () => {
    const lines = messages(11_000).map((row) => `${JSON.stringify(row)}\n`);
    const borders = [0, 10_200, 10_201, 11_000];
    for (const [day, from] of borders.slice(0, -1).entries())
      await writeFile(files.file(`day-${day + 1}.ndjson`), lines.slice(from, borders[day + 1]).join(''));
    await writeFile(files.file('all.ndjson'), lines.join(''));
    // The first audit of the first day is killed once it has written rows; parallel starts it
    // again.
    await rename(files.file('bin/sluice'), files.file('bin/real'));
    const killed = `#!/bin/sh
case "$*" in *day-1*) if mkdir killed 2>/dev/null; then
  real "$@" & child=$!
  while kill -0 $child && ! [ -s parts/day-1/decisions.ndjson ]; do sleep 0.01; done 2>/dev/null
  kill -9 $child; exit 1
fi ;; esac
exec real "$@"\n`;
    await writeFile(files.file('bin/sluice'), killed, { mode: 0o755 });
    await shell(blockWith('sh', 'parallel --retries'));
    expect(existsSync(files.file('killed'))).toBe(true);
    await shell(
      'real audit --quiet --format parquet --rules rules.json --messages all.ndjson --threads 2 --out one/all',
    );
    await expectSum(3);
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
  ])('as %s would run them, by the numbers that it gives, add up to the audit of all', async (_, first, job) => {
    const [variable, commands] = job();
    expect(commands).toContain('sluice audit');
    const platform = { SLUICE_BASE_URL: service.url, SLUICE_API_KEY: service.apiKey };
    // The last of these days has no message.
    for (const number of [0, 1, 2, 3]) await shell(commands, { ...platform, [variable]: String(first + number) });
    expect(await readdir(files.file('parts'))).toHaveLength(4);
    const all = 'sluice audit --quiet --format parquet --rules rules.json --since 2026-03-01 --out one/all';
    await shell(all, platform);
    await expectSum(4);
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
    // The fourth partition that is judged never ends: it says which worker has it, and waits until
    // that is killed.
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
