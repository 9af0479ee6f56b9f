import { abortable, type Deadline, type Environment, pause } from './deadline.js';
import type { RateLimit } from './rate-limit.js';

/** Admits the requests of a client, so that a limit that one response states holds for all of them. */
interface Throttle {
  /** Milliseconds until requests are admitted again; 0 for now. */
  readonly blockedMs: () => number;
  /**
   * Waits until the request may be sent and resolves with 0; `release` has to follow. Resolves with the milliseconds
   * left at once when requests stay blocked beyond the deadline. Rejects with the reason of the deadline's signal.
   */
  readonly acquire: (deadline: Deadline) => Promise<number>;
  /** The admitted request has ended, with this response or with none. */
  readonly release: (response?: { readonly status: number; readonly rateLimit: RateLimit }) => void;
}

/** Answers after which one more request may be in flight, behind a 429 without a count. */
const answersForOneMore = 40;

/**
 * A throttle over `Retry-After` and the three rate-limit headers (§8 states no limits; live platforms send these). A 429
 * blocks until the instant that it names; so does a response with nothing remaining. Otherwise no more requests are in
 * flight than remain, since a response does not count the requests that are still in flight. A 429 that states no count was
 * met by as many requests as were in flight, each of which costs a retry: then one is in flight at a time, and one more for every
 * forty answers.
 * One throttle covers all operations; where a platform counts some apart, the lowest count applies to all. `maxWaitMs` bounds
 * what one wrong header can do: after it, the next response states the limit anew.
 */
export function createThrottle(maxWaitMs: number, environment: Environment): Throttle {
  const { elapsedMs } = environment;
  const waiting = new Set<() => void>();
  let inFlight = 0;
  let blockedUntil = 0;
  let limit: number | undefined;
  let remaining: number | undefined;
  /** How many may be in flight, by a 429 without a count. */
  let most = Number.POSITIVE_INFINITY;
  let answers = 0;
  let window: { readonly second: number; readonly endsAt: number } | undefined;

  function blockedMs(): number {
    return Math.max(0, blockedUntil - elapsedMs());
  }

  function hasCapacity(): boolean {
    if (window !== undefined && elapsedMs() >= window.endsAt) {
      window = undefined;
      remaining = limit;
    }
    // With nothing in flight one request is admitted, or no response would ever raise the count.
    return inFlight === 0 || (inFlight < most && (remaining === undefined || inFlight < remaining));
  }

  /** Resolves at the next response or at the end of the window. */
  function changed(signal: AbortSignal): Promise<void> {
    return abortable(signal, (done) => {
      const wake = (): void => {
        stop();
        done();
      };
      const cancelTimer = window && environment.after(Math.ceil(window.endsAt - elapsedMs()), wake);
      const stop = (): void => {
        waiting.delete(wake);
        cancelTimer?.();
      };
      waiting.add(wake);
      return stop;
    });
  }

  async function acquire(deadline: Deadline): Promise<number> {
    for (;;) {
      deadline.throwIfEnded();
      const blocked = blockedMs();
      if (blocked > 0 && blocked >= deadline.remainingMs()) return blocked;
      if (blocked > 0) await pause(blocked, deadline.signal, environment);
      else if (hasCapacity()) break;
      else await changed(deadline.signal);
    }
    inFlight++;
    return 0;
  }

  function blockFor(ms: number): void {
    blockedUntil = Math.max(blockedUntil, elapsedMs() + Math.min(ms, maxWaitMs));
  }

  function update(stated: RateLimit): void {
    limit = stated.limit ?? limit;
    const { reset } = stated;
    if (stated.remaining === undefined) return;
    if (reset !== undefined && window !== undefined && reset.second < window.second) return;
    // Responses arrive out of order; the smallest count of a window is the latest.
    const isSameWindow = reset !== undefined && reset.second === window?.second;
    remaining = isSameWindow ? Math.min(remaining ?? stated.remaining, stated.remaining) : stated.remaining;
    window = reset && { second: reset.second, endsAt: elapsedMs() + reset.inMs };
    if (remaining === 0 && reset !== undefined) blockFor(reset.inMs);
  }

  function release(response?: { readonly status: number; readonly rateLimit: RateLimit }): void {
    inFlight--;
    if (response !== undefined) {
      update(response.rateLimit);
      const isRefused = response.status === 429;
      if (isRefused) blockFor(response.rateLimit.demandedMs ?? 0);
      if (isRefused && response.rateLimit.remaining === undefined) [most, answers] = [1, 0];
      else if (!isRefused && ++answers % answersForOneMore === 0) most++;
    }
    for (const wake of [...waiting]) wake();
  }
  return { blockedMs, acquire, release };
}
