import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { ShapeError } from '../errors.js';

/**
 * Yields the bytes of a stream, inflated if they are gzip. Throws `ShapeError` for gzip that is
 * damaged or cut off.
 */
export async function* inflated(chunks: AsyncIterable<Uint8Array>, source: string): AsyncGenerator<Uint8Array> {
  const reader = chunks[Symbol.asyncIterator]();
  const begun: Uint8Array[] = [];
  let length = 0;
  while (length < 2) {
    const step = await reader.next();
    if (step.done === true) break;
    begun.push(step.value);
    length += step.value.length;
  }
  const [first, second] = Buffer.concat(begun.map((chunk) => chunk.subarray(0, 2)));
  const all = (async function* () {
    yield* begun;
    yield* { [Symbol.asyncIterator]: () => reader };
  })();
  if (first !== 0x1f || second !== 0x8b) {
    yield* all;
    return;
  }
  // Errors of the source are thrown unchanged: zlib would report them as its own.
  let failure: unknown;
  const compressed = Readable.from(
    (async function* () {
      try {
        yield* all;
      } catch (error) {
        failure = error;
        throw error;
      }
    })(),
    { objectMode: false },
  );
  const gunzip = createGunzip();
  compressed.on('error', (error) => gunzip.destroy(error));
  try {
    yield* compressed.pipe(gunzip) as AsyncIterable<Uint8Array>;
  } catch (error) {
    if (failure !== undefined) throw failure;
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined || !code.startsWith('Z_')) throw error;
    const what = code === 'Z_BUF_ERROR' ? 'is gzip that ends too early' : 'is damaged gzip';
    throw new ShapeError(source, 'the whole stream', what);
  } finally {
    compressed.destroy();
  }
}
