import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { startService } from '../../src/platform/service/index.js';
import { refuseLists } from '../service/intercepts.js';
import { temporaryFolder } from '../support/folder.js';
import { sluice } from './terminal.js';
import { messages, world } from './world.js';

/** Audits beside the decisions of the platform that keep what they judge. */

const count = 12_400;
const rows = messages(count).map((row, index) => ({
  ...row,
  sentAt: 1_772_323_200 + Math.floor(index / 3),
  data: { ...row.data, moderation: { status: index % 3 === 0 ? 'disapproved' : 'approved', rule: 'scam' } },
}));
const text = rows.map((row) => `${JSON.stringify(row)}\n`).join('');
const directory = temporaryFolder();
const file = (name: string) => join(directory, name);

beforeAll(async () => {
  const { rules, lists } = world();
  await writeFile(file('rules.json'), JSON.stringify({ rules, lists }));
});

const audit = () => ['audit', '--rules', file('rules.json'), '--compare-platform'];

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

describe('sluice audit --compare-platform --out', () => {
  const run = (out: string, stdin: Iterable<string> | AsyncIterable<string>, interrupted?: AbortSignal) =>
    sluice([...audit(), '--messages', '-', '--json', '--out', out], { stdin, ...(interrupted && { interrupted }) });

  it('writes what is printed without a directory, and goes on where it was interrupted', async () => {
    const printed = await sluice([...audit(), '--messages', '-', '--json'], { stdin: [text] });
    expect(printed.code).toBe(0);
    const whole = await run(file('whole'), [text]);
    expect(whole.code).toBe(0);
    expect(JSON.parse(whole.stdout)).toEqual(JSON.parse(printed.stdout));
    expect(JSON.parse(await readFile(join(file('whole'), 'summary.json'), 'utf8'))).toEqual(JSON.parse(whole.stdout));
    const out = file('stopped');
    for (const after of [13, 9]) {
      const controller = new AbortController();
      const { code, stderr } = await run(out, interrupting(after, controller), controller.signal);
      expect(code).toBe(130);
      expect(stderr).toContain('kept: the same command goes on behind them');
    }
    expect((await run(out, [text])).code).toBe(0);
    expect(await contents(out)).toEqual(await contents(file('whole')));
  });

  it('is read when it is run again, and refused for other inputs and other messages', async () => {
    const out = file('whole');
    const again = await run(out, [text]);
    expect(again).toMatchObject({ code: 0 });
    expect(JSON.parse(again.stdout)).toEqual(JSON.parse(await readFile(join(out, 'summary.json'), 'utf8')));
    expect(await run(out, [text, text])).toMatchObject({ code: 2, stderr: expect.stringContaining('other messages') });
    const others = await sluice([...audit(), '--messages', '-', '--out', out, '--since', '1'], { stdin: [text] });
    expect(others).toMatchObject({ code: 2, stderr: expect.stringContaining('--force') });
  });

  it('counts bad rows, and leaves them out when asked to', async () => {
    const bad = [text.slice(0, 3000).replace(/[^\n]*$/, ''), '5\n', text.slice(0, 3000).replace(/[^\n]*$/, '')];
    const stopped = await sluice([...audit(), '--messages', '-'], { stdin: bad });
    expect(stopped.code).toBe(3);
    const left = await sluice([...audit(), '--messages', '-', '--on-bad-row', 'skip'], { stdin: bad });
    expect(left.code).toBe(0);
    expect(left.stdout + left.stderr).toContain('rows that hold no message, left out: 1');
  });
});

describe('sluice audit --out of a platform with a list that it does not give', () => {
  const run = async (status: number, out: string) => {
    const { rules, lists } = world();
    const data = { messages: rows.slice(0, 50), rules, lists };
    const service = await startService({ data, intercept: refuseLists(status) });
    const env = { SLUICE_API_KEY: service.apiKey, SLUICE_BASE_URL: service.url };
    return sluice(['audit', '--out', file(out)], { env }).finally(() => service.close());
  };
  it.each([503, 403])('keeps nothing when it is there and answers %d', async (status) => {
    const out = `lost-${status}`;
    const { code, stderr } = await run(status, out);
    expect([code, stderr]).toEqual([
      4,
      expect.stringContaining(`list \`profanity-list\` could not be fetched: http ${status}`),
    ]);
    expect(stderr.includes('run the same command again')).toBe(status === 503);
    expect(stderr).toContain('with `--rules`');
    expect(await readdir(file(out))).toEqual([]);
  });

  it('keeps results without a list that does not exist', async () => {
    const { code } = await run(404, 'gone');
    expect(code).toBe(0);
    expect((await readdir(file('gone'))).length).toBeGreaterThan(1);
  });
});

it('a platform gives the same, by windows of time', async () => {
  const { rules, lists } = world();
  const service = await startService({ data: { messages: rows, rules, lists } });
  const env = { SLUICE_API_KEY: service.apiKey };
  try {
    const args = [...audit(), '--base-url', service.url, '--json', '--out', file('listed')];
    const ofPlatform = await sluice(args, { env });
    const ofFile = await sluice([...audit(), '--messages', '-', '--json'], { stdin: [text] });
    expect(ofPlatform.code).toBe(0);
    const countsOf = (json: string) => ({ ...JSON.parse(json), input: undefined });
    expect(countsOf(ofPlatform.stdout)).toEqual(countsOf(ofFile.stdout));
  } finally {
    await service.close();
  }
});
