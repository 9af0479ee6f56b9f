import { describe, expect, it } from 'vitest';
import type { Io } from '../../../src/cli/io.js';
import { createReporter, progressLine } from '../../../src/cli/terminal/progress.js';

describe('progressLine', () => {
  it('has a bar and the time left when the share is known', () => {
    expect(progressLine(12_345, undefined, 2000)).toBe('12,345 messages  6,173/s');
    expect(progressLine(0, undefined, 0)).toBe('0 messages  0/s');
    expect(progressLine(500, 0.5, 60_000)).toBe('[==========>         ]  50 %  500 messages  8/s  1 min 0 s left');
    expect(progressLine(500, 0.01, 60_000)).toContain('1 h 39 min left');
    expect(progressLine(500, 1, 1000)).toBe('[====================] 100 %  500 messages  500/s  0 s left');
    expect(progressLine(0, 0, 1000)).toBe('[>                   ]   0 %  0 messages  0/s');
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
