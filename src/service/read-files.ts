import { isUtf8 } from 'node:buffer';
import { type FileHandle, open, readFile } from 'node:fs/promises';
import { ShapeError } from '../errors.js';
import type { Source } from './conversation-ids.js';

/** A line of a file: its value, and its bytes at `start..end` of a segment that is not used again, so that it can be kept. */
export interface ParsedLine {
  readonly value: unknown;
  readonly text: string;
  readonly segment: Buffer;
  readonly start: number;
  readonly end: number;
  readonly source: Source;
}

const newline = 0x0a;
const openBrace = 0x7b;
const byteOrderMark = Buffer.from('\ufeff');
const segmentBytes = 8 * 1024 * 1024;
const smallest = 64 * 1024;

/**
 * Hands every row of an NDJSON file to `take`, with its place as `file:line`. Rows are divided by \n alone: texts may hold
 * U+2028, and JSON reads a trailing \r as white space. Blank lines are fine. Throws `ShapeError` for a line that is no
 * UTF-8 or no JSON.
 */
export async function readRows(file: string, take: (line: ParsedLine) => void): Promise<void> {
  let line = 0;
  const source = (): string => `${file}:${line}`;
  for await (const segment of readSegments(file)) {
    const isSound = isUtf8(segment);
    for (let begin = 0; begin < segment.length; ) {
      const found = segment.indexOf(newline, begin);
      const end = found === -1 ? segment.length : found;
      line += 1;
      if (!isSound && !isUtf8(segment.subarray(begin, end))) {
        throw new ShapeError(source(), 'the whole value', 'should be utf-8');
      }
      const start = begin + markLength(segment, begin);
      const text = segment.toString('utf8', start, end);
      if (segment[start] === openBrace || text.trim() !== '') {
        take({ value: fromJson(text, source), text, segment, start, end, source });
      }
      begin = end + 1;
    }
  }
}

/** The bytes of a file in segments that end where lines do. The next one is read while one is worked on. */
async function* readSegments(file: string): AsyncGenerator<Buffer> {
  const handle = await open(file);
  const { size } = await handle.stat();
  const read = (rest: Buffer, expected: number): Promise<ReadSegment> => {
    const reading = readSegment(handle, rest, expected);
    // It may fail while nobody waits for it: whoever does is told then.
    reading.catch(() => {});
    return reading;
  };
  let reading = read(Buffer.alloc(0), size);
  try {
    for (;;) {
      const { segment, filled, unread } = await reading;
      if (filled < segment.length) {
        yield segment.subarray(0, filled);
        return;
      }
      const end = segment.lastIndexOf(newline) + 1;
      reading = read(segment.subarray(end), unread);
      yield segment.subarray(0, end);
    }
  } finally {
    // Whoever stops in the middle must not close the file under a read.
    await reading.catch(() => {});
    await handle.close();
  }
}

interface ReadSegment {
  readonly segment: Buffer;
  /** Bytes in it: fewer than fit in when the file has ended. */
  readonly filled: number;
  /** Bytes that the file should still have. */
  readonly unread: number;
}

/** Reads a segment that begins with the rest of the one before it. */
async function readSegment(handle: FileHandle, rest: Buffer, expected: number): Promise<ReadSegment> {
  const room = Math.min(Math.max(expected + 1, smallest), segmentBytes);
  // A line may be longer than a segment: the next one is twice as long, so that it is copied a few times and not hundreds.
  const segment = Buffer.allocUnsafeSlow(rest.length + Math.max(room, rest.length));
  rest.copy(segment);
  const filled = await fill(handle, segment, rest.length);
  return { segment, filled, unread: Math.max(0, expected - (filled - rest.length)) };
}

/** Reads until a segment is full or the file ends; gives how much of it is filled. */
async function fill(handle: FileHandle, segment: Buffer, from: number): Promise<number> {
  let filled = from;
  while (filled < segment.length) {
    const { bytesRead } = await handle.read(segment, filled, segment.length - filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return filled;
}

function markLength(segment: Buffer, at: number): number {
  const isMark = segment[at] === byteOrderMark[0] && segment.subarray(at, at + 3).equals(byteOrderMark);
  return isMark ? byteOrderMark.length : 0;
}

/** Hands every entry of a JSON array, or of `{ "data": [...] }`, to `take`, with its place as `file[index]`. */
export async function readArray(file: string, take: (value: unknown, source: string) => void): Promise<void> {
  const bytes = await readFile(file);
  if (!isUtf8(bytes)) throw new ShapeError(file, 'the whole value', 'should be utf-8');
  const value = fromJson(bytes.toString('utf8', markLength(bytes, 0)), () => file);
  const entries = Array.isArray(value) ? value : (value as { readonly data?: unknown } | null)?.data;
  if (!Array.isArray(entries)) throw new ShapeError(file, 'the whole value', 'should be an array');
  for (const [index, entry] of entries.entries()) take(entry, `${file}[${index}]`);
}

/** The parser's own error is left out: it quotes the text. */
function fromJson(text: string, source: Source): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ShapeError(source(), 'the whole value', 'should be json');
  }
}
