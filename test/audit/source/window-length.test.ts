import { describe, expect, it } from 'vitest';
import { type ListPage, secondsOfWindow } from '../../../src/audit/source/window-length.js';

/** Pages over messages sent at these seconds, and how many were listed. */
function pagesOf(times: readonly number[]): { readonly list: ListPage; readonly listed: () => number } {
  let listed = 0;
  const list: ListPage = async ({ fromTimestamp = 0, toTimestamp = Number.POSITIVE_INFINITY, limit = 1 }) => {
    listed++;
    const found = times.filter((time) => time >= fromTimestamp && time <= toTimestamp).slice(0, limit);
    return found.map((sentAt) => ({ sentAt }));
  };
  return { list, listed: () => listed };
}

const since = 1_772_323_200;
const day = 86_400;
const query = (days: number, pageSize = 100) => ({ since, until: since + days * day - 1, pageSize });
const evenly = (count: number, seconds: number) =>
  Array.from({ length: count }, (_, index) => since + Math.floor((index * seconds) / count));

describe('the seconds of a window', () => {
  it('hold two pages of messages that come evenly, at the price of five pages', async () => {
    const { list, listed } = pagesOf(evenly(20_000, 2 * day));
    const seconds = await secondsOfWindow(list, query(2));
    expect(Math.abs(seconds - (2 * day) / 100)).toBeLessThan(30);
    expect(listed()).toBe(5);
  });

  it('are the whole query where there are few messages, or none', async () => {
    expect(await secondsOfWindow(pagesOf(evenly(150, day)).list, query(2))).toBe(2 * day);
    expect(await secondsOfWindow(pagesOf([]).list, query(2))).toBe(2 * day);
    expect(await secondsOfWindow(pagesOf([]).list, { since, until: since - 10, pageSize: 100 })).toBe(60);
  });

  it('are a minute at least, and no query has more than 5,000 windows', async () => {
    const dense = pagesOf(evenly(60_000, 600));
    expect(await secondsOfWindow(dense.list, { since, until: since + 599, pageSize: 100 })).toBe(60);
    const many = pagesOf(evenly(200_000, 30 * day));
    expect(await secondsOfWindow(many.list, query(30, 10))).toBe(Math.ceil((30 * day) / 5000));
  });

  it('do not depend on when they are counted', async () => {
    const { list } = pagesOf(evenly(7_000, 3 * day));
    expect(await secondsOfWindow(list, query(3))).toBe(await secondsOfWindow(list, query(3)));
  });
});
