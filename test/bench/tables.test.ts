import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { BenchRecord } from '../../bench/record.js';
import type { ContenderResult } from '../../bench/rules/measure.js';
import { allTables, readmeTable } from '../../bench/tables.js';
import { recordOf } from './records.js';

function taking(name: string, times: number): ContenderResult {
  const spread = { median: times, low: times, high: times };
  return { name, status: 'measured', ns: { median: 100, low: 100, high: 100 }, ratio: spread };
}

const ours = taking('sluice', 1);
const floor = taking('floor: charCodeAt', 0.5);

describe('tables of the documents', () => {
  it('sorts by time, ours included, and puts the floor last', () => {
    const others = [floor, ours, taking('slow', 7), taking('fast', 0.25)];
    expect(allTables(recordOf(others, 'decide-403-words')).split('\n')).toEqual([
      '| times ours | words alone: decide, 403 words |',
      '|---|--:|',
      '| fast | 0.25 |',
      '| sluice | 1 = 100 ns |',
      '| slow | 7.00 |',
      '| floor: charCodeAt | 0.50 |',
      '',
      'some, Node 20.1.0, 2026-01-01, commit abc',
    ]);
  });

  it('lists missing contenders behind the measured ones', () => {
    const others: ContenderResult[] = [{ name: 'absent', status: 'missing' }, ours, floor];
    const [, , first, second] = allTables(recordOf(others, 'clean-2610-words-24-patterns')).split('\n');
    expect([first, second]).toEqual(['| sluice | 1 = 100 ns |', '| absent | not installed |']);
  });

  it('the README has fewer rows and columns', () => {
    const others = [floor, ours, taking('another one', 7), taking('one RegExp', 3)];
    expect(readmeTable(recordOf(others, 'decide-403-words')).split('\n').slice(0, 5)).toEqual([
      '| times ours | 403 words |',
      '|---|--:|',
      '| sluice | 1 = 100 ns |',
      '| one RegExp | 3.00 |',
      '| floor: charCodeAt | 0.50 |',
    ]);
  });

  it('are in the documents as a record has them', () => {
    const folder = new URL('../../bench/record/', import.meta.url);
    const records = readdirSync(folder)
      .filter((name) => name.endsWith('.json'))
      .map((name): BenchRecord => JSON.parse(readFileSync(new URL(name, folder), 'utf8')));
    for (const [document, tablesOf] of [
      ['README.md', readmeTable],
      ['bench/README.md', allTables],
    ] as const) {
      const page = readFileSync(new URL(`../../${document}`, import.meta.url), 'utf8');
      const commit = /, commit (\w+\+?)\n/.exec(page)?.[1];
      const shown = records.filter((one) => one.commit === commit).map(tablesOf);
      expect(
        shown.some((tables) => page.includes(`${tables}\n`)),
        document,
      ).toBe(true);
    }
  });
});
