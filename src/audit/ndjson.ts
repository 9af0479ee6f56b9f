import { isUtf8 } from 'node:buffer';
import { ShapeError } from '../errors.js';

/** A JSON value and the number of its line, from 1. */
export interface NdjsonLine {
  readonly value: unknown;
  readonly line: number;
}

/** The longest line that is read: messages are small, and an endless line must not exhaust memory. */
const maxLineBytes = 64 * 1024 * 1024;

const newline = 0x0a;
const byteOrderMark = '\u{feff}';

/**
 * Reads newline-delimited JSON. Lines end at the byte 0x0A and nowhere else: `node:readline` also splits at U+2028 and
 * U+2029 in newer versions of Node, and JSON may hold both. Empty lines are skipped. `source` names the file in
 * errors. Throws `ShapeError` naming the line, never its content.
 */
export async function* readNdjson(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  source: string,
): AsyncGenerator<NdjsonLine, void, undefined> {
  let line = 0;
  let kept: Uint8Array[] = [];
  let keptBytes = 0;
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      line += 1;
      const last = chunk.subarray(start, end);
      const bytes = keptBytes === 0 ? last : Buffer.concat([...kept, last]);
      start = end + 1;
      kept = [];
      keptBytes = 0;
      const parsed = parseLine(bytes, line, source);
      if (parsed !== undefined) yield parsed;
    }
    if (start === chunk.length) continue;
    kept.push(chunk.subarray(start));
    keptBytes += chunk.length - start;
    if (keptBytes > maxLineBytes)
      throw new ShapeError(`${source}:${line + 1}`, 'the whole line', 'is longer than 64 MiB');
  }
  const parsed = keptBytes > 0 ? parseLine(Buffer.concat(kept), line + 1, source) : undefined;
  if (parsed !== undefined) yield parsed;
}

function parseLine(bytes: Uint8Array, line: number, source: string): NdjsonLine | undefined {
  const where = `${source}:${line}`;
  if (!isUtf8(bytes)) throw new ShapeError(where, 'the whole line', 'should be utf-8');
  let text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
  if (line === 1 && text.startsWith(byteOrderMark)) text = text.slice(1);
  if (text.trim() === '') return undefined;
  try {
    return { value: JSON.parse(text), line };
  } catch {
    // The parser's error may quote the line, which may be a message.
    throw new ShapeError(where, 'the whole line', 'should be json');
  }
}

/** One line of NDJSON with its newline. U+2028 and U+2029 are escaped, since some readers split lines at them. */
export function ndjsonLine(value: unknown): string {
  const json = JSON.stringify(value).replace(/[\u2028\u2029]/g, (separator) =>
    separator === '\u2028' ? '\\u2028' : '\\u2029',
  );
  return `${json}\n`;
}
