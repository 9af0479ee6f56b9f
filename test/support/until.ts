import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises';

/**
 * Resolves when the condition holds. It has no time-out of its own: what never comes is ended by
 * the time-out of the test, and how long it takes on a busy machine decides nothing.
 */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await pause(2);
}

/**
 * Lets the event loop turn a few times: what can go on without the test has gone on. Nothing may
 * depend on how far.
 */
export async function turns(count = 20): Promise<void> {
  for (let passed = 0; passed < count; passed += 1) await turn();
}
