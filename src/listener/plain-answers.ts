/** Requests and answers without those of the Fetch API, for what is asked often: to make them takes longer than most answers do. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Answering } from './connections.js';
import { readBytes } from './read-bytes.js';

/** A request, as far as it is read. */
export interface PlainRequest {
  readonly method: string;
  /** Path and query, without the origin of an absolute target. */
  readonly target: string;
  readonly header: (name: string) => string | undefined;
  /** The body; `undefined` for one of more than so many bytes. Rejects when it breaks off. */
  readonly readBytes: (most: number) => Promise<Uint8Array | undefined>;
  /** A signal that is aborted once the client is gone before its answer. */
  readonly signal: () => AbortSignal;
}

/** An answer as it is written. */
export interface PlainAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Called once the client has taken the answer, or is gone. */
  readonly release?: (() => void) | undefined;
}

/** Answers the requests of Node's server by a function of plain requests, which must not reject. */
export function answerPlainly(answer: (request: PlainRequest) => Promise<PlainAnswer>): Answering['answer'] {
  return async (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const { url = '' } = incoming;
    const { status, headers, body, release } = await answer({
      method: incoming.method ?? '',
      target: url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/?]*/i, ''),
      header: (name) => incoming.headers[name]?.toString(),
      readBytes: (most) => readBytes(incoming, most),
      signal: () => signalOf(outgoing),
    });
    if (release !== undefined) {
      if (outgoing.destroyed) release();
      else outgoing.once('close', release);
    }
    outgoing.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) });
    outgoing.end(body);
  };
}

function signalOf(outgoing: ServerResponse): AbortSignal {
  if (outgoing.destroyed) return AbortSignal.abort();
  const controller = new AbortController();
  outgoing.once('close', () => {
    if (!outgoing.writableEnded) controller.abort();
  });
  return controller.signal;
}

/** A response `{ "error" }`, for what reaches no app. */
export function refusal(status: number, words: string, headers: Readonly<Record<string, string>> = {}): Response {
  const body = JSON.stringify({ error: words });
  return new Response(body, {
    status,
    headers: { 'content-type': 'application/json', 'content-length': String(body.length), ...headers },
  });
}
