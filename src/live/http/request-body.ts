/** The body of a request as JSON, within bounds of bytes and depth. */
import { countValues } from '../../foundation/json-bounds.js';
import { nextTask } from '../../foundation/portions.js';
import { LimitRefusal, type PlainRequest, Refusal } from './answer.js';
import type { Place } from './places.js';

/** The largest body. */
const mostBytes = 2 ** 20;

/**
 * What a body may hold: a thousand messages in full are 100,000 values. Messages that users send are a few thousand levels deep at most:
 * refusing those would let them through where a platform takes refusals for approval.
 */
const bounds = { values: 200_000, depth: 10_000 };

/** A larger body takes milliseconds to parse: it waits for its turn, so that many which come at once do not hold up everybody else. */
const largeBytes = 2 ** 16;

/** Values take room beside their text: of a shorter body, no more than places have. */
const shortBytes = 4_096;

/** What a value counts for: about what a field of a common message takes. A field of a key of its own takes three times that. */
const bytesOfValue = 32;

const decoder = new TextDecoder('utf-8', { fatal: true });

/**
 * Reads a body, which the place of its request counts from its announced length, or as it is read, and then for what is made of it.
 *
 * Throws a `Refusal`: 413 if the body is too large, 429 if there is no room for it, 400 if it breaks off or is not JSON in UTF-8 within the bounds.
 */
export async function readJson(request: PlainRequest, place: Place): Promise<unknown> {
  const encoding = request.header('content-encoding') ?? '';
  if (!/^(identity)?$/i.test(encoding)) throw new Refusal(400, 'the body must not be compressed');
  const bytes = await readBytes(request, place);
  if (bytes.length > largeBytes) await nextTask();
  const values = bytes.length > shortBytes ? countValues(bytes, bounds) : 0;
  if (typeof values === 'string') throw new LimitRefusal(400, `the body ${values}`);
  place.hold(bytes.length + values * bytesOfValue);
  try {
    return JSON.parse(decoder.decode(bytes));
  } catch {
    // Without the words of the parser, which quote what it read.
    throw new Refusal(400, bytes.length === 0 ? 'the body is empty: send json' : 'the body must be json in utf-8');
  }
}

async function readBytes(request: PlainRequest, place: Place): Promise<Uint8Array> {
  const announced = Number(request.header('content-length')) || 0;
  place.hold(Math.min(announced, mostBytes));
  let bytes: Uint8Array | undefined;
  try {
    bytes = await request.readBytes(mostBytes, (length) => {
      if (length > place.bytes) place.hold(length);
    });
  } catch (error) {
    throw error instanceof Refusal ? error : new Refusal(400, 'the body could not be read');
  }
  if (bytes !== undefined) return bytes;
  throw new LimitRefusal(413, 'the body is larger than 1 MiB: send fewer messages at a time', { connection: 'close' });
}
