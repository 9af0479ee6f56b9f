import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { digestOf, LeastExamples, leastIds, type Rankable } from '../../../src/audit/count/least-examples.js';
import { naiveChoice, naiveDigest } from '../../support/naive-rank.js';
import { runs } from '../../support/runs.js';
import { anySplit, countBothWays } from './parts.js';

interface Example extends Rankable {
  readonly text: string;
}

const anyExample: fc.Arbitrary<Example> = fc.record({
  messageId: fc.option(fc.nat(15).map(String)),
  onlyCause: fc.boolean(),
  text: fc.constantFrom('a', 'b', '😀"'),
});

/** Takes examples as a counter takes entries: only when they are admitted. */
function counterOf(most: number) {
  const least = new LeastExamples<Example>(most);
  const add = (example: Example) => {
    if (least.admits(example)) least.add(example);
  };
  return { add, merge: (part: Example[]) => part.forEach(add), toJSON: () => least.toJSON() };
}

describe('LeastExamples', () => {
  it('keeps those of least rank, one for each message, for any split and order of parts', () => {
    fc.assert(
      fc.property(anySplit(anyExample), fc.nat(6), (split, most) => {
        const { whole, merged } = countBothWays(split, () => counterOf(most));
        expect(JSON.parse(whole)).toEqual(naiveChoice(split.entries, most));
        expect(merged).toBe(whole);
      }),
      { numRuns: runs(100) },
    );
  });

  it('puts messages with no other cause first, and spreads the others by their ids', () => {
    const least = new LeastExamples<Rankable>(3);
    for (let id = 0; id < 1000; id++) least.add({ messageId: String(id), onlyCause: id === 500 });
    const ids = least.toJSON().map(({ messageId }) => Number(messageId));
    expect(ids[0]).toBe(500);
    expect(Math.max(...ids) - Math.min(...ids)).toBeGreaterThan(100);
  });
});

describe('leastIds', () => {
  it('makes the same choice among ids alone', () => {
    fc.assert(
      fc.property(anySplit(fc.nat(30).map(String)), fc.nat(6), ({ entries, partOf, order }, most) => {
        const parts = order.map((part) => entries.filter((_, index) => partOf[index] === part));
        const merged = parts.reduce((kept: readonly string[], part) => {
          const own = part.reduce((before: readonly string[], id) => leastIds(before, [id], most), []);
          return leastIds(kept, own, most);
        }, []);
        const ranked = naiveChoice(
          entries.map((messageId) => ({ messageId, onlyCause: true })),
          most,
        );
        expect(merged).toEqual(ranked.map(({ messageId }) => messageId));
      }),
      { numRuns: runs(100) },
    );
  });
});

describe('digestOf', () => {
  it('is what its definition gives in whole numbers of any size', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(BigInt(digestOf(text))).toBe(naiveDigest(text));
      }),
    );
  });
});
