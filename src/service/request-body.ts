import type { IncomingMessage } from 'node:http';
import { refusals } from './refusals.js';
import { type RequestTerms, termsOf } from './request-terms.js';

/** How often the largest body is read and thrown away, so that its sender comes to read the answer. */
const drained = 16;

/**
 * Reads the body of a request as a JSON object; nothing sent is an empty one. Refuses with 413 for too large a body, 408 for one
 * that does not end in time, 415 when not declared as JSON, 400 for anything that is not a JSON object. A client that waits to
 * be asked for its body is asked only when nothing in the head refuses it.
 */
export async function readBody(request: IncomingMessage): Promise<Readonly<Record<string, unknown>>> {
  const { limits, invite } = termsOf(request);
  if (invite !== undefined) {
    if (Number(request.headers['content-length'] ?? 0) > limits.bodyBytes) throw refusals.tooLarge(limits.bodyBytes);
    if (hasBody(request) && !isDeclaredJson(request)) throw refusals.notJson();
    invite();
  }
  const bytes = await readBytes(request, limits);
  if (bytes.length === 0) return {};
  if (!isDeclaredJson(request)) throw refusals.notJson();
  const value = fromJson(bytes);
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw refusals.badRequest({ body: ['should be a json object'] });
}

function readBytes(request: IncomingMessage, { bodyBytes, bodyMs }: RequestTerms['limits']): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const timer = setTimeout(() => settle(() => reject(refusals.tooSlow())), bodyMs);
    const settle = (how: () => void): void => {
      clearTimeout(timer);
      chunks.length = 0;
      how();
    };
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= bodyBytes) chunks.push(chunk);
      else chunks.length = 0;
      if (size > drained * bodyBytes) {
        request.pause();
        settle(() => reject(refusals.tooLarge(bodyBytes)));
      }
    });
    request.once('end', () => {
      const whole = Buffer.concat(chunks);
      settle(() => (size > bodyBytes ? reject(refusals.tooLarge(bodyBytes)) : resolve(whole)));
    });
    const broken = (): void => settle(() => reject(new Error('the request broke off')));
    request.once('error', broken);
    // One that broke off before anybody listened says so no more.
    if (request.destroyed && !request.complete) broken();
  });
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
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
