import { describe, expect, it } from 'vitest';
import { type Legend, plotSvg } from '../../bench/plots.js';

const legend: Legend = {
  title: 'terms & <time>',
  x: 'terms',
  y: 'time',
  logX: true,
  formatX: String,
  formatY: (value) => `${value} ns`,
};
const line = (name: string, ys: readonly number[]) => ({
  name,
  points: ys.map((y, index) => ({ x: 10 ** (index + 1), y, low: y * 0.9, high: y * 1.1 })),
});

describe('plotSvg', () => {
  it('draws a line for each contender inside the frame, with names apart', () => {
    const svg = plotSvg(
      [line('sluice', [100, 110, 120]), line('other', [101, 111, 121]), line('floor', [50, 50, 50])],
      legend,
    );
    expect(svg).not.toMatch(/NaN|Infinity|undefined/);
    expect(svg.match(/<polyline/g)).toHaveLength(3);
    expect(svg).toContain('terms &amp; &lt;time&gt;');
    const names = [...svg.matchAll(/<text x="[\d.]+" y="([\d.]+)" fill="#[^>]*>(?:sluice|other|floor)</g)].map(
      ([, y]) => Number(y),
    );
    const [one, two, three] = names.sort((a, b) => a - b);
    expect(Math.min(two! - one!, three! - two!)).toBeGreaterThanOrEqual(15);
    for (const [, x, y] of svg.matchAll(/cx="([\d.]+)" cy="([\d.]+)"/g)) {
      expect(Number(x)).toBeLessThanOrEqual(760);
      expect(Number(y)).toBeLessThanOrEqual(420);
    }
  });

  it('leaves out lines without points; draws a single point and equal figures', () => {
    expect(plotSvg([line('sluice', [5]), line('absent', [])], legend)).not.toContain('absent');
    expect(plotSvg([line('sluice', [5, 5])], { ...legend, logX: false })).not.toMatch(/NaN|Infinity/);
  });
});
