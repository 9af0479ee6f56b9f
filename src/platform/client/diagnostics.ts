import { channel } from 'node:diagnostics_channel';
import { SluiceError } from '../../foundation/errors.js';
import type { Environment } from './deadline.js';
import type { CallRequest } from './request.js';

/** The event that subscribers of `sluice:client:request` receive. It holds no id, no query, no key and no text. */
export interface RequestEvent {
  readonly method: string;
  /** The path template of §4, such as `/users/{uid}`. */
  readonly path: string;
  /** Status of the last response, when one came. */
  readonly status?: number | undefined;
  /** How often the request was sent. */
  readonly attempts: number;
  /** From the call to its end, waits included. */
  readonly durationMs: number;
  /** `ok`, `aborted` by the caller, or the `code` of the error that the call rejected with. */
  readonly outcome: string;
}

/** The state of a call while it runs. */
export interface CallProgress {
  /** How often the request was sent. */
  attempts: number;
  /** Status of the last attempt, when it got a response. */
  status?: number | undefined;
}

const requests = channel('sluice:client:request');

/**
 * Runs a call and publishes a `RequestEvent` to the channel `sluice:client:request` of `node:diagnostics_channel` when it
 * has ended: one for each call, however many attempts it took. Calls refused as misuse are not requests. undici's own
 * channels (`undici:request:create` and others) publish every attempt; their events contain paths and headers.
 */
export async function withRequestEvent<T>(
  { row: { method, path } }: CallRequest,
  progress: CallProgress,
  { elapsedMs }: Environment,
  run: () => Promise<T>,
): Promise<T> {
  if (!requests.hasSubscribers) return run();
  const startedAt = elapsedMs();
  const publish = (outcome: string): void => {
    const { attempts, status } = progress;
    const durationMs = elapsedMs() - startedAt;
    requests.publish({ method, path, status, attempts, durationMs, outcome } satisfies RequestEvent);
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
