/** Hooks in front of the local service that make it fail as platforms and proxies do. */
import type { Intercept } from '../../src/platform/service/index.js';

/** A loss of answers: `count` of a method, after the first `after`. */
interface Loss {
  readonly kind: 'reset' | 'html' | 'content-type';
  readonly method: string;
  readonly after: number;
  readonly count: number;
}

/** Loses answers on their way: their requests have taken effect. */
export function loseAnswers({ kind, method, after, count }: Loss): Intercept {
  let seen = 0;
  return async (incoming, answer) => {
    const response = await answer();
    if (incoming.method !== method) return response;
    seen += 1;
    if (seen <= after || seen > after + count) return response;
    if (kind === 'reset') return 'reset';
    const html = kind === 'html';
    return new Response(html ? '<!doctype html>' : await response.text(), {
      status: response.status,
      headers: { 'content-type': html ? 'text/html' : 'text/plain' },
    });
  };
}

/** Lists at most so many messages on a page, also for a request with a larger limit. */
export const pagesOf =
  (size: number): Intercept =>
  (incoming, answer) => {
    const page = /^(\/v3\/messages\?.*\blimit=)(\d+)/;
    incoming.url = incoming.url?.replace(page, (_, start, limit) => `${start}${Math.min(Number(limit), size)}`);
    return answer();
  };

/** Returns a refusal as platforms send it. */
export function refusal(status: number, headers: Readonly<Record<string, string>> = {}): Response {
  const words = { message: 'refused', devMessage: 'refused', source: 'test', code: 'ERR_OPERATION_FAILED' };
  return Response.json({ error: words }, { status, headers });
}

/** Refuses the requests for one rule or keyword list each. */
export const refuseLists =
  (status: number): Intercept =>
  ({ url = '' }, answer) =>
    url.startsWith('/v3/moderation/rules/') ? refusal(status) : answer();
