/** The lines of a stream, as soon as they are there: for readers who hand over some lines, keep the stream open, and wait for an answer. */
import { isUtf8 } from 'node:buffer';
import { ShapeError } from '../errors.js';
import { maxLineBytes, notUtf8 } from './ndjson.js';

/** A line without its newline, or why it is no text. */
export type Line = string | ShapeError;

const newline = 0x0a;

/**
 * The lines that each chunk of a stream ends, together; the last one ends with the stream too. They depend on the bytes alone, not on how
 * these arrived. A line that is no UTF-8, or longer than `mostBytes`, is an error in its place; of a longer one no more than that is kept.
 */
export async function* readLines(
  chunks: AsyncIterable<Uint8Array>,
  mostBytes = maxLineBytes,
): AsyncGenerator<readonly Line[], void, undefined> {
  const begun = new BegunLine(mostBytes);
  for await (const chunk of chunks) {
    const end = chunk.lastIndexOf(newline) + 1;
    if (end > 0) {
      const first = begun.length > 0 ? chunk.indexOf(newline) : -1;
      if (first !== -1) begun.add(chunk.subarray(0, first));
      const head = first === -1 ? [] : [begun.take()];
      yield first + 1 === end ? head : [...head, ...linesOf(chunk.subarray(first + 1, end - 1), mostBytes)];
    }
    begun.add(chunk.subarray(end));
  }
  if (begun.length > 0) yield [begun.take()];
}

/** The lines of bytes, between the newlines. */
function linesOf(bytes: Uint8Array, mostBytes: number): Line[] {
  // As one text, not line by line: nearly every chunk is UTF-8.
  if (bytes.length <= mostBytes && isUtf8(bytes)) return textOf(bytes).split('\n');
  const lines: Line[] = [];
  for (let [start, end] = [0, 0]; end !== -1; start = end + 1) {
    end = bytes.indexOf(newline, start);
    lines.push(lineOf(bytes.subarray(start, end === -1 ? undefined : end), mostBytes));
  }
  return lines;
}

function lineOf(bytes: Uint8Array, mostBytes: number): Line {
  if (bytes.length > mostBytes) return tooLong();
  return isUtf8(bytes) ? textOf(bytes) : notUtf8('');
}

function tooLong(): ShapeError {
  return new ShapeError('', 'the whole line', 'is longer than 64 MiB');
}

function textOf({ buffer, byteOffset, length }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, length).toString('utf8');
}

const none = new Uint8Array(0);

/** The bytes of a line whose end has not come. Copied: a chunk may be a single byte, and a piece of one would keep all of it in memory. */
class BegunLine {
  length = 0;
  readonly #most: number;
  #room = none;

  constructor(most: number) {
    this.#most = most;
  }

  add(bytes: Uint8Array): void {
    const before = this.length;
    this.length += bytes.length;
    if (this.length > this.#most) {
      this.#room = none;
      return;
    }
    if (this.length > this.#room.length) {
      const room = new Uint8Array(Math.min(this.#most, 2 * this.length));
      room.set(this.#room.subarray(0, before));
      this.#room = room;
    }
    this.#room.set(bytes, before);
  }

  take(): Line {
    const line = this.length > this.#most ? tooLong() : lineOf(this.#room.subarray(0, this.length), this.#most);
    this.#room = none;
    this.length = 0;
    return line;
  }
}
