import { describe, expect, it } from 'vitest';
import { type Change, compareRecords } from '../../bench/compare.js';
import type { BenchRecord } from '../../bench/record.js';
import type { ContenderResult } from '../../src/bench/record.js';

function contender(name: string, rounds: readonly number[], count = 5): ContenderResult {
  return { name, status: 'measured', count, rounds };
}

function record(contenders: readonly ContenderResult[], name = 'words'): BenchRecord {
  const result = {
    name,
    model: 'words' as const,
    ask: 'all' as const,
    why: '',
    question: '',
    unit: 'message' as const,
    messages: 1,
    bytes: 1,
    units: 1,
    terms: 1,
    patterns: 0,
    rules: 1,
    warmUpPasses: 1,
    contenders,
  };
  const machine = { cpu: 'x', cores: 2, memoryBytes: 1, system: 'x', node: 'v20', v8: '1', load: 0 };
  return { format: 1, date: '2026-01-01', mode: 'full', machine, results: [result], curves: [] };
}

const floor = contender('floor: charCodeAt', [10, 10, 10, 10, 10]);
const steady = contender('sluice', [20, 20.1, 20.2, 19.9, 20]);
const kinds = (changes: readonly Change[]) => changes.map(({ contender: name, kind }) => `${name} ${kind}`);

describe('compareRecords', () => {
  it.each([
    { rounds: [20.1, 20, 20.2, 20, 19.9], kind: 'same' },
    { rounds: [10, 10.1, 10, 10.2, 9.9], kind: 'faster' },
    { rounds: [40, 41, 40, 42, 40], kind: 'slower' },
    // Twice as long in the median, but the middle halves overlap: noise.
    { rounds: [19, 20, 40, 80, 90], kind: 'same' },
    // Apart, but by less than is worth a word.
    { rounds: [20.4, 20.4, 20.4, 20.4, 20.4], kind: 'same' },
  ])('reports $kind for $rounds', ({ rounds, kind }) => {
    const changes = compareRecords(record([steady, floor]), record([contender('sluice', rounds), floor]));
    expect(kinds(changes)).toEqual([`sluice ${kind}`]);
  });

  it('compares times relative to the floor of their own run', () => {
    const slowly = (one: ContenderResult) =>
      contender(
        one.name,
        one.rounds!.map((ns) => ns * 7),
      );
    const changes = compareRecords(record([steady, floor]), record([slowly(steady), slowly(floor)]));
    expect(changes[0]).toMatchObject({ kind: 'same', against: 'floor: charCodeAt' });
    expect(changes[0]!.factor).toBeCloseTo(1);
  });

  it('anchors to a foreign contender where there is no floor', () => {
    const foreign = contender('one RegExp', [10, 10, 10]);
    const changes = compareRecords(record([steady, foreign]), record([steady, foreign]));
    expect(changes.map(({ against }) => against)).toEqual(['one RegExp']);
  });

  it('reports changed counts, added and removed contenders', () => {
    const before = record([steady, contender('gone', [1, 1, 1]), floor]);
    const after = record([contender('sluice', [20, 20, 20], 6), contender('new', [1, 1, 1]), floor]);
    expect(kinds(compareRecords(before, after)).sort()).toEqual(['gone removed', 'new added', 'sluice count']);
    expect(compareRecords(before, after).find(({ kind }) => kind === 'count')!.detail).toBe('counted 5, now 6');
    expect(kinds(compareRecords(before, record([], 'other'))).sort()).toEqual([
      'floor: charCodeAt removed',
      'gone removed',
      'sluice removed',
    ]);
  });

  it('reports no times of quick records', () => {
    const quick: BenchRecord = { ...record([contender('sluice', [40, 40, 40]), floor]), mode: 'quick' };
    expect(kinds(compareRecords(record([steady, floor]), quick))).toEqual(['sluice same']);
  });

  it('reports a discarded contender as removed', () => {
    const wrong: ContenderResult = { ...steady, status: 'wrong-count' };
    expect(kinds(compareRecords(record([steady, floor]), record([wrong, floor])))).toEqual(['sluice removed']);
  });
});
