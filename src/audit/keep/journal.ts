/**
 * The journal of an audit that is not finished: one file with its rows so far, and one with a line for each shard, its checkpoint. Rows are on
 * the disk before the checkpoint behind them, so the last checkpoint says what is kept, whenever the process was killed. Going on cuts both
 * files to it; at the end the file of rows is renamed.
 */
import { createHash, type Hash } from 'node:crypto';
import { type FileHandle, lstat, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { isOwn, openToAppend, removeOwn } from '../../foundation/files/own-entries.js';
import { type FileReplacement, takeAttributes } from '../../foundation/files/replace-file.js';
import type { JudgedPart } from '../judge.js';
import type { FileDigest } from './manifest.js';

/** The part of a judged shard that is kept beside its rows. An error that ended a shard ends the run, and is not kept. */
export interface Checkpoint extends Omit<JudgedPart, 'rows' | 'fault'> {
  /** The position behind the shard, as the source gave it. */
  readonly end: unknown;
}

/** Names of the two files. */
export const journalNames = ['journal.ndjson', 'journal.checkpoints'] as const;

const chunkBytes = 1 << 20;
const newline = 0x0a;

/** The journal of one run, which goes on however often its process is killed. */
export class Journal {
  readonly #paths: { readonly rows: string; readonly checkpoints: string };
  readonly #finished: string;
  #run = '';
  // INVARIANT: both are open from `open` to `close`, and no other method is called before or after.
  #rows: FileHandle | undefined;
  #checkpoints: FileHandle | undefined;
  /** Length and digest of the rows that have a checkpoint, and how many there are. */
  #bytes = 0;
  #hash = createHash('sha256');
  #count = 0;

  /** Makes the journal of a directory, whose rows are renamed to `finished` at the end. */
  constructor(directory: string, finished: string) {
    const [rows, checkpoints] = journalNames;
    this.#paths = { rows: join(directory, rows), checkpoints: join(directory, checkpoints) };
    this.#finished = finished;
  }

  /** The length and the digest of the rows. */
  get digest(): FileDigest {
    return { bytes: this.#bytes, sha256: this.#hash.copy().digest('hex') };
  }

  /**
   * Opens the journal of a run, an empty one where there is none, and yields its checkpoints in order. What stands behind the last checkpoint
   * that is whole, and whose rows are as they were written, is cut off. Throws `UsageError` for links and whatever else is not a file.
   */
  async *open(run: string): AsyncGenerator<Checkpoint, void, undefined> {
    this.#run = run;
    await this.#takeBack();
    this.#rows = await openToAppend(this.#paths.rows);
    this.#checkpoints = await openToAppend(this.#paths.checkpoints);
    let length = 0;
    for await (const line of wholeLines(this.#checkpoints)) {
      const checkpoint = await this.#verify(line);
      if (checkpoint === undefined) break;
      length += Buffer.byteLength(line) + 1;
      yield checkpoint;
    }
    await this.#checkpoints.truncate(length);
    await this.#rows.truncate(this.#bytes);
  }

  /** Undoes `finishAt` of a process that was killed before the audit was said to be finished. */
  async #takeBack(): Promise<void> {
    const { rows, checkpoints } = this.#paths;
    if ((await isOwn(rows, 'file')) || !(await isOwn(checkpoints, 'file'))) return;
    if (await isOwn(this.#finished, 'file')) await rename(this.#finished, rows);
  }

  /** The checkpoint of a line, once its rows were read; undefined if either is not as it was written. */
  async #verify(line: string): Promise<Checkpoint | undefined> {
    const json = line.slice(sealLength + 1);
    let kept: Checkpoint & { readonly bytes: number };
    try {
      kept = JSON.parse(json);
    } catch {
      return undefined;
    }
    if (typeof kept?.bytes !== 'number') return undefined;
    const hash = this.#hash.copy();
    for await (const chunk of chunksOf(this.#rows!, this.#bytes, kept.bytes)) hash.update(chunk);
    if (line !== `${this.#seal(hash, json)} ${json}`) return undefined;
    this.#advance(kept.bytes, hash);
    return kept;
  }

  /** The digest of a checkpoint: of the run, its number, all rows up to it and what it says. */
  #seal(hash: Hash, json: string): string {
    const parts = [this.#run, this.#count + 1, hash.copy().digest('hex'), json];
    return createHash('sha256').update(parts.join('\n')).digest('hex');
  }

  #advance(bytes: number, hash: Hash): void {
    this.#bytes = bytes;
    this.#hash = hash;
    this.#count += 1;
  }

  /** Appends rows and the checkpoint behind them, each of which is on the disk before the next step. */
  async add(written: string, checkpoint: Checkpoint): Promise<void> {
    const [rows, checkpoints] = [this.#rows!, this.#checkpoints!];
    const appended = Buffer.from(written);
    if (appended.length > 0) {
      await rows.appendFile(appended);
      await rows.datasync();
    }
    const bytes = this.#bytes + appended.length;
    const hash = this.#hash.copy().update(appended);
    const json = JSON.stringify({ bytes, ...checkpoint });
    await checkpoints.appendFile(`${this.#seal(hash, json)} ${json}\n`);
    await checkpoints.datasync();
    this.#advance(bytes, hash);
  }

  /** Appends the rows to another file. */
  async copyTo(file: Pick<FileReplacement, 'append'>): Promise<void> {
    for await (const chunk of chunksOf(this.#rows!, 0, this.#bytes)) await file.append(chunk);
  }

  /** Puts the rows in their place. A file that is replaced leaves its owner, and of its permissions at most `most`. */
  async finish(most = 0o7777): Promise<void> {
    if (await isOwn(this.#finished, 'file')) {
      const { mode, uid, gid } = await lstat(this.#finished);
      await takeAttributes(this.#rows!, { mode: mode & most, uid, gid });
    }
    await rename(this.#paths.rows, this.#finished);
  }

  /** Closes the files, and removes them. */
  async remove(): Promise<void> {
    await this.close();
    // Rows without a checkpoint count for nothing, and checkpoints without rows would take back what is finished.
    await removeOwn(this.#paths.checkpoints);
    await removeOwn(this.#paths.rows);
    this.#advance(0, createHash('sha256'));
    this.#count = 0;
  }

  async close(): Promise<void> {
    const files = [this.#rows, this.#checkpoints];
    this.#rows = undefined;
    this.#checkpoints = undefined;
    for (const file of files) await file?.close();
  }
}

const sealLength = 64;

/** The bytes of a file between two places, as far as there are any. Not by a stream, which closes the file when it is not read to its end. */
async function* chunksOf(file: FileHandle, start: number, end: number): AsyncGenerator<Buffer, void, undefined> {
  for (let at = start; at < end; ) {
    const room = Buffer.allocUnsafe(Math.min(chunkBytes, end - at));
    const { bytesRead } = await file.read(room, 0, room.length, at);
    if (bytesRead === 0) return;
    yield room.subarray(0, bytesRead);
    at += bytesRead;
  }
}

/** The lines of a file that end. */
async function* wholeLines(file: FileHandle): AsyncGenerator<string, void, undefined> {
  let begun: Buffer[] = [];
  for await (const chunk of chunksOf(file, 0, Number.POSITIVE_INFINITY)) {
    let from = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, from)) {
      yield Buffer.concat([...begun, chunk.subarray(from, end)]).toString();
      begun = [];
      from = end + 1;
    }
    begun.push(chunk.subarray(from));
  }
}
