/** `sluice label` on a terminal of its own, by `script` of util-linux: killed at any key, it goes on; the terminal is as it was however it ends. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { builtCommand } from '../support/built-command.js';
import { until } from '../support/until.js';
import { sluice } from './terminal.js';
import { worldFiles } from './world.js';

const hasScript = spawnSync('script', ['--version']).stdout?.toString().includes('util-linux') ?? false;

let bin: string;
let files: Awaited<ReturnType<typeof worldFiles>>;
beforeAll(async () => {
  bin = await builtCommand();
  files = await worldFiles(80);
  const given = ['--rules', files.file('rule-set.json'), '--messages', files.file('messages.ndjson')];
  expect((await sluice(['sample', ...given, '--per-rule', '5', '--out', files.file('sample.ndjson')])).code).toBe(0);
});
afterAll(() => files.remove());

const labelsPath = () => files.file('sample.labels.ndjson');
const rows = () => readFileSync(labelsPath(), 'utf8').split('\n').length - 1;

/** Starts a shell on a terminal that runs the command, then says its code and the modes of the terminal; with `again` it has a suspended one go on. */
function start(again = false) {
  const said = "; echo code=$?; stty -a | tr ' ;' '\\n\\n' | grep -xE -- '-?(icanon|echo|isig)' | tr '\\n' ,; echo";
  const command = `stty cols 80 rows 24; '${process.execPath}' '${bin}' label '${files.file('sample.ndjson')}' & echo pid=$!; fg >/dev/null${said}${again ? `; fg >/dev/null${said}` : ''}`;
  const child = spawn('script', ['-qefc', `bash -c 'set -m; ${command.replaceAll("'", "'\\''")}'`, '/dev/null'], {
    env: { PATH: process.env.PATH, TERM: 'xterm', SHELL: '/bin/bash' },
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  const ended = once(child, 'close');
  return {
    output: () => output,
    type: (keys: string) => child.stdin.write(keys),
    pid: () => Number(/pid=(\d+)/.exec(output)![1]),
    ready: () => until(() => output.includes('q quit')),
    async end() {
      const ends = () => [...output.matchAll(/code=(\d+)\s+(\S+echo,)/g)];
      await until(() => ends().length === (again ? 2 : 1));
      child.stdin.end();
      await ended;
      const [, code, modes] = ends().at(-1)!;
      return { code: Number(code), modes };
    },
  };
}

const sane = 'isig,icanon,echo,';
const off = '\u{1b}[?25h\u{1b}[?1049l';

describe.skipIf(!hasScript)('sluice label on a terminal', () => {
  it('ends by q and by Ctrl-C with the terminal as it was', async () => {
    for (const [keys, code] of [
      ['rwq', 0],
      ['r\u{3}', 130],
    ] as const) {
      const terminal = start();
      await terminal.ready();
      terminal.type(keys);
      expect(await terminal.end()).toEqual({ code, modes: sane });
      expect(terminal.output()).toContain(off);
    }
    expect(rows()).toBe(3);
  });

  it('ends by SIGTERM with the terminal as it was', async () => {
    const terminal = start();
    await terminal.ready();
    process.kill(terminal.pid(), 'SIGTERM');
    expect(await terminal.end()).toEqual({ code: 130, modes: sane });
    expect(terminal.output()).toContain(off);
  });

  it('keeps every label, and goes on, when it is killed behind any key', async () => {
    rmSync(labelsPath(), { force: true });
    for (let key = 1; key <= 8; key++) {
      const terminal = start();
      await terminal.ready();
      terminal.type('w');
      await until(() => rows() === key);
      process.kill(terminal.pid(), 'SIGKILL');
      expect((await terminal.end()).code).toBe(137);
    }
    const labels = readFileSync(labelsPath(), 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    const drawn = readFileSync(files.file('sample.ndjson'), 'utf8')
      .trimEnd()
      .split('\n')
      .slice(1, 9)
      .map((line) => JSON.parse(line));
    expect(labels.map(({ messageId }) => messageId)).toEqual(drawn.map(({ messageId }) => messageId));
  });

  it('is suspended by Ctrl-Z with the terminal as it was, and goes on', async () => {
    const before = rows();
    const terminal = start(true);
    await terminal.ready();
    terminal.type('\u{1a}');
    // 128 and SIGTSTP; then the shell has it go on.
    await until(() => /code=148\s+isig,icanon,echo,/.test(terminal.output()));
    const begin = '\u{1b}[?1049h';
    await until(() => terminal.output().split(begin).length === 3 && terminal.output().endsWith('\u{1b}[J'));
    terminal.type('wq');
    expect(await terminal.end()).toEqual({ code: 0, modes: sane });
    expect(rows()).toBe(before + 1);
    expect(terminal.output().split(off).length).toBe(3);
  });
});
