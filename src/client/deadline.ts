import { type Surroundings, systemSurroundings } from './surroundings.js';

/** The time that one call has. */
export interface Deadline {
  /** Aborts when the time is up or the caller aborts, whichever comes first. */
  readonly signal: AbortSignal;
  /** What ended the call, while nothing has: `undefined`. */
  readonly endedBy: () => 'deadline' | 'caller' | undefined;
  /** Milliseconds left. */
  readonly remainingMs: () => number;
  /** Stops the clock and lets go of the caller's signal. */
  readonly clear: () => void;
}

/**
 * Starts the clock of a call. Own wiring, since `AbortSignal.any` keeps every derived signal alive as long as the
 * caller's own on Node 20, and an audit makes thousands of calls under one signal.
 */
export function startDeadline(
  totalMs: number,
  caller: AbortSignal | undefined,
  { after, elapsedMs }: Surroundings = systemSurroundings,
): Deadline {
  const controller = new AbortController();
  let ended: 'deadline' | 'caller' | undefined;
  const end = (by: 'deadline' | 'caller', reason?: unknown): void => {
    ended ??= by;
    controller.abort(reason);
  };
  const onAbort = (): void => end('caller', caller?.reason);
  const endsAt = elapsedMs() + totalMs;
  const cancel = after(totalMs, () => end('deadline'));
  if (caller?.aborted) onAbort();
  else caller?.addEventListener('abort', onAbort, { once: true });
  return {
    signal: controller.signal,
    endedBy: () => ended,
    remainingMs: () => Math.max(0, endsAt - elapsedMs()),
    clear: () => {
      cancel();
      caller?.removeEventListener('abort', onAbort);
    },
  };
}
