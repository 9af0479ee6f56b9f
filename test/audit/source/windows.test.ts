import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type ListMessages,
  type TimeWindow,
  timeWindows,
  type WindowPosition,
} from '../../../src/audit/source/windows.js';
import type { MessageDraft } from '../../../src/platform/contract/message-draft.js';
import type { MessageQuery } from '../../../src/platform/contract/message-query.js';
import { runs } from '../../support/runs.js';

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

const { signal } = new AbortController();

async function windowsOf(list: ListMessages, from: WindowPosition | undefined, until: number, width = 1) {
  const found = [];
  const begin = from ?? { from: 0, seconds: until + 1 };
  for await (const window of timeWindows(list, { ...begin, until, width, signal })) found.push(window);
  return found;
}

const idsOf = (windows: readonly TimeWindow[]) => windows.flatMap(({ messages }) => messages.map(({ id }) => id));

/**
 * A platform whose pages come when the test says: one page of all that are asked for at a time, as
 * the picks choose. Pages that fail are named by a message on them.
 */
function pending(stored: readonly Stored[], { page, fails }: { page: number; fails?: string }) {
  const { sorted } = platform(stored, { page, disorder: [] });
  const state = { open: 0, mostOpen: 0, requests: 0, aborted: 0 };
  const waiting: (() => void)[] = [];
  async function* list({ fromTimestamp = 0, toTimestamp = 0 }: MessageQuery, signal: AbortSignal) {
    const found = sorted.filter(({ sentAt }) => sentAt >= fromTimestamp && sentAt <= toTimestamp);
    state.open++;
    state.mostOpen = Math.max(state.mostOpen, state.open);
    try {
      for (let at = 0; at === 0 || at < found.length; at += page) {
        state.requests++;
        const rows = found.slice(at, at + page);
        await new Promise<void>((resolve, reject) => {
          waiting.push(resolve);
          signal.addEventListener('abort', () => reject(signal.reason), { once: true });
        });
        if (rows.some(({ id }) => id === fails)) throw new Error('gone');
        for (const row of rows) yield { ...row } as MessageDraft;
      }
    } finally {
      if (signal.aborted) state.aborted++;
      state.open--;
    }
  }
  /** Answers pages as long as any is asked for. */
  async function answer(picks: readonly number[], until: () => boolean = () => false) {
    for (let turn = 0; !until(); turn++) {
      await new Promise((resume) => setImmediate(resume));
      if (waiting.length === 0) return;
      waiting.splice((picks[turn % picks.length] ?? 0) % waiting.length, 1)[0]?.();
    }
  }
  return { list, sorted, state, answer };
}

/** Messages whose density changes, some sent in the same second. */
const uneven = fc
  .array(fc.record({ count: fc.integer({ min: 1, max: 6000 }), seconds: fc.integer({ min: 1, max: 20_000 }) }), {
    minLength: 1,
    maxLength: 6,
  })
  .map((stretches) => {
    const rows: Stored[] = [];
    let begin = 1000;
    for (const { count, seconds } of stretches) {
      for (let at = 0; at < count; at++) {
        rows.push({ id: String(90 + rows.length), sentAt: begin + Math.floor((at * seconds) / count) });
      }
      begin += seconds;
    }
    return { rows, until: begin };
  });
const picks = fc.array(fc.nat({ max: 50 }), { minLength: 1, maxLength: 20 });
const widths = fc.integer({ min: 1, max: 20 });

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
    // What windows that were cut had listed, and the seconds on either side, is all that is listed
    // in vain.
    expect(state.listed).toBeLessThan(3 * 30_040);
    expect(state.requests).toBeLessThan(20);
    const second = Array.from({ length: 25_000 }, (_, index) => ({ id: String(index + 1), sentAt: 77 }));
    const sizes = await windowsOf(platform(second, { page: 1000, disorder: [] }).list, undefined, 100);
    expect(sizes.map(({ messages }) => messages.length).filter((length) => length > 0)).toEqual([25_000]);
  });
});

describe('several windows at once', () => {
  it('hold the same messages in the same order, whichever pages come first, and from any end on', async () => {
    await fc.assert(
      fc.asyncProperty(uneven, widths, picks, fc.integer({ min: 1, max: 1000 }), async (stored, width, turns, page) => {
        const { rows, until } = stored;
        const { list, sorted, state, answer } = pending(rows, { page: page + 500 });
        const expected = sorted.filter(({ sentAt }) => sentAt <= until).map(({ id }) => id);
        const whole = windowsOf(list, { from: 1000, seconds: until - 999 }, until, width);
        await answer(turns);
        const windows = await whole;
        expect(idsOf(windows)).toEqual(expected);
        expect(state.mostOpen).toBeLessThanOrEqual(width);
        expect(state.open).toBe(0);
        const index = (turns[0] ?? 0) % windows.length;
        const rest = windowsOf(list, windows[index]?.end, until, 1 + (width % 7));
        await answer(turns);
        expect(idsOf(await rest)).toEqual(idsOf(windows.slice(index + 1)));
      }),
      { numRuns: runs(20) },
    );
  });

  it('are as many as the width, once there are messages for them, and no more wait to be handed on', async () => {
    const rows = Array.from({ length: 200_000 }, (_, index) => ({
      id: String(index + 90),
      sentAt: 1000 + (index >> 2),
    }));
    const { list, sorted, state, answer } = pending(rows, { page: 1000 });
    const until = 1000 + 200_000 / 4;
    const windows = timeWindows(list, { from: 1000, seconds: until - 999, until, width: 6, signal });
    const first = windows.next();
    await answer([0]);
    const ids = idsOf([(await first).value as TimeWindow]);
    // Nobody takes the next: what may be fetched ahead is fetched, and then no more.
    await answer([0]);
    expect(state.open).toBe(0);
    const { requests } = state;
    expect(requests).toBeLessThan(6 * 5);
    const rest = (async () => {
      for await (const window of windows) ids.push(...idsOf([window]));
    })();
    await answer([3, 0, 5, 1]);
    await rest;
    expect(ids).toEqual(sorted.map(({ id }) => id));
    expect(state.mostOpen).toBe(6);
    expect(state.requests).toBeLessThan(1.5 * 200);
  });

  it('take no more requests for few messages than one at a time, and about twice as many wherever they lie', async () => {
    const even = (count: number, seconds: number) =>
      Array.from({ length: count }, (_, index) => ({
        id: String(index + 90),
        sentAt: 1000 + Math.floor((index * seconds) / count),
      }));
    const requestsOf = async (rows: readonly Stored[], width: number) => {
      const { list, state, answer } = pending(rows, { page: 1000 });
      const windows = windowsOf(list, { from: 1000, seconds: 1e6 }, 1_000_999, width);
      await answer([0]);
      expect(idsOf(await windows)).toHaveLength(rows.length);
      return state.requests;
    };
    for (const count of [0, 1, 999, 2500, 5500, 8000]) {
      const pages = Math.max(1, Math.ceil(count / 1000));
      expect(await requestsOf(even(count, 1e6), 16), String(count)).toBe(pages);
    }
    for (const count of [3000, 6000, 10_000, 30_000]) {
      for (const seconds of [10, 3000, 100_000, 1e6]) {
        const rows = even(count, seconds);
        const alone = await requestsOf(rows, 1);
        expect(await requestsOf(rows, 16), `${count} in ${seconds} s`).toBeLessThanOrEqual(2 * alone);
      }
    }
  });

  it('that fail end the windows behind them, after those before them and what they held', async () => {
    await fc.assert(
      fc.asyncProperty(uneven, widths, picks, fc.nat(), async ({ rows, until }, width, turns, chosen) => {
        const fails = rows[chosen % rows.length]!;
        const { list, sorted, state, answer } = pending(rows, { page: 700, fails: fails.id });
        const windows: TimeWindow[] = [];
        const thrown = (async () => {
          for await (const window of timeWindows(list, { from: 1000, seconds: 500, until, width, signal })) {
            windows.push(window);
          }
        })().catch((error: unknown) => error);
        await answer(turns);
        expect(await thrown).toEqual(new Error('gone'));
        const ids = idsOf(windows);
        expect(ids).toEqual(sorted.slice(0, ids.length).map(({ id }) => id));
        expect(ids).not.toContain(fails.id);
        const whole = windows.filter(({ end }) => end !== undefined);
        expect(whole.length).toBeGreaterThanOrEqual(windows.length - 1);
        // Everything before the window that failed was kept.
        const kept = (whole.at(-1)?.end?.from ?? 1000) - 1;
        expect(kept).toBeLessThan(fails.sentAt + 1);
        expect(state.open).toBe(0);
      }),
      { numRuns: runs(20) },
    );
  });

  it('are aborted when nobody takes more, and by a signal, after what was fetched in order', async () => {
    const rows = Array.from({ length: 60_000 }, (_, index) => ({ id: String(index + 90), sentAt: 1000 + index }));
    const options = { from: 1000, seconds: 2000, until: 61_000, width: 8, signal };
    const left = pending(rows, { page: 500 });
    const leaving = (async () => {
      let count = 0;
      for await (const _ of timeWindows(left.list, options)) if (++count === 10) return left.state.open;
    })();
    await left.answer([0]);
    expect(await leaving).toBeGreaterThan(3);
    expect(left.state).toMatchObject({ open: 0, aborted: await leaving });

    const stopped = pending(rows, { page: 500 });
    const controller = new AbortController();
    const taken: TimeWindow[] = [];
    const reading = (async () => {
      for await (const window of timeWindows(stopped.list, { ...options, signal: controller.signal }))
        taken.push(window);
    })().catch((error: unknown) => error);
    await stopped.answer([0], () => taken.length > 9);
    controller.abort(new Error('interrupted'));
    expect(await reading).toEqual(new Error('interrupted'));
    const ids = idsOf(taken);
    expect(ids).toEqual(rows.slice(0, ids.length).map(({ id }) => id));
    expect(ids.length).toBeGreaterThan(2000);
    expect(stopped.state).toMatchObject({ open: 0 });
    const refused = timeWindows(stopped.list, { ...options, signal: controller.signal }).next();
    await expect(refused).rejects.toThrow('interrupted');
  });

  it('that were fetched ahead are left, once a signal says so', async () => {
    const stored = Array.from({ length: 40_000 }, (_, index) => ({ id: String(index + 1), sentAt: 1000 + index }));
    const { list, state } = platform(stored, { page: 1000, disorder: [] });
    const controller = new AbortController();
    let [handedOn, listedThen] = [0, 0];
    const reading = async () => {
      const options = { from: 0, seconds: 41_001, until: 41_000, width: 16, signal: controller.signal };
      for await (const { messages } of timeWindows(list, options)) {
        handedOn += messages.length;
        // Long enough for those ahead to be fetched.
        for (let turn = 0; turn < 50; turn++) await new Promise((resume) => setImmediate(resume));
        listedThen = state.listed;
        if (handedOn > 10_000) controller.abort(new Error('enough'));
      }
    };
    await expect(reading()).rejects.toThrow('enough');
    expect(listedThen).toBeGreaterThan(handedOn + 3_000);
    expect(handedOn).toBeLessThan(20_000);
  });
});
