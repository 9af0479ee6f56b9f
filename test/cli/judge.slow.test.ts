/**
 * `sluice judge` as a process that stays: spoken to in blocks, by readers that pause or leave,
 * under signals, and under GNU parallel.
 */
import { type ChildProcessWithoutNullStreams, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { copyFile, readFile, rm, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { builtCommand } from '../support/built-command.js';
import { hasParallel } from '../support/parallel.js';
import { messages, openFiles } from './world.js';

const run = promisify(execFile);

const files = await openFiles();
const bin = await builtCommand();

const commandLine = (...args: readonly string[]) => [
  bin,
  'judge',
  '--quiet',
  '--rules',
  files.file('rule-set.json'),
  ...args,
];

/** A child that is handed lines and waited for. */
function start(...args: readonly string[]) {
  const child: ChildProcessWithoutNullStreams = spawn(process.execPath, commandLine(...args), {
    env: { PATH: process.env.PATH },
  });
  child.stderr.resume();
  const ended = once(child, 'close').then(([code, signal]) => code ?? signal);
  const lines = linesOf(child);
  /** Hands over lines, and gives as many as come back. The input stays open. */
  const ask = async (block: readonly string[]): Promise<string[]> => {
    child.stdin.write(block.map((line) => `${line}\n`).join(''));
    const answers: string[] = [];
    while (answers.length < block.length) answers.push((await lines.next()).value as string);
    return answers;
  };
  return { child, ended, ask, lines };
}

async function* linesOf(child: ChildProcessWithoutNullStreams): AsyncGenerator<string, void, undefined> {
  let rest = '';
  for await (const text of child.stdout.setEncoding('utf8')) {
    const lines = (rest + text).split('\n');
    rest = lines.pop()!;
    yield* lines;
  }
  if (rest !== '') yield `${rest} without a newline`;
}

const text = ['--in', 'text', '--out', 'verdict'];
const verdictOf = (line: string) => (line.includes('damn') ? 'blockMessage' : 'allow');

describe('a child of sluice judge', () => {
  it('answers blocks of n lines while its input stays open, and ends with it', async () => {
    const { child, ended, ask, lines } = start(...text);
    for (const size of [1, 2, 1, 7, 100, 1, 1000, 3, 1]) {
      const block = Array.from({ length: size }, (_, index) => (index % 3 === 0 ? 'damn it' : `hello ${index}`));
      expect(await ask(block)).toEqual(block.map(verdictOf));
    }
    child.stdin.end('damn');
    expect(await lines.next()).toEqual({ done: false, value: 'blockMessage' });
    expect(await ended).toBe(0);
    expect((await lines.next()).done).toBe(true);
  });

  it('answers blocks of messages, whatever is wrong with them', async () => {
    const { child, ended, ask } = start();
    const good = messages(4).map((message) => JSON.stringify(message));
    for (const block of [good, ['', 'x', '{}', ...good], ['{"data":{"text":1}}', '[]', 'null', '"damn"']]) {
      const answers = (await ask(block)).map((line) => JSON.parse(line) as { verdict?: string; error?: string });
      expect(answers.every(({ verdict, error }) => (verdict === undefined) !== (error === undefined))).toBe(true);
    }
    child.stdin.end();
    expect(await ended).toBe(0);
  });

  it.each(['SIGTERM', 'SIGINT'] as const)(
    'ends by %s while it waits for lines, with whole lines and 130',
    async (signal) => {
      const { child, ended, ask, lines } = start(...text);
      expect(await ask(['damn', 'hello'])).toEqual(['blockMessage', 'allow']);
      child.kill(signal);
      expect(await ended).toBe(130);
      expect((await lines.next()).done).toBe(true);
    },
  );

  it('ends with 0 once nobody reads its output, though its input goes on', async () => {
    const { child, ended, ask } = start(...text);
    await ask(['damn']);
    child.stdout.destroy();
    child.stdin.on('error', () => undefined);
    const writing = setInterval(() => child.stdin.write('damn\n'), 20);
    expect(await ended).toBe(0);
    clearInterval(writing);
  });

  it('reads no further than its reader does, in bounded memory', async () => {
    const { child, ended } = start(...text);
    child.stdout.pause();
    // Whatever pipes and buffers hold is taken; then nothing more is.
    const block = 'damn it, and so on\n'.repeat(5000);
    let taken = 0;
    const writer = (async () => {
      while (taken < 400) {
        if (!child.stdin.write(block)) await once(child.stdin, 'drain');
        taken++;
      }
      child.stdin.end();
    })();
    for (let [still, before] = [0, -1]; still < 3 || taken === 0; before = taken) {
      await new Promise((resume) => setTimeout(resume, 500));
      still = taken === before ? still + 1 : 0;
    }
    // Of 38 megabytes.
    expect(taken).toBeLessThan(40);
    let bytes = 0;
    child.stdout.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
    });
    child.stdout.resume();
    await writer;
    expect(await ended).toBe(0);
    expect(bytes).toBe(400 * 5000 * 'blockMessage\n'.length);
  });

  it('goes on behind a line without an end for a gigabyte', async () => {
    const { child, ended, lines } = start(...text);
    const chunk = Buffer.alloc(1 << 20, 'x');
    let peak = 0;
    for (let count = 0; count < 1024; count++) {
      if (!child.stdin.write(chunk)) await once(child.stdin, 'drain');
      if (count % 64 === 0) peak = peakBytes(child.pid!);
    }
    child.stdin.end('\ndamn\n');
    expect([(await lines.next()).value, (await lines.next()).value]).toEqual(['error', 'blockMessage']);
    expect(await ended).toBe(0);
    expect(peak).toBeLessThan(500 << 20);
  });
});

/** The most memory that a process had, where the system says. */
function peakBytes(pid: number): number {
  const status = existsSync('/proc') ? readFileSync(`/proc/${pid}/status`, 'utf8') : '';
  return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) * 1024;
}

/** Rows of messages and bad ones, in an order of its own, so that whatever row begins a block. */
function mixedRows(count: number): string[] {
  const good = messages(3000).map((message) => JSON.stringify(message));
  const rows = [...good, '', 'x', '\ufeff{}', '{"text":"\u2028damn"}', '"'];
  return Array.from({ length: count }, (_, index) => rows[(index * 7919) % rows.length]!);
}

const page = readFileSync(new URL('../../docs/data-engines.md', import.meta.url), 'utf8');
/** The commands of the page that judge lines in a shell, in a folder that has what they name. */
const blocks = [...page.matchAll(/^```sh\n([\s\S]*?)^```/gm)].flatMap(([, block = '']) =>
  block.includes('sluice judge') ? [block] : [],
);

describe('docs/data-engines.md', () => {
  let one: string;
  const inFolder = async (commands: string) => {
    const env = { PATH: `${files.directory}:${process.env.PATH}`, HOME: files.directory };
    return (await run('bash', ['-euo', 'pipefail', '-c', commands], { cwd: files.directory, env, maxBuffer: 64 << 20 }))
      .stdout;
  };
  const decisions = () => readFile(files.file('decisions.ndjson'), 'utf8');

  beforeAll(async () => {
    await writeFile(files.file('sluice'), `#!/bin/sh\nexec '${process.execPath}' '${bin}' "$@"\n`, { mode: 0o755 });
    await copyFile(files.file('rule-set.json'), files.file('rules.json'));
    await writeFile(
      files.file('messages.ndjson'),
      mixedRows(6000)
        .map((row) => `${row}\n`)
        .join(''),
    );
    await writeFile(files.file('messages.ndjson.gz'), gzipSync(await readFile(files.file('messages.ndjson'))));
    await writeFile(files.file('texts.txt'), 'damn\nhello\n\nheck\n');
    await writeFile(files.file('table.tsv'), '1\tdamn\n2\thello\\tyou\n');
    await inFolder('sluice judge --quiet --rules rules.json < messages.ndjson > one.ndjson');
    one = await readFile(files.file('one.ndjson'), 'utf8');
  });

  it('has commands for one process that do what they say', async () => {
    const printed = await inFolder(blocks[0]!);
    expect(await decisions()).toBe(one);
    expect(one.split('\n')).toHaveLength(6001);
    expect(printed.replace(/^ +/gm, '')).toBe(
      '2 allow\n2 blockMessage\n1\tdamn\tblockMessage\n2\thello\\tyou\tallow\n',
    );
  });

  describe.skipIf(!hasParallel)('under GNU parallel (skipped: it is not installed)', () => {
    it.each(blocks.slice(1))('has the bytes of one process: %s', async (commands) => {
      expect(commands).toContain('parallel --pipe');
      await rm(files.file('decisions.ndjson'), { force: true });
      await inFolder(commands);
      expect((await decisions()) === one).toBe(true);
    });

    it('has the bytes of one process in blocks of any size', async () => {
      const judged = 'sluice judge --quiet --rules rules.json --in text';
      const many = await inFolder(`parallel --pipe --keep-order --jobs 3 --block 200k ${judged} < messages.ndjson`);
      expect(many === (await inFolder(`${judged} < messages.ndjson`))).toBe(true);
    });
  });
});
