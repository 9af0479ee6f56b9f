/**
 * The messages of an audit as blocks, the unit in which they are judged, kept and resumed: whole
 * rows of a file, or messages that a platform listed. A source can resume after any of its blocks.
 */
import { createHash } from 'node:crypto';
import * as z from 'zod';
import { ShapeError } from '../../foundation/errors.js';
import { maxLineBytes } from '../../foundation/files/lines.js';
import type { MessageDraft } from '../../platform/contract/message-draft.js';
import type { ByteReader } from './open-file.js';
import { cutRecords, newlinesIn, type RecordKind } from './records.js';
import type { RowFormat } from './rows.js';

/** The fields of all blocks. Plain data, for threads. */
interface Stretch {
  /** The number of rows or messages in all blocks before. */
  readonly before: number;
  /** The position after the block, as JSON; absent if no run can resume there. */
  readonly end?: unknown;
  /** The share of the source that has been read, 0 to 1; absent if the size is unknown. */
  readonly share?: number | undefined;
}

/** Messages that a platform listed. */
export interface ListedBlock extends Stretch {
  readonly messages: readonly MessageDraft[];
}

/** Whole rows of a file. The bytes are in a buffer that is filled again for the next block. */
export interface RowBlock extends Stretch {
  /** The name of the file in errors. */
  readonly source: string;
  /** The name of the file in bad rows; absent if there is only one file. */
  readonly file?: string | undefined;
  readonly format: RowFormat;
  /** The line in which the block begins, from 1. */
  readonly firstLine: number;
  readonly bytes: Uint8Array;
  /** The range of the bytes in a file that can be read again. */
  readonly range?: Range | undefined;
}

/** A range of bytes of a file. */
export interface Range {
  readonly path: string;
  readonly from: number;
  readonly to: number;
}

export type Block = RowBlock | ListedBlock;

/** Messages in blocks. */
export interface BlockSource {
  /**
   * Yields the blocks after a position, which is the `end` of a block; all blocks if it is
   * undefined.
   */
  blocks(from: unknown): AsyncIterable<Block>;
  /** The position at the end of files, once all blocks were read. */
  readonly read?: Position | undefined;
}

/** A position in files that are read one after the other. */
export const position = z.object({
  bytes: z.number(),
  lines: z.number(),
  rows: z.number(),
  /** SHA-256 of all bytes before the position. */
  sha256: z.string(),
});
export type Position = Readonly<z.infer<typeof position>>;

/** A file whose format is known. */
interface RowFile {
  readonly source: string;
  readonly file?: string | undefined;
  readonly format: RowFormat;
  readonly reader: ByteReader;
}

/** Bytes of a block: some two thousand messages, which take some ten milliseconds to judge. */
const blockBytes = 2 << 20;
/** Milliseconds that rows of a stream wait for more of their block, which is kept as a whole. */
const longestWait = 1_000;
const newline = 0x0a;

/** Cuts files into blocks, one file after the other. */
export class BlockCutter {
  readonly #hash = createHash('sha256');
  /** The position from which reading resumes. */
  readonly from: Position | undefined;
  readonly #isEager: boolean;
  readonly #isKept: boolean;
  #name = '';
  #room: Buffer;
  #bytes = 0;
  #lines = 0;
  #rows = 0;
  /** Lines of the current file, and its last byte so far. */
  #linesOfFile = 0;
  #last: number | undefined;

  /**
   * Begins after a position, if one is given. An eager cutter ends a block at the last row that has
   * arrived, so that no row of a stream waits. No result depends on the ends of blocks.
   */
  constructor(from: Position | undefined, { isEager = false, isKept = true, size = blockBytes } = {}) {
    this.from = from;
    this.#isEager = isEager;
    this.#isKept = isKept;
    this.#room = Buffer.allocUnsafeSlow(size);
  }

  /** The position after what was read. */
  get position(): Position {
    return { bytes: this.#bytes, lines: this.#lines, rows: this.#rows, sha256: this.#hash.copy().digest('hex') };
  }

  /** Throws `ShapeError` if the files ended before the position from which reading resumes. */
  refuseShort(): void {
    if (this.left > 0) throw changed(this.#name);
  }

  /**
   * The number of bytes that are still to be read before the position from which reading resumes.
   */
  get left(): number {
    return Math.max(0, (this.from?.bytes ?? 0) - this.#bytes);
  }

  /**
   * Yields the blocks of the next file. Throws `ShapeError` if the files do not begin with what was
   * before the position, for a row that is longer than 64 MiB, and for a file that ends within a
   * row. The rows before are yielded first, also if the file cannot be read any further.
   */
  async *blocksOf(file: RowFile): AsyncGenerator<RowBlock, void, undefined> {
    const { reader, ...rest } = file;
    const { source, format } = file;
    // A position may be in another file than the one that was changed.
    this.#name = this.#name === '' ? source : `${this.#name.replace(/ to .*/s, '')} to ${source}`;
    const { records } = format;
    const begin = this.#bytes;
    const isResumed = await this.#skip(file);
    if (this.left > 0) return;
    let isEager = this.#isEager;
    for (let [length, isEnd] = [0, false]; !isEnd; ) {
      let failure: { readonly reason: unknown } | undefined;
      const due = performance.now() + longestWait;
      try {
        do {
          const count = await reader.fill(this.#room, length);
          isEnd = count === 0;
          length += count;
        } while (
          !isEnd &&
          !isEager &&
          length < this.#room.length &&
          (await reader.hasCome?.(due - performance.now())) !== false
        );
      } catch (reason) {
        failure = { reason };
      }
      // Further bytes would belong to a line that was judged without them.
      const isMidLine = this.#last !== newline && records.kind !== 'item';
      if (isResumed && isMidLine && length > 0) throw changed(this.#name);
      const found = cutRecords(this.#room.subarray(0, length), records, { source, last: this.#last, isEnd });
      // A long row is searched again each time that the buffer grows.
      isEager = this.#isEager && found.end > 0;
      if (found.end > 0) {
        const bytes = this.#room.subarray(0, found.end);
        const from = this.#bytes - begin;
        const range = reader.path === undefined ? undefined : { path: reader.path, from, to: from + found.end };
        const block = { ...rest, bytes, range, before: this.#rows, firstLine: this.#linesOfFile + 1 };
        this.#take(found.end, found.lines, found.rows);
        yield { ...block, end: this.position, share: reader.share() };
        this.#room.copyWithin(0, found.end, length);
        length -= found.end;
      }
      const where = `${source}:${this.#linesOfFile + 1}`;
      if (found.fault !== undefined) throw new ShapeError(where, 'the whole file', found.fault);
      if (failure !== undefined) throw failure.reason;
      if (length > maxLineBytes) throw tooLong(where, records);
      if (length === this.#room.length) this.#grow(length);
    }
  }

  /**
   * Reads what is before the first row, or before the position of resuming; reports whether reading
   * resumes in this file.
   */
  async #skip({ reader, format }: RowFile): Promise<boolean> {
    [this.#linesOfFile, this.#last] = [0, undefined];
    const isResumed = this.left > 0;
    for (let left = this.left || format.head.bytes; left > 0; ) {
      const count = await reader.fill(this.#room.subarray(0, left), 0);
      if (count === 0) return false;
      this.#take(count, newlinesIn(this.#room.subarray(0, count)), 0);
      left -= count;
    }
    if (!isResumed) return false;
    if (this.position.sha256 !== this.from!.sha256) throw changed(this.#name);
    [this.#lines, this.#rows] = [this.from!.lines, this.from!.rows];
    return true;
  }

  #take(bytes: number, lines: number, rows: number): void {
    if (this.#isKept) this.#hash.update(this.#room.subarray(0, bytes));
    this.#bytes += bytes;
    this.#lines += lines;
    this.#rows += rows;
    this.#linesOfFile += lines;
    this.#last = this.#room[bytes - 1];
  }

  #grow(length: number): void {
    const room = Buffer.allocUnsafeSlow(Math.min(2 * length, maxLineBytes + 1));
    this.#room.copy(room, 0, 0, length);
    this.#room = room;
  }
}

function changed(source: string): ShapeError {
  const what = 'does not begin as it did when the audit began';
  return new ShapeError(source, 'the whole stream', what, { advice: 'replace-results' });
}

function tooLong(where: string, { kind }: RecordKind): ShapeError {
  const hint = kind === 'record' ? '; a quote that never closes makes one' : '';
  return new ShapeError(where, `the whole ${kind}`, `is longer than 64 MiB${hint}`);
}
