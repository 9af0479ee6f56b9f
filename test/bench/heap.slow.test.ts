import { describe, expect, it } from 'vitest';
import { allocatedPerItem, bytesInUse } from '../../bench/heap.js';
import { watchPeak } from '../../bench/run.js';
import { until } from '../support/until.js';

describe('memory', () => {
  it('bytesInUse: grows by what is kept', () => {
    const before = bytesInUse();
    const kept = Array.from({ length: 100_000 }, (_, index) => ({ index }));
    const grown = bytesInUse() - before;
    expect(kept.length).toBe(100_000);
    expect(grown).toBeGreaterThan(1_000_000);
    expect(grown).toBeLessThan(20_000_000);
  });

  it('allocatedPerItem: measures an allocation, and none', () => {
    let escaped: unknown;
    const some = (size: number) => (at: number) => {
      if (size > 0) escaped = new Array(size).fill(at);
    };
    const thousand = allocatedPerItem(some(1000), 2000);
    expect(thousand).toBeGreaterThan(3500);
    expect(thousand).toBeLessThan(20_000);
    expect(allocatedPerItem(some(0), 2000)).toBeLessThan(64);
    expect(escaped).toHaveLength(1000);
  });

  it('watchPeak: reports a peak that is over when it is read, and none from before its start', async () => {
    const earlier = Buffer.alloc(80_000_000, 1);
    expect(earlier[5]).toBe(1);
    const watch = await watchPeak();
    let block: Buffer | undefined = Buffer.alloc(120_000_000, 1);
    const before = watch.samples();
    await until(() => watch.samples() > before + 1);
    expect(block[7]).toBe(1);
    block = undefined;
    bytesInUse();
    const peak = await watch.stop();
    expect(peak).toBeGreaterThan(100_000_000);
    expect(peak).toBeLessThan(200_000_000);
  });
});
