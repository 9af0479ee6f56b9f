import { describe, expect, it } from 'vitest';
import { allocatedPerItem, bytesInUse, watchPeak } from '../../src/bench/heap.js';
import { until } from '../support/until.js';

describe('memory', () => {
  it('sees what is kept', () => {
    const before = bytesInUse();
    const kept = Array.from({ length: 100_000 }, (_, index) => ({ index }));
    const grown = bytesInUse() - before;
    expect(kept.length).toBe(100_000);
    expect(grown).toBeGreaterThan(1_000_000);
    expect(grown).toBeLessThan(20_000_000);
  });

  it('sees what a question allocates, and that some allocate nothing', () => {
    let escaped: unknown;
    const some = (size: number) => (from: number, to: number) => {
      for (let at = from; at < to; at++) if (size > 0) escaped = new Array(size).fill(at);
      return 0;
    };
    const thousand = allocatedPerItem(some(1000), 2000);
    expect(thousand).toBeGreaterThan(3500);
    expect(thousand).toBeLessThan(20_000);
    expect(allocatedPerItem(some(0), 2000)).toBeLessThan(64);
    expect(escaped).toHaveLength(1000);
  });

  it('sees a peak that is over before anybody asks, and not one from before', async () => {
    const earlier = Buffer.alloc(80_000_000, 1);
    expect(earlier[5]).toBe(1);
    const overStart = await watchPeak();
    let block: Buffer | undefined = Buffer.alloc(120_000_000, 1);
    const looks = overStart.looks();
    await until(() => overStart.looks() > looks + 1);
    expect(block[7]).toBe(1);
    block = undefined;
    bytesInUse();
    const peak = await overStart();
    expect(peak).toBeGreaterThan(100_000_000);
    expect(peak).toBeLessThan(200_000_000);
  });
});
