/**
 * The journal of an unfinished audit: a file with its rows so far, and one with a checkpoint for each shard. Rows are on the disk before
 * their checkpoint, so the last valid checkpoint determines what is kept, whenever the process was killed. Resuming cuts both files to it;
 * at the end the file of rows is renamed.
 */
import { createHash, type Hash } from 'node:crypto';
import { type FileHandle, lstat, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { isOwn, openToAppend, removeOwn } from '../../foundation/files/own-entries.js';
import { type FileReplacement, takeAttributes } from '../../foundation/files/replace-file.js';
import type { JudgedPart } from '../judge.js';
import type { FileDigest } from './manifest.js';

/** The part of a judged shard that is kept beside its rows. */
export interface Checkpoint extends Omit<JudgedPart, 'rows' | 'fault'> {
  /** The position after the shard, as the source gave it. */
  readonly end: unknown;
}

/** Names of the two files. */
export const journalNames = ['journal.ndjson', 'journal.checkpoints'] as const;

const chunkBytes = 1 << 20;
const newline = 0x0a;

/** The journal of one run, however often its process is killed and the run resumed. */
export class Journal {
  readonly #paths: { readonly rows: string; readonly checkpoints: string };
  readonly #finished: string;
  #run = '';
  // INVARIANT: both are open from `open` to `close`, and no other method is called before or after.
  #rows: FileHandle | undefined;
  #checkpoints: FileHandle | undefined;
  /** Length and digest of the rows with a checkpoint, and the number of checkpoints. */
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
   * Opens the journal of a run, or creates it, and yields its checkpoints in order. Everything after the last checkpoint that is complete and
   * whose rows are unchanged is cut off. Throws `UsageError` for links and anything else that is not a file.
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

  /** Undoes `finish` of a process that was killed before the manifest was written. */
  async #takeBack(): Promise<void> {
    const { rows, checkpoints } = this.#paths;
    if ((await isOwn(rows, 'file')) || !(await isOwn(checkpoints, 'file'))) return;
    if (await isOwn(this.#finished, 'file')) await rename(this.#finished, rows);
  }

  /** Reads the rows of a checkpoint; returns it, or undefined if it or its rows were changed or cut off. */
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

  /** Returns the digest of a checkpoint: of the run, its number, all rows up to it, and its content. */
  #seal(hash: Hash, json: string): string {
    const parts = [this.#run, this.#count + 1, hash.copy().digest('hex'), json];
    return createHash('sha256').update(parts.join('\n')).digest('hex');
  }

  #advance(bytes: number, hash: Hash): void {
    this.#bytes = bytes;
    this.#hash = hash;
    this.#count += 1;
  }

  /** Appends rows, then their checkpoint. Each is on the disk before the next step. */
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

  /** Renames the file of rows. A file that is replaced passes on its owner, and of its permissions at most `most`. */
  async finish(most = 0o7777): Promise<void> {
    if (await isOwn(this.#finished, 'file')) {
      const { mode, uid, gid } = await lstat(this.#finished);
      await takeAttributes(this.#rows!, { mode: mode & most, uid, gid });
    }
    await rename(this.#paths.rows, this.#finished);
  }

  /** Closes and removes the files. */
  async remove(): Promise<void> {
    await this.close();
    // Rows without checkpoints do not count, whereas checkpoints without rows would undo `finish`: they are removed first.
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

/** Reads the bytes of a file between two positions. A stream would close the file if it is not read to its end. */
async function* chunksOf(file: FileHandle, start: number, end: number): AsyncGenerator<Buffer, void, undefined> {
  for (let at = start; at < end; ) {
    const room = Buffer.allocUnsafe(Math.min(chunkBytes, end - at));
    const { bytesRead } = await file.read(room, 0, room.length, at);
    if (bytesRead === 0) return;
    yield room.subarray(0, bytesRead);
    at += bytesRead;
  }
}

/** Yields the lines of a file that end with a newline. */
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
