import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { closingBegun } from '../service/hygiene/raw.js';
import { builtCommand } from '../support/built-command.js';
import { until } from '../support/until.js';
import { errorLine, messages, openFiles } from './world.js';

/** Signals, exit codes and pipes, which need a process. */
const run = promisify(execFile);

const files = await openFiles();
const bin = await builtCommand();

function start(...args: readonly string[]): { child: ChildProcess; stdout: () => string; stderr: () => string } {
  const child = spawn(process.execPath, [bin, ...args], { env: { PATH: process.env.PATH } });
  const written = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream].setEncoding('utf8').on('data', (text: string) => {
      written[stream] += text;
    });
  }
  return { child, stdout: () => written.stdout, stderr: () => written.stderr };
}

async function exit(child: ChildProcess): Promise<number | string> {
  const [code, signal] = await once(child, 'close');
  return code ?? signal;
}

/** How many messages of an audit are kept. */
function keptIn(out: string): number {
  const manifest = join(out, 'manifest.json');
  return existsSync(manifest) ? (JSON.parse(readFileSync(manifest, 'utf8')).kept?.messages ?? 0) : 0;
}

/** All files of a directory, by name. */
async function contentsOf(directory: string): Promise<Record<string, string>> {
  const texts = readdirSync(directory).map(async (name) => [name, await readFile(join(directory, name), 'utf8')]);
  return Object.fromEntries(await Promise.all(texts));
}

/** Runs a pipe in a shell, which prints the exit codes of both sides on stderr. */
const piped = (args: string, reader: string) =>
  run('bash', ['-c', `"${process.execPath}" "${bin}" ${args} | ${reader}; echo "\${PIPESTATUS[@]}" >&2`], {
    maxBuffer: 64 << 20,
  });

/** Runs a command line with its redirections in a shell. */
async function inShell(line: string): Promise<{ code: number; stdout: string; stderr: string }> {
  const ended = run('bash', ['-c', `"${process.execPath}" "${bin}" ${line}`], { maxBuffer: 64 << 20 });
  return ended.then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    ({ code, stdout, stderr }) => ({ code, stdout, stderr }),
  );
}

describe('sluice process', () => {
  it.each(['SIGINT', 'SIGTERM'] as const)(
    'reports the messages judged so far on %s, and exits with 130',
    async (signal) => {
      const out = files.file(`out-${signal}`);
      const { child, stdout, stderr } = start(
        'audit',
        '--rules',
        files.file('rule-set.json'),
        '--messages',
        '-',
        '--out',
        out,
      );
      // The writer keeps its end open, as `tail -f` would.
      child.stdin?.write(
        messages(5_400)
          .map((row) => `${JSON.stringify(row)}\n`)
          .join(''),
      );
      await until(() => stderr().includes('judging messages'));
      // Its first block is on the disk.
      await until(() => keptIn(out) > 0);
      child.kill(signal);
      expect(await exit(child)).toBe(130);
      const report = JSON.parse(await readFile(join(out, 'summary.json'), 'utf8'));
      expect(report).toMatchObject({ partial: true });
      expect(report.messages).toBeGreaterThanOrEqual(5_000);
      expect(stdout()).toContain(`interrupted after ${report.messages.toLocaleString('en')} messages`);
      expect((await readFile(join(out, 'decisions.ndjson'), 'utf8')).split('\n')).toHaveLength(report.messages + 1);
    },
  );

  it('audits to the same bytes in threads, and when it is killed again and again', async () => {
    const large = files.file('large.ndjson');
    const lines = messages(17_000).map((row) => `${JSON.stringify(row)}\n`);
    await writeFile(large, lines.join(''));
    const audit = (out: string, ...more: readonly string[]) =>
      start('audit', '--quiet', '--rules', files.file('rule-set.json'), '--messages', large, '--out', out, ...more);
    const out = (name: string) => files.file(`killed-${name}`);
    expect(await exit(audit(out('not')).child)).toBe(0);
    const whole = await contentsOf(out('not'));

    expect(await exit(audit(out('threads'), '--threads', '2').child)).toBe(0);
    expect(await contentsOf(out('threads'))).toEqual(whole);

    for (const threads of ['0', '1']) {
      const before = keptIn(out('often'));
      const { child } = audit(out('often'), '--threads', threads);
      await until(() => child.exitCode !== null || keptIn(out('often')) > before);
      child.kill('SIGKILL');
      // On a busy machine it may have ended before.
      expect([0, 'SIGKILL']).toContain(await exit(child));
    }
    expect(await exit(audit(out('often')).child)).toBe(0);
    expect(await contentsOf(out('often'))).toEqual(whole);
  });

  it('compares rule sets, and decisions of the platform, to the same bytes in threads, and when it is killed', async () => {
    const large = files.file('large-kept.ndjson');
    const rows = messages(17_000).map((row, index) => {
      const moderation = { status: index % 3 === 0 ? 'disapproved' : 'approved' };
      return { ...row, data: { ...row.data, moderation } };
    });
    await writeFile(large, rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
    const old = JSON.parse(await readFile(files.file('rule-set.json'), 'utf8'));
    const lists = old.lists.map((list: { id: string }) => ({ ...list, searchTerms: ['hello', 'heck'] }));
    await writeFile(files.file('other-set.json'), JSON.stringify({ ...old, lists }));
    const rules = ['--quiet', '--messages', large, '--rules', files.file('rule-set.json')];
    const out = (name: string) => files.file(`kept-audit-${name}`);
    const run = (name: string, ...more: readonly string[]) =>
      start('audit', '--compare-platform', ...rules, '--out', out(name), ...more);
    expect(await exit(run('here').child)).toBe(0);
    const whole = await contentsOf(out('here'));
    expect(await exit(run('threads', '--threads', '2').child)).toBe(0);
    expect(await contentsOf(out('threads'))).toEqual(whole);
    const { child } = run('killed', '--threads', '1');
    await until(() => child.exitCode !== null || keptIn(out('killed')) >= 1);
    child.kill('SIGKILL');
    // On a busy machine it may have ended before.
    expect([0, 'SIGKILL']).toContain(await exit(child));
    expect(await exit(run('killed').child)).toBe(0);
    expect(await contentsOf(out('killed'))).toEqual(whole);

    const compare = async (...more: readonly string[]) => {
      const diff = start('diff', '--json', '--against', files.file('other-set.json'), ...rules, ...more);
      expect(await exit(diff.child)).toBe(0);
      return diff.stdout();
    };
    expect(await compare('--threads', '2')).toBe(await compare());
  });

  it('closes a service and exits with 0 on the first signal, and ends at once on the second', async () => {
    const polite = start('serve', '--json', '--data', files.file('data'));
    await until(() => polite.stdout().includes('\n'));
    polite.child.kill('SIGINT');
    expect(await exit(polite.child)).toBe(0);

    const busy = start('serve', '--json', '--data', files.file('data'));
    await until(() => busy.stdout().includes('\n'));
    const { url, apiKey } = JSON.parse(busy.stdout());
    const socket = connect(Number(new URL(url).port), '127.0.0.1').on('error', () => undefined);
    // A request whose body never comes holds a polite end back.
    socket.write(
      `POST /v3/groups/team/conversation/read HTTP/1.1\r\nHost: x\r\napikey: ${apiKey}\r\nonBehalfOf: bob\r\nContent-Type: application/json\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n`,
    );
    await once(socket, 'data');
    busy.child.kill('SIGINT');
    await closingBegun({ url });
    expect(busy.child.exitCode).toBeNull();
    busy.child.kill('SIGINT');
    // What a shell calls 130.
    expect(await exit(busy.child)).toBe('SIGINT');
    socket.destroy();
  });

  it.each(['SIGTERM', 'SIGHUP'] as const)('ends a service on %s, and exits with 0', async (signal) => {
    const service = start('serve', '--json', '--data', files.file('data'));
    await until(() => service.stdout().includes('\n'));
    service.child.kill(signal);
    expect(await exit(service.child)).toBe(0);
    expect(service.stderr()).toBe('');
  });

  it('exits with 0 and no error when its output is closed', async () => {
    const args = `audit --quiet --json --rules "${files.file('rule-set.json')}" --messages "${files.file('messages.ndjson')}"`;
    expect(await piped(args, 'true')).toEqual({ stdout: '', stderr: `${errorLine}0 0\n` });
    expect(await piped(args, 'head -n 1')).toEqual({ stdout: '{\n', stderr: `${errorLine}0 0\n` });
  });

  it.runIf(existsSync('/dev/full'))('ends with one line and code 3 when its output cannot be written', async () => {
    const rules = `--rules "${files.file('rule-set.json')}"`;
    const commands = [
      '--version',
      'help',
      'help audit',
      `check --json ${rules} damn`,
      `check ${rules} damn`,
      `audit --json ${rules} --messages "${files.file('messages.ndjson')}"`,
      `serve --json --data "${files.file('data')}"`,
    ];
    const ended = await Promise.all(commands.map((args) => inShell(`${args} > /dev/full`)));
    const expected = 'sluice: cannot write to standard output: no space left on the device';
    expect(ended.map(({ code, stderr }) => [code, stderr.trimEnd().split('\n').at(-1)])).toEqual(
      commands.map(() => [3, expected]),
    );
    for (const { stderr } of ended) expect(stderr).not.toContain('    at ');
  });

  it.runIf(existsSync('/dev/full'))('ends as it would when its words cannot be written', async () => {
    const rules = `--rules "${files.file('rule-set.json')}"`;
    const audit = `audit --json ${rules} --messages "${files.file('messages.ndjson')}"`;
    expect(await inShell(`${audit} 2> /dev/full`)).toEqual({ ...(await inShell(audit)), stderr: '' });
    expect(await inShell('audti 2> /dev/full')).toEqual({ code: 2, stdout: '', stderr: '' });
    expect(await inShell(`check ${rules} damn > /dev/full 2>&1`)).toEqual({ code: 3, stdout: '', stderr: '' });
  });

  it('writes all output to a slow reader', async () => {
    const searchTerms = Array.from({ length: 60_000 }, (_, index) => `term number ${index}`);
    await mkdir(files.file('big'));
    const rule = {
      id: 'r',
      conditions: [{ id: 1, isKeywordsReferencePresent: true, value: ['big'] }],
      action: ['kick'],
    };
    await writeFile(files.file('big/rules.json'), JSON.stringify([rule]));
    await writeFile(files.file('big/lists.json'), JSON.stringify([{ id: 'big', searchTerms }]));
    const service = start('serve', '--json', '--data', files.file('big'));
    await until(() => service.stdout().includes('\n'));
    const { url, apiKey } = JSON.parse(service.stdout());
    const { stdout } = await run(
      'bash',
      ['-c', `"${process.execPath}" "${bin}" pull --quiet --out - --base-url ${url} | (sleep 0.5; cat)`],
      { env: { ...process.env, SLUICE_API_KEY: apiKey }, maxBuffer: 64 << 20 },
    );
    service.child.kill('SIGTERM');
    expect(await exit(service.child)).toBe(0);
    expect(stdout.length).toBeGreaterThan(1_000_000);
    expect(JSON.parse(stdout).lists[0].searchTerms).toHaveLength(60_000);
  });

  it('exits with the code of the outcome', async () => {
    const check = `check --quiet --rules ${files.file('rule-set.json')}`;
    const codes = {
      '--version': 0,
      audti: 2,
      audit: 2,
      'audit --rules /nowhere --messages -': 2,
      [`${check} hello`]: 0,
      [`${check} damn`]: 1,
    };
    for (const [args, code] of Object.entries(codes)) {
      expect([args, await exit(start(...args.split(' ')).child)]).toEqual([args, code]);
    }
  });
});
