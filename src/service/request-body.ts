import type { IncomingMessage } from 'node:http';
import { refusals } from './refusals.js';

/** The largest body taken; tags and a message id need a fraction of it. */
const largest = 1024 * 1024;

/** How much of a body that is too large is read and thrown away, so that its sender comes to read the answer. */
const drained = 16 * largest;

/**
 * Reads the body of a request as a JSON object; nothing sent is an empty one. Refuses with 413 over 1 MiB, 415 when not
 * declared as JSON, 400 for anything that is not a JSON object.
 */
export async function readBody(request: IncomingMessage): Promise<Readonly<Record<string, unknown>>> {
  const bytes = await readBytes(request);
  if (bytes.length === 0) return {};
  if (!isDeclaredJson(request)) throw refusals.notJson();
  const value = fromJson(bytes);
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw refusals.badRequest({ body: ['should be a json object'] });
}

function readBytes(request: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= largest) chunks.push(chunk);
      else chunks.length = 0;
      if (size > drained) {
        request.pause();
        reject(refusals.tooLarge(largest));
      }
    });
    request.once('end', () => (size > largest ? reject(refusals.tooLarge(largest)) : resolve(Buffer.concat(chunks))));
    request.once('error', reject);
  });
}

function isDeclaredJson({ headers }: IncomingMessage): boolean {
  const type = headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  const encoding = headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
  return encoding === 'identity' && (type === 'application/json' || type.endsWith('+json'));
}

function fromJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw refusals.badRequest({ body: ['should be json in utf-8'] });
  }
}
