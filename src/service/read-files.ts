import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { ShapeError } from '../errors.js';

const newline = 0x0a;

/**
 * Hands every row of an NDJSON file to `take`, with its place as `file:line`. Rows are divided by \n alone: texts may hold
 * U+2028, and JSON reads a trailing \r as white space. Blank lines are fine. Throws `ShapeError` for a line that is no
 * UTF-8 or no JSON.
 */
export async function readRows(file: string, take: (value: unknown, source: string) => void): Promise<void> {
  let line = 0;
  let begun: Buffer[] = [];
  const finish = (bytes: Buffer): void => {
    line += 1;
    const source = `${file}:${line}`;
    const text = decode(bytes, source);
    if (text.trim() !== '') take(fromJson(text, source), source);
  };
  for await (const chunk of createReadStream(file, { highWaterMark: 1 << 20 }) as AsyncIterable<Buffer>) {
    let start = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      const tail = chunk.subarray(start, end);
      finish(begun.length === 0 ? tail : Buffer.concat([...begun, tail]));
      begun = [];
      start = end + 1;
    }
    if (start < chunk.length) begun.push(chunk.subarray(start));
  }
  if (begun.length > 0) finish(Buffer.concat(begun));
}

/** Hands every entry of a JSON array, or of `{ "data": [...] }`, to `take`, with its place as `file[index]`. */
export async function readArray(file: string, take: (value: unknown, source: string) => void): Promise<void> {
  const text = decode(await readFile(file), file);
  const value = fromJson(text, file);
  const entries = Array.isArray(value) ? value : (value as { readonly data?: unknown } | null)?.data;
  if (!Array.isArray(entries)) throw new ShapeError(file, 'the whole value', 'should be an array');
  for (const [index, entry] of entries.entries()) take(entry, `${file}[${index}]`);
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

function decode(bytes: Buffer, source: string): string {
  try {
    return utf8.decode(bytes);
  } catch (cause) {
    throw new ShapeError(source, 'the whole value', 'should be utf-8', { cause });
  }
}

/** The parser's own error is left out: it quotes the text. */
function fromJson(text: string, source: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ShapeError(source, 'the whole value', 'should be json');
  }
}
