/** Node's requests and responses as those of `http/answer.ts`, without any of the Fetch API. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Answering } from '../../foundation/listener/connections.js';
import { readBytes } from '../../foundation/listener/read-bytes.js';
import { localTarget } from '../../foundation/listener/target.js';
import type { Answer, PlainRequest } from '../../live/http/answer.js';

/** Answers the requests of Node's server by a function of plain requests, which must not reject. */
export function answerPlainly(answer: (request: PlainRequest) => Promise<Answer>): Answering['answer'] {
  return async (incoming: IncomingMessage, outgoing: ServerResponse) => {
    let gone: AbortSignal | undefined;
    const { status, headers, body, release } = await answer({
      method: incoming.method ?? '',
      target: localTarget(incoming),
      header: (name) => incoming.headers[name]?.toString(),
      readBytes: (most, onLength) => readBytes(incoming, most, onLength),
      signal: () => (gone ??= signalOfGone(outgoing)),
    });
    if (release !== undefined) {
      if (outgoing.destroyed) release();
      else outgoing.once('close', release);
    }
    outgoing.writeHead(status, {
      ...headers,
      'content-length': typeof body === 'string' ? Buffer.byteLength(body) : body.length,
    });
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
