import { spawn } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { exportRows, forms } from '../audit/source/rows-as.js';
import { builtCommand } from '../support/built-command.js';
import { temporaryFolder } from '../support/folder.js';
import { sluice } from './terminal.js';
import { world } from './world.js';

/** Audits of CSV and of arrays that are killed, judged in threads, or larger than memory. */

const minutes = 60_000;
const rows = exportRows(12_400);
const directory = temporaryFolder();
let command: string;
const file = (name: string) => join(directory, name);
const contents = async (out: string) =>
  Promise.all((await readdir(file(out))).sort().map((name) => readFile(join(file(out), name), 'utf8')));
beforeAll(async () => {
  command = await builtCommand();
  const { rules, lists } = world();
  await writeFile(file('rules.json'), JSON.stringify({ rules, lists }));
}, 5 * minutes);

/**
 * Runs the command in a process, with a stream as its standard input, and kills it behind so many
 * chunks.
 */
function run(
  args: readonly string[],
  chunks: Iterable<string>,
  { heapMb = 400, killedAfter = Number.POSITIVE_INFINITY } = {},
) {
  const child = spawn(process.execPath, [`--max-old-space-size=${heapMb}`, command, ...args]);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += text));
  child.stdin.on('error', () => undefined);
  void (async () => {
    let count = 0;
    for (const chunk of chunks) {
      if (count++ >= killedAfter) return void child.kill('SIGKILL');
      if (!child.stdin.write(chunk)) await new Promise((resume) => child.stdin.once('drain', resume));
    }
    child.stdin.end();
  })();
  return new Promise<{ readonly code: number | null; readonly output: string }>((resolve) =>
    child.on('close', (code) => resolve({ code, output })),
  );
}

function* pieces(text: string, count: number): Generator<string> {
  const length = Math.ceil(text.length / count);
  for (let at = 0; at < text.length; at += length) yield text.slice(at, at + length);
}

describe('an audit of an export', () => {
  it('goes on where it was interrupted, with the bytes of an audit that nothing disturbed', async () => {
    for (const form of ['csv of spreadsheets', 'array of many lines', 'array', 'csv in quotes']) {
      const text = forms[form]!(rows);
      const length = Math.ceil(text.length / 20);
      const run = async (out: string, after = 20) => {
        const controller = new AbortController();
        const stdin = async function* () {
          for (let chunk = 0; chunk < 20; chunk++) {
            if (chunk === after) controller.abort(new Error('interrupted'));
            yield text.slice(chunk * length, (chunk + 1) * length);
          }
        };
        const args = ['audit', '--rules', file('rules.json'), '--messages', '-', '--quiet', '--out', file(out)];
        return (await sluice(args, { stdin: stdin(), interrupted: controller.signal })).code;
      };
      const contents = async (out: string) =>
        Promise.all((await readdir(file(out))).sort().map((name) => readFile(join(file(out), name), 'utf8')));
      expect(await run(`${form}-whole`)).toBe(0);
      for (const after of [0, 11, 3, 18]) expect(await run(`${form}-stopped`, after)).toBe(130);
      const manifest = await readFile(file(`${form}-stopped/manifest.json`), 'utf8');
      expect(JSON.parse(manifest).kept.messages).toBeGreaterThan(0);
      expect(await run(`${form}-stopped`)).toBe(0);
      expect(await contents(`${form}-stopped`)).toEqual(await contents(`${form}-whole`));
    }
  });

  it.each(['csv of spreadsheets', 'array of many lines'])(
    'that is killed, and goes on in threads, has the bytes of one in a single run: %s',
    async (form) => {
      const text = forms[form]!(exportRows(24_000));
      const args = [
        'audit',
        '--rules',
        file('rules.json'),
        '--messages',
        '-',
        '--quiet',
        '--on-bad-row',
        'skip',
        '--out',
      ];
      expect((await run([...args, file(`${form}-once`)], pieces(text, 40))).code).toBe(0);
      for (const [killedAfter, threads] of [
        [15, '2'],
        [30, '0'],
      ] as const) {
        const killed = await run([...args, file(`${form}-killed`), '--threads', threads], pieces(text, 40), {
          killedAfter,
        });
        expect(killed.code).toBe(null);
      }
      expect((await run([...args, file(`${form}-killed`), '--threads', '2'], pieces(text, 40))).code).toBe(0);
      expect(await contents(`${form}-killed`)).toEqual(await contents(`${form}-once`));
    },
    5 * minutes,
  );
});

describe('memory', () => {
  const text = 'see you at "eight", or later;\n'.repeat(60);
  const count = 110_000;
  const cell = `"${text.replaceAll('"', '""')}"`;
  const item = JSON.stringify({ text, user: 'ana' }, null, 2);
  const items = function* (begin: string, piece: string, between: string, end: string) {
    yield begin + piece;
    for (let at = 1; at < count; at += 100) yield `${between}${piece}`.repeat(Math.min(100, count - at));
    yield end;
  };

  it.each([
    ['CSV', () => items('user,text\n', `ana,${cell}\n`, '', '')],
    ['an array', () => items('[', item, ',\n', ']')],
    ['an array on one line', () => items('[', JSON.stringify({ text, user: 'ana' }), ',', ']')],
  ])(
    'of 200 MB of %s is that of any other: a heap of 96 MB is enough',
    async (_, chunks) => {
      const args = ['audit', '--rules', file('rules.json'), '--messages', '-', '--json', '--quiet', '--threads', '0'];
      const { code, output } = await run(args, chunks(), { heapMb: 96 });
      expect(code, output.slice(-500)).toBe(0);
      expect(JSON.parse(output.slice(0, output.lastIndexOf('\n}') + 2))).toMatchObject({ messages: count });
    },
    10 * minutes,
  );

  it(
    'of one quote that never closes is bounded: it is said once a record has 64 MiB',
    async () => {
      const chunks = function* () {
        yield 'id,text\n1,"';
        for (let at = 0; at < 2000; at++) yield 'a'.repeat(1 << 16);
      };
      const args = ['audit', '--rules', file('rules.json'), '--messages', '-', '--quiet'];
      const { code, output } = await run(args, chunks(), { heapMb: 160 });
      expect([code, output]).toEqual([
        3,
        expect.stringContaining('standard input:2: the whole record is longer than 64 MiB'),
      ]);
    },
    2 * minutes,
  );
});
