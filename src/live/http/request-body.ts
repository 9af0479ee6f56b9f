/** Reads the body of a request as JSON, within bounds of bytes and depth. */
import { countValues } from '../../foundation/json-bounds.js';
import { nextTask } from '../../foundation/portions.js';
import { decodeJson, type IncomingBody, readBody } from '../../foundation/requests/body.js';
import { Refusal } from '../../foundation/requests/refusal.js';
import { LimitRefusal } from './answer.js';
import type { Place } from './places.js';

/** A request, with that of Node's http server where it came through one. */
export interface Received {
  readonly request: Request;
  readonly incoming: IncomingBody | undefined;
}

/** The largest body. */
const mostBytes = 2 ** 20;

/**
 * Bounds of a body: a thousand messages in full are 100,000 values. Messages that users send are a few thousand levels deep at most:
 * refusing those would let them through where a platform takes refusals for approval.
 */
const bounds = { values: 200_000, depth: 10_000 };

/** A larger body takes milliseconds to parse. It waits for its turn, so that many at once do not hold up other requests. */
const largeBytes = 2 ** 16;

/** Bytes of a body up to which its values are not counted: they take no more memory than a place has. */
const shortBytes = 4_096;

/** Bytes for which a value counts: about those of a field of a common message. A field with a key of its own takes three times that. */
const bytesOfValue = 32;

/**
 * Reads a body. Its place counts the announced length, or the bytes read so far, and then the parsed values. Rejects with a `Refusal`: 413 for a body
 * that is too large, 429 without room for it, 400 for one that breaks off or is not JSON in UTF-8 within the bounds.
 */
export async function readJson({ request, incoming }: Received, place: Place): Promise<unknown> {
  const { headers } = request;
  const encoding = headers.get('content-encoding') ?? '';
  if (!/^(identity)?$/i.test(encoding)) throw new Refusal(400, 'the body must not be compressed');
  place.hold(Math.min(Number(headers.get('content-length')) || 0, mostBytes));
  const onLength = (length: number) => {
    if (length > place.bytes) place.hold(length);
  };
  const bytes = await readBody(request, incoming, mostBytes, onLength).catch((error: unknown) => {
    throw error instanceof Refusal ? error : new Refusal(400, 'the body could not be read');
  });
  if (bytes === undefined) {
    const words = 'the body is larger than 1 MiB: send fewer messages at a time';
    throw new LimitRefusal(413, words, { connection: 'close' });
  }
  if (bytes.length > largeBytes) await nextTask();
  const values = bytes.length > shortBytes ? countValues(bytes, bounds) : 0;
  if (typeof values === 'string') throw new LimitRefusal(400, `the body ${values}`);
  place.hold(bytes.length + values * bytesOfValue);
  const value = decodeJson(bytes);
  if (value !== undefined) return value;
  throw new Refusal(400, bytes.length === 0 ? 'the body is empty: send json' : 'the body must be json in utf-8');
}
