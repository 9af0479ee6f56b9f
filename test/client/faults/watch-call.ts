import { inspect, isDeepStrictEqual } from 'node:util';
import { expect } from 'vitest';
import { HttpError, NetworkError, ShapeError, TimeoutError } from '../../../src/errors.js';

/** How a call may end under a fault (P11): with the right answer, or with one of the four errors of the wire. */
export type Outcome = 'right' | 'network' | 'timeout' | 'http' | 'shape';

/** How a call did end. The last three must never be. */
export interface Ending {
  readonly outcome: Outcome | 'wrong answer' | 'another error' | 'still running past its deadline';
  readonly error?: unknown;
  readonly value?: unknown;
  readonly tookMs: number;
}

/** The key of all clients under faults. */
export const canaryKey = 'SECRETKEY7f3a9c51e2d84b60';

/** A dump of a buffer shows bytes, not letters. */
const canaries = ['SECRETKEY', Buffer.from('SECRETKEY').toString('base64'), '53 45 43 52 45 54', '534543524554'];

/** Everything that a logger could print of an error. */
export function everythingOf(error: unknown): string {
  const { stack, message, cause } = error as Error;
  const { errors } = error as AggregateError;
  const parts = [
    inspect(error, { depth: Number.POSITIVE_INFINITY, showHidden: true, maxArrayLength: null }),
    String(error),
  ];
  parts.push(JSON.stringify(error) ?? '', stack ?? '', message ?? '');
  if (cause !== undefined) parts.push(everythingOf(cause));
  for (const inner of errors ?? []) parts.push(everythingOf(inner));
  return parts.join('\n');
}

/** Whether a text holds the key, in letters or in bytes. */
export function showsKey(text: string): boolean {
  const lower = text.toLowerCase();
  return canaries.some((canary) => lower.includes(canary.toLowerCase()));
}

/** P16: the key is in nothing that an error shows. */
export function expectNoKey(error: unknown): void {
  const everything = everythingOf(error);
  if (showsKey(everything)) expect.fail(`the key shows in ${everything}`);
}

/**
 * Waits for a call, at most its deadline and a tenth, and says how it ended. The clock is a timer of this same event
 * loop started with the call, so a machine that is slow is slow for both, and a call that is late is late.
 */
export async function watchCall(start: () => Promise<unknown>, right: unknown, deadlineMs: number): Promise<Ending> {
  const startedMs = performance.now();
  const ending = start().then(
    (value): Ending => {
      const outcome = isDeepStrictEqual(value, right) ? 'right' : 'wrong answer';
      return { outcome, value, tookMs: performance.now() - startedMs };
    },
    (error: unknown): Ending => ({ outcome: outcomeOf(error), error, tookMs: performance.now() - startedMs }),
  );
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Ending>((resolve) => {
    const onLate = (): void => {
      resolve({ outcome: 'still running past its deadline', tookMs: performance.now() - startedMs });
    };
    // One turn of the loop more: what the client's own clock has set going may finish.
    timer = setTimeout(() => setImmediate(onLate), deadlineMs * 1.1);
  });
  const ended = await Promise.race([ending, late]);
  clearTimeout(timer);
  if (ended.error !== undefined) expectNoKey(ended.error);
  return ended;
}

function outcomeOf(error: unknown): Ending['outcome'] {
  if (error instanceof NetworkError) return 'network';
  if (error instanceof TimeoutError) return 'timeout';
  if (error instanceof HttpError) return 'http';
  if (error instanceof ShapeError) return 'shape';
  return 'another error';
}
