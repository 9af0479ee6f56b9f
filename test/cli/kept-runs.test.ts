import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startService } from '../../src/platform/service/index.js';
import { refuseLists } from '../service/intercepts.js';
import { sluice } from './terminal.js';
import { messages, world } from './world.js';

/** Commands other than a plain audit that keep what they judge: a diff, and an audit beside the decisions of the platform. */

const count = 12_400;
const rows = messages(count).map((row, index) => ({
  ...row,
  sentAt: 1_772_323_200 + Math.floor(index / 3),
  data: { ...row.data, moderation: { status: index % 3 === 0 ? 'disapproved' : 'approved', rule: 'scam' } },
}));
const text = rows.map((row) => `${JSON.stringify(row)}\n`).join('');
let directory: string;
const file = (name: string) => join(directory, name);

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sluice-kept-'));
  const { rules = [], lists = [] } = world();
  await writeFile(file('old.json'), JSON.stringify({ rules, lists }));
  const others = lists.map((list) => (list.id === 'scam-list' ? { ...list, searchTerms: ['hello', 'mail'] } : list));
  await writeFile(file('new.json'), JSON.stringify({ rules, lists: others }));
  await writeFile(file('messages.ndjson'), text);
});
afterAll(() => rm(directory, { recursive: true }));

const commands = {
  diff: { args: () => ['diff', '--rules', file('new.json'), '--against', file('old.json')], summary: 'diff.json' },
  audit: { args: () => ['audit', '--rules', file('old.json'), '--compare-platform'], summary: 'summary.json' },
};

/** The messages in chunks, behind some of which the command is interrupted. */
async function* interrupting(after: number, controller: AbortController): AsyncGenerator<string> {
  const length = Math.ceil(text.length / 20);
  for (let chunk = 0; chunk < 20; chunk++) {
    if (chunk === after) controller.abort(new Error('interrupted'));
    yield text.slice(chunk * length, (chunk + 1) * length);
  }
}

const contents = async (out: string) => {
  const names = (await readdir(out)).sort();
  return Promise.all(names.map(async (name) => [name, await readFile(join(out, name), 'utf8')]));
};

describe.each(['diff', 'audit'] as const)('sluice %s --out', (name) => {
  const { args, summary } = commands[name];
  const run = (out: string, stdin: Iterable<string> | AsyncIterable<string>, interrupted?: AbortSignal) =>
    sluice([...args(), '--messages', '-', '--json', '--out', out], { stdin, ...(interrupted && { interrupted }) });

  it('writes what is printed without a directory, and goes on where it was interrupted', async () => {
    const printed = await sluice([...args(), '--messages', '-', '--json'], { stdin: [text] });
    expect(printed.code).toBe(0);
    const whole = await run(file(`${name}-whole`), [text]);
    expect(whole.code).toBe(0);
    expect(JSON.parse(whole.stdout)).toEqual(JSON.parse(printed.stdout));
    expect(JSON.parse(await readFile(join(file(`${name}-whole`), summary), 'utf8'))).toEqual(JSON.parse(whole.stdout));
    const out = file(`${name}-stopped`);
    for (const after of [13, 9]) {
      const controller = new AbortController();
      const { code, stderr } = await run(out, interrupting(after, controller), controller.signal);
      expect(code).toBe(130);
      expect(stderr).toContain('kept: the same command goes on behind them');
    }
    expect((await run(out, [text])).code).toBe(0);
    expect(await contents(out)).toEqual(await contents(file(`${name}-whole`)));
  });

  it('is read when it is run again, and refused for other inputs and other messages', async () => {
    const out = file(`${name}-whole`);
    const again = await run(out, [text]);
    expect(again).toMatchObject({ code: 0 });
    expect(JSON.parse(again.stdout)).toEqual(JSON.parse(await readFile(join(out, summary), 'utf8')));
    expect(await run(out, [text, text])).toMatchObject({ code: 2, stderr: expect.stringContaining('other messages') });
    const others = await sluice([...args(), '--messages', '-', '--out', out, '--since', '1'], { stdin: [text] });
    expect(others).toMatchObject({ code: 2, stderr: expect.stringContaining('--force') });
  });

  it('counts bad rows, and leaves them out when asked to', async () => {
    const bad = [text.slice(0, 3000).replace(/[^\n]*$/, ''), '5\n', text.slice(0, 3000).replace(/[^\n]*$/, '')];
    const stopped = await sluice([...args(), '--messages', '-'], { stdin: bad });
    expect(stopped.code).toBe(3);
    const left = await sluice([...args(), '--messages', '-', '--on-bad-row', 'skip'], { stdin: bad });
    expect(left.code).toBe(0);
    expect(left.stdout + left.stderr).toContain('rows that hold no message, left out: 1');
  });
});

it('a diff has a row for every message that fares otherwise, and files that others cannot read', async () => {
  const out = file('diff-whole');
  const diff = JSON.parse(await readFile(join(out, 'diff.json'), 'utf8'));
  const lines = (await readFile(join(out, 'differences.ndjson'), 'utf8')).trimEnd().split('\n');
  const kinds = lines.map((line) => JSON.parse(line).kind as string);
  for (const kind of ['newlyStopped', 'released', 'changed', 'reasonOnly'] as const) {
    expect(kinds.filter((other) => other === kind)).toHaveLength(diff[kind]);
  }
  expect(diff.newlyStopped).toBeGreaterThan(0);
  const [first] = lines.map((line) => JSON.parse(line));
  expect(Object.keys(first)).toEqual(['messageId', 'conversationId', 'sender', 'sentAt', 'kind', 'before', 'after']);
  expect((await stat(join(out, 'differences.ndjson'))).mode & 0o777).toBe(0o600);
});

it('a directory of a diff is none of an audit, and the other way', async () => {
  const audit = [...commands.audit.args(), '--messages', '-', '--out', file('diff-whole'), '--force'];
  expect(await sluice(audit, { stdin: [text] })).toMatchObject({ code: 2, stderr: expect.stringContaining('a diff') });
  const diff = [...commands.diff.args(), '--messages', '-', '--out', file('audit-whole'), '--force'];
  expect(await sluice(diff, { stdin: [text] })).toMatchObject({ code: 2, stderr: expect.stringContaining('an audit') });
});

describe.each(['diff', 'audit'] as const)('sluice %s --out of a platform with a list that it does not give', (name) => {
  const args = { diff: ['diff', '--live', '--against', 'old.json'], audit: ['audit'] }[name];
  const run = async (status: number, out: string) => {
    const { rules, lists } = world();
    const data = { messages: rows.slice(0, 50), rules, lists };
    const service = await startService({ data, intercept: refuseLists(status) });
    const named = args.map((word) => (word === 'old.json' ? file(word) : word));
    const env = { SLUICE_API_KEY: service.apiKey, SLUICE_BASE_URL: service.url };
    return sluice([...named, '--out', file(out)], { env }).finally(() => service.close());
  };
  it.each([503, 403])('keeps nothing when it is there and answers %d', async (status) => {
    const out = `${name}-lost-${status}`;
    const { code, stderr } = await run(status, out);
    expect([code, stderr]).toEqual([
      4,
      expect.stringContaining(`list \`profanity-list\` could not be fetched: http ${status}`),
    ]);
    expect(stderr.includes('run the same command again')).toBe(status === 503);
    expect(stderr).toContain(name === 'diff' ? 'in place of `--live`' : 'with `--rules`');
    expect(await readdir(file(out))).toEqual([]);
  });

  it('keeps results without a list that does not exist', async () => {
    const { code } = await run(404, `${name}-gone`);
    expect(code).toBe(0);
    expect((await readdir(file(`${name}-gone`))).length).toBeGreaterThan(1);
  });
});

it('a platform gives the same, by windows of time', async () => {
  const { rules, lists } = world();
  const service = await startService({ data: { messages: rows, rules, lists } });
  const env = { SLUICE_API_KEY: service.apiKey };
  try {
    for (const name of ['diff', 'audit'] as const) {
      const args = commands[name].args();
      const ofPlatform = await sluice([...args, '--base-url', service.url, '--json', '--out', file(`${name}-listed`)], {
        env,
      });
      const ofFile = await sluice([...args, '--messages', '-', '--json'], { stdin: [text] });
      expect(ofPlatform.code).toBe(0);
      const [listed, read] = [JSON.parse(ofPlatform.stdout), JSON.parse(ofFile.stdout)];
      expect({ ...listed, input: undefined, receipt: undefined }).toEqual({
        ...read,
        input: undefined,
        receipt: undefined,
      });
    }
  } finally {
    await service.close();
  }
});
