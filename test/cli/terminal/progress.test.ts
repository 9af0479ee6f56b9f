import { describe, expect, it } from 'vitest';
import type { Io } from '../../../src/cli/io.js';
import { createReporter, progressLine } from '../../../src/cli/terminal/progress.js';

describe('progressLine', () => {
  it('has a bar where the share is known, and the time left in steps that grow with it', () => {
    expect(progressLine({ count: 12_345, share: undefined, done: 'judged' }, 2000)).toBe(
      '12,345 messages judged, 6,173 a second',
    );
    expect(progressLine({ count: 0, share: undefined, done: 'judged' }, 0)).toBe('0 messages judged, 0 a second');
    expect(progressLine({ count: 0, share: 0, done: 'judged' }, 5000)).toBe(
      '[>                   ] 0 messages judged, 0 a second',
    );
    expect(progressLine({ count: 2, share: undefined, done: 'pulled' }, 1000)).toBe('2 messages pulled, 2 a second');
    const bar = '[==========>         ] 500 messages judged, 8 a second, 2 min left';
    expect(progressLine({ count: 500, share: 0.5, done: 'judged' }, 61_000)).toBe(bar);
    const left = (share: number, seconds: number) =>
      progressLine({ count: 1, share, done: 'judged' }, seconds * 1000)
        .split(', ')
        .at(-1);
    expect([
      left(0.5, 1.9),
      ...[left(1, 60), left(0.97, 60), left(0.97, 500), left(0.5, 60), left(0.5, 60.5)],
      ...[left(0.5, 3541), left(0.1, 660)],
    ]).toEqual([
      '1 a second',
      '0 s left',
      '2 s left',
      '16 s left',
      '60 s left',
      '2 min left',
      '1 h 0 min left',
      '1 h 39 min left',
    ]);
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
