/**
 * The lines of a stream, each as soon as its end has arrived: a caller may answer some lines before
 * it is sent more.
 */
import { isUtf8 } from 'node:buffer';
import { ShapeError } from '../errors.js';
import { notUtf8, parseNdjsonLine } from './ndjson.js';

/** A line without its newline, or the reason why it has no text. */
export type Line = string | ShapeError;

/**
 * The longest line that is read: messages are small, and an endless line must not exhaust memory.
 */
export const maxLineBytes = 64 * 1024 * 1024;

const newline = 0x0a;

/**
 * Yields the lines that end in each chunk of a stream, together; the last line may end with the
 * stream instead. Lines end at the byte 0x0A and nowhere else: `node:readline` also splits at
 * U+2028 and U+2029, which JSON may contain. The lines depend on the bytes alone, not on how they
 * are divided into chunks. A line that is not UTF-8, or longer than `mostBytes`, is an error in its
 * place; the rest of a longer one is not kept.
 */
export async function* readLines(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  mostBytes = maxLineBytes,
): AsyncGenerator<readonly Line[], void, undefined> {
  const begun = new BegunLine(mostBytes);
  for await (const chunk of chunks) {
    const end = chunk.lastIndexOf(newline) + 1;
    if (end > 0) {
      const first = begun.length > 0 ? chunk.indexOf(newline) : -1;
      const head = first === -1 ? [] : [...begun.add(chunk.subarray(0, first)), ...begun.take()];
      yield first + 1 === end ? head : [...head, ...linesOf(chunk.subarray(first + 1, end - 1), mostBytes)];
    }
    const tooLong = begun.add(chunk.subarray(end));
    if (tooLong.length > 0) yield tooLong;
  }
  if (begun.length > 0) yield begun.take();
}

/** Divides bytes at their newlines. */
function linesOf(bytes: Uint8Array, mostBytes: number): Line[] {
  // Nearly every chunk is UTF-8, and is decoded at once.
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

/**
 * The bytes of a line whose end has not arrived. They are copied: a piece of one byte would keep
 * its whole chunk in memory.
 */
class BegunLine {
  length = 0;
  readonly #most: number;
  #room = none;

  constructor(most: number) {
    this.#most = most;
  }

  /** Adds bytes; returns the error at once when they make the line too long. */
  add(bytes: Uint8Array): readonly Line[] {
    const before = this.length;
    this.length += bytes.length;
    if (this.length > this.#most) {
      this.#room = none;
      return before > this.#most ? [] : [tooLong()];
    }
    if (this.length > this.#room.length) {
      const room = new Uint8Array(Math.min(this.#most, 2 * this.length));
      room.set(this.#room.subarray(0, before));
      this.#room = room;
    }
    this.#room.set(bytes, before);
    return [];
  }

  /**
   * Ends the line and returns it; returns nothing for one that was too long, since `add` has
   * returned its error.
   */
  take(): readonly Line[] {
    const lines = this.length > this.#most ? [] : [lineOf(this.#room.subarray(0, this.length), this.#most)];
    this.#room = none;
    this.length = 0;
    return lines;
  }
}

/** A JSON value and the number of its line, from 1. */
export interface NdjsonLine {
  readonly value: unknown;
  readonly line: number;
}

/**
 * Reads newline-delimited JSON and skips empty lines. `source` names the file in errors. Throws
 * `ShapeError` naming the line, never its content.
 */
export async function* readNdjson(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  source: string,
): AsyncGenerator<NdjsonLine, void, undefined> {
  let line = 0;
  const where = () => `${source}:${line}`;
  for await (const lines of readLines(chunks)) {
    for (const text of lines) {
      line += 1;
      if (typeof text !== 'string') throw new ShapeError(where(), text.path, text.expected);
      const value = parseNdjsonLine(text, line, where);
      if (value !== undefined) yield { value, line };
    }
  }
}
