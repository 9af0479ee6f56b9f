import { inspect, isDeepStrictEqual } from 'node:util';
import { expect } from 'vitest';
import { HttpError, NetworkError, ShapeError, TimeoutError } from '../../../src/foundation/errors.js';

/** How a call may end under a fault (P11): with the right answer, or with one of the four errors of the wire. */
export type Outcome = 'right' | 'network' | 'timeout' | 'http' | 'shape';

/** How a call did end. The last two must never be. */
export interface Ending {
  readonly outcome: Outcome | 'wrong answer' | 'another error';
  readonly error?: unknown;
  readonly value?: unknown;
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

/** Waits for a call and classifies its end. A call that outlives its deadline lets the test time out. */
export async function watchCall(start: () => Promise<unknown>, right: unknown): Promise<Ending> {
  const ending = await start().then(
    (value): Ending => ({ outcome: isDeepStrictEqual(value, right) ? 'right' : 'wrong answer', value }),
    (error: unknown): Ending => ({ outcome: outcomeOf(error), error }),
  );
  if (ending.error !== undefined) expectNoKey(ending.error);
  return ending;
}

function outcomeOf(error: unknown): Ending['outcome'] {
  if (error instanceof NetworkError) return 'network';
  if (error instanceof TimeoutError) return 'timeout';
  if (error instanceof HttpError) return 'http';
  if (error instanceof ShapeError) return 'shape';
  return 'another error';
}
