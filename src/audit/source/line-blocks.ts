/**
 * Cuts a stream of NDJSON into blocks of whole lines, of CSV into whole records, of an array into whole items, without reading what they
 * hold: the unit in which messages of a file are judged, kept and resumed. Blocks depend on the bytes alone, not on how they arrived.
 */
import { createHash, type Hash } from 'node:crypto';
import { digest } from '../../foundation/digest.js';
import { ShapeError } from '../../foundation/errors.js';
import { maxLineBytes } from '../../foundation/files/lines.js';
import { createScanner, type RecordKind } from './records.js';

/** A place between two blocks of a stream. */
export interface LinePosition {
  readonly bytes: number;
  readonly lines: number;
  /** SHA-256 of all bytes before. */
  readonly sha256: string;
}

/** Returns the position after several streams: sums of bytes and lines, and a digest of the digests. After one stream it is that of the stream. */
export function joinedPosition(ends: readonly LinePosition[]): LinePosition {
  const [first] = ends;
  if (first !== undefined && ends.length === 1) return first;
  const sum = (of: (end: LinePosition) => number) => ends.reduce((total, end) => total + of(end), 0);
  return { bytes: sum(({ bytes }) => bytes), lines: sum(({ lines }) => lines), sha256: digest(ends) };
}

/** Whole lines of a stream, or other records, the last one with its end or at the end of the stream. */
export interface LineBlock {
  readonly bytes: Uint8Array;
  /** Number of the line in which it begins, from 1. */
  readonly firstLine: number;
  /** How many lines, or other records, it has. */
  readonly records: number;
  /** The position after it; absent for a block that could not be read to its end. */
  readonly end?: LinePosition;
}

/** The numbers of lines or other records, and of bytes, after which a block ends. */
export interface BlockSize {
  readonly lines: number;
  readonly bytes: number;
}

export interface BlockOptions {
  /** The position of the first block; the beginning of the stream, if absent. */
  readonly from?: LinePosition | undefined;
  readonly size?: BlockSize | undefined;
  /**
   * Whether a block also ends at the last line of each chunk, so that nothing that has arrived waits. Blocks then depend on the chunks, so they have
   * no positions and no digests.
   */
  readonly isEager?: boolean | undefined;
  /** The records of the stream; lines, if absent. */
  readonly records?: RecordKind | undefined;
  /** Bytes before the first record, such as a header: counted and digested, and in no block. */
  readonly head?: Pick<LinePosition, 'bytes' | 'lines'> | undefined;
}

/** Some two megabytes of messages, which take some ten milliseconds to judge. */
const defaultBlockSize: BlockSize = { lines: 5000, bytes: 4 << 20 };

const newline = 0x0a;

/**
 * Cuts a stream into blocks, after a position that this function gave for the same stream and size, if there is one. Throws `ShapeError` if
 * the stream does not begin with what was before that position, if a record is longer than 64 MiB, and if the stream ends within
 * one. If the stream fails, the lines that were read come first, as a block without an end.
 */
export async function* lineBlocks(
  chunks: AsyncIterable<Uint8Array>,
  source: string,
  { from, size = defaultBlockSize, isEager = false, records = { kind: 'line' }, head }: BlockOptions,
): AsyncGenerator<LineBlock, LinePosition, undefined> {
  const hash = createHash('sha256');
  let scanner = createScanner(records, source);
  let bytes = (from ?? head)?.bytes ?? 0;
  /** The stream ended in the line before the position: what follows now belongs to a line that was judged without it. */
  let isMidLine = false;
  let lines = (from ?? head)?.lines ?? 0;
  let begun = new GrowingBlock();
  const finish = (): LineBlock => {
    const block = begun.take();
    if (!isEager) hash.update(block);
    bytes += block.length;
    const [firstLine, count] = [lines + 1, begun.records];
    lines += begun.lines;
    begun = new GrowingBlock();
    return {
      bytes: block,
      firstLine,
      records: count,
      ...(!isEager && { end: { bytes, lines, sha256: digestOf(hash) } }),
    };
  };
  try {
    for await (const { chunk, last } of behind(bytes, chunks, source, { hash, from })) {
      if (from !== undefined && last !== undefined) {
        isMidLine = records.kind !== 'item' && last !== newline;
        scanner = createScanner(records, source, last);
      }
      if (isMidLine && chunk.length > 0) throw changed(source);
      for (let at = 0; at < chunk.length; ) {
        const end = scanner.next(chunk, at);
        const stop = end === -1 ? chunk.length : end;
        if (end === -1 && isEager && begun.records > 0) yield finish();
        begun.add(chunk, at, stop);
        if (begun.recordBytes > maxLineBytes) throw tooLong(`${source}:${lines + begun.lines + 1}`, records);
        at = stop;
        if (end === -1) break;
        begun.endRecord(scanner.lines);
        if (begun.records >= size.lines || begun.bytes >= size.bytes) yield finish();
      }
      if (isEager && begun.recordBytes === 0 && begun.records > 0) yield finish();
      begun.keep(chunk);
    }
    const fault = scanner.unfinished?.();
    if (fault !== undefined) throw new ShapeError(`${source}:${lines + begun.lines + 1}`, 'the whole file', fault);
  } catch (error) {
    const { recordBytes } = begun;
    const read = begun.take();
    if (begun.records > 0)
      yield { bytes: read.subarray(0, read.length - recordBytes), firstLine: lines + 1, records: begun.records };
    throw error;
  }
  if (begun.recordBytes > 0) begun.endRecord(scanner.lines + Number(records.kind === 'record'));
  if (begun.bytes > 0) yield finish();
  return { bytes, lines, sha256: digestOf(hash) };
}

/**
 * Yields the chunks of a stream after a number of bytes, which are digested; the first chunk begins with the byte before them. Throws `ShapeError` if
 * the skipped bytes are not those of the position.
 */
async function* behind(
  bytes: number,
  chunks: AsyncIterable<Uint8Array>,
  source: string,
  { hash, from }: { readonly hash: Hash; readonly from: LinePosition | undefined },
) {
  let left = bytes;
  for await (const chunk of chunks) {
    const at = Math.min(left, chunk.length);
    hash.update(chunk.subarray(0, at));
    left -= at;
    if (left > 0) continue;
    if (at > 0 && from !== undefined && digestOf(hash) !== from.sha256) throw changed(source);
    yield { chunk: chunk.subarray(at), last: at > 0 ? chunk[at - 1] : undefined };
  }
  if (left > 0) throw changed(source);
}

function changed(source: string): ShapeError {
  const what = 'does not begin as it did when the audit began';
  return new ShapeError(source, 'the whole stream', what, { advice: 'replace-results' });
}

function tooLong(place: string, { kind }: RecordKind): ShapeError {
  const hint = kind === 'record' ? '; a quote that never closes makes one' : '';
  return new ShapeError(place, `the whole ${kind}`, `is longer than 64 MiB${hint}`);
}

function digestOf(hash: Hash): string {
  return hash.copy().digest('hex');
}

/** The bytes of a block that has begun: pieces of chunks, copied once, when it is taken. */
class GrowingBlock {
  bytes = 0;
  records = 0;
  /** Ends of lines in its records. */
  lines = 0;
  /** Bytes of the record that has begun. */
  recordBytes = 0;
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
    this.recordBytes += to - from;
  }

  endRecord(lines: number): void {
    this.records++;
    this.lines += lines;
    this.recordBytes = 0;
  }

  /** The chunk at hand ends. */
  keep(chunk: Uint8Array): void {
    if (this.#chunk === chunk) this.#pieces.push(chunk.subarray(this.#from, this.#to));
    this.#chunk = undefined;
  }

  /** Returns all bytes in memory of their own, which can be transferred to a thread. */
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
