/** The client of the platform's interface (§4). */
import { UsageError } from '../../foundation/errors.js';
import { Calls, type Send } from './call.js';
import { createOperations, type EveryRowHasMethod, type Operations } from './operations.js';
import { type ClientOptions, readClientOptions } from './options.js';

/**
 * The operations of the interface document (§4), typed. The promise of every method rejects with
 * `UsageError` before anything is sent, with `NetworkError`, `TimeoutError`, `HttpError` or
 * `ShapeError` after, or with the reason of the caller's own signal. Operations that can be
 * repeated safely are retried, see `RetryOptions`; the error is then that of the last attempt. A
 * `Retry-After` of a response that may be tried again holds for all calls of the client.
 */
export interface Client extends Operations {
  /**
   * The base address that it sends to, without a slash at its end: two clients of one app have the
   * same.
   */
  readonly id: string;
  /**
   * Waits for the calls in progress, their retries included, then closes the client's own
   * connections; an injected dispatcher stays open.
   */
  readonly close: () => Promise<void>;
}

/**
 * Creates a client of the platform's interface (§4), or of the local service. It sends to one
 * origin, follows no redirect, ignores the proxy variables of the environment, and keeps the key
 * out of everything it shows. Throws `UsageError` for an option that cannot be used.
 *
 * @example
 * ```ts
 * const client = createClient({ baseUrl: 'https://chat.example/v3', apiKey: 'from your settings' });
 * for await (const message of client.messages.iterate({ category: 'message' })) console.log(message.id);
 * await client.close();
 * ```
 */
export function createClient(options: ClientOptions): Client {
  const settings = readClientOptions(options);
  const calls = new Calls(settings, options.dispatcher);
  const inProgress = new Set<Promise<unknown>>();
  let closing: Promise<void> | undefined;

  const sendWhileOpen: Send = async (name, call) => {
    if (closing !== undefined) throw new UsageError('the client is closed: make another one');
    const sending = calls.send(name, call);
    inProgress.add(sending);
    try {
      return await sending;
    } finally {
      inProgress.delete(sending);
    }
  };
  const close = async (): Promise<void> => {
    // A call between two attempts needs the connections again, so they close last.
    await Promise.allSettled(inProgress);
    await calls.close();
  };
  const operations = createOperations(sendWhileOpen) satisfies EveryRowHasMethod;
  for (const methods of Object.values(operations)) Object.freeze(methods);
  return Object.freeze({
    ...operations,
    id: `${settings.base.origin}${settings.base.prefix}`,
    close: () => {
      closing ??= close();
      return closing;
    },
  });
}
