import type { IncomingMessage } from 'node:http';
import { GatheredBytes } from '../gathered-bytes.js';

/** How often the largest body is read and thrown away, so that its sender comes to read the answer. */
const drained = 16;

/**
 * The body of a request; `undefined` for one of more than `most` bytes: at its end, or once enough of it was thrown away, or at once where it
 * states to be longer than that. Rejects when the request breaks off, and with what `onLength` throws, which is called with the length so far.
 */
export function readBytes(
  request: IncomingMessage,
  most: number,
  onLength?: (bytes: number) => void,
): Promise<Uint8Array | undefined> {
  if (Number(request.headers['content-length'] ?? 0) > drained * most) return Promise.resolve(undefined);
  return new Promise((resolve, reject) => {
    let gathered: GatheredBytes | undefined = new GatheredBytes();
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > most) gathered = undefined;
      try {
        if (gathered !== undefined) onLength?.(size);
        gathered?.add(chunk);
      } catch (error) {
        gathered = undefined;
        reject(error);
      }
      if (size <= drained * most) return;
      request.pause();
      resolve(undefined);
    });
    request.once('end', () => resolve(gathered?.bytes()));
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
