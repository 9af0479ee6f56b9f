import { onTestFinished, vi } from 'vitest';

/**
 * The clock of this process while a test holds it: timers of our code and the time of day, not
 * sockets.
 */
interface Clock {
  /** Moves the clock on, and fires what is due on the way, in order. */
  readonly pass: (ms: number) => Promise<void>;
  /** How many timers are running. */
  readonly timers: () => number;
}

/** Stops the clock until the test ends. `random` is what every draw gives. */
export function stopClock(random = 0): Clock {
  vi.useFakeTimers({
    toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'],
    now: Date.parse('2027-01-15T08:00:00Z'),
  });
  const draws = vi.spyOn(Math, 'random').mockReturnValue(random);
  onTestFinished(() => {
    vi.useRealTimers();
    draws.mockRestore();
  });
  return { pass: async (ms) => void (await vi.advanceTimersByTimeAsync(ms)), timers: () => vi.getTimerCount() };
}
