import type { IncomingMessage } from 'node:http';

/** How often the largest body is read and thrown away, so that its sender comes to read the answer. */
const drained = 16;

/**
 * The body of a request; `undefined` for one of more than `most` bytes: at its end, or once enough of it was thrown away, or at once where it
 * states to be longer than that. Rejects when the request breaks off.
 */
export function readBytes(request: IncomingMessage, most: number): Promise<Buffer | undefined> {
  if (Number(request.headers['content-length'] ?? 0) > drained * most) return Promise.resolve(undefined);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= most) chunks.push(chunk);
      else chunks.length = 0;
      if (size <= drained * most) return;
      request.pause();
      resolve(undefined);
    });
    request.once('end', () =>
      resolve(size > most ? undefined : chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)),
    );
    const breakOff = (): void => {
      // Each request closes in the end, and an error costs more than all the rest.
      if (!request.readableEnded) reject(new Error('the request broke off'));
    };
    request.once('error', breakOff);
    request.once('close', breakOff);
    // One that broke off before anybody listened says so no more.
    if (request.destroyed && !request.complete) breakOff();
  });
}
