import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { busyWords, describeMachine } from '../../bench/rules/machine.js';
import { benchOwnRules } from '../../bench/rules/own-rules.js';
import { recordOf } from './records.js';

it('measures the rules and messages of files, with equal counts of all contenders, in tables that fit', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-bench-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const files = { rules: join(folder, 'rules.json'), messages: join(folder, 'messages.csv') };
  const conditions = [
    { operand: 'text', value: ['duck', 'bird song'] },
    { operand: 'text', category: 'pattern', value: ['\\d{3}', '(?i)q+z'] },
  ];
  const own = conditions.map((condition, at) => ({
    id: `${at}`,
    action: [at === 0 ? 'blockMessage' : 'dropMessage'],
    conditions: [condition],
  }));
  await writeFile(files.rules, JSON.stringify({ rules: own, lists: [] }));
  const texts = ['a duck, then', 'Bird   song of', 'ducks and 123', 'nothing at', 'İstanbul'];
  await writeFile(files.messages, `text\n${texts.map((text) => `"${text}"\n`).join('')}`);
  const lines: string[] = [];
  const notes: string[] = [];
  const output = { width: 80, paint: (_tone: unknown, text: string) => text };
  const printing = {
    output,
    print: (line: string) => lines.push(line),
    printError: (line: string) => notes.push(line),
  };
  expect(await benchOwnRules({ ...files, mode: 'quick', ...printing })).toBe(0);
  const screen = lines.join('\n');
  expect(screen).toMatch(/^contender +times ours +a message +a second +MB\/s +count$/m);
  // A drop weighs 2: two messages are blocked for a term, and one is dropped for a number.
  expect(screen).toMatch(/^sluice +1\.00 .* 4$/m);
  expect(screen).toMatch(/^RegExp per pattern /m);
  expect(screen).not.toContain('not measured');
  expect(Math.max(...screen.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
  expect(notes).toContainEqual(expect.stringContaining('leave out 1 text, 0 terms, 0 patterns'));
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
