import type { Deadline } from './deadline.js';
import { askedMs, type Pacing } from './pacing.js';
import { interruptible, pause } from './pause.js';
import type { Surroundings } from './surroundings.js';

/** Where every request of a client passes before it is sent, so that a limit that one answer stated holds for all. */
export interface RateGate {
  /** Milliseconds until requests are welcome again; 0 for now. */
  readonly heldMs: () => number;
  /**
   * Waits until the request may be sent, which `left` has to end. Answers 0 then, or how long the gate stays shut when
   * that is longer than the deadline allows. Rejects with the reason of the deadline's signal.
   */
  readonly enter: (deadline: Deadline) => Promise<number>;
  /** The request that entered has ended, with this answer or with none. */
  readonly left: (answer?: { readonly status: number; readonly pacing: Pacing }) => void;
}

/** Nobody means to shut a client out for longer; after it, one answer tells more. */
const longestHoldMs = 24 * 60 * 60 * 1000;

/**
 * A gate over the three rate headers and `Retry-After` (§8 states no limits; live platforms send these). A 429 shuts it
 * until the instant that it names, and so does an answer with nothing remaining. Before that, no more requests are under
 * way than remain: an answer counts those before it, so what is under way may already be what is missing.
 * One gate stands for all operations; platforms that count some apart are held to the scarcer count.
 */
export function createRateGate(surroundings: Surroundings): RateGate {
  const { elapsedMs } = surroundings;
  const waiting = new Set<() => void>();
  let underWay = 0;
  let shutUntil = 0;
  let limit: number | undefined;
  let remaining: number | undefined;
  let window: { readonly second: number; readonly endsAt: number } | undefined;

  function heldMs(): number {
    return Math.max(0, shutUntil - elapsedMs());
  }

  function mayGo(): boolean {
    if (window !== undefined && elapsedMs() >= window.endsAt) {
      window = undefined;
      remaining = limit;
    }
    // With nothing under way somebody has to go, or no answer would ever say that there is more.
    return remaining === undefined || underWay === 0 || underWay < remaining;
  }

  /** The next answer, or the end of the window. */
  function changed(signal: AbortSignal): Promise<void> {
    return interruptible(signal, (done) => {
      const wake = (): void => {
        letGo();
        done();
      };
      const cancel = window && surroundings.after(Math.ceil(window.endsAt - elapsedMs()), wake);
      const letGo = (): void => {
        waiting.delete(wake);
        cancel?.();
      };
      waiting.add(wake);
      return letGo;
    });
  }

  async function enter(deadline: Deadline): Promise<number> {
    for (;;) {
      deadline.signal.throwIfAborted();
      const held = heldMs();
      const remainingMs = deadline.remainingMs();
      if (held > 0 && held >= remainingMs) return held;
      if (held > 0) await pause(held, deadline.signal, surroundings);
      else if (mayGo() && remainingMs >= 1) break;
      else await changed(deadline.signal);
    }
    underWay++;
    return 0;
  }

  function shutFor(ms: number): void {
    shutUntil = Math.max(shutUntil, elapsedMs() + Math.min(ms, longestHoldMs));
  }

  function count(pacing: Pacing): void {
    limit = pacing.limit ?? limit;
    const { reset } = pacing;
    if (pacing.remaining === undefined) return;
    if (reset !== undefined && window !== undefined) {
      if (reset.second < window.second) return;
      // Answers come out of order; the smallest count of a window is the latest.
      if (reset.second === window.second) remaining = Math.min(remaining ?? pacing.remaining, pacing.remaining);
      else remaining = pacing.remaining;
    } else {
      remaining = pacing.remaining;
    }
    window = reset && { second: reset.second, endsAt: elapsedMs() + reset.inMs };
    if (remaining === 0 && reset !== undefined) shutFor(reset.inMs);
  }

  function left(answer?: { readonly status: number; readonly pacing: Pacing }): void {
    underWay--;
    if (answer !== undefined) {
      count(answer.pacing);
      if (answer.status === 429) shutFor(askedMs(429, answer.pacing) ?? 0);
    }
    for (const wake of [...waiting]) wake();
  }
  return { heldMs, enter, left };
}
