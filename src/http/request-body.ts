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
  const encoding = request.headers.get('content-encoding') ?? '';
  if (!/^(identity)?$/i.test(encoding)) throw new Refusal(400, 'the body must not be compressed');
  const stated = request.headers.get('content-length');
  if (Number(stated) > mostBytes) throw tooLarge();
  // A server takes no more than the length that a request states. Where none stands behind it, the length is looked at afterwards.
  const bytes = new Uint8Array(await inTime(stated === null ? readStream(request.body) : request.arrayBuffer()));
  if (bytes.length > mostBytes) throw tooLarge();
  const beyond = beyondBounds(bytes, bounds);
  if (beyond !== undefined) throw new Refusal(400, `the body ${beyond}`);
  try {
    return JSON.parse(decoder.decode(bytes));
  } catch {
    // Without the words of the parser, which quote what it read.
    throw new Refusal(400, bytes.length === 0 ? 'the body is empty: send json' : 'the body must be json in utf-8');
  }
}

async function readStream(body: Request['body']): Promise<ArrayBuffer> {
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
  return bytes.buffer;
}

/** The bytes, or a `Refusal`: of a body that breaks off as well, for nobody. */
function inTime(reading: Promise<ArrayBuffer>): Promise<ArrayBuffer> {
  return new Promise((resolve, reject) => {
    const refuse = () => reject(new Refusal(408, 'the body did not come in time', { connection: 'close' }));
    const timer = setTimeout(refuse, bodyMs);
    reading.then(
      (bytes) => {
        clearTimeout(timer);
        resolve(bytes);
      },
      (error: unknown) => {
        clearTimeout(timer);
        reject(error instanceof Refusal ? error : new Refusal(400, 'the body could not be read'));
      },
    );
  });
}

function tooLarge(): Refusal {
  return new Refusal(413, 'the body is larger than 1 MiB: send fewer messages at a time', { connection: 'close' });
}
