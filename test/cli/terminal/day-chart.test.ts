import { describe, expect, it } from 'vitest';
import { dayChart, daysWords } from '../../../src/cli/terminal/day-chart.js';
import type { Output } from '../../../src/cli/terminal/style.js';

const at = (width: number): Output => ({ width, paint: (_tone, text) => text });
const firstOf2026 = Date.UTC(2026, 0, 1) / 86_400_000;
const days = (...counts: readonly number[]) => new Map(counts.map((count, index) => [firstOf2026 + index, count]));

describe('dayChart', () => {
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
    expect(dayChart(new Map([...days(2), [firstOf2026 + 3, 2]]), at(80))).toEqual([
      '█▁▁█   per day, most on Jan 1 (2)',
    ]);
  });

  it('fits the width, however far apart the days', () => {
    for (const width of [40, 60, 100]) {
      for (const line of dayChart(new Map([...days(2), [0, 7], [900_000, 1]]), at(width))) {
        expect(line.length).toBeLessThanOrEqual(width);
      }
    }
  });
});

describe('daysWords', () => {
  it('names a year once where it is the same', () => {
    expect(daysWords(firstOf2026, firstOf2026 + 31)).toBe('Jan 1 – Feb 1 2026, UTC');
    expect(daysWords(firstOf2026 - 1, firstOf2026)).toBe('Dec 31 2025 – Jan 1 2026, UTC');
    expect(daysWords(firstOf2026, firstOf2026)).toBe('Jan 1 2026, UTC');
  });
});
