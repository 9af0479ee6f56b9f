/** A request of the Fetch API, its body read within bounds of bytes and time. */

import { GatheredBytes } from '../../foundation/gathered-bytes.js';
import { type PlainRequest, Refusal } from './answer.js';

/** How long a body may take to come. Servers cut off slow clients as well; this holds where they do not. */
const bodyMs = 10_000;

/** Whether a value is a request, whichever library made its class. */
export function isRequest(value: unknown): value is Request {
  const { method, url, headers, signal } = (value ?? {}) as Partial<Request>;
  return [method, url].every((one) => typeof one === 'string') && typeof headers?.get === 'function' && signal != null;
}

export function plainRequest(request: Request): PlainRequest {
  const { method, url, headers } = request;
  const hash = url.indexOf('#');
  return {
    method,
    target: url.slice(url.indexOf('/', url.indexOf('//') + 2), hash === -1 ? undefined : hash),
    header: (name) => headers.get(name) ?? undefined,
    readBytes: (most, onLength) => inTime(readBytes(request, most, onLength)),
    signal: () => request.signal,
  };
}

type OnLength = Parameters<PlainRequest['readBytes']>[1];

async function readBytes(request: Request, most: number, onLength: OnLength): Promise<Uint8Array | undefined> {
  const stated = request.headers.get('content-length');
  if (Number(stated) > most) return undefined;
  // A server takes no more than the length that a request states. Where none stands behind it, the length is looked at afterwards.
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
    // The rest of a body that is not read to its end is not wanted.
    void reader?.cancel().catch(() => {});
  }
}

async function inTime<T>(reading: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    const refuse = () => reject(new Refusal(408, 'the body did not come in time', { connection: 'close' }));
    timer = setTimeout(refuse, bodyMs);
  });
  try {
    return await Promise.race([reading, late]);
  } finally {
    clearTimeout(timer);
  }
}
