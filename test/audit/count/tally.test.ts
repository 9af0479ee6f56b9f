import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createBoundedCounts } from '../../../src/audit/count/tally.js';

describe('createBoundedCounts', () => {
  const count = (most: number, ids: readonly string[]) => {
    const counts = createBoundedCounts(most);
    for (const id of ids) counts.add(id, 1);
    return counts;
  };

  it('is exact for as many ids as it may keep, largest first, then by id', () => {
    const counts = count(3, ['b', 'c', 'a', 'c', 'b', 'a']);
    expect(counts.rows()).toEqual([
      ['a', 2],
      ['b', 2],
      ['c', 2],
    ]);
    expect(counts.others).toBe(0);
  });

  it('keeps the half with the largest counts when there are more, and counts the others together', () => {
    const counts = count(4, ['a', 'a', 'a', 'b', 'b', 'c', 'd', 'e']);
    expect(counts.rows()).toEqual([
      ['a', 3],
      ['b', 2],
    ]);
    expect(counts.others).toBe(3);
  });

  it('never has more ids than it may keep, never a count too large, and loses nothing', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(20).map(String)), fc.integer({ min: 2, max: 8 }), (ids, most) => {
        const counts = count(most, ids);
        const rows = counts.rows();
        expect(rows.length).toBeLessThanOrEqual(most);
        for (const [id, own] of rows) {
          const exact = ids.filter((other) => other === id).length;
          expect(own).toBeLessThanOrEqual(exact);
          expect(own).toBeGreaterThanOrEqual(exact - counts.others);
        }
        expect(rows.reduce((sum, [, own]) => sum + own, counts.others)).toBe(ids.length);
      }),
    );
  });
});
