/**
 * The parts of an audit that is not finished, in the folder `parts` of its directory: one file for each shard, whose first line is a
 * record (the summary of the shard, and where the next one begins) and whose other lines are rows of `decisions.ndjson`. A part is
 * written aside, synced and renamed, so it is there as a whole or not at all. Parts are added in order: those that are there are the
 * beginning of the audit, whenever it was killed.
 */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, mkdir, open, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import type { AuditSummary } from '../audit/audit-summary.js';
import type { CauseExamples } from '../audit/examples.js';
import { type FileReplacement, type Permissions, replaceFile } from '../loader/write-file-atomically.js';
import type { BadRow, Judged } from './judge-lines.js';

/** What a part says of its shard. */
export interface PartRecord {
  readonly summary: AuditSummary;
  readonly examples?: readonly CauseExamples[] | undefined;
  readonly rowCount: number;
  readonly rowBytes: number;
  /** Where the next shard begins, as the source gave it. */
  readonly end: unknown;
  readonly bad: readonly BadRow[];
  readonly badCount: number;
}

const recordSchema = z.object({
  summary: z.custom<AuditSummary>((value) => typeof value === 'object' && value !== null),
  examples: z.custom<readonly CauseExamples[]>((value) => value === undefined || Array.isArray(value)).optional(),
  rowCount: z.number(),
  rowBytes: z.number(),
  end: z.unknown(),
  bad: z.array(z.object({ line: z.number(), reason: z.string() })),
  badCount: z.number(),
});

/** Size and SHA-256 of a file. */
export interface FileDigest {
  readonly bytes: number;
  readonly sha256: string;
}

const chunkBytes = 1 << 20;

/** Permissions of parts, which may hold texts of messages. */
export const privateFile: Permissions = { mode: 0o600 };

/** The folder of the parts of a directory. */
export const partsFolder = (directory: string) => join(directory, 'parts');
/** The folder in it of what workers on other machines judged, which is no part yet. */
export const spansName = 'spans';

export class Parts {
  readonly #folder: string;
  /** By part: where its rows begin. */
  readonly #rowsFrom: number[] = [];

  constructor(directory: string) {
    this.#folder = partsFolder(directory);
  }

  /** How many parts there are. */
  get count(): number {
    return this.#rowsFrom.length;
  }

  /** Makes the folder, without parts. */
  async make(): Promise<void> {
    await mkdir(this.#folder, { recursive: true });
  }

  /** Reads the records of the parts that are there, in order; takes away what a killed run left behind them. */
  async *open(): AsyncGenerator<PartRecord, void, undefined> {
    await this.make();
    for (;;) {
      const found = await readRecord(this.#path(this.count + 1));
      if (found === undefined) break;
      this.#rowsFrom.push(found.rowsFrom);
      yield found.record;
    }
    const kept = new Set([spansName, ...this.#rowsFrom.map((_, index) => nameOf(index + 1))]);
    for (const name of await readdir(this.#folder)) {
      if (!kept.has(name)) await rm(join(this.#folder, name), { recursive: true });
    }
  }

  /** Adds the part behind those that are there. */
  async add({ rows, ...judged }: Judged & Pick<PartRecord, 'bad' | 'badCount'>, end: unknown): Promise<void> {
    const record: PartRecord = { ...judged, rowBytes: Buffer.byteLength(rows), end };
    const first = `${JSON.stringify(record)}\n`;
    const file = await replaceFile(this.#path(this.count + 1), privateFile);
    try {
      await file.append(first);
      await file.append(rows);
      await file.commit();
    } finally {
      await file.discard();
    }
    this.#rowsFrom.push(Buffer.byteLength(first));
  }

  /** Appends the rows of all parts to a file, one behind the other. */
  async copyRows(file: Pick<FileReplacement, 'append'>): Promise<FileDigest> {
    const hash = createHash('sha256');
    let bytes = 0;
    for (const [index, start] of this.#rowsFrom.entries()) {
      for await (const chunk of createReadStream(this.#path(index + 1), { start, highWaterMark: chunkBytes })) {
        hash.update(chunk as Buffer);
        bytes += (chunk as Buffer).length;
        await file.append(chunk as Buffer);
      }
    }
    return { bytes, sha256: hash.digest('hex') };
  }

  async remove(): Promise<void> {
    // A worker on another machine may write into it just now.
    await rm(this.#folder, { recursive: true, force: true, maxRetries: 5 });
    this.#rowsFrom.length = 0;
  }

  #path(part: number): string {
    return join(this.#folder, nameOf(part));
  }
}

function nameOf(part: number): string {
  return `${String(part).padStart(8, '0')}.part`;
}

/** The record of a part, and where its rows begin; undefined when there is none, or not all of it. */
async function readRecord(
  path: string,
): Promise<{ readonly record: PartRecord; readonly rowsFrom: number } | undefined> {
  let file: FileHandle;
  try {
    file = await open(path);
  } catch (error) {
    return unlessMissing(error as NodeJS.ErrnoException);
  }
  try {
    const chunks: Buffer[] = [];
    let end = -1;
    for await (const chunk of file.createReadStream({ autoClose: false, highWaterMark: 1 << 16 })) {
      end = (chunk as Buffer).indexOf('\n');
      chunks.push(chunk as Buffer);
      if (end >= 0) break;
    }
    if (end < 0) return undefined;
    const before = chunks.slice(0, -1).reduce((sum, { length }) => sum + length, 0);
    const rowsFrom = before + end + 1;
    const record = recordSchema.safeParse(jsonOf(Buffer.concat(chunks).toString('utf8', 0, rowsFrom))).data;
    const { size } = await file.stat();
    return record !== undefined && size === rowsFrom + record.rowBytes ? { record, rowsFrom } : undefined;
  } finally {
    await file.close();
  }
}

/** Size and digest of a file; undefined when there is none. */
export async function digestFile(path: string): Promise<FileDigest | undefined> {
  const hash = createHash('sha256');
  let bytes = 0;
  try {
    for await (const chunk of createReadStream(path, { highWaterMark: chunkBytes })) {
      hash.update(chunk as Buffer);
      bytes += (chunk as Buffer).length;
    }
  } catch (error) {
    return unlessMissing(error as NodeJS.ErrnoException);
  }
  return { bytes, sha256: hash.digest('hex') };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function unlessMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}
