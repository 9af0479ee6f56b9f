/**
 * The server of `sluice play`: the page, and for those who have its token the rules and messages,
 * on loopback alone.
 */
import type { Scores } from '../engine/evaluate/scores.js';
import type { Semantics } from '../engine/semantics.js';
import { SluiceError } from '../foundation/errors.js';
import { ndjsonLine } from '../foundation/files/ndjson.js';
import { isSameKey } from '../foundation/requests/keys.js';
import { isLoopback } from '../foundation/requests/loopback.js';
import type { MessageDraft } from '../platform/contract/message-draft.js';
import type { RuleSet } from '../platform/contract/rule-set.js';

/** The rule set of the page, as files hold it. */
export interface PlayRules
  extends Pick<RuleSet, 'rules' | 'lists' | 'comments' | 'lint' | 'notices'>,
    Partial<Pick<RuleSet, 'missing'>> {
  readonly semantics?: Partial<Semantics> | undefined;
}

/** The answer of `GET /rules`. */
export interface ServedRules {
  readonly rules: PlayRules;
  readonly rulesName: string;
  /** The name of the messages; absent if the command has no messages. */
  readonly messagesName?: string | undefined;
}

/**
 * A line of `GET /messages`: a message, with its scores if it has any, or the error that ended the
 * messages.
 */
export type ServedLine = readonly [MessageDraft, (readonly Scores[])?] | { readonly error: string };

/** The page and its data. */
export interface ServedInput {
  readonly html: string;
  readonly token: string;
  /** The rules of the command; absent if the page has the bundled demo. */
  readonly rules?: ServedRules | undefined;
  /** Opens the messages anew for each page that is loaded. */
  readonly messages?: (() => AsyncIterable<readonly [MessageDraft, (readonly Scores[])?]>) | undefined;
}

const headers = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'x-frame-options': 'DENY',
};

const refusal = (status: number, error: string) => Response.json({ error }, { status, headers });

/**
 * Makes the handler of requests. The page holds no data and needs no token. Requests that name
 * another host, such as those of a page whose name resolves to this machine, or that come from
 * another origin, get 403.
 */
export function createPlayHandler({ html, token, rules, messages }: ServedInput): (request: Request) => Response {
  // The page from disk may not connect anywhere; this one may connect to its server.
  const page = html.replace("connect-src 'none'", "connect-src 'self'");
  const [, policy = ''] = /http-equiv="content-security-policy" content="([^"]+)"/i.exec(page) ?? [];
  return (request) => {
    const host = request.headers.get('host') ?? '';
    const origin = request.headers.get('origin');
    if (!isLoopback(host)) return refusal(403, 'the header `host` must name this machine');
    if (origin !== null && origin !== `http://${host}`) return refusal(403, 'pages of other origins get nothing');
    if (request.method !== 'GET') return refusal(405, 'the method must be GET');
    const { pathname } = new URL(request.url);
    if (pathname === '/') {
      const type = { 'content-type': 'text/html; charset=utf-8' };
      const noFrames = `${policy}; frame-ancestors 'none'`;
      return new Response(page, { headers: { ...headers, ...type, 'content-security-policy': noFrames } });
    }
    const [, given = ''] = /^Bearer (\S+)$/.exec(request.headers.get('authorization') ?? '') ?? [];
    if (!isSameKey(given, token)) return refusal(401, 'the token of the address is missing or wrong');
    if (pathname === '/rules' && rules !== undefined) return Response.json(rules, { headers });
    if (pathname === '/messages' && messages !== undefined) {
      return new Response(linesOf(messages()), { headers: { ...headers, 'content-type': 'application/x-ndjson' } });
    }
    return refusal(404, 'there is nothing at this path');
  };
}

/** Bytes of messages that are sent at a time. */
const chunkLength = 1 << 16;

/** Returns messages as lines; an error among them is the last one. */
function linesOf(messages: AsyncIterable<ServedLine>): ReadableStream<Uint8Array> {
  const reader = messages[Symbol.asyncIterator]();
  const encoder = new TextEncoder();
  const errorLine = (error: unknown) => {
    if (error instanceof SluiceError) return ndjsonLine({ error: error.message } satisfies ServedLine);
    throw error;
  };
  return new ReadableStream({
    async pull(controller) {
      let lines = '';
      let isDone = false;
      while (!isDone && lines.length < chunkLength) {
        try {
          const step = await reader.next();
          isDone = step.done === true;
          if (step.done !== true) lines += ndjsonLine(step.value);
        } catch (error) {
          isDone = true;
          lines += errorLine(error);
        }
      }
      if (lines !== '') controller.enqueue(encoder.encode(lines));
      if (isDone) controller.close();
    },
    async cancel() {
      await reader.return?.();
    },
  });
}
