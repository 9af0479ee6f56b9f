import { constants } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import { ShapeError, UsageError } from '../errors.js';
import { fileError } from './file-reason.js';
import { jsonFault } from './json-fault.js';
import { iconvHint } from './ndjson.js';

/** Options of `readBytes`. */
interface ReadBytesOptions {
  /** Whether to reject everything but a regular file, links followed: a pipe or a device may block a thread. */
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

/** Opens without waiting: a pipe would wait for a writer. */
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
 * Decodes bytes, without a byte order mark unless it is to be kept. Throws `ShapeError` for bytes that are not UTF-8; `whole` names what
 * they are the whole of.
 */
export function decodeText(
  bytes: Uint8Array,
  source: string,
  whole = 'the whole text',
  { keepsMark = false }: { readonly keepsMark?: boolean } = {},
): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: keepsMark }).decode(bytes);
  } catch {
    throw new ShapeError(source, whole, 'must be utf-8', { hint: iconvHint });
  }
}

/** Parses JSON, as text or as bytes of UTF-8. Throws `ShapeError` without the words of the parser, which quote the text. */
export function parseJson(json: string | Uint8Array, source: string, expected = 'must be json'): unknown {
  const text = typeof json === 'string' ? json : decodeText(json, source, 'the whole value');
  try {
    return JSON.parse(text);
  } catch {
    const fault = text.trim() === '' ? 'it is empty, so check that it is the right one' : jsonFault(text);
    throw new ShapeError(source, 'the whole value', `${expected}; ${fault}`);
  }
}

/** Reads a file of JSON. Throws `UsageError` if it cannot be read, and `ShapeError` if it is not JSON. */
export async function readJsonFile(path: string, options?: ReadBytesOptions): Promise<unknown> {
  return parseJson(await readBytes(path, undefined, options), path);
}
