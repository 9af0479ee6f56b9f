/** The body of a request as JSON, within bounds of bytes and depth. */
import { beyondBounds } from '../json-bounds.js';
import { nextTask } from '../portions.js';
import { type PlainRequest, Refusal } from './answer.js';

/** The largest body. */
const mostBytes = 2 ** 20;

/**
 * What a body may hold: a thousand messages in full are 100,000 values. Messages that users send are a few thousand levels deep at most:
 * refusing those would let them through where a platform takes refusals for approval.
 */
const bounds = { values: 200_000, depth: 10_000 };

/** A larger body takes milliseconds to parse: it waits for its turn, so that many which come at once do not hold up everybody else. */
const largeBytes = 2 ** 16;

const decoder = new TextDecoder('utf-8', { fatal: true });

/** Throws a `Refusal`: 413 for too large a body, 400 for one that breaks off and for what is no JSON in UTF-8 within the bounds. */
export async function readJson(request: PlainRequest): Promise<unknown> {
  const encoding = request.header('content-encoding') ?? '';
  if (!/^(identity)?$/i.test(encoding)) throw new Refusal(400, 'the body must not be compressed');
  const bytes = await readBytes(request);
  if (bytes.length > largeBytes) await nextTask();
  const beyond = beyondBounds(bytes, bounds);
  if (beyond !== undefined) throw new Refusal(400, `the body ${beyond}`);
  try {
    return JSON.parse(decoder.decode(bytes));
  } catch {
    // Without the words of the parser, which quote what it read.
    throw new Refusal(400, bytes.length === 0 ? 'the body is empty: send json' : 'the body must be json in utf-8');
  }
}

async function readBytes(request: PlainRequest): Promise<Uint8Array> {
  let bytes: Uint8Array | undefined;
  try {
    bytes = await request.readBytes(mostBytes);
  } catch (error) {
    throw error instanceof Refusal ? error : new Refusal(400, 'the body could not be read');
  }
  if (bytes !== undefined) return bytes;
  throw new Refusal(413, 'the body is larger than 1 MiB: send fewer messages at a time', { connection: 'close' });
}
