/** Reads whole files: their bytes, and their JSON. */
import { constants } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import { UsageError } from '../errors.js';
import { fileError } from './file-reason.js';
import { parseJson } from './json.js';

/** Options of `readBytes`. */
interface ReadBytesOptions {
  /**
   * Whether to reject everything but a regular file, links followed: a pipe or a device may block a
   * thread.
   */
  readonly isRegular?: boolean;
}

/** Reads the bytes of a file. Throws `UsageError` if it cannot be read. */
export async function readBytes(path: string, verb = 'read', options: ReadBytesOptions = {}): Promise<Uint8Array> {
  try {
    return options.isRegular === true ? await readRegular(path, verb) : await readFile(path);
  } catch (error) {
    throw error instanceof UsageError ? error : fileError(verb, path, error);
  }
}

/** Reads a regular file. It is opened without waiting, since a pipe would wait for a writer. */
async function readRegular(path: string, verb: string): Promise<Uint8Array> {
  const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const found = await file.stat();
    if (found.isFile() || found.isDirectory()) return await file.readFile();
    throw new UsageError(`cannot ${verb} \`${path}\`: it is not a regular file`);
  } finally {
    await file.close();
  }
}

/**
 * Reads a file of JSON. Throws `UsageError` if it cannot be read, and `ShapeError` if it is not
 * JSON.
 */
export async function readJsonFile(path: string, options?: ReadBytesOptions): Promise<unknown> {
  return parseJson(await readBytes(path, undefined, options), path);
}
