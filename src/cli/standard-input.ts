import { readFile } from 'node:fs/promises';
import { abortable } from '../audit/abortable.js';
import { ShapeError } from '../errors.js';
import { withFileWords } from './file-error.js';
import type { Io } from './io.js';

/** What errors call it. */
export const standardInput = 'standard input';

/** The longest text or message that is read whole; an endless one must not fill the memory. */
const maxBytes = 64 * 1024 * 1024;

/** Standard input as bytes, whatever the stream gives. */
export async function* bytesOf(chunks: Io['stdin']): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) yield typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
}

/**
 * Reads a file, `-` for standard input, as one text; a byte order mark is left out. Throws `UsageError` when it cannot
 * be read, `ShapeError` when it is too long or no UTF-8, and the reason of an interruption.
 */
export async function readWholeText(path: string, io: Io): Promise<string> {
  const source = path === '-' ? standardInput : path;
  const bytes = path === '-' ? await readStandardInput(io) : await withFileWords('read', path, () => readFile(path));
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new ShapeError(source, 'the whole text', 'should be utf-8');
  }
}

async function readStandardInput(io: Io): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of abortable(bytesOf(io.stdin), io.interrupted)) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > maxBytes) throw new ShapeError(standardInput, 'the whole text', 'is longer than 64 MiB');
  }
  return Buffer.concat(chunks);
}
