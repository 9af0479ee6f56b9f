import { describe, expect, it } from 'vitest';
import { re2wasm } from '../../src/engine/match/patterns/re2-wasm.js';
import { re2js } from '../../src/engine/match/patterns/re2js.js';
import { reload } from './reload.js';

describe('P5: reloading rules never kills the engine', () => {
  // 1,600 patterns: more than the heap of re2-wasm holds at once.
  it.each([re2js, re2wasm])('$name: memory does not grow', async (engine) => {
    const { reloads, heap, rss } = await reload(60, 20, { engine });
    expect(reloads).toBe(60);
    expect(heap / reloads).toBeLessThan(20_000);
    expect(rss).toBeLessThan(96 * 2 ** 20);
  });
});
