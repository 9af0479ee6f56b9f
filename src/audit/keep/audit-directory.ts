/**
 * The directory of an audit: its state (`manifest.json`), its rows, which grow while it runs, and
 * at the end the other files. Rows are on the disk before the state that counts them, so a killed
 * audit resumes at its last state: later rows are cut off, and the results are byte for byte those
 * of an undisturbed run. An audit of other inputs is refused.
 */
import { constants } from 'node:fs';
import { access, type FileHandle, lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ShapeError, UsageError } from '../../foundation/errors.js';
import { type DirectoryLock, type LockPurpose, lockDirectory } from '../../foundation/files/directory-lock.js';
import { unlessMissing, withFileErrors } from '../../foundation/files/file-reason.js';
import { makeDirectory } from '../../foundation/files/make-directory.js';
import { safeJson } from '../../foundation/files/ndjson.js';
import { isOwn, openToAppend, readOwn, removeOwn } from '../../foundation/files/own-entries.js';
import { type Permissions, removeAbandonedFiles, writeOwn } from '../../foundation/files/replace-file.js';
import { type Counters, type CountOptions, type Counts, createCounters } from '../count/counters.js';
import { badRowsKept, type JudgedPart } from '../judge.js';
import type { Position } from '../source/blocks.js';
import {
  type AuditInputs,
  differencesOf,
  type Kept,
  type Manifest,
  manifestName,
  readManifest,
  writeManifest,
} from './manifest.js';
import { tableFilePattern, tableFilesInWords, writeTableFiles } from './table-files.js';

interface BeginOptions {
  readonly inputs: AuditInputs;
  /** Whether to start over, whatever the directory holds. */
  readonly force: boolean;
  readonly counts: CountOptions;
  /** Returns the last second of a query without an end; called when the audit begins. */
  readonly end?: (() => Promise<number>) | undefined;
}

/** Contents of the files beside the rows. */
interface Contents {
  /** The content of `summary.json`. */
  readonly summary: unknown;
  /** The content of the page, if there is one. */
  readonly page?: string | undefined;
}

/** Names of rows and summary in every directory. The caller names the page. */
const names = { rows: 'decisions.ndjson', summary: 'summary.json' };

/** Permissions of files with texts of messages: private, even if the replaced file was not. */
const madePrivate: Permissions = { mode: 0o600, most: 0o600 };

const purpose: LockPurpose = { verb: 'audit into', owner: 'audit' };

const nothing: Kept = { messages: 0, leftOut: 0, rows: 0, bytes: 0, bad: { first: [], count: 0 } };

/**
 * Milliseconds after which the state is written again: what is judged meanwhile is judged again
 * after a kill.
 */
const stateEveryMs = 1_000;

/** Resolves to the names in a directory that are those of files of an audit. */
export async function resultNamesIn(directory: string, page: string): Promise<readonly string[]> {
  const found = await readdir(directory).catch(() => []);
  return found.filter((name) => isOfAudit(name, page)).sort();
}

function isOfAudit(name: string, page: string): boolean {
  return [manifestName, names.rows, names.summary, page].includes(name) || tableFilePattern.test(name);
}

/** The audit of a directory, in progress or finished. */
export class AuditDirectory {
  /** The path of the directory. */
  readonly directory: string;
  readonly paths: Readonly<Record<keyof typeof names | 'report', string>>;
  /** The name of the page. */
  readonly #page: string;
  readonly #lock: DirectoryLock;
  readonly #manifestPath: string;
  // INVARIANT: the manifest is set from `begin` on.
  #manifest: Manifest | undefined;
  #counters: Counters = createCounters({});
  #kept = nothing;
  /** Permissions of the files that this run removed, by path. */
  readonly #modes = new Map<string, number | undefined>();
  /**
   * The file of rows, opened with the first block of this run: until then the directory keeps its
   * content.
   */
  #rows: FileHandle | undefined;
  #savedAt = Number.NEGATIVE_INFINITY;

  private constructor(directory: string, page: string, lock: DirectoryLock) {
    const { rows, summary } = names;
    this.directory = directory;
    this.#page = page;
    this.paths = { rows: join(directory, rows), summary: join(directory, summary), report: join(directory, page) };
    this.#manifestPath = join(directory, manifestName);
    this.#lock = lock;
  }

  /**
   * Locks a directory for one audit, and creates it if it is missing. Rejects with `UsageError` if
   * another process audits into it, or if it cannot be written. `onWait` is called before a wait
   * for a process of another machine, which may have ended.
   */
  static take(
    directory: string,
    page: string,
    waiting: Pick<LockPurpose, 'onWait' | 'signal'> = {},
  ): Promise<AuditDirectory> {
    return writing(directory, async () => {
      await makeDirectory(directory);
      // The slash makes `access` fail for a file.
      await access(`${directory}/`, constants.W_OK);
      return new AuditDirectory(directory, page, await lockDirectory(directory, { ...purpose, ...waiting }));
    });
  }

  /**
   * Resumes the audit of these inputs, or begins one; writes nothing yet. Rejects with `UsageError`
   * if the directory holds another audit, or results of unknown inputs.
   */
  async begin({ inputs, force, counts, end }: BeginOptions): Promise<void> {
    this.#counters = createCounters(counts);
    await writing(this.directory, async () => {
      const standing = await this.#standing(inputs);
      const found = await this.#readManifest(force);
      const isSame = found !== undefined && !force && this.#goesOn(found, inputs);
      if (!force) this.#refuseForeign(standing, found);
      await removeAbandonedFiles(this.directory, (name) => isOfAudit(name, this.#page));
      if (isSame) return this.#takeUp(found);
      const all = await resultNamesIn(this.directory, this.#page);
      const isOld = (name: string) =>
        standing.includes(name) || (found !== undefined && this.#isFileOf(found.inputs, name));
      const old = [...all.filter(isOld), ...(found?.old ?? [])];
      const last = end && { end: await end() };
      this.#manifest = { inputs, ...last, old };
    });
  }

  /**
   * Resolves to the names of the files that an audit would replace; empty files do not count.
   * Rejects with `UsageError` if a link, a folder or a device has such a name.
   */
  async #standing(inputs: AuditInputs): Promise<readonly string[]> {
    const standing: string[] = [];
    for (const name of await resultNamesIn(this.directory, this.#page)) {
      const path = join(this.directory, name);
      if (name !== manifestName && !this.#isFileOf(inputs, name)) continue;
      if ((await isOwn(path, 'file')) && name !== manifestName && (await lstat(path)).size > 0) standing.push(name);
    }
    return standing;
  }

  /** Reports whether the audit of these inputs writes results of this name. */
  #isFileOf({ report, format }: AuditInputs, name: string): boolean {
    if (name === this.#page) return report !== undefined;
    return Object.values(names).includes(name) || tableFilePattern.exec(name)?.[2] === (format ?? '');
  }

  async #readManifest(force: boolean): Promise<Manifest | undefined> {
    return readManifest(this.#manifestPath).catch((error: unknown) => {
      if (!(error instanceof ShapeError)) throw error;
      if (!force) throw new UsageError({ fact: error.message, advice: 'replace-results' });
      return undefined;
    });
  }

  /**
   * Reports whether the audit of a manifest is that of these inputs. Throws `UsageError` if its
   * results may not be replaced.
   */
  #goesOn({ inputs: was, results }: Manifest, inputs: AuditInputs): boolean {
    const differences = differencesOf(was, inputs);
    if (differences.length === 0) return true;
    const { all, withText, report, format, by } = was;
    // Additional files of the earlier run do not count as a difference.
    const kept = { report: inputs.report ?? report, format: inputs.format ?? format, by: inputs.by ?? by };
    if (results && differencesOf(was, { ...inputs, ...kept }).length === 0) return true;
    // Other files of the same decisions may replace these.
    if (results && differencesOf(was, { ...inputs, all, withText, report, format, by }).length === 0) return false;
    const what = results === undefined ? 'an unfinished audit' : 'an audit';
    const fact = `\`${this.directory}\` holds ${what} of other inputs`;
    throw new UsageError({ fact, differences, advice: 'replace-results' });
  }

  /** Throws `UsageError` for a file that, according to the manifest, no audit wrote. */
  #refuseForeign(standing: readonly string[], manifest: Manifest | undefined): void {
    const foreign = standing.find((name) => manifest === undefined || !this.#isFileOf(manifest.inputs, name));
    if (foreign === undefined) return;
    const what =
      manifest === undefined
        ? 'is there already, without a manifest that says what it is of'
        : 'is not a file of the audit there';
    throw new UsageError({ fact: `\`${join(this.directory, foreign)}\` ${what}`, advice: 'replace-results' });
  }

  /** Resumes the audit of a manifest; begins it again if counted rows are gone. */
  async #takeUp(manifest: Manifest): Promise<void> {
    const { kept, results } = manifest;
    this.#manifest = manifest;
    if (results !== undefined || kept === undefined) return;
    const { size } = (await isOwn(this.paths.rows, 'file')) ? await lstat(this.paths.rows) : { size: 0 };
    if (size < kept.bytes) return;
    const { counts, ...sums } = kept;
    this.#counters.merge(counts);
    this.#kept = sums;
  }

  /**
   * Opens the file of rows, once. Files of an earlier audit are removed first, so that they never
   * count for this one.
   */
  async #start(): Promise<void> {
    if (this.#rows !== undefined) return;
    const { old = [], inputs } = this.#manifest!;
    // The manifest names files before they are written, so that they count as the audit's even if
    // this run is killed.
    await this.#writeState();
    // INVARIANT: summary, page and tables belong to the rows beside them.
    for (const name of new Set([...old, names.summary, ...(inputs.report ? [this.#page] : [])])) {
      const path = join(this.directory, name);
      this.#modes.set(path, (await lstat(path).catch(unlessMissing))?.mode);
      await removeOwn(path);
    }
    this.#manifest = { ...this.#manifest!, old: undefined };
    this.#rows = await openToAppend(this.paths.rows);
    await this.#cut();
    this.#savedAt = Number.NEGATIVE_INFINITY;
  }

  /** Cuts off rows after the counted ones. */
  async #cut(): Promise<void> {
    await this.#rows!.truncate(this.#kept.bytes);
  }

  /**
   * Runs work that writes into the directory. Rejects with `UsageError` if another process has
   * taken it, as after a long pause of this one.
   */
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

  async #writeState(): Promise<void> {
    await this.#rows?.datasync();
    await this.#refuseLostLock();
    const kept = { ...this.#kept, counts: this.counts() };
    await writeManifest(this.#manifestPath, { ...this.#manifest!, kept });
    this.#savedAt = performance.now();
  }

  /** The results of a finished audit. */
  get results(): Manifest['results'] {
    return this.#manifest?.results;
  }

  /** The last second of the audit, for a query without an end. */
  get end(): number | undefined {
    return this.#manifest?.end;
  }

  /** The sums of the kept blocks of an unfinished audit. */
  get kept(): Kept {
    return this.#kept;
  }

  /** The files of the tables of a finished audit; a pattern for a table with several files. */
  get tables(): readonly string[] {
    return tableFilesInWords(this.results?.files ?? []).map((name) => join(this.directory, name));
  }

  /** Returns the counts of all kept blocks. */
  counts(): Counts {
    return this.#counters.toJSON();
  }

  /**
   * Keeps the next block in order. A crash loses the blocks of the last second, which are then
   * judged again.
   */
  async add(
    { rows, rowCount, messages, leftOut, counts, bad, badCount }: JudgedPart,
    position: unknown,
  ): Promise<void> {
    await this.#writing(async () => {
      const kept = this.#kept;
      const appended = Buffer.from(rows);
      if (appended.length > 0) await this.#rows!.appendFile(appended);
      this.#counters.merge(counts);
      this.#kept = {
        messages: kept.messages + messages,
        leftOut: kept.leftOut + leftOut,
        rows: kept.rows + rowCount,
        bytes: kept.bytes + appended.length,
        bad: { first: [...kept.bad.first, ...bad].slice(0, badRowsKept), count: kept.bad.count + badCount },
        position,
      };
      if (performance.now() - this.#savedAt >= stateEveryMs) await this.#writeState();
    });
  }

  /**
   * Finishes the audit: writes the other files, and last the manifest, so that a process that is
   * killed before leaves an unfinished audit.
   */
  async finish(contents: Contents, messages: Position | undefined): Promise<void> {
    await this.#writing(async () => {
      const { inputs, end } = this.#manifest!;
      const beside = await this.#writeBeside(contents);
      const { format, withText } = inputs;
      const permissions = withText ? madePrivate : { mode: 0o600 };
      const tables = format && (await writeTableFiles(this.directory, this.paths.rows, format, permissions));
      const files = [names.rows, ...beside, ...(tables ?? [])];
      const { rows, bad: badRows } = this.#kept;
      const read = messages && { bytes: messages.bytes, lines: messages.lines, sha256: messages.sha256 };
      this.#manifest = { inputs, end, results: { rows, badRows, messages: read, files } };
      await this.#refuseLostLock();
      await writeManifest(this.#manifestPath, this.#manifest);
    });
  }

  /** Writes the results so far; the audit resumes there. */
  async writePartly(contents: Contents): Promise<void> {
    await this.#writing(() => this.#writeBeside(contents));
  }

  /** Writes the state, summary and page; resolves to the names of the latter two. */
  async #writeBeside({ summary, page }: Contents): Promise<readonly string[]> {
    // A full disk may have left half a row.
    await this.#cut();
    await this.#writeState();
    const like = (path: string): Permissions => ({ mode: this.#modes.get(path) });
    const { summary: path, report } = this.paths;
    await writeOwn(path, `${safeJson(summary, 2)}\n`, like(path));
    if (page === undefined) return [names.summary];
    await writeOwn(report, page, this.#manifest!.inputs.report === 'text' ? madePrivate : like(report));
    return [names.summary, this.#page];
  }

  /**
   * Reads `summary.json` of a finished audit. Rejects with `UsageError` if a file of the results
   * was removed.
   */
  async readResults(): Promise<unknown> {
    return withFileErrors('read', this.directory, async () => {
      for (const name of this.results?.files ?? []) {
        const path = join(this.directory, name);
        if (!(await isOwn(path, 'file')))
          throw new UsageError({ fact: `\`${path}\` is gone`, advice: 'replace-results' });
      }
      return JSON.parse((await readOwn(this.paths.summary)) ?? '');
    });
  }

  /** Releases the directory, and leaves its content. */
  async close(): Promise<void> {
    await this.#rows?.close();
    await this.#lock.release();
  }
}

/**
 * Runs work on the files of a directory as `withFileErrors` does, with advice in the error of a
 * full disk.
 */
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
