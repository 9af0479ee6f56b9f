import { channel } from 'node:diagnostics_channel';
import { SluiceError } from '../errors.js';
import type { WireRequest } from './exchange.js';
import type { Trail } from './settle.js';
import type { Surroundings } from './surroundings.js';

/** What subscribers of `sluice:client:request` get. It holds no id, no query, no key and no text. */
export interface RequestEvent {
  readonly method: string;
  /** The path template of §4, such as `/users/{uid}`. */
  readonly path: string;
  /** Status of the last answer, when one came. */
  readonly status?: number | undefined;
  /** How often the request was sent. */
  readonly attempts: number;
  /** From the call to its end, waits included. */
  readonly durationMs: number;
  /** `ok`, `aborted` by the caller, or the `code` of the error that the call rejected with. */
  readonly outcome: string;
}

const requests = channel('sluice:client:request');

/**
 * Runs a call, and publishes a `RequestEvent` to the channel `sluice:client:request` of `node:diagnostics_channel` when it
 * has ended, one for each call however many attempts it took. Calls that are refused as misuse are no requests.
 * undici's own channels (`undici:request:create` and others) tell of every attempt; they do hold paths and headers.
 */
export async function observed<T>(
  { method, template }: WireRequest,
  trail: Trail,
  { elapsedMs }: Surroundings,
  run: () => Promise<T>,
): Promise<T> {
  if (!requests.hasSubscribers) return run();
  const startedAt = elapsedMs();
  const publish = (outcome: string): void => {
    const { attempts, status } = trail;
    const event: RequestEvent = {
      method,
      path: template,
      status,
      attempts,
      durationMs: elapsedMs() - startedAt,
      outcome,
    };
    requests.publish(event);
  };
  try {
    const result = await run();
    publish('ok');
    return result;
  } catch (error) {
    publish(error instanceof SluiceError ? error.code : 'aborted');
    throw error;
  }
}
