import { describe, expect, it } from 'vitest';
import { type Change, compareRecords } from '../../bench/compare.js';
import type { ContenderResult } from '../../bench/rules/measure.js';
import { recordOf } from './records.js';

function contender(name: string, rounds: readonly number[], count = 5): ContenderResult {
  return { name, status: 'measured', count, rounds };
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
    const changes = compareRecords(recordOf([steady, floor]), recordOf([contender('sluice', rounds), floor]));
    expect(kinds(changes)).toEqual([`sluice ${kind}`]);
  });

  it('compares times relative to the floor of their own run', () => {
    const slowly = (one: ContenderResult) =>
      contender(
        one.name,
        one.rounds!.map((ns) => ns * 7),
      );
    const changes = compareRecords(recordOf([steady, floor]), recordOf([slowly(steady), slowly(floor)]));
    expect(changes[0]).toMatchObject({ kind: 'same', against: 'floor: charCodeAt' });
    expect(changes[0]!.factor).toBeCloseTo(1);
  });

  it('reports changed counts, added and removed contenders', () => {
    const before = recordOf([steady, contender('gone', [1, 1, 1]), floor]);
    const after = recordOf([contender('sluice', [20, 20, 20], 6), contender('new', [1, 1, 1]), floor]);
    expect(kinds(compareRecords(before, after)).sort()).toEqual(['gone removed', 'new added', 'sluice count']);
    expect(compareRecords(before, after).find(({ kind }) => kind === 'count')!.detail).toBe('counted 5, now 6');
    expect(kinds(compareRecords(before, recordOf([], 'other'))).sort()).toEqual([
      'floor: charCodeAt removed',
      'gone removed',
      'sluice removed',
    ]);
  });

  it('reports a discarded contender as removed', () => {
    const wrong: ContenderResult = { ...steady, status: 'wrong-count' };
    expect(kinds(compareRecords(recordOf([steady, floor]), recordOf([wrong, floor])))).toEqual(['sluice removed']);
  });
});
