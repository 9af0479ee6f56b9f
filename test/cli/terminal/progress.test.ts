import { describe, expect, it } from 'vitest';
import type { Io } from '../../../src/cli/io.js';
import { createReporter, createTimeLeft, progressLine } from '../../../src/cli/terminal/progress.js';

describe('progressLine', () => {
  it('has a bar where the share is known, and the time left in steps that grow with it', () => {
    expect(progressLine({ count: 12_345, share: undefined, done: 'judged' }, 2000)).toBe(
      '12,345 messages judged, 6,173 a second',
    );
    expect(progressLine({ count: 0, share: undefined, done: 'judged' }, 0)).toBe('0 messages judged, 0 a second');
    expect(progressLine({ count: 500, share: 0.5, done: 'judged' }, 60_000, 61_000)).toBe(
      '[==========>         ] 500 messages judged, 8 a second, 2 min left',
    );
    expect(progressLine({ count: 0, share: 0, done: 'judged' }, 1000)).toBe(
      '[>                   ] 0 messages judged, 0 a second',
    );
    const left = (seconds: number) =>
      progressLine({ count: 1, share: 1, done: 'judged' }, 1000, seconds * 1000)
        .split(', ')
        .at(-1);
    expect([0, 3.2, 10, 11, 58, 60, 61, 3540, 3541, 5941].map(left)).toEqual([
      '0 s left',
      '4 s left',
      '10 s left',
      '15 s left',
      '60 s left',
      '60 s left',
      '2 min left',
      '59 min left',
      '1 h 0 min left',
      '1 h 40 min left',
    ]);
  });
});

describe('createTimeLeft', () => {
  it('has no estimate in the first two seconds, nor without a share', () => {
    const left = createTimeLeft();
    expect([left(0.1, 1999), left(0, 5000), left(0.5, 6000)]).toEqual([undefined, undefined, 6000]);
  });

  it('counts down by the clock, and does not jump when the share does', () => {
    const left = createTimeLeft();
    const estimates: number[] = [];
    for (let at = 10_000; at <= 50_000; at += 100) {
      // Pages arrive once a second, every other one a second late.
      const page = Math.floor(at / 2000) * 2000 + (at % 2000 >= 1900 ? 1900 : 0);
      estimates.push(left(page / 60_000, at)!);
    }
    for (const [index, estimate] of estimates.entries()) {
      const previous = estimates[index - 1];
      if (previous !== undefined) expect(Math.abs(estimate - previous)).toBeLessThan(300);
    }
    expect(estimates.at(-1)).toBeGreaterThan(8000);
    expect(estimates.at(-1)).toBeLessThan(16_000);
  });
});

describe('createReporter', () => {
  /** A reporter with what it has written to stderr, and its tick. */
  function reporterOf(stderr: Partial<Io['stderr']>, quiet = false) {
    const written: string[] = [];
    const ticks = new Set<() => void>();
    const io = {
      stderr: { ...stderr, write: (text: string, done: () => void) => [written.push(text), done()] },
      now: () => 0,
      every: (_ms: number, tick: () => void) => {
        ticks.add(tick);
        return () => ticks.delete(tick);
      },
    };
    return { written, ticks, reporter: createReporter(io as unknown as Io, { quiet }) };
  }
  const erase = '\r\u{1b}[K';

  it('redraws one line on a terminal, removes it for a note, and ends its tick', async () => {
    const { reporter, written, ticks } = reporterOf({ isTTY: true, columns: 12 });
    await reporter.step('pulling rules from \u{1b}[2J');
    for (const tick of ticks) tick();
    await reporter.note('a note that is longer than the line');
    reporter.progress(7, undefined);
    for (const tick of ticks) tick();
    reporter.end();
    const [step, progress] = ['pulling ru…', '7 messages…'].map((line) => erase + line);
    expect(written).toEqual([step, erase, 'a note that is longer than the line\n', progress, erase]);
    expect(ticks.size).toBe(0);
  });

  it('takes 80 columns on a terminal that reports none', async () => {
    for (const columns of [undefined, 0]) {
      const { reporter, written, ticks } = reporterOf({ isTTY: true, columns });
      await reporter.step('x'.repeat(100));
      for (const tick of ticks) tick();
      expect(written).toEqual([`${erase}${'x'.repeat(78)}…`]);
    }
  });

  it('writes plain lines elsewhere, and nothing when quiet', async () => {
    for (const quiet of [false, true]) {
      const { reporter, written, ticks } = reporterOf({ isTTY: quiet }, quiet);
      await reporter.step('step');
      reporter.progress(1, 0.5);
      await reporter.note('note');
      reporter.end();
      expect([reporter.hasStatusLine, ticks.size, written]).toEqual([false, 0, quiet ? [] : ['step\n', 'note\n']]);
    }
  });
});
