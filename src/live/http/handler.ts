/** Moderation over HTTP wherever the Fetch API is. Public as `sluice/http`. */
import { Refusal } from '../../foundation/requests/refusal.js';
import { refused } from './answer.js';
import { createAnswering, type ModerationHandlerOptions } from './answering.js';
import type { MessageJudge } from './judging.js';

export type { ModerationHandlerOptions } from './answering.js';
export type { CustomApiAnswer, ReasonDetail } from './custom-api.js';
export type { MessageJudge } from './judging.js';
export type { HandlerKeys } from './keys.js';

/**
 * Makes a handler of requests over anything with `decide` and `explain`, such as a moderator or an
 * engine: `POST /decide`, `/decide/batch` and `/custom-api`, `GET /healthz`, `/readyz` and
 * `/metrics`. It never rejects, and answers 400 to what is not a `Request`; every other status than
 * 200 has a body `{ "error" }`, without a text of a message and without a key. Throws `UsageError`
 * for options that cannot be used.
 *
 * @example
 * ```ts
 * const ruleSet = { rules: [{ id: 'scams', action: 'blockMessage', conditions: [{ operand: 'text', value: ['buy now'] }] }], lists: [] };
 * const handler = createModerationHandler(createEngine(ruleSet), { auth: { bearer: 'a-token-of-your-own' } });
 * const headers = { authorization: 'Bearer a-token-of-your-own' };
 * const url = 'https://moderation.example/decide?explain=false';
 * const response = await handler(new Request(url, { method: 'POST', headers, body: JSON.stringify('Buy now!') }));
 * // { verdict: 'blockMessage', unevaluated: 0 }
 * await response.json();
 * ```
 */
export function createModerationHandler(
  moderator: MessageJudge,
  options?: ModerationHandlerOptions,
): (request: Request) => Promise<Response> {
  const answer = createAnswering(moderator, options);
  return async (request) => {
    if (isRequest(request)) return answer(request);
    const wording = 'the handler takes a `Request` of the Fetch API, and was given something else';
    const { status, headers, body } = refused(new Refusal(400, wording));
    return new Response(body, { status, headers });
  };
}

/** Reports whether a value is a request, whichever library made its class. */
function isRequest(value: unknown): value is Request {
  const { method, url, headers, signal } = (value ?? {}) as Partial<Request>;
  return (
    [method, url].every((field) => typeof field === 'string') && typeof headers?.get === 'function' && signal != null
  );
}
