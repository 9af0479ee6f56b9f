import { open } from 'node:fs/promises';

/** A stream of bytes, and the share of it that was read, if its length is known. */
export interface ByteSource {
  readonly chunks: AsyncIterable<Uint8Array>;
  readonly share?: (() => number | undefined) | undefined;
}

/** A file that was opened. */
interface OpenedBytes extends ByteSource {
  /** The size of a regular file, which can be opened again; undefined for anything else, such as a pipe. */
  readonly bytes: number | undefined;
  close(): Promise<void>;
}

/** Opens a file as a stream of bytes. Rejects with the error of the file system. */
export async function openFile(path: string): Promise<OpenedBytes> {
  const file = await open(path);
  const found = await file.stat();
  if (found.isDirectory()) {
    await file.close();
    throw Object.assign(new Error('is a directory'), { code: 'EISDIR', syscall: 'open' });
  }
  let bytes = 0;
  const chunks = async function* () {
    for await (const chunk of file.createReadStream({ highWaterMark: 1 << 18, autoClose: false })) {
      bytes += (chunk as Buffer).length;
      yield chunk as Buffer;
    }
  };
  const share = () => (found.size === 0 ? undefined : Math.min(1, bytes / found.size));
  return { chunks: chunks(), share, bytes: found.isFile() ? found.size : undefined, close: () => file.close() };
}
