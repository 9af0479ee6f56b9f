import { abortable, type Deadline, type Environment, pause } from './deadline.js';
import type { RateLimit } from './rate-limit.js';

/** Answers after which one more request may be in flight, behind a 429 without a count. */
const answersForOneMore = 40;

/**
 * Admits the requests of a client, so that a limit that one response states holds for all of them: `Retry-After` and the three rate-limit
 * headers (§8 states no limits; live platforms send these).
 *
 * - A 429 blocks all requests until the instant that it names; so does a response with nothing remaining.
 * - Otherwise no more requests are in flight than remain, since a response does not count those that are still in flight.
 * - A 429 that states no count was met by as many requests as were in flight, and each of these costs a retry. After it one request is in
 *   flight at a time, and one more for every forty answers.
 *
 * One throttle covers all operations; where a platform counts some apart, the lowest count applies to all. No response blocks longer than
 * `maxWaitMs`, which bounds what one wrong header can do: the next response states the limit again. With nothing in flight one request is
 * always admitted, so that no count can stop a client for good.
 */
export class Throttle {
  readonly #maxWaitMs: number;
  readonly #environment: Environment;
  readonly #waiting = new Set<() => void>();
  #inFlight = 0;
  #blockedUntil = 0;
  #limit: number | undefined;
  #remaining: number | undefined;
  /** Number of requests that may be in flight after a 429 without a count. */
  #most = Number.POSITIVE_INFINITY;
  #answers = 0;
  #window: { readonly second: number; readonly endsAt: number } | undefined;

  constructor(maxWaitMs: number, environment: Environment) {
    this.#maxWaitMs = maxWaitMs;
    this.#environment = environment;
  }

  /** Returns the milliseconds until requests are admitted again; 0 for now. */
  blockedMs(): number {
    return Math.max(0, this.#blockedUntil - this.#environment.elapsedMs());
  }

  /**
   * Waits until the request may be sent and resolves to 0; `release` must follow. Resolves at once to the milliseconds that are left if
   * requests stay blocked beyond the deadline; then no `release` follows. Rejects with the reason of the deadline's signal.
   */
  async acquire(deadline: Deadline): Promise<number> {
    for (;;) {
      deadline.throwIfEnded();
      const blocked = this.blockedMs();
      if (blocked > 0 && blocked >= deadline.remainingMs()) return blocked;
      if (blocked > 0) await pause(blocked, deadline.signal, this.#environment);
      else if (this.#hasCapacity()) break;
      else await this.#changed(deadline.signal);
    }
    this.#inFlight++;
    return 0;
  }

  /** Notes that an admitted request has ended, with a response or without one. */
  release(response?: { readonly status: number; readonly rateLimit: RateLimit }): void {
    this.#inFlight--;
    if (response !== undefined) {
      this.#update(response.rateLimit);
      const isRefused = response.status === 429;
      if (isRefused) this.#blockFor(response.rateLimit.demandedMs ?? 0);
      if (isRefused && response.rateLimit.remaining === undefined) [this.#most, this.#answers] = [1, 0];
      else if (!isRefused && ++this.#answers % answersForOneMore === 0) this.#most++;
    }
    for (const wake of [...this.#waiting]) wake();
  }

  #hasCapacity(): boolean {
    if (this.#window !== undefined && this.#environment.elapsedMs() >= this.#window.endsAt) {
      this.#window = undefined;
      this.#remaining = this.#limit;
    }
    // With nothing in flight one request is admitted, or no response would ever raise the count.
    if (this.#inFlight === 0) return true;
    return this.#inFlight < Math.min(this.#most, this.#remaining ?? Number.POSITIVE_INFINITY);
  }

  /** Resolves at the next response or at the end of the window. */
  #changed(signal: AbortSignal): Promise<void> {
    const environment = this.#environment;
    return abortable(signal, (done) => {
      const wake = (): void => {
        stop();
        done();
      };
      const cancelTimer =
        this.#window && environment.after(Math.ceil(this.#window.endsAt - environment.elapsedMs()), wake);
      const stop = (): void => {
        this.#waiting.delete(wake);
        cancelTimer?.();
      };
      this.#waiting.add(wake);
      return stop;
    });
  }

  #blockFor(ms: number): void {
    const until = this.#environment.elapsedMs() + Math.min(ms, this.#maxWaitMs);
    this.#blockedUntil = Math.max(this.#blockedUntil, until);
  }

  #update({ limit, remaining, reset }: RateLimit): void {
    this.#limit = limit ?? this.#limit;
    const window = this.#window;
    if (remaining === undefined) return;
    if (reset !== undefined && window !== undefined && reset.second < window.second) return;
    // Responses arrive out of order; the smallest count of a window is the latest.
    const isSameWindow = reset !== undefined && reset.second === window?.second;
    this.#remaining = isSameWindow ? Math.min(this.#remaining ?? remaining, remaining) : remaining;
    this.#window = reset && { second: reset.second, endsAt: this.#environment.elapsedMs() + reset.inMs };
    if (this.#remaining === 0 && reset !== undefined) this.#blockFor(reset.inMs);
  }
}
