/** The files of an audit's results: their names, which of them an audit wrote, and what stands in their place that it did not write. */
import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { UsageError } from '../../foundation/errors.js';
import { unlessMissing } from '../../foundation/files/file-reason.js';
import { isOwn, kindOf, readOwn } from '../../foundation/files/own-entries.js';
import { type AuditInputs, type Manifest, manifestName } from './manifest.js';
import { digestFile, type FileDigest, hasParts, partsFolder } from './parts.js';
import { tableFilePattern, tablesIn } from './table-files.js';

type Results = NonNullable<Manifest['results']>;

/** What a directory is of: an audit, or a diff of two rule sets. */
export type ResultKind = AuditInputs['kind'];

/** Names of the files beside the tables, but for the page. */
export const resultNames: Readonly<Record<ResultKind, ResultNames>> = {
  audit: { rows: 'decisions.ndjson', summary: 'summary.json', counters: 'counters.json' },
  diff: { rows: 'differences.ndjson', summary: 'diff.json' },
};

interface ResultNames {
  readonly rows: string;
  readonly summary: string;
  /** Counts that can be added to those of other parts. */
  readonly counters?: string;
}

/** All tables of an audit, in `written` of its manifest: how many there will be is not known before. */
export const tablesName = 'tables';

/** The page of an audit as a file: what it is called, and how each begins, by which another file of the name is told from one. */
export interface PageFile {
  readonly name: string;
  readonly beginning: string;
}

/** What a directory is of, and the page that its results have. */
export interface ResultForm {
  readonly kind: ResultKind;
  readonly page?: PageFile | undefined;
}

/** Which files an audit writes besides summary and decisions. */
type Extras = Pick<AuditInputs, 'report' | 'format'>;

/** The results of an audit as files of a directory. */
export class ResultFiles {
  /** Where the files are that have one name. */
  readonly paths: {
    readonly rows: string;
    readonly summary: string;
    readonly counters: string | undefined;
    readonly report: string | undefined;
  };
  readonly #directory: string;
  readonly #names: ResultNames;
  readonly #page: PageFile | undefined;

  constructor(directory: string, { kind, page }: ResultForm) {
    this.#directory = directory;
    this.#names = resultNames[kind];
    this.#page = page;
    const { rows, summary, counters } = this.#names;
    this.paths = {
      rows: join(directory, rows),
      summary: join(directory, summary),
      counters: counters && join(directory, counters),
      report: page && join(directory, page.name),
    };
  }

  /** Whether the page is there, and is that of an audit. */
  async hasPage(): Promise<boolean> {
    const { report } = this.paths;
    if (report === undefined || (await kindOf(report)) !== 'file') return false;
    return this.#page !== undefined && (await readOwn(report))?.startsWith(this.#page.beginning) === true;
  }

  /** Whether a file of this name is one that an audit writes beside its parts. */
  isResult(name: string): boolean {
    const names: readonly (string | undefined)[] = [manifestName, ...Object.values(this.#names), this.#page?.name];
    return names.includes(name) || tableFilePattern.test(name);
  }

  /** What an audit of these inputs writes, as `written` of its manifest names it. */
  namesOf({ report, format }: Extras): readonly string[] {
    const { rows, summary, counters } = this.#names;
    const always = [summary, rows, ...(counters === undefined ? [] : [counters])];
    return [...always, ...(report && this.#page ? [this.#page.name] : []), ...(format ? [tablesName] : [])];
  }

  /** Names of the files that stand where an audit of these inputs writes; an empty one is nobody's. Throws `UsageError` for what is no file. */
  async standing(inputs: Extras): Promise<readonly string[]> {
    const tables = inputs.format === undefined ? [] : await tablesIn(this.#directory, inputs.format);
    const names = this.namesOf(inputs).filter((name) => name !== tablesName);
    const standing: string[] = [];
    for (const name of [...names, ...tables]) {
      const path = join(this.#directory, name);
      const found = (await isOwn(path, 'file')) ? await lstat(path).catch(unlessMissing) : undefined;
      if (found !== undefined && found.size > 0) standing.push(name);
    }
    return standing;
  }

  /** Throws `UsageError` when a link, or something else, is in the place of what an audit of these inputs makes. */
  async refuseOthers(inputs: Extras): Promise<void> {
    const parts = partsFolder(this.#directory);
    await isOwn(join(this.#directory, manifestName), 'file');
    await isOwn(parts, 'folder');
    await this.standing(inputs);
  }

  /** A file or folder that an audit of these inputs would replace, and that none wrote, by what the directory's manifest says. */
  async foreign(inputs: Extras, manifest: Manifest | undefined): Promise<string | undefined> {
    if (manifest === undefined && (await hasParts(this.#directory))) return partsFolder(this.#directory);
    const written = manifest?.written ?? [];
    const digests = manifest?.results && this.#digestsOf(manifest.results);
    for (const name of await this.standing(inputs)) {
      const path = join(this.#directory, name);
      const isWritten = written.includes(tableFilePattern.test(name) ? tablesName : name);
      if (!isWritten && digests?.get(name)?.sha256 !== (await digestFile(path))?.sha256) return path;
    }
    return undefined;
  }

  /** The files of the results of a finished audit, by name. */
  #digestsOf({ decisions, summary, counters, report, tables = {} }: Results): ReadonlyMap<string, FileDigest> {
    return new Map([
      [this.#names.rows, decisions],
      [this.#names.summary, summary],
      ...(counters && this.#names.counters ? [[this.#names.counters, counters] as const] : []),
      ...(report === undefined || this.#page === undefined ? [] : [[this.#page.name, report] as const]),
      ...Object.entries(tables),
    ]);
  }

  /** Names of the files of tables that an audit wrote, finished or not. */
  async tablesOf({ inputs, results, written }: Manifest): Promise<readonly string[]> {
    if (results !== undefined) return Object.keys(results.tables ?? {});
    const { format } = inputs;
    return format === undefined || !written?.includes(tablesName) ? [] : tablesIn(this.#directory, format);
  }

  /** Throws `UsageError` when a file of the results is not as the audit wrote it. */
  async refuseChanged(results: Results): Promise<void> {
    for (const [name, written] of this.#digestsOf(results)) {
      const path = join(this.#directory, name);
      const found = await digestFile(path);
      if (found?.sha256 === written.sha256) continue;
      const what = found === undefined ? 'is gone' : 'is not as the audit wrote it';
      throw new UsageError({ fact: `\`${path}\` ${what}`, advice: 'start-anew' });
    }
  }
}
