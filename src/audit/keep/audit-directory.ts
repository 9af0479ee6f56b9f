/**
 * The directory of an audit: a manifest, a journal while the audit runs, and at the end rows and summary. However the process ends, the same
 * audit continues from the journal and gives the bytes of an undisturbed run; an audit of other inputs is refused.
 */
import { createHash, randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { ShapeError, UsageError } from '../../foundation/errors.js';
import { type DirectoryLock, type LockPurpose, lockDirectory } from '../../foundation/files/directory-lock.js';
import { withFileErrors } from '../../foundation/files/file-reason.js';
import { makeDirectory } from '../../foundation/files/make-directory.js';
import { safeJson } from '../../foundation/files/ndjson.js';
import { readOwn, removeOwn } from '../../foundation/files/own-entries.js';
import {
  type FileReplacement,
  type Permissions,
  removeAbandonedFiles,
  replaceOwn,
} from '../../foundation/files/replace-file.js';
import { type Counters, type CountOptions, type Counts, createCounters } from '../count/counters.js';
import { type BadRow, badRowsKept, type Judged, type JudgedPart } from '../judge.js';
import type { Position } from '../source/blocks.js';
import { type Checkpoint, Journal } from './journal.js';
import {
  type AuditInputs,
  differencesOf,
  type FileDigest,
  type Manifest,
  manifestName,
  newManifest,
  readManifest,
  writeManifest,
} from './manifest.js';
import { ResultFiles, type ResultPage } from './result-files.js';
import { tableFilesInWords, tablesIn, writeTableFiles } from './table-files.js';

interface BeginOptions {
  readonly inputs: AuditInputs;
  /** Whether to start over, whatever the directory holds. */
  readonly force: boolean;
  readonly counts: CountOptions;
  /** Returns the last second of a query without an end; called when the audit begins. */
  readonly end?: (() => Promise<number>) | undefined;
}

/** Bad rows of an audit: the first ones, and their number. */
export interface BadRows {
  readonly first: readonly BadRow[];
  readonly count: number;
}

/** Contents of the files beside the rows. */
interface Contents {
  /** The content of `summary.json`. */
  readonly summary: unknown;
  /** The content of the page, if there is one. */
  readonly page?: string | undefined;
}

/** Sums of the kept shards, and the position after them. */
export interface Kept {
  readonly messages: number;
  /** Messages that the filters left out. */
  readonly leftOut: number;
  readonly rows: number;
  readonly bad: BadRows;
  /** The beginning of the next shard; undefined at the beginning of the messages. */
  readonly position: unknown;
}

/** Permissions of files with texts of messages: private, even if the replaced file was not. */
const madePrivate: Permissions = { mode: 0o600, most: 0o600 };

const purpose: LockPurpose = { verb: 'audit into', owner: 'audit' };

const nothing: Kept = { messages: 0, leftOut: 0, rows: 0, bad: { first: [], count: 0 }, position: undefined };

/** The audit of a directory, in progress or finished. */
export class AuditDirectory {
  /** The path of the directory. */
  readonly directory: string;
  readonly paths: ResultFiles['paths'];
  readonly #files: ResultFiles;
  readonly #journal: Journal;
  readonly #lock: DirectoryLock;
  readonly #manifestPath: string;
  #manifest: Manifest | undefined;
  /** Whether nothing was written yet: earlier content of the directory stays until a shard of this audit is judged. */
  #isNew = true;
  #counters: Counters = createCounters({});
  #kept = nothing;
  /** Names of the tables of an earlier audit, which this one removes. */
  #oldTables: readonly string[] = [];

  private constructor(directory: string, page: ResultPage | undefined, lock: DirectoryLock) {
    this.directory = directory;
    this.#files = new ResultFiles(directory, page);
    this.paths = this.#files.paths;
    this.#journal = new Journal(directory, this.paths.rows);
    this.#manifestPath = join(directory, manifestName);
    this.#lock = lock;
  }

  /**
   * Locks a directory for one audit, and creates it if it is missing. Rejects with `UsageError` if another process audits into it, or if it
   * cannot be written. `onWait` is called before a wait for a process of another machine, which may have ended.
   */
  static take(
    directory: string,
    page: ResultPage | undefined,
    waiting: Pick<LockPurpose, 'onWait' | 'signal'> = {},
  ): Promise<AuditDirectory> {
    return writing(directory, async () => {
      await makeDirectory(directory);
      // With the slash `access` fails for a file.
      await access(`${directory}/`, constants.W_OK);
      return new AuditDirectory(directory, page, await lockDirectory(directory, { ...purpose, ...waiting }));
    });
  }

  /**
   * Resumes the audit of these inputs, or begins one; writes nothing yet. Rejects with `UsageError` if the directory holds another audit, or
   * results of unknown inputs.
   */
  async begin({ inputs, force, counts, end }: BeginOptions): Promise<void> {
    this.#counters = createCounters(counts);
    await writing(this.directory, async () => {
      await this.#files.refuseOthers(inputs);
      const old = await this.#readManifest(force);
      const goesOn = !force && (await this.#goesOn(old, inputs));
      const given = force && inputs.format ? await tablesIn(this.directory, inputs.format) : [];
      this.#oldTables = [...(old === undefined ? [] : await this.#files.tablesOf(old)), ...given];
      await removeAbandonedFiles(this.directory, (name) => this.#files.isResult(name));
      this.#isNew = !goesOn;
      if (!goesOn) {
        // Existing files are those of an earlier audit, or may be replaced: others were refused.
        const written = await this.#files.taken(inputs);
        const last = end && { end: await end() };
        this.#manifest = newManifest({ inputs, ...last, run: randomUUID(), written });
        return;
      }
      this.#manifest = old;
      if (this.results !== undefined) return this.#journal.remove();
      for await (const checkpoint of this.#journal.open(old?.run ?? '')) this.#count(checkpoint);
    });
  }

  async #readManifest(force: boolean): Promise<Manifest | undefined> {
    return readManifest(this.#manifestPath).catch((error: unknown) => {
      if (!(error instanceof ShapeError)) throw error;
      if (!force) throw new UsageError({ fact: error.message, advice: 'replace-results' });
      return undefined;
    });
  }

  /** Reports whether a manifest is that of an audit of these inputs. Throws `UsageError` if its results may not be replaced. */
  async #goesOn(manifest: Manifest | undefined, inputs: AuditInputs): Promise<boolean> {
    const advice = 'replace-results';
    const refuseForeign = async (format = inputs.format): Promise<void> => {
      const found = await this.#files.foreign({ ...inputs, format }, manifest);
      const what =
        manifest === undefined
          ? 'is there already, without a manifest that says what it is of'
          : 'is not a file of the audit there';
      if (found !== undefined) throw new UsageError({ fact: `\`${found}\` ${what}`, advice });
    };
    if (manifest === undefined) {
      await refuseForeign();
      return false;
    }
    const { results } = manifest;
    const differences = differencesOf(manifest.inputs, inputs);
    if (differences.length === 0) {
      if (results === undefined) await refuseForeign();
      return true;
    }
    const { all, withText, report, format, by } = manifest.inputs;
    // Additional files of the earlier run do not count as a difference.
    const kept = { report: inputs.report ?? report, format: inputs.format ?? format, by: inputs.by ?? by };
    if (results && differencesOf(manifest.inputs, { ...inputs, ...kept }).length === 0) return true;
    // Other files of the same decisions may replace these.
    const same = { ...inputs, all, withText, report, format, by };
    if (results && differencesOf(manifest.inputs, same).length === 0) {
      // Earlier tables are removed, even if no tables are requested.
      await refuseForeign(format);
      await refuseForeign();
      return false;
    }
    const what = results === undefined ? 'an unfinished audit' : 'an audit';
    throw new UsageError({ fact: `\`${this.directory}\` holds ${what} of other inputs`, differences, advice });
  }

  /** Writes the manifest, once. Files of an earlier audit are removed first, so that they never count for this one. */
  async #start(): Promise<void> {
    if (!this.#isNew || this.#manifest === undefined) return;
    await this.#journal.remove();
    // INVARIANT: tables belong to the decisions beside them; the manifest says which files are tables.
    for (const name of this.#oldTables) await removeOwn(join(this.directory, name));
    await writeManifest(this.#manifestPath, this.#manifest);
    for await (const _ of this.#journal.open(this.#manifest.run ?? '')) void _;
    this.#isNew = false;
  }

  /** Runs work that writes into the directory. Rejects with `UsageError` if another process has taken it, as after a long pause of this one. */
  #writing<Result>(work: () => Promise<Result>): Promise<Result> {
    return writing(this.directory, async () => {
      await this.#refuseLostLock();
      await this.#start();
      return work();
    });
  }

  async #refuseLostLock(): Promise<void> {
    if (await this.#lock.isHeld()) return;
    throw new UsageError(`another process has taken \`${this.directory}\` meanwhile; nothing more is written into it`);
  }

  /** Records the files to be written in the manifest. Rejects with `UsageError` if a file that no audit wrote would be replaced. */
  async #claim(asked: Pick<AuditInputs, 'report' | 'format'>): Promise<void> {
    const manifest = this.#manifest;
    if (manifest === undefined) return;
    const inputs = { ...manifest.inputs, ...asked };
    const names = this.#files.namesOf(inputs);
    if (names.every((name) => manifest.written?.includes(name))) return;
    const foreign = await this.#files.foreign(inputs, manifest);
    if (foreign !== undefined)
      throw new UsageError(
        `\`${foreign}\` is not a file of this audit; move it away, and start the audit again: it goes on`,
      );
    this.#manifest = { ...manifest, written: [...new Set([...(manifest.written ?? []), ...names])] };
    await writeManifest(this.#manifestPath, this.#manifest);
  }

  #count({ counts, messages, leftOut, rowCount, bad, badCount, end }: Checkpoint): void {
    const kept = this.#kept;
    this.#counters.merge(counts);
    this.#kept = {
      messages: kept.messages + messages,
      leftOut: kept.leftOut + leftOut,
      rows: kept.rows + rowCount,
      bad: {
        first: [...kept.bad.first, ...bad].slice(0, badRowsKept),
        count: kept.bad.count + badCount,
      },
      position: end,
    };
  }

  /** The results of a finished audit. */
  get results(): Manifest['results'] {
    return this.#manifest?.results;
  }

  /** The last second of the audit, for a query without an end. */
  get end(): number | undefined {
    return this.#manifest?.end;
  }

  /** The sums of the kept shards of an unfinished audit. */
  get kept(): Kept {
    return this.#kept;
  }

  /** The files of the tables of a finished audit; a pattern for a table with several files. */
  get tables(): readonly string[] {
    return tableFilesInWords(Object.keys(this.results?.files ?? {})).map((name) => join(this.directory, name));
  }

  /** Returns the counts of all kept shards. */
  counts(): Counts {
    return this.#counters.toJSON();
  }

  /** Keeps the next shard in order. Once this resolves, no crash loses it. */
  async add({ rows, fault: _, ...judged }: JudgedPart, end: unknown): Promise<void> {
    const checkpoint: Checkpoint = { ...judged, end };
    await this.#writing(() => this.#journal.add(rows, checkpoint));
    this.#count(checkpoint);
  }

  /**
   * Finishes the audit: the journal becomes the rows, and the other files are written. The manifest has the results last, so that a process
   * that is killed before leaves an unfinished audit.
   */
  async finish(contents: Contents, messages: Position | undefined): Promise<void> {
    await this.#writing(async () => {
      if (this.#manifest === undefined) return;
      const { inputs, end } = this.#manifest;
      const { withText, format } = inputs;
      await this.#claim(inputs);
      const rows = this.#journal.digest;
      const files = await this.#replace(contents, () => this.#journal.finish(withText ? madePrivate.most : undefined));
      const tables = format && (await writeTableFiles(this.directory, this.paths.rows, format, this.#permissions));
      await this.#refuseLostLock();
      const all = { [basename(this.paths.rows)]: rows, ...files, ...tables };
      const { rows: count, bad: badRows } = this.#kept;
      this.#manifest = newManifest({ inputs, end, results: { rows: count, badRows, messages, files: all } });
      await writeManifest(this.#manifestPath, this.#manifest);
      await this.#journal.remove();
    });
  }

  /** Writes the results so far, with those of an incomplete shard, as the results of the audit; keeps the journal. */
  async writePartly(contents: Contents, rest: Pick<Judged, 'rows'> | undefined): Promise<void> {
    await this.#writing(async () => {
      await this.#claim({ report: this.#manifest?.inputs.report, format: undefined });
      const rows = await replaceOwn(this.paths.rows, this.#permissions);
      try {
        await this.#journal.copyTo(rows);
        await rows.append(rest?.rows ?? '');
        await rows.flush();
        await this.#replace(contents, () => rows.commit());
      } finally {
        await rows.discard();
      }
    });
  }

  /** The permissions of rows and tables, which contain at least the matches, such as telephone numbers. */
  get #permissions(): Permissions {
    return this.#manifest?.inputs.withText ? madePrivate : { mode: 0o600 };
  }

  /** Replaces the files beside the rows, and the rows with `putRows`; returns the digests of the files by name. */
  async #replace({ summary, page }: Contents, putRows: () => Promise<void>) {
    const { paths } = this;
    const isTextInPage = this.#manifest?.inputs.report === 'text';
    const texts: readonly (readonly [string | undefined, string | undefined, Permissions])[] = [
      [paths.summary, `${safeJson(summary, 2)}\n`, {}],
      [paths.report, page, isTextInPage ? madePrivate : {}],
    ];
    const digests: Record<string, FileDigest> = {};
    const opened: FileReplacement[] = [];
    try {
      for (const [path, text, permissions] of texts) {
        if (path === undefined || text === undefined) continue;
        const file = await replaceOwn(path, permissions);
        opened.push(file);
        await file.append(text);
        await file.flush();
        digests[basename(path)] = {
          bytes: Buffer.byteLength(text),
          sha256: createHash('sha256').update(text).digest('hex'),
        };
      }
      await this.#refuseLostLock();
      // INVARIANT: summary and report belong to the rows beside them, so old ones are removed first.
      await removeOwn(paths.summary);
      if (paths.report !== undefined && (await this.#files.hasPage())) await removeOwn(paths.report);
      await putRows();
      for (const file of opened.toReversed()) await file.commit();
      return digests;
    } finally {
      for (const file of opened) await file.discard();
    }
  }

  /** Reads `summary.json` of a finished audit. Rejects with `UsageError` if a file of the results was changed. */
  async readResults(): Promise<unknown> {
    return withFileErrors('read', this.directory, async () => {
      if (this.results !== undefined) await this.#files.refuseChanged(this.results);
      return JSON.parse((await readOwn(this.paths.summary)) ?? '');
    });
  }

  /** Releases the directory, and leaves its content. */
  async close(): Promise<void> {
    await this.#journal.close();
    await this.#lock.release();
  }
}

/** Runs work on the files of a directory as `withFileErrors` does, with advice in the error of a full disk. */
async function writing<Result>(directory: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await withFileErrors('write into', directory, work);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    const { cause, message } = error;
    if (!['ENOSPC', 'EDQUOT'].includes((cause as NodeJS.ErrnoException | undefined)?.code ?? '')) throw error;
    throw new UsageError(`${message}; make room, and start it again: it goes on from what is kept`, { cause });
  }
}
