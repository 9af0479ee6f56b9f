/** Reads the body of a request within bounds of bytes and time. */
import { Refusal } from './refusal.js';

/**
 * Called with the length of a body so far, before a piece of it is kept. What it throws ends the
 * reading.
 */
type OnLength = (bytes: number) => void;

/**
 * A request of Node's http server, as far as its body is read: its events take a tenth of the time
 * of the stream of a `Request`.
 */
export interface IncomingBody {
  readonly headers: { readonly 'content-length'?: string | undefined };
  readonly destroyed: boolean;
  readonly complete: boolean;
  readonly readableEnded: boolean;
  on(event: 'data', listener: (piece: Uint8Array) => void): unknown;
  once(event: 'end' | 'error' | 'close', listener: () => void): unknown;
  pause(): unknown;
}

/**
 * The multiple of the largest body up to which Node's server reads a larger one and throws it away,
 * so that its sender gets to read the answer.
 */
const drained = 16;

/**
 * The longest time for the body of a `Request`, in milliseconds; Node's server has other limits.
 */
const bodyMs = 10_000;

/**
 * Reads the body of a request, from `incoming` if Node's server received it. Resolves with
 * `undefined` for a body of more than `most` bytes. Rejects when the request breaks off, with a
 * `Refusal` (408) when it takes too long, and with what `onLength` throws.
 */
export async function readBody(
  request: Request,
  incoming: IncomingBody | undefined,
  most: number,
  onLength: OnLength = () => {},
): Promise<Uint8Array | undefined> {
  if (incoming !== undefined) return readIncoming(incoming, most, onLength);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    const refuse = () => reject(new Refusal(408, 'the body did not come in time', { connection: 'close' }));
    timer = setTimeout(refuse, bodyMs);
  });
  try {
    return await Promise.race([readRequest(request, most, onLength), late]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Decodes bytes as JSON in UTF-8; `undefined` for anything else. The message of the parser, which
 * quotes the body, is dropped.
 */
export function decodeJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(decoder.decode(bytes));
  } catch {
    return undefined;
  }
}

const decoder = new TextDecoder('utf-8', { fatal: true });

function readIncoming(incoming: IncomingBody, most: number, onLength: OnLength): Promise<Uint8Array | undefined> {
  if (Number(incoming.headers['content-length'] ?? 0) > drained * most) return Promise.resolve(undefined);
  return new Promise((resolve, reject) => {
    let gathered: GatheredBytes | undefined = new GatheredBytes();
    let size = 0;
    incoming.on('data', (piece) => {
      size += piece.length;
      if (size > most) gathered = undefined;
      try {
        if (gathered !== undefined) onLength(size);
        gathered?.add(piece);
      } catch (error) {
        gathered = undefined;
        reject(error);
      }
      if (size <= drained * most) return;
      incoming.pause();
      resolve(undefined);
    });
    incoming.once('end', () => resolve(gathered?.bytes()));
    const breakOff = (): void => {
      // Every request closes in the end; an error, which costs more than all the rest, is made only
      // if needed.
      if (!incoming.readableEnded) reject(new Error('the request broke off'));
    };
    incoming.once('error', breakOff);
    incoming.once('close', breakOff);
    // A request that broke off before it was read emits no event.
    if (incoming.destroyed && !incoming.complete) breakOff();
  });
}

async function readRequest(request: Request, most: number, onLength: OnLength): Promise<Uint8Array | undefined> {
  const stated = request.headers.get('content-length');
  if (Number(stated) > most) return undefined;
  // A server reads no more than the length that a request states. Without a server, the length is
  // checked afterwards.
  const bytes =
    stated === null ? await readStream(request.body, most, onLength) : new Uint8Array(await request.arrayBuffer());
  return bytes !== undefined && bytes.length <= most ? bytes : undefined;
}

async function readStream(body: Request['body'], most: number, onLength: OnLength): Promise<Uint8Array | undefined> {
  const gathered = new GatheredBytes();
  let length = 0;
  const reader = body?.getReader();
  try {
    for (let next = await reader?.read(); next !== undefined && !next.done; next = await reader?.read()) {
      length += next.value.length;
      if (length > most) return undefined;
      onLength(length);
      gathered.add(next.value);
    }
    return gathered.bytes();
  } finally {
    // The rest of a body that is not read to its end is not needed.
    void reader?.cancel().catch(() => {});
  }
}

/**
 * Gathers pieces in one array. Kept one by one, the pieces of a body that comes byte by byte would
 * take a hundred times its memory.
 */
export class GatheredBytes {
  #bytes = new Uint8Array();
  #length = 0;

  /**
   * Adds a piece, which must not change afterwards. A body that comes in one piece is not copied.
   */
  add(piece: Uint8Array): void {
    const length = this.#length + piece.length;
    if (this.#length === 0) this.#bytes = piece as Uint8Array<ArrayBuffer>;
    else {
      if (length > this.#bytes.length) {
        const larger = new Uint8Array(Math.max(length, 2 * this.#length));
        larger.set(this.#bytes.subarray(0, this.#length));
        this.#bytes = larger;
      }
      this.#bytes.set(piece, this.#length);
    }
    this.#length = length;
  }

  bytes(): Uint8Array {
    return this.#length === this.#bytes.length ? this.#bytes : this.#bytes.subarray(0, this.#length);
  }
}
