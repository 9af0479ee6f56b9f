/**
 * Reads the bytes of files and streams into a buffer of the caller, so that no chunks are
 * allocated.
 */
import { type FileHandle, open } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import { inflated } from '../../foundation/files/gzip.js';
import { abortable } from './abortable.js';

/** Bytes that are read once, from the first one on. */
export interface ByteReader {
  /**
   * Reads at least one byte into a buffer, from an offset on; resolves to the number of bytes, 0 at
   * the end.
   */
  fill(room: Uint8Array, from: number): Promise<number>;
  /** Resolves to whether more bytes arrive within `ms` milliseconds; absent for regular files. */
  hasCome?(ms: number): Promise<boolean>;
  /** Puts back the bytes that were read last. */
  unread(bytes: Uint8Array): void;
  /** The path; present if ranges of the bytes can be read again. */
  readonly path?: string | undefined;
  /**
   * The size of a regular file, which can be opened again; undefined for anything else, such as a
   * pipe.
   */
  readonly size?: number | undefined;
  /** Returns the share that was read; undefined if the length is unknown. */
  share(): number | undefined;
  close(): Promise<void>;
}

/** Opens a file, and inflates it if it is gzip. Rejects with the error of the file system. */
export async function openFile(path: string, signal: AbortSignal): Promise<ByteReader> {
  const file = await open(path);
  try {
    const found = await file.stat();
    if (found.isDirectory()) throw Object.assign(new Error('is a directory'), { code: 'EISDIR', syscall: 'open' });
    const size = found.isFile() ? found.size : undefined;
    const close = () => file.close();
    if (size !== undefined) {
      const { buffer } = await file.read(Buffer.alloc(2), 0, 2, 0);
      if (buffer.toString('hex') !== '1f8b') return { ...readerOfFile(file, path, size, signal), close };
    }
    let read = 0;
    const chunks = async function* () {
      for await (const chunk of file.createReadStream({ start: size && 0, highWaterMark: 1 << 18, autoClose: false })) {
        read += (chunk as Buffer).length;
        yield chunk as Buffer;
      }
    };
    const share = () => (size === undefined || size === 0 ? undefined : Math.min(1, read / size));
    return { ...readerOf(inflated(abortable(chunks(), signal), path)), size, share, close };
  } catch (error) {
    await file.close();
    throw error;
  }
}

function readerOfFile(file: FileHandle, path: string, size: number, signal: AbortSignal) {
  let position = 0;
  return {
    path,
    size,
    async fill(room: Uint8Array, from: number) {
      signal.throwIfAborted();
      const { bytesRead } = await file.read(room, from, room.length - from, position);
      position += bytesRead;
      return bytesRead;
    },
    unread(bytes: Uint8Array) {
      position -= bytes.length;
    },
    share: () => (size === 0 ? undefined : Math.min(1, position / size)),
  };
}

/** Returns the bytes of a stream, filled as they come. */
export function readerOf(chunks: AsyncIterable<Uint8Array>): ByteReader {
  const iterator = chunks[Symbol.asyncIterator]();
  let pending: Uint8Array = new Uint8Array(0);
  let next: Promise<IteratorResult<Uint8Array>> | undefined;
  return {
    async fill(room, from) {
      while (pending.length === 0) {
        next ??= iterator.next();
        const step = await next;
        next = undefined;
        if (step.done === true) return 0;
        pending = step.value;
      }
      const count = Math.min(pending.length, room.length - from);
      room.set(pending.subarray(0, count), from);
      pending = pending.subarray(count);
      return count;
    },
    async hasCome(ms) {
      if (pending.length > 0) return true;
      next ??= iterator.next();
      const timer = new AbortController();
      const late = setTimeout(Math.max(0, ms), false, { signal: timer.signal }).catch(() => false);
      // A failure of the stream is thrown when it is read.
      const come = next.then(
        () => true,
        () => true,
      );
      const isHere = await Promise.race([come, late]);
      timer.abort();
      return isHere;
    },
    unread(bytes) {
      pending = Buffer.concat([bytes, pending]);
    },
    share: () => undefined,
    async close() {
      iterator.return?.()?.catch(() => undefined);
    },
  };
}
