import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { busyWords, describeMachine } from '../../src/bench/machine.js';
import { sluice } from '../cli/terminal.js';
import { recordOf } from './records.js';

let directory: string;
const file = (name: string) => join(directory, name);
const condition = { entity: 'message', operand: 'text', operator: 'contains' };
const ruleSet = {
  rules: [
    {
      id: 'words',
      action: ['blockMessage'],
      conditions: [{ ...condition, id: 1, category: 'word', value: ['duck', 'bird song'] }],
    },
    {
      id: 'signs',
      action: ['dropMessage'],
      conditions: [{ ...condition, id: 1, category: 'pattern', value: ['\\d{3}', '(?i)q+z'] }],
    },
  ],
  lists: [],
};
const messages = Array.from({ length: 40 }, (_, index) => {
  const texts = ['a duck, then', 'Bird   song of', 'ducks and 123', 'nothing at', 'İstanbul'];
  return { data: { text: `${texts[index % texts.length]} ${'abcdefghij'[index % 10]}` } };
});

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sluice-bench-'));
  await writeFile(file('rules.json'), JSON.stringify(ruleSet));
  await writeFile(file('messages.ndjson'), messages.map((message) => `${JSON.stringify(message)}\n`).join(''));
  await writeFile(file('empty.ndjson'), '');
});
afterAll(() => rm(directory, { recursive: true }));

const given = () => ['bench', '--rules', file('rules.json'), '--messages', file('messages.ndjson'), '--quick'];

describe('sluice bench', () => {
  it('measures the given rules, with equal counts of all contenders', async () => {
    const { code, stdout, stderr } = await sluice([...given(), '--json']);
    expect([code, stderr]).toEqual([0, expect.stringContaining('leave out 2 texts')]);
    const { results, leftOut } = JSON.parse(stdout) as {
      results: { name: string; contenders: { name: string; status: string; count: number }[] }[];
      leftOut: object;
    };
    expect(results.map(({ name }) => name)).toEqual(['decide', 'words', 'patterns']);
    // A drop weighs 2: of forty messages eight are dropped for a number and sixteen are blocked for a word.
    expect(results[0]!.contenders[0]).toMatchObject({ name: 'sluice', status: 'measured', count: 32 });
    for (const { contenders } of results) for (const { status } of contenders) expect(status).toBe('measured');
    expect(leftOut).toEqual({ texts: 2, terms: 0, patterns: 0 });
  });

  it('prints tables that fit the terminal', async () => {
    const { code, stdout } = await sluice(given(), { columns: 80 });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^contender +times ours +a message +a second +MB\/s +count$/m);
    expect(stdout).toMatch(/^sluice +1\.00 /m);
    expect(stdout).toMatch(/^RegExp per pattern /m);
    expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
  });

  it('reports what is missing', async () => {
    expect(await sluice(['bench'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('no rules and no messages'),
    });
    const none = await sluice(['bench', '--rules', file('rules.json'), '--messages', file('empty.ndjson')]);
    expect(none).toMatchObject({ code: 3, stderr: expect.stringContaining('`the whole file` has no message') });
  });
});

describe('busyWords', () => {
  const machine = { ...describeMachine(), cores: 2 };
  const resultsOf = (low: number, high: number) =>
    recordOf([{ name: 'sluice', status: 'measured', ns: { median: 100, low, high } }]).results;

  it('is undefined for even rounds on an idle machine', () => {
    expect(busyWords(resultsOf(95, 110), { ...machine, load: 1.2 })).toBeUndefined();
    expect(busyWords([], { ...machine, load: 2 })).toBeUndefined();
  });

  it('names the load and the widest spread of rounds', () => {
    expect(busyWords(resultsOf(95, 110), { ...machine, load: 2.14 })).toBe('load 2.1 on 2 cores');
    expect(busyWords([...resultsOf(95, 110), ...resultsOf(90, 150)], { ...machine, load: 9 })).toBe(
      'load 9.0 on 2 cores, rounds of one contender differ by 60 %',
    );
  });
});
