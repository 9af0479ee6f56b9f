/** Reads the body of a request as JSON, within bounds of bytes and depth. */
import { nextTask } from '../../foundation/portions.js';
import { decodeJson, type IncomingBody, readBody } from '../../foundation/requests/body.js';
import { Refusal } from '../../foundation/requests/refusal.js';
import { LimitRefusal } from './answer.js';
import type { Slot } from './slots.js';

/** A request, with that of Node's http server where it came through one. */
export interface Received {
  readonly request: Request;
  readonly incoming: IncomingBody | undefined;
}

/** The largest body. */
const mostBytes = 2 ** 20;

/**
 * Bounds of a body: a thousand messages in full are 100,000 values. Messages that users send are a
 * few thousand levels deep at most: refusing those would let them through where a platform takes
 * refusals for approval.
 */
const mostValues = 200_000;
const mostLevels = 10_000;

/**
 * A larger body takes milliseconds to parse. It waits for its turn, so that many at once do not
 * hold up other requests.
 */
const largeBytes = 2 ** 16;

/**
 * Bytes of a body up to which its values are not counted: they take no more memory than a slot
 * has.
 */
const shortBytes = 4_096;

/**
 * Bytes for which a value counts: about those of a field of a common message. A field with a key of
 * its own takes three times that.
 */
const bytesOfValue = 32;

/**
 * Reads a body. Its slot counts the announced length, or the bytes read so far, and then the
 * parsed values. Rejects with a `Refusal`: 413 for a body that is too large, 429 without room for
 * it, 400 for one that breaks off or is not JSON in UTF-8 within the bounds.
 */
export async function readJson({ request, incoming }: Received, slot: Slot): Promise<unknown> {
  const { headers } = request;
  const encoding = headers.get('content-encoding') ?? '';
  if (!/^(identity)?$/i.test(encoding)) throw new Refusal(400, 'the body must not be compressed');
  slot.hold(Math.min(Number(headers.get('content-length')) || 0, mostBytes));
  const onLength = (length: number) => {
    if (length > slot.bytes) slot.hold(length);
  };
  const bytes = await readBody(request, incoming, mostBytes, onLength).catch((error: unknown) => {
    throw error instanceof Refusal ? error : new Refusal(400, 'the body could not be read');
  });
  if (bytes === undefined) {
    const wording = 'the body is larger than 1 MiB: send fewer messages at a time';
    throw new LimitRefusal(413, wording, { connection: 'close' });
  }
  if (bytes.length > largeBytes) await nextTask();
  const values = bytes.length > shortBytes ? countValues(bytes) : 0;
  if (typeof values === 'string') throw new LimitRefusal(400, `the body ${values}`);
  slot.hold(bytes.length + values * bytesOfValue);
  const value = decodeJson(bytes);
  if (value !== undefined) return value;
  throw new Refusal(400, bytes.length === 0 ? 'the body is empty: send json' : 'the body must be json in utf-8');
}

const comma = 0x2c;
const quote = 0x22;
const backslash = 0x5c;
const bracket = 0x5b;
const endBracket = 0x5d;
const brace = 0x7b;
const endBrace = 0x7d;

/**
 * Counts the values of a JSON text, the whole, items of arrays and fields of objects, at every
 * level: 1 MiB of `{},` takes 23 MB once it is parsed. Returns words instead if the text must not
 * be parsed. Text after a syntax error may be misread, since a parser stops there.
 */
export function countValues(json: Uint8Array): number | string {
  let levels = 0;
  let values = 1;
  for (let index = 0; index < json.length; index++) {
    const byte = json[index]!;
    if (byte === quote) {
      index = endOfText(json, index);
      if (index === -1) return values;
    } else if (byte === comma) {
      if (++values > mostValues) return tooMany;
    } else if (byte === bracket || byte === brace) {
      // An empty one has no value, which its end takes back.
      values++;
      if (++levels > mostLevels) return `is nested deeper than ${mostLevels} levels`;
    } else if (byte === endBracket || byte === endBrace) {
      levels--;
      if (isEmpty(json, index)) values--;
    }
  }
  return values > mostValues ? tooMany : values;
}

const tooMany = `holds more than ${mostValues.toLocaleString('en-US')} values`;

/**
 * Reports whether the array or object that ends at `end` is empty. Linear in all: no two ends read
 * the same blanks.
 */
function isEmpty(json: Uint8Array, end: number): boolean {
  let before = end - 1;
  while (before >= 0 && json[before]! <= 0x20) before--;
  return json[before] === bracket || json[before] === brace;
}

/**
 * Returns the closing quote of the string that begins at `start`: one after an even number of
 * backslashes.
 */
function endOfText(json: Uint8Array, start: number): number {
  for (let end = json.indexOf(quote, start + 1); ; end = json.indexOf(quote, end + 1)) {
    let before = end - 1;
    while (json[before] === backslash) before--;
    if (end === -1 || (end - before) % 2 === 1) return end;
  }
}
