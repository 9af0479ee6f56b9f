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
  /** Aborted once the client is gone without its answer. Made when it is first called. */
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
    let gone: AbortSignal | undefined;
    const { status, headers, body, release } = await answer({
      method: incoming.method ?? '',
      target: url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/?]*/i, ''),
      header: (name) => incoming.headers[name]?.toString(),
      readBytes: (most) => readBytes(incoming, most),
      signal: () => (gone ??= signalOfGone(outgoing)),
    });
    if (release !== undefined) {
      if (outgoing.destroyed) release();
      else outgoing.once('close', release);
    }
    outgoing.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) });
    outgoing.end(body);
  };
}

/** Not aborted when a response closes as it should: each abort makes an error. */
function signalOfGone(outgoing: ServerResponse): AbortSignal {
  const controller = new AbortController();
  const abort = (): void => {
    if (!outgoing.writableFinished) controller.abort();
  };
  if (outgoing.destroyed) abort();
  else outgoing.once('close', abort);
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
