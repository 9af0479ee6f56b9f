/**
 * The parts of an audit that is not finished, in the folder `parts` of its directory: one file for each shard, whose first line is a
 * record (the counts of the shard, and where the next one begins) behind its digest, and whose other lines are rows of
 * the result. A part is written aside, synced and renamed, so it is there as a whole or not at all; what a disk makes of it
 * later shows by the digests of record and rows. A part has the run that wrote it and its number, so that one of another audit, or a copy
 * of another part, is none. Parts are added in order: those that are there are the beginning of the audit, whenever it was killed.
 */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import * as z from 'zod';
import { ShapeError } from '../../foundation/errors.js';
import {
  isOwn,
  makeOwnFolder,
  namesInOwn,
  openOwn,
  removeOwn,
  removeOwnFolder,
} from '../../foundation/files/own-entries.js';
import { type FileReplacement, type Permissions, replacedBy, replaceOwn } from '../../foundation/files/replace-file.js';
import type { Counts } from '../count/counters.js';
import type { JudgedPart } from '../judge.js';

/**
 * What is kept of a judged shard beside its rows; another `keptFormat` when one of these fields is another.
 * Nothing type-checks with a field that is judged and not kept, or the other way.
 */
export const judgedFields = {
  counts: z.custom<Counts>((value) => typeof value === 'object' && value !== null),
  messages: z.number(),
  leftOut: z.number(),
  undated: z.number(),
  rowCount: z.number(),
  bad: z.array(z.object({ line: z.number(), reason: z.string() })).readonly(),
  badCount: z.number(),
} satisfies { readonly [Name in keyof KeptOfShard]-?: z.ZodType<KeptOfShard[Name]> };

/** A fault ends the run, and is no part of it. */
type KeptOfShard = Omit<JudgedPart, 'rows' | 'fault'>;

const recordSchema = z.object({
  /** The run of the manifest. */
  run: z.string(),
  /** Of the part, from 1. */
  number: z.number(),
  ...judgedFields,
  /** SHA-256 of the rows. */
  rowsSha256: z.string(),
  /** Where the next shard begins, as the source gave it. */
  end: z.unknown(),
});

/** What a part says of its shard. */
export type PartRecord = Readonly<z.infer<typeof recordSchema>>;

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

const partName = /^\d{8,}\.part$/;

/** Whether a file of ours may have this name, or one that is being written. */
function isNamed(name: string, pattern: RegExp): boolean {
  return pattern.test(replacedBy(name) ?? name);
}

/** Whether there are parts in a directory, of whatever audit. */
export async function hasParts(directory: string): Promise<boolean> {
  return (await namesInOwn(partsFolder(directory))).some((name) => partName.test(name));
}

export class Parts {
  readonly #folder: string;
  #run = '';
  /** By part: where its rows begin, and their digest. */
  readonly #rows: { readonly from: number; readonly sha256: string }[] = [];

  constructor(directory: string) {
    this.#folder = partsFolder(directory);
  }

  /** How many parts there are. */
  get count(): number {
    return this.#rows.length;
  }

  /** Makes the folder, without parts, for those of a run. Throws `UsageError` when something else has its name. */
  async make(run: string): Promise<void> {
    this.#run = run;
    await makeOwnFolder(this.#folder);
  }

  /** Reads the records of the parts of a run that are there, in order; takes away what a killed run left behind them. */
  async *open(run: string): AsyncGenerator<PartRecord, void, undefined> {
    await this.make(run);
    for (;;) {
      const found = await readRecord(this.#path(this.count + 1), { run, number: this.count + 1 });
      if (found === undefined) break;
      this.#rows.push({ from: found.rowsFrom, sha256: found.record.rowsSha256 });
      yield found.record;
    }
    const kept = new Set(this.#rows.map((_, index) => nameOf(index + 1)));
    for (const name of await namesInOwn(this.#folder)) {
      if (isNamed(name, partName) && !kept.has(name)) await removeOwn(join(this.#folder, name));
    }
  }

  /** Adds the part behind those that are there. */
  async add({ rows, fault: _, ...judged }: JudgedPart, end: unknown): Promise<void> {
    const bytes = Buffer.from(rows);
    const rowsSha256 = sha256Of(bytes);
    const number = this.count + 1;
    const record: PartRecord = { run: this.#run, number, ...judged, rowsSha256, end };
    const first = `${withDigest(JSON.stringify(record))}\n`;
    await makeOwnFolder(this.#folder);
    const file = await replaceOwn(this.#path(number), privateFile);
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
      for await (const chunk of chunksOf(path, start)) {
        hash.update(chunk);
        own.update(chunk);
        bytes += chunk.length;
        await file.append(chunk);
      }
      if (own.digest('hex') === sha256) continue;
      throw new ShapeError(path, 'the whole part', 'is not as it was written; the same command judges it again');
    }
    return { bytes, sha256: hash.digest('hex') };
  }

  /** Removes the parts, and the folder unless something else is in it. */
  async remove(): Promise<void> {
    this.#rows.length = 0;
    await removeOwnFolder(this.#folder, (name) => isNamed(name, partName));
  }

  #path(part: number): string {
    return join(this.#folder, nameOf(part));
  }
}

function nameOf(part: number): string {
  return `${String(part).padStart(8, '0')}.part`;
}

/** The record of a part, and where its rows begin; undefined when there is none, or not all of it as it was written, or another one. */
async function readRecord(
  path: string,
  { run, number }: Pick<PartRecord, 'run' | 'number'>,
): Promise<{ readonly record: PartRecord; readonly rowsFrom: number } | undefined> {
  const begun: Buffer[] = [];
  const rows = createHash('sha256');
  let rowsFrom = 0;
  for await (const bytes of chunksOf(path)) {
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
  if (rowsFrom === 0) return undefined;
  const record = recordSchema.safeParse(jsonWithDigest(Buffer.concat(begun).toString())).data;
  if (record?.run !== run || record.number !== number) return undefined;
  return record.rowsSha256 === rows.digest('hex') ? { record, rowsFrom } : undefined;
}

/** The bytes of a file of ours, from a place on; none when there is no file. */
async function* chunksOf(path: string, start = 0): AsyncGenerator<Buffer, void, undefined> {
  const file = await openOwn(path);
  if (file === undefined) return;
  try {
    yield* file.createReadStream({ autoClose: false, start, highWaterMark: chunkBytes });
  } finally {
    await file.close();
  }
}

/** A text behind its digest. */
function withDigest(text: string): string {
  return `${sha256Of(text)} ${text}`;
}

/** The value of JSON behind its digest; undefined when it is not as it was written. */
function jsonWithDigest(written: string): unknown {
  const text = written.slice(digestLength + 1);
  if (!written.startsWith(`${sha256Of(text)} `)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function sha256Of(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}

/** Size and digest of a file of ours; undefined when there is none. Throws `UsageError` for what is no file. */
export async function digestFile(path: string): Promise<FileDigest | undefined> {
  if (!(await isOwn(path, 'file'))) return undefined;
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of chunksOf(path)) {
    hash.update(chunk);
    bytes += chunk.length;
  }
  return { bytes, sha256: hash.digest('hex') };
}
