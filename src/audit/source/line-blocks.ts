/**
 * Cuts a stream of NDJSON into blocks of whole lines, without reading what they hold: the unit in which messages of a file are
 * judged, kept and resumed. Blocks depend on the bytes alone, not on how they arrived.
 */
import { createHash, type Hash } from 'node:crypto';
import { ShapeError } from '../../errors.js';
import { maxLineBytes } from '../../files/ndjson.js';

/** Where a block begins or ends in a stream. */
export interface LinePosition {
  readonly bytes: number;
  readonly lines: number;
  /** SHA-256 of all bytes before. */
  readonly sha256: string;
}

/** Whole lines of a stream, the last one with its newline or at the end of the stream. */
export interface LineBlock {
  readonly bytes: Uint8Array;
  /** Number of the first line, from 1. */
  readonly firstLine: number;
  /** Where the next block begins; absent for the lines of a block that was not to be read to its end. */
  readonly end?: LinePosition;
}

/** A block ends behind the line with which it has so many lines, or so many bytes. */
export interface BlockSize {
  readonly lines: number;
  readonly bytes: number;
}

export interface BlockOptions {
  /** Where the first block begins; at the beginning, when absent. */
  readonly from?: LinePosition | undefined;
  readonly size?: BlockSize | undefined;
  /**
   * Ends a block at the last line of each chunk too, so that nothing that has arrived waits. Blocks depend on the chunks then, so none
   * has an end to begin behind, and nothing is digested.
   */
  readonly isEager?: boolean | undefined;
}

/** Some two megabytes of messages, which take some ten milliseconds to judge. */
export const defaultBlockSize: BlockSize = { lines: 5000, bytes: 4 << 20 };

const newline = 0x0a;

/**
 * The blocks of a stream behind a position, which is one that this function gave for the same stream and size. Throws `ShapeError` when
 * the stream does not begin with what was before that position, and for a line that is longer than 64 MiB. When the stream fails, the
 * lines that were read come first, as a block without an end.
 */
export async function* lineBlocks(
  chunks: AsyncIterable<Uint8Array>,
  source: string,
  { from, size = defaultBlockSize, isEager = false }: BlockOptions,
): AsyncGenerator<LineBlock, LinePosition, undefined> {
  const hash = createHash('sha256');
  let skip = from?.bytes ?? 0;
  let bytes = 0;
  /** The stream ended in the line before the position: what follows now belongs to a line that was judged without it. */
  let isMidLine = false;
  let lines = from?.lines ?? 0;
  let begun = new GrowingBlock();
  const finish = (): LineBlock => {
    const block = begun.take();
    if (!isEager) hash.update(block);
    bytes += block.length;
    const firstLine = lines + 1;
    lines += begun.lines;
    begun = new GrowingBlock();
    return { bytes: block, firstLine, ...(!isEager && { end: { bytes, lines, sha256: digestOf(hash) } }) };
  };
  try {
    for await (const chunk of chunks) {
      let at = 0;
      if (skip > 0) {
        at = Math.min(skip, chunk.length);
        hash.update(chunk.subarray(0, at));
        bytes += at;
        skip -= at;
        if (skip > 0) continue;
        if (digestOf(hash) !== from?.sha256) throw changed(source);
        isMidLine = chunk[at - 1] !== newline;
      }
      if (isMidLine && at < chunk.length) throw changed(source);
      while (at < chunk.length) {
        const end = chunk.indexOf(newline, at);
        const stop = end === -1 ? chunk.length : end + 1;
        if (end === -1 && isEager && begun.lines > 0) yield finish();
        begun.add(chunk, at, stop);
        if (begun.lineBytes > maxLineBytes)
          throw new ShapeError(`${source}:${lines + begun.lines + 1}`, 'the whole line', 'is longer than 64 MiB');
        at = stop;
        if (end === -1) break;
        begun.endLine();
        if (begun.lines >= size.lines || begun.bytes >= size.bytes) yield finish();
      }
      if (isEager && begun.lineBytes === 0 && begun.lines > 0) yield finish();
      begun.keep(chunk);
    }
  } catch (error) {
    const { lineBytes } = begun;
    const read = begun.take();
    if (begun.lines > 0) yield { bytes: read.subarray(0, read.length - lineBytes), firstLine: lines + 1 };
    throw error;
  }
  if (skip > 0) throw changed(source);
  if (begun.lineBytes > 0) begun.endLine();
  if (begun.bytes > 0) yield finish();
  return { bytes, lines, sha256: digestOf(hash) };
}

function changed(source: string): ShapeError {
  const what = 'does not begin as it did when the audit began';
  return new ShapeError(source, 'the whole stream', what, { advice: 'start-anew' });
}

function digestOf(hash: Hash): string {
  return hash.copy().digest('hex');
}

/** The bytes of a block that has begun: pieces of chunks, copied once, when it is taken. */
class GrowingBlock {
  bytes = 0;
  lines = 0;
  /** Bytes of the line that has begun. */
  lineBytes = 0;
  readonly #pieces: Uint8Array[] = [];
  /** The range of the chunk at hand that belongs to the block. */
  #chunk: Uint8Array | undefined;
  #from = 0;
  #to = 0;

  add(chunk: Uint8Array, from: number, to: number): void {
    if (this.#chunk !== chunk) {
      this.#chunk = chunk;
      this.#from = from;
    }
    this.#to = to;
    this.bytes += to - from;
    this.lineBytes += to - from;
  }

  endLine(): void {
    this.lines++;
    this.lineBytes = 0;
  }

  /** The chunk at hand ends. */
  keep(chunk: Uint8Array): void {
    if (this.#chunk === chunk) this.#pieces.push(chunk.subarray(this.#from, this.#to));
    this.#chunk = undefined;
  }

  /** All bytes, in memory of their own, so that they can be handed to a thread. */
  take(): Uint8Array {
    if (this.#chunk !== undefined) this.#pieces.push(this.#chunk.subarray(this.#from, this.#to));
    this.#chunk = undefined;
    const whole = new Uint8Array(this.bytes);
    let at = 0;
    for (const piece of this.#pieces) {
      whole.set(piece, at);
      at += piece.length;
    }
    return whole;
  }
}
