import { isUtf8 } from 'node:buffer';
import { ShapeError } from '../errors.js';
import { beyondBounds, mostValues } from '../json-bounds.js';
import { jsonFault } from './json-fault.js';

/** A JSON value and the number of its line, from 1. */
export interface NdjsonLine {
  readonly value: unknown;
  readonly line: number;
}

/** The longest line that is read: messages are small, and an endless line must not exhaust memory. */
export const maxLineBytes = 64 * 1024 * 1024;

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
  const where = () => `${source}:${line}`;
  if (!isUtf8(bytes)) throw notUtf8(where());
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
  const value = parseNdjsonLine(text, line, where);
  return value === undefined ? undefined : { value, line };
}

/** The error for a line that is no UTF-8. */
export function notUtf8(where: string): ShapeError {
  return new ShapeError(where, 'the whole line', 'must be utf-8');
}

/**
 * The value of a line without its newline; undefined for a blank one. The first line may begin with a byte order mark. Throws `ShapeError`
 * that names the place and never quotes the line, which may be a message, as the parser's error may, also for one of more values
 * than a message has.
 */
export function parseNdjsonLine(written: string, line: number, where: () => string): unknown {
  const text = line === 1 && written.startsWith(byteOrderMark) ? written.slice(1) : written;
  // Before it is parsed: an error takes 4 µs to make, 20 s for 5 MB of blank lines.
  if (isBlank(text)) return undefined;
  const excess = beyondBounds(text, { values: mostValues });
  if (excess !== undefined) throw new ShapeError(where(), 'the whole line', excess);
  try {
    return JSON.parse(text);
  } catch {
    // The fact is the same wherever a line stands: bad rows are counted by it.
    const advice = line === 1 ? 'line-values' : undefined;
    throw new ShapeError(where(), 'the whole line', `must be json; ${jsonFault(text, { oneLine: true })}`, { advice });
  }
}

/** Told by the first character where that may begin JSON. */
function isBlank(text: string): boolean {
  const first = text.charCodeAt(0);
  return !(first > 0x20 && first < 0x80) && text.trim() === '';
}

/** What JSON may hold as it is and terminals act on: DEL, C1 controls, marks and controls of direction, separators of lines. */
const unsafe = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** A value as JSON that is safe to print: the same value, with characters that terminals act on as escapes. */
export function safeJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, undefined, indent).replace(
    unsafe,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** One line of NDJSON with its newline. U+2028 and U+2029 are escapes, since some readers split lines at them. */
export function ndjsonLine(value: unknown): string {
  return `${safeJson(value)}\n`;
}
