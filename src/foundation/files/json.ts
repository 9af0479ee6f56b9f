import { ShapeError } from '../errors.js';
import { jsonFault } from './json-fault.js';
import { iconvHint } from './ndjson.js';

/**
 * Decodes bytes, without a byte order mark unless it is to be kept. Throws `ShapeError` for bytes
 * that are not UTF-8; `whole` names them in the error, such as `the whole file`.
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

/**
 * Parses JSON, as text or as bytes of UTF-8. Throws `ShapeError` without the message of the parser,
 * which quotes the text.
 */
export function parseJson(json: string | Uint8Array, source: string, expected = 'must be json'): unknown {
  const text = typeof json === 'string' ? json : decodeText(json, source, 'the whole value');
  try {
    return JSON.parse(text);
  } catch {
    const fault = text.trim() === '' ? 'it is empty, so check that it is the right one' : jsonFault(text);
    throw new ShapeError(source, 'the whole value', `${expected}; ${fault}`);
  }
}
