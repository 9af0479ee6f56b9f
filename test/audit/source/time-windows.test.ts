import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { timeWindows, type WindowPosition } from '../../../src/audit/source/time-windows.js';
import type { MessageDraft } from '../../../src/contract/message-draft.js';
import type { MessageQuery } from '../../../src/contract/message-query.js';

interface Stored {
  readonly id: string;
  readonly sentAt: number;
}

/** A platform that lists pages, some of them twice and some in the place of another. */
function platform(stored: readonly Stored[], { page, disorder }: { page: number; disorder: readonly number[] }) {
  const state = { listed: 0, requests: 0 };
  const sorted = [...stored].sort((a, b) => a.sentAt - b.sentAt || Number(a.id) - Number(b.id));
  async function* list({ fromTimestamp = 0, toTimestamp = Number.POSITIVE_INFINITY }: MessageQuery) {
    state.requests++;
    const found = sorted.filter(({ sentAt }) => sentAt >= fromTimestamp && sentAt <= toTimestamp);
    const pages: Stored[][] = [];
    for (let at = 0; at < found.length; at += page) pages.push(found.slice(at, at + page));
    for (const [index, turn] of disorder.entries()) {
      if (pages.length < 2) break;
      const at = (index * 7 + turn) % (pages.length - 1);
      if (turn % 2 === 0) [pages[at], pages[at + 1]] = [pages[at + 1]!, pages[at]!];
      else pages.splice(at, 0, pages[at + 1]!);
    }
    for (const message of pages.flat()) {
      state.listed++;
      yield { ...message } as MessageDraft;
    }
  }
  return { list, sorted, state };
}

const stored = fc
  .uniqueArray(fc.tuple(fc.nat({ max: 400 }), fc.integer({ min: 1000, max: 9000 })), {
    selector: ([id]) => id,
    maxLength: 80,
  })
  .map((rows) => rows.map(([id, sentAt]) => ({ id: String(id + 90), sentAt })));

async function windowsOf(list: ReturnType<typeof platform>['list'], from: WindowPosition | undefined, until: number) {
  const found = [];
  for await (const window of timeWindows(list, { from, until })) found.push(window);
  return found;
}

describe('time windows', () => {
  it('hold every message up to the last second once, in order, though pages come twice or in disorder', async () => {
    await fc.assert(
      fc.asyncProperty(
        stored,
        fc.integer({ min: 1, max: 20 }),
        fc.array(fc.nat({ max: 50 }), { maxLength: 4 }),
        fc.integer({ min: 500, max: 10_000 }),
        fc.integer({ min: 1, max: 5000 }),
        async (messages, page, disorder, until, seconds) => {
          const { list, sorted } = platform(messages, { page, disorder });
          const expected = sorted.filter(({ sentAt }) => sentAt <= until);
          const all = await windowsOf(list, undefined, until);
          expect(all.flatMap((window) => window.messages)).toEqual(expected);
          const cut = await windowsOf(list, { from: 1, seconds }, until);
          expect(cut.flatMap((window) => window.messages)).toEqual(expected);
          for (const [index, { end }] of cut.entries()) {
            const rest = await windowsOf(list, end, until);
            expect(rest).toEqual(cut.slice(index + 1));
          }
        },
      ),
    );
  });

  it('are cut where they hold far too many, down to a second, and grow where they hold few', async () => {
    const crowded = Array.from({ length: 30_000 }, (_, index) => ({
      id: String(index + 1),
      sentAt: 5_000 + (index % 60),
    }));
    const sparse = Array.from({ length: 40 }, (_, index) => ({
      id: String(index + 40_000),
      sentAt: 1e6 + index * 100_000,
    }));
    const { list, state } = platform([...crowded, ...sparse], { page: 1000, disorder: [] });
    const windows = await windowsOf(list, undefined, 6e6);
    expect(windows.reduce((sum, { messages }) => sum + messages.length, 0)).toBe(30_040);
    expect(Math.max(...windows.map(({ messages }) => messages.length))).toBeLessThanOrEqual(10_000);
    // What windows that were cut had listed, and the seconds on either side, is all that is listed in vain.
    expect(state.listed).toBeLessThan(3 * 30_040);
    expect(state.requests).toBeLessThan(20);
    const second = Array.from({ length: 25_000 }, (_, index) => ({ id: String(index + 1), sentAt: 77 }));
    const sizes = await windowsOf(platform(second, { page: 1000, disorder: [] }).list, undefined, 100);
    expect(sizes.map(({ messages }) => messages.length).filter((length) => length > 0)).toEqual([25_000]);
  });

  it('are none where no message is', async () => {
    const { list, state } = platform([], { page: 10, disorder: [] });
    expect((await windowsOf(list, undefined, 1000)).flatMap(({ messages }) => messages)).toEqual([]);
    expect(state.requests).toBe(1);
  });
});
