/**
 * The directory that an audit writes into: a manifest, parts while it runs, and at its end its rows and its summary. Whatever happens to the
 * process, the same audit goes on from the parts; another one is refused. A diff of two rule sets is kept in the same way.
 */
import { createHash, randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { join } from 'node:path';
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
import type { LinePosition } from '../source/line-blocks.js';
import {
  type AuditInputs,
  differencesOf,
  keptFormat,
  type Manifest,
  manifestName,
  readManifest,
  writeManifest,
} from './manifest.js';
import { type FileDigest, Parts, privateFile } from './parts.js';
import { ResultFiles, type ResultForm, tablesName } from './result-files.js';
import { tableFilePattern, tableFilesInWords, tablesIn, writeTableFiles } from './table-files.js';

/** How an audit begins. */
export interface BeginOptions {
  readonly inputs: AuditInputs;
  /** Begin anew, whatever the directory holds. */
  readonly force: boolean;
  readonly counts: CountOptions;
  /** The command line that goes on with it, with placeholders for names of files and machines. */
  readonly command?: string | undefined;
  /** The last second of a query without an end, taken when the audit begins. */
  readonly end?: (() => Promise<number>) | undefined;
}

/** Bad rows of an audit: the first ones, and how many. */
export interface BadRows {
  readonly first: readonly BadRow[];
  readonly count: number;
}

/** What is written beside the rows. */
export interface Contents {
  /** The content of `summary.json` or `diff.json`. */
  readonly summary: unknown;
  /** The content of `counters.json`, of a finished audit. */
  readonly counters?: unknown;
  /** The content of the page, when there is one. */
  readonly page?: string | undefined;
}

/** A file with texts of messages is private, also in the place of one that others could read. */
const madePrivate: Permissions = { ...privateFile, most: 0o600 };

const purpose: LockPurpose = { verb: 'audit into', owner: 'audit' };

/** The audit of a directory, in progress or finished. */
export class AuditDirectory {
  /** Its path. */
  readonly directory: string;
  readonly paths: ResultFiles['paths'];
  readonly #files: ResultFiles;
  readonly #parts: Parts;
  readonly #lock: DirectoryLock;
  #manifest: Manifest | undefined;
  /** Nothing was written yet: what the directory held before stands until there is a part of this audit. */
  #isNew = true;
  #counters: Counters = createCounters({});
  #messages = 0;
  #leftOut = 0;
  #rows = 0;
  #position: unknown;
  #bad: BadRow[] = [];
  #badCount = 0;
  /** Names of the tables of an audit before, which this one takes away. */
  #oldTables: readonly string[] = [];

  private constructor(directory: string, form: ResultForm, lock: DirectoryLock) {
    this.directory = directory;
    this.#files = new ResultFiles(directory, form);
    this.paths = this.#files.paths;
    this.#parts = new Parts(directory);
    this.#lock = lock;
  }

  /**
   * Takes a directory for one audit; makes it when it is missing. Throws `UsageError` when another process audits into it, and when it
   * cannot be written. `waiting` says what happens while a process is waited for of which only time can tell whether it runs.
   */
  static take(
    directory: string,
    form: ResultForm,
    waiting: Pick<LockPurpose, 'onWait' | 'signal'> = {},
  ): Promise<AuditDirectory> {
    return writing(directory, async () => {
      await makeDirectory(directory);
      // The slash makes it fail for what is no directory.
      await access(`${directory}/`, constants.W_OK);
      return new AuditDirectory(directory, form, await lockDirectory(directory, { ...purpose, ...waiting }));
    });
  }

  /**
   * Goes on with the audit of these inputs that the directory holds, or begins one. Throws `UsageError` when it holds another one, or results
   * of which nobody knows the inputs.
   */
  async begin({ inputs, force, counts, command, end }: BeginOptions): Promise<void> {
    this.#counters = createCounters(counts);
    await writing(this.directory, async () => {
      await this.#files.refuseOthers(inputs);
      const old = await readManifest(join(this.directory, manifestName)).catch(() => undefined);
      if (old !== undefined && old.inputs.kind !== inputs.kind) {
        const [is, asked] = [old, { inputs }].map((one) => (one.inputs.kind === 'diff' ? 'a diff' : 'an audit'));
        throw new UsageError(`\`${this.directory}\` holds ${is}, and ${asked} needs another directory`);
      }
      const found = force ? undefined : await findManifest(this.directory, this.#files, inputs);
      const given = force && inputs.format ? await tablesIn(this.directory, inputs.format) : [];
      this.#oldTables = [...(old === undefined ? [] : await this.#files.tablesOf(old)), ...given];
      await removeAbandonedFiles(this.directory, (name) => this.#files.isResult(name));
      this.#isNew = found === undefined;
      if (this.#isNew) {
        // What stands there is of an audit before, or given to this one: the rest was refused.
        const standing = await this.#files.standing(inputs);
        const written = this.#files
          .namesOf(inputs)
          .filter((name) => standing.some((one) => name === (tableFilePattern.test(one) ? tablesName : one)));
        const last = end && { end: await end() };
        this.#manifest = { format: keptFormat, inputs, ...last, run: randomUUID(), command, written };
        return;
      }
      this.#manifest = found;
      if (this.results !== undefined) return this.#parts.remove();
      for await (const { end, ...judged } of this.#parts.open(found?.run ?? '')) this.#count(judged, end);
    });
  }

  /** Writes the manifest, once; the parts of another audit go before, so that they never count as its own. */
  async #start(): Promise<void> {
    if (!this.#isNew || this.#manifest === undefined) return;
    await this.#parts.remove();
    // INVARIANT: tables belong to the decisions beside them; the manifest says which files are tables.
    for (const name of this.#oldTables) await removeOwn(join(this.directory, name));
    await writeManifest(join(this.directory, manifestName), this.#manifest);
    await this.#parts.make(this.#manifest.run ?? '');
    this.#isNew = false;
  }

  /** Runs work that writes into the directory. Throws `UsageError` when another process has taken it, as from one that was stopped for long. */
  #writing<Result>(work: () => Promise<Result>): Promise<Result> {
    return writing(this.directory, async () => {
      await this.#refuseLostLock();
      return work();
    });
  }

  async #refuseLostLock(): Promise<void> {
    if (await this.#lock.isHeld()) return;
    throw new UsageError(`another process has taken \`${this.directory}\` meanwhile; nothing more is written into it`);
  }

  /** Notes in the manifest what is written next. Throws `UsageError` when a file that somebody else put there would be replaced. */
  async #claim(asked: Pick<AuditInputs, 'report' | 'format'>): Promise<void> {
    const manifest = this.#manifest;
    if (manifest === undefined) return;
    const inputs = { ...manifest.inputs, ...asked };
    const names = this.#files.namesOf(inputs);
    if (names.every((name) => manifest.written?.includes(name))) return;
    const foreign = await this.#files.foreign(inputs, manifest);
    if (foreign !== undefined)
      throw new UsageError({ fact: `\`${foreign}\` is no file of this audit`, advice: 'move-away' });
    this.#manifest = { ...manifest, written: [...new Set([...(manifest.written ?? []), ...names])] };
    await writeManifest(join(this.directory, manifestName), this.#manifest);
  }

  #count({ counts, messages, leftOut, rowCount, bad, badCount }: Omit<JudgedPart, 'rows'>, end: unknown): void {
    this.#counters.merge(counts);
    this.#messages += messages;
    this.#leftOut += leftOut;
    this.#rows += rowCount;
    this.#position = end;
    this.#bad.push(...bad.slice(0, badRowsKept - this.#bad.length));
    this.#badCount += badCount;
  }

  /** What came out, when the audit is finished. */
  get results(): Manifest['results'] {
    return this.#manifest?.results;
  }

  /** The last second of the audit, of a query without an end. */
  get end(): number | undefined {
    return this.#manifest?.end;
  }

  /** Where the next shard begins; undefined at the beginning. */
  get position(): unknown {
    return this.#position;
  }

  get parts(): number {
    return this.#parts.count;
  }

  get rows(): number {
    return this.results?.rows ?? this.#rows;
  }

  get badRows(): BadRows {
    return this.results?.badRows ?? { first: [...this.#bad], count: this.#badCount };
  }

  /** Files of the tables, of a finished audit that has them; a pattern where a table has several. */
  get tables(): readonly string[] {
    return tableFilesInWords(Object.keys(this.results?.tables ?? {})).map((name) => join(this.directory, name));
  }

  /** Messages of all parts. */
  get messages(): number {
    return this.#messages;
  }

  /** Messages of all parts that the filters left out. */
  get leftOut(): number {
    return this.#leftOut;
  }

  /** The counts of all parts. */
  counts(): Counts {
    return this.#counters.toJSON();
  }

  /** Keeps a shard that was judged, the one behind those that are kept. */
  async add(judged: JudgedPart, end: unknown): Promise<void> {
    await this.#writing(async () => {
      await this.#start();
      await this.#parts.add(judged, end);
    });
    this.#count(judged, end);
  }

  /** Puts the results together, all rows with the content of the other files, and takes the parts away. */
  async finish(contents: Contents, messages: LinePosition | undefined): Promise<void> {
    await this.#writing(async () => {
      await this.#start();
      if (this.#manifest === undefined) return;
      const { inputs, end } = this.#manifest;
      const { format } = inputs;
      await this.#claim(inputs);
      const written = await this.#write(contents);
      const permissions = this.#manifest?.inputs.withText ? madePrivate : privateFile;
      const tables = format && (await writeTableFiles(this.directory, this.paths.rows, format, { permissions }));
      await this.#refuseLostLock();
      this.#manifest = {
        ...{ format: keptFormat, inputs, end },
        results: {
          rows: this.#rows,
          badRows: this.badRows,
          ...written,
          ...(tables && { tables }),
          ...(messages && { messages }),
        },
      };
      await writeManifest(join(this.directory, manifestName), this.#manifest);
      await this.#parts.remove();
    });
  }

  /** Puts the results so far where those of the whole audit will be, with those of a shard that is not whole, and keeps the parts. */
  async writePartly(contents: Contents, rest: Pick<Judged, 'rows'> | undefined): Promise<void> {
    await this.#writing(async () => {
      await this.#start();
      await this.#claim({ report: this.#manifest?.inputs.report, format: undefined });
      await this.#write(contents, rest?.rows);
    });
  }

  async #write({ summary, counters, page }: Contents, rest = '') {
    const { paths } = this;
    const { withText, report } = this.#manifest?.inputs ?? {};
    const text = `${safeJson(summary, 2)}\n`;
    const countersText = counters === undefined ? undefined : `${safeJson(counters)}\n`;
    const opened: FileReplacement[] = [];
    const open = async (path: string, permissions: Permissions = {}) => {
      const file = await replaceOwn(path, permissions);
      opened.push(file);
      return file;
    };
    try {
      const summaryFile = await open(paths.summary);
      // Rows have at least what matched, such as numbers of telephones.
      const rowsFile = await open(paths.rows, withText ? madePrivate : privateFile);
      const pagePath = page === undefined ? undefined : paths.report;
      const pageFile = pagePath && (await open(pagePath, report === 'text' ? madePrivate : {}));
      // Counters have the rules, and examples with their texts.
      const countersFile = countersText && paths.counters && (await open(paths.counters, madePrivate));
      const rows = await this.#parts.copyRows(rowsFile);
      await rowsFile.append(rest);
      await summaryFile.append(text);
      if (pageFile) await pageFile.append(page ?? '');
      if (countersFile) await countersFile.append(countersText);
      for (const file of opened) await file.flush();
      await this.#refuseLostLock();
      // INVARIANT: summary, counters and report belong to the decisions beside them, so old ones are removed first.
      await summaryFile.removeOld();
      if (paths.counters !== undefined) await removeOwn(paths.counters);
      if (paths.report !== undefined && (await this.#files.hasPage())) await removeOwn(paths.report);
      await rowsFile.commit();
      if (pageFile) await pageFile.commit();
      if (countersFile) await countersFile.commit();
      await summaryFile.commit();
      return {
        ...{ decisions: rows, summary: digestText(text) },
        ...(countersText !== undefined && { counters: digestText(countersText) }),
        ...(page !== undefined && { report: digestText(page) }),
      };
    } finally {
      for (const file of opened) await file.discard();
    }
  }

  /** The content of `summary.json` or `diff.json` of a finished audit. Throws `UsageError` when the results are not as they were written. */
  async readResults(): Promise<unknown> {
    const { paths } = this;
    return withFileErrors('read', this.directory, async () => {
      if (this.results !== undefined) await this.#files.refuseChanged(this.results);
      return JSON.parse((await readOwn(paths.summary)) ?? '');
    });
  }

  /** Lets the directory go; what is in it stays. */
  close(): Promise<void> {
    return this.#lock.release();
  }
}

/** Runs work on the files of a directory, as `withFileErrors` does; the error of a full disk says what to do. */
async function writing<Result>(directory: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await withFileErrors('write into', directory, work);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    const { cause, message } = error;
    if (!['ENOSPC', 'EDQUOT'].includes((cause as NodeJS.ErrnoException | undefined)?.code ?? '')) throw error;
    throw new UsageError({ fact: message, advice: 'make-room' }, { cause });
  }
}

/** The manifest of an audit of these inputs; undefined in a directory without results. Throws `UsageError` for all others. */
async function findManifest(directory: string, files: ResultFiles, inputs: AuditInputs): Promise<Manifest | undefined> {
  const advice = 'replace-results';
  const manifest = await readManifest(join(directory, manifestName)).catch((error: unknown) => {
    if (!(error instanceof ShapeError)) throw error;
    throw new UsageError({ fact: error.message, advice });
  });
  const refuseForeign = async (format = inputs.format): Promise<undefined> => {
    const found = await files.foreign({ ...inputs, format }, manifest);
    const what =
      manifest === undefined
        ? 'is there already, without a manifest that says what it is of'
        : 'is no file of the audit there';
    if (found !== undefined) throw new UsageError({ fact: `\`${found}\` ${what}`, advice });
  };
  if (manifest === undefined) return refuseForeign();
  const differences = differencesOf(manifest.inputs, inputs);
  if (differences.length === 0) {
    if (manifest.results === undefined) await refuseForeign();
    return manifest;
  }
  const { all, withText, report, format, by } = manifest.inputs;
  if (manifest.results !== undefined) {
    // What was written and is not asked for now, takes nothing away.
    const kept = { report: inputs.report ?? report, format: inputs.format ?? format, by: inputs.by ?? by };
    if (differencesOf(manifest.inputs, { ...inputs, ...kept }).length === 0) return manifest;
    // Neither do other files of the same decisions.
    const same = { ...inputs, all, withText, report, format, by };
    if (differencesOf(manifest.inputs, same).length === 0) {
      // The tables that were written are taken away, also where none are asked for.
      await refuseForeign(format);
      return refuseForeign();
    }
  }
  const what = manifest.results === undefined ? 'an unfinished audit' : 'an audit';
  throw new UsageError({ fact: `\`${directory}\` holds ${what} of other inputs`, differences, advice });
}

function digestText(text: string): FileDigest {
  return { bytes: Buffer.byteLength(text), sha256: createHash('sha256').update(text).digest('hex') };
}
