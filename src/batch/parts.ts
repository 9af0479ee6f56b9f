/**
 * The parts of an audit that is not finished, in the folder `parts` of its directory: one file for each shard, whose first line is a
 * record (the summary of the shard, and where the next one begins) behind its digest, and whose other lines are rows of
 * `decisions.ndjson`. A part is written aside, synced and renamed, so it is there as a whole or not at all; what a disk makes of it
 * later shows by the digests of record and rows. Parts are added in order: those that are there are the
 * beginning of the audit, whenever it was killed.
 */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, open, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import type { AuditSummary } from '../audit/audit-summary.js';
import type { CauseExamples } from '../audit/examples.js';
import { ShapeError } from '../errors.js';
import { makeDirectory } from '../files/directory-lock.js';
import { type FileReplacement, type Permissions, replaceFile } from '../files/replace-file.js';
import type { BadRow, Judged } from './judge-lines.js';

/** What a part says of its shard. */
export interface PartRecord {
  readonly summary: AuditSummary;
  readonly examples?: readonly CauseExamples[] | undefined;
  readonly rowCount: number;
  /** SHA-256 of the rows. */
  readonly rowsSha256: string;
  /** Where the next shard begins, as the source gave it. */
  readonly end: unknown;
  readonly bad: readonly BadRow[];
  readonly badCount: number;
}

const recordSchema = z.object({
  summary: z.custom<AuditSummary>((value) => typeof value === 'object' && value !== null),
  examples: z.custom<readonly CauseExamples[]>((value) => value === undefined || Array.isArray(value)).optional(),
  rowCount: z.number(),
  rowsSha256: z.string(),
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

/** Of SHA-256 in hexadecimal digits. */
const digestLength = 64;

/** Permissions of parts, which may hold texts of messages. */
export const privateFile: Permissions = { mode: 0o600 };

/** The folder of the parts of a directory. */
export const partsFolder = (directory: string) => join(directory, 'parts');
/** The folder in it of what workers on other machines judged, which is no part yet. */
export const spansName = 'spans';

export class Parts {
  readonly #folder: string;
  /** By part: where its rows begin, and their digest. */
  readonly #rows: { readonly from: number; readonly sha256: string }[] = [];

  constructor(directory: string) {
    this.#folder = partsFolder(directory);
  }

  /** How many parts there are. */
  get count(): number {
    return this.#rows.length;
  }

  /** Makes the folder, without parts. */
  async make(): Promise<void> {
    await makeDirectory(this.#folder);
  }

  /** Reads the records of the parts that are there, in order; takes away what a killed run left behind them. */
  async *open(): AsyncGenerator<PartRecord, void, undefined> {
    await this.make();
    for (;;) {
      const found = await readRecord(this.#path(this.count + 1));
      if (found === undefined) break;
      this.#rows.push({ from: found.rowsFrom, sha256: found.record.rowsSha256 });
      yield found.record;
    }
    const kept = new Set([spansName, ...this.#rows.map((_, index) => nameOf(index + 1))]);
    for (const name of await readdir(this.#folder)) {
      if (!kept.has(name)) await rm(join(this.#folder, name), { recursive: true });
    }
  }

  /** Adds the part behind those that are there. */
  async add({ rows, ...judged }: Judged & Pick<PartRecord, 'bad' | 'badCount'>, end: unknown): Promise<void> {
    const bytes = Buffer.from(rows);
    const rowsSha256 = sha256Of(bytes);
    const record: PartRecord = { ...judged, rowsSha256, end };
    const text = JSON.stringify(record);
    const first = `${sha256Of(text)} ${text}\n`;
    const file = await replaceFile(this.#path(this.count + 1), privateFile);
    try {
      await file.append(first);
      await file.append(bytes);
      await file.commit();
    } finally {
      await file.discard();
    }
    this.#rows.push({ from: Buffer.byteLength(first), sha256: rowsSha256 });
  }

  /** Appends the rows of all parts to a file, one behind the other. Throws `ShapeError` for rows that are not as they were written. */
  async copyRows(file: Pick<FileReplacement, 'append'>): Promise<FileDigest> {
    const hash = createHash('sha256');
    let bytes = 0;
    for (const [index, { from: start, sha256 }] of this.#rows.entries()) {
      const path = this.#path(index + 1);
      const own = createHash('sha256');
      for await (const chunk of createReadStream(path, { start, highWaterMark: chunkBytes })) {
        hash.update(chunk as Buffer);
        own.update(chunk as Buffer);
        bytes += (chunk as Buffer).length;
        await file.append(chunk as Buffer);
      }
      if (own.digest('hex') === sha256) continue;
      throw new ShapeError(path, 'the whole part', 'is not as it was written; the same command judges it again');
    }
    return { bytes, sha256: hash.digest('hex') };
  }

  async remove(): Promise<void> {
    // A worker on another machine may write into it just now.
    await rm(this.#folder, { recursive: true, force: true, maxRetries: 5 });
    this.#rows.length = 0;
  }

  #path(part: number): string {
    return join(this.#folder, nameOf(part));
  }
}

function nameOf(part: number): string {
  return `${String(part).padStart(8, '0')}.part`;
}

/** The record of a part, and where its rows begin; undefined when there is none, or not all of it as it was written. */
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
    const begun: Buffer[] = [];
    const rows = createHash('sha256');
    let rowsFrom = 0;
    for await (const chunk of file.createReadStream({ autoClose: false, highWaterMark: chunkBytes })) {
      const bytes = chunk as Buffer;
      if (rowsFrom > 0) {
        rows.update(bytes);
        continue;
      }
      const end = bytes.indexOf('\n');
      begun.push(end < 0 ? bytes : bytes.subarray(0, end));
      if (end < 0) continue;
      rowsFrom = begun.reduce((sum, { length }) => sum + length, 1);
      rows.update(bytes.subarray(end + 1));
    }
    const text = Buffer.concat(begun).toString();
    const json = text.slice(digestLength + 1);
    if (rowsFrom === 0 || !text.startsWith(`${sha256Of(json)} `)) return undefined;
    const record = recordSchema.safeParse(jsonOf(json)).data;
    return record?.rowsSha256 === rows.digest('hex') ? { record, rowsFrom } : undefined;
  } finally {
    await file.close();
  }
}

function sha256Of(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
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
