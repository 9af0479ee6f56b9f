/** A request of the Fetch API, its body read within bounds of bytes and time. */
import { type PlainRequest, Refusal } from './answer.js';

/** How long a body may take to come. Servers cut off slow clients as well; this holds where they do not. */
const bodyMs = 10_000;

export function plainRequest(request: Request): PlainRequest {
  const { method, url, headers } = request;
  const hash = url.indexOf('#');
  return {
    method,
    target: url.slice(url.indexOf('/', url.indexOf('//') + 2), hash === -1 ? undefined : hash),
    header: (name) => headers.get(name) ?? undefined,
    readBytes: (most) => inTime(readBytes(request, most)),
    signal: () => request.signal,
  };
}

async function readBytes(request: Request, most: number): Promise<Uint8Array | undefined> {
  const stated = request.headers.get('content-length');
  if (Number(stated) > most) return undefined;
  // A server takes no more than the length that a request states. Where none stands behind it, the length is looked at afterwards.
  const bytes = stated === null ? await readStream(request.body, most) : new Uint8Array(await request.arrayBuffer());
  return bytes !== undefined && bytes.length <= most ? bytes : undefined;
}

async function readStream(body: Request['body'], most: number): Promise<Uint8Array | undefined> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  const reader = body?.getReader();
  for (let next = await reader?.read(); next !== undefined && !next.done; next = await reader?.read()) {
    chunks.push(next.value);
    length += next.value.length;
    if (length <= most) continue;
    void reader?.cancel().catch(() => {});
    return undefined;
  }
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
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
