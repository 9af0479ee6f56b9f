/** The body of a request as JSON, read within bounds of bytes, time and depth. */
import { beyondBounds } from '../json-bounds.js';
import { Refusal } from './answer.js';

/** The largest body. */
const mostBytes = 2 ** 20;

/**
 * What a body may hold: a thousand messages in full are 100,000 values. Messages that users send are a few thousand levels deep at most:
 * refusing those would let them through where a platform takes refusals for approval.
 */
const bounds = { values: 200_000, depth: 10_000 };

/** How long a body may take to come. Servers cut off slow clients as well; this holds where they do not. */
const bodyMs = 10_000;

const decoder = new TextDecoder('utf-8', { fatal: true });

/** Throws a `Refusal`: 413 for too large a body, 408 for too slow a one, 400 for what is no JSON in UTF-8 within the bounds. */
export async function readJson(request: Request): Promise<unknown> {
  const encoding = request.headers.get('content-encoding') ?? 'identity';
  if (encoding.trim().toLowerCase() !== 'identity') throw new Refusal(400, 'the body must not be compressed');
  const bytes = await inTime(readBytes(request));
  const beyond = beyondBounds(bytes, bounds);
  if (beyond !== undefined) throw new Refusal(400, `the body ${beyond}`);
  try {
    return JSON.parse(decoder.decode(bytes));
  } catch {
    // Without the words of the parser, which quote what it read.
    throw new Refusal(400, bytes.length === 0 ? 'the body is empty: send json' : 'the body must be json in utf-8');
  }
}

async function readBytes(request: Request): Promise<Uint8Array> {
  const stated = Number(request.headers.get('content-length') ?? Number.NaN);
  if (stated > mostBytes) throw tooLarge();
  // A server takes no more than the length that a request states. Where none stands behind it, the length is looked at afterwards.
  const bytes = stated >= 0 ? new Uint8Array(await request.arrayBuffer()) : await readStream(request.body);
  if (bytes.length > mostBytes) throw tooLarge();
  return bytes;
}

async function readStream(body: Request['body']): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  const reader = body?.getReader();
  for (let next = await reader?.read(); next !== undefined && !next.done; next = await reader?.read()) {
    chunks.push(next.value);
    length += next.value.length;
    if (length <= mostBytes) continue;
    void reader?.cancel().catch(() => {});
    throw tooLarge();
  }
  const bytes = new Uint8Array(length);
  for (let at = 0; chunks.length > 0; ) {
    const chunk = chunks.shift()!;
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}

/** The bytes, or a `Refusal`: of a body that breaks off as well, for nobody. */
async function inTime(reading: Promise<Uint8Array>): Promise<Uint8Array> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    const refuse = () => reject(new Refusal(408, 'the body did not come in time', { connection: 'close' }));
    timer = setTimeout(refuse, bodyMs);
  });
  try {
    return await Promise.race([reading, late]);
  } catch (error) {
    throw error instanceof Refusal ? error : new Refusal(400, 'the body could not be read');
  } finally {
    clearTimeout(timer);
  }
}

function tooLarge(): Refusal {
  return new Refusal(413, 'the body is larger than 1 MiB: send fewer messages at a time', { connection: 'close' });
}
