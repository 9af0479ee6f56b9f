import type { Environment } from '../../src/platform/client/deadline.js';
import { turns } from '../support/until.js';

/** An environment whose clock stands still until it is moved. */
export interface FakeEnvironment extends Environment {
  /** Moves both clocks, and fires what is due on the way, in order. */
  readonly pass: (ms: number) => Promise<void>;
  /** How many timers are running. */
  readonly timers: () => number;
}

/** `wallMs` is where the time of day starts; `random` is what every draw gives. */
export function fakeEnvironment(wallMs = 1_800_000_000_000, random = 0): FakeEnvironment {
  let elapsed = 0;
  const due = new Set<{ readonly at: number; readonly fire: () => void }>();
  const settle = () => new Promise((resolve) => setImmediate(resolve));

  async function pass(ms: number): Promise<void> {
    const until = elapsed + ms;
    await settle();
    for (;;) {
      const next = [...due].sort((a, b) => a.at - b.at)[0];
      if (next === undefined || next.at > until) break;
      elapsed = next.at;
      due.delete(next);
      next.fire();
      await settle();
    }
    elapsed = until;
    await settle();
  }
  return {
    wallMs: () => wallMs + elapsed,
    elapsedMs: () => elapsed,
    random: () => random,
    after: (ms, fire) => {
      const timer = { at: elapsed + ms, fire };
      due.add(timer);
      return () => due.delete(timer);
    },
    pass,
    timers: () => due.size,
  };
}

/**
 * Moves the clock on, a step for so many turns of the event loop, until the promise is settled. Sockets get as far between two steps on a
 * slow machine as on a quick one, so a deadline passes for all machines at the same point.
 */
export async function passUntil<Value>(
  world: FakeEnvironment,
  settled: Promise<Value>,
  stepMs: number,
): Promise<Value> {
  let isSettled = false;
  const end = (): void => {
    isSettled = true;
  };
  settled.then(end, end);
  while (!isSettled) {
    await turns(30);
    await world.pass(stepMs);
  }
  return settled;
}
