/** Answers without a `Response`: to make one, and to read it again, takes longer than most answers do. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { getRequestListener, type HttpBindings, RequestError } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { Answering } from './connections.js';

/** An answer as it is written. */
export interface PlainAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Called once the client has taken the answer, or is gone. */
  readonly release?: (() => void) | undefined;
}

/** Answers the requests of Node's server by a function of requests of the Fetch API. `malformed` is for targets that are none. */
export function answerPlainly(
  answer: (request: Request) => Promise<PlainAnswer>,
  malformed: () => Response,
): Answering['answer'] {
  const write = async (request: Request, { outgoing }: HttpBindings): Promise<Response> => {
    const { status, headers, body, release } = await answer(request);
    if (release !== undefined) {
      if (outgoing.destroyed) release();
      else outgoing.once('close', release);
    }
    outgoing.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) });
    outgoing.end(body);
    return RESPONSE_ALREADY_SENT;
  };
  const listener = getRequestListener(write as (request: Request, bindings: unknown) => Promise<Response>, {
    hostname: 'localhost',
    // The library must not put other classes in the place of the process's own `Request` and `Response`.
    overrideGlobalObjects: false,
    errorHandler: (error) => (error instanceof RequestError ? malformed() : new Response(null, { status: 500 })),
  });
  return (incoming: IncomingMessage, outgoing: ServerResponse) => listener(incoming, outgoing);
}

/** A response `{ "error" }`, for what reaches no app. */
export function refusal(status: number, words: string, headers: Readonly<Record<string, string>> = {}): Response {
  const body = JSON.stringify({ error: words });
  return new Response(body, {
    status,
    headers: { 'content-type': 'application/json', 'content-length': String(body.length), ...headers },
  });
}
