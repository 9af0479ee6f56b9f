/** Protects an endpoint without a key: it takes only requests that no page in a browser of this machine can send. */
import { Refusal } from '../../foundation/requests/refusal.js';

/** The addresses of `isLoopback`, as a header writes them. */
const loopback = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d*)?$/i;

const json = /^application\/json[ \t]*(?:;|$)/i;

const orSetKey = 'or set a key: SLUICE_TOKEN, or SLUICE_BASIC to user:password';

/**
 * Throws a `Refusal` for requests that a page may send: 403 if `host` names something else than loopback, as it does when a name of the page was
 * made to point here, and 415 for a body that is not declared as JSON, the only kind that a page cannot send without asking first.
 */
export function demandLocalRequest({ method, headers }: Request): void {
  const host = headers.get('host');
  if (host !== null && !loopback.test(host)) {
    throw new Refusal(
      403,
      `no key is set, so the header \`host\` must name localhost, 127.0.0.1 or [::1]: send the request there, ${orSetKey}`,
    );
  }
  if (method !== 'POST' || json.test(headers.get('content-type') ?? '')) return;
  throw new Refusal(
    415,
    `no key is set, so a body must be declared as json: send the header \`content-type: application/json\`, ${orSetKey}`,
  );
}
