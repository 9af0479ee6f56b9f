/** Requests and answers without those of the Fetch API: to make these takes longer than most decisions do. */

/** A request, as far as its answer depends on it. */
export interface PlainRequest {
  readonly method: string;
  /** Path and query, as they came, without the origin. */
  readonly target: string;
  /** The header of a name in small letters. */
  readonly header: (name: string) => string | undefined;
  /**
   * The body; `undefined` for one of more than so many bytes. Rejects when it breaks off, and with what `onLength` throws: it is called with the
   * length so far before a piece is kept.
   */
  readonly readBytes: (most: number, onLength: (bytes: number) => void) => Promise<Uint8Array | undefined>;
  /** Aborted once the client is gone without its answer. Made when it is first called for. */
  readonly signal: () => AbortSignal;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
  /** To be called once the client has taken the answer, or is gone: until then it counts as in flight. */
  readonly release?: (() => void) | undefined;
}

/** Thrown to end a request. Its words hold nothing of a message and no key. */
export class Refusal extends Error {
  override readonly name: string = 'Refusal';
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, words: string, headers: Readonly<Record<string, string>> = {}) {
    super(words);
    this.status = status;
    this.headers = headers;
  }
}

/**
 * Refuses a request that is beyond a limit of size or number: full places, too large a body. The message in it was not judged, so at
 * `/custom-api` the option `onUnanswered` says what is answered.
 */
export class LimitRefusal extends Refusal {}

/** The header that tells a client to try again. */
export const again = { 'retry-after': '1' };

export function jsonAnswer(value: unknown): Answer {
  return textAnswer(JSON.stringify(value), 'application/json');
}

export function textAnswer(body: string, type: string): Answer {
  return { status: 200, headers: { 'content-type': type }, body };
}

export function refused({ status, message, headers }: Refusal): Answer {
  return { ...jsonAnswer({ error: message }), status, headers: { 'content-type': 'application/json', ...headers } };
}
