import { describe, expect, it } from 'vitest';
import { daysWords } from '../../../src/cli/day-bins.js';
import { blockLines } from '../../../src/cli/document/terminal.js';
import type { Output } from '../../../src/cli/terminal/style.js';

const at = (width: number): Output => ({ width, paint: (_tone, text) => text });
/** The day that is `after` days behind 1 January 2026. */
const dayOf = (after: number) => new Date(Date.UTC(2026, 0, 1 + after)).toISOString().slice(0, 10);
const on = (after: number, stopped: number) => ({
  ...{ day: dayOf(after), messages: 100 },
  ...{ stopped, blocked: stopped, dropped: 0 },
});
const days = (...counts: readonly number[]) => counts.map((count, index) => on(index, count));

const dayChart = (own: ReturnType<typeof days>, output: Output) =>
  blockLines([{ kind: 'days', days: own, outside: 0 }], output);

describe('days on a terminal', () => {
  it('has a bar for each day, and names the highest', () => {
    expect(dayChart(days(1, 0, 4, 8), at(80))).toEqual(['▁▁▄█   per day, most on Jan 4 (8)']);
  });

  it('has several days a bar where the screen is too narrow, and its words below where there is no room', () => {
    const quarter = days(...Array.from({ length: 90 }, (_, index) => (index === 40 ? 50 : 1)));
    expect(dayChart(quarter, at(80))).toEqual([
      `${'▁'.repeat(13)}█${'▁'.repeat(16)}   per 3 days, most from Feb 9 (52)`,
    ]);
    expect(dayChart(quarter, at(40))).toEqual([
      `${'▁'.repeat(13)}█${'▁'.repeat(16)}`,
      'per 3 days, most from Feb 9 (52)',
    ]);
  });

  it('is empty for one day, flat where nothing was counted, and has days without messages', () => {
    expect(dayChart(days(3), at(80))).toEqual([]);
    expect(dayChart(days(0, 0), at(80))).toEqual(['▁▁   per day']);
    expect(dayChart([...days(2), on(3, 2)], at(80))).toEqual(['█▁▁█   per day, most on Jan 1 (2)']);
  });

  it('fits the width, however far apart the days', () => {
    for (const width of [40, 60, 100]) {
      for (const line of dayChart([on(-20_000, 7), ...days(2), on(60_000, 1)], at(width))) {
        expect(line.length).toBeLessThanOrEqual(width);
      }
    }
  });
});

describe('daysWords', () => {
  it('names a year once where it is the same', () => {
    expect(daysWords('2026-01-01', '2026-02-01')).toBe('Jan 1 – Feb 1 2026, UTC');
    expect(daysWords('2025-12-31', '2026-01-01')).toBe('Dec 31 2025 – Jan 1 2026, UTC');
    expect(daysWords('2026-01-01', '2026-01-01')).toBe('Jan 1 2026, UTC');
  });
});
