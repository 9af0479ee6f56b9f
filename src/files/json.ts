import { readFile } from 'node:fs/promises';
import { ShapeError } from '../errors.js';
import { beyondBounds, mostValuesOfFile } from '../json-bounds.js';
import { fileError } from './file-reason.js';
import { jsonFault } from './json-fault.js';

/** The bytes of a file. Throws `UsageError` when it cannot be read. */
export async function readBytes(path: string, verb = 'read'): Promise<Uint8Array> {
  try {
    return await readFile(path);
  } catch (error) {
    throw fileError(verb, path, error);
  }
}

/**
 * Bytes as text, without a byte order mark unless it is to be kept. Throws `ShapeError` for what is no UTF-8; `whole` names what they are
 * the whole of.
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
    throw new ShapeError(source, whole, 'must be utf-8');
  }
}

/**
 * Parses JSON, as text or as bytes of UTF-8. Throws `ShapeError` without the words of the parser, which quote the text, and for more than
 * five million values.
 */
export function parseJson(json: string | Uint8Array, source: string, expected = 'must be json'): unknown {
  const excess = beyondBounds(json, { values: mostValuesOfFile });
  if (excess !== undefined) throw new ShapeError(source, 'the whole value', excess);
  const text = typeof json === 'string' ? json : decodeText(json, source, 'the whole value');
  try {
    return JSON.parse(text);
  } catch {
    throw new ShapeError(source, 'the whole value', `${expected}; ${jsonFault(text)}`);
  }
}

/** Reads a file of JSON. Throws `UsageError` when it cannot be read, `ShapeError` when it is no JSON. */
export async function readJsonFile(path: string): Promise<unknown> {
  return parseJson(await readBytes(path), path);
}
