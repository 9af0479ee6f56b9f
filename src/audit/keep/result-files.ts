/** The files of an audit's results: their names, and which existing files an audit wrote. */
import { createHash } from 'node:crypto';
import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { UsageError } from '../../foundation/errors.js';
import { unlessMissing } from '../../foundation/files/file-reason.js';
import { isOwn, kindOf, openOwn, readOwn } from '../../foundation/files/own-entries.js';
import { journalNames } from './journal.js';
import { type AuditInputs, type FileDigest, type Manifest, manifestName } from './manifest.js';
import { tableFilePattern, tablesIn } from './table-files.js';

/** The names of rows and summary in every directory of results. */
const resultNames = { summary: 'summary.json', rows: 'decisions.ndjson' };

/** Stands for all tables of an audit in `written` of its manifest, since their number is not known in advance. */
const tablesName = 'tables';

/** The page of results: its name, and the text with which every page begins, by which it is recognised. */
export interface ResultPage {
  readonly name: string;
  readonly beginning: string;
}

/** The inputs that decide which files an audit writes besides summary and rows. */
type Extras = Pick<AuditInputs, 'report' | 'format'>;

/** The results of an audit as files of a directory. */
export class ResultFiles {
  /** The paths of the files that have one name. */
  readonly paths: Readonly<Record<'rows' | 'summary', string> & Record<'report', string | undefined>>;
  readonly #directory: string;
  readonly #page: ResultPage | undefined;

  constructor(directory: string, page: ResultPage | undefined) {
    this.#directory = directory;
    this.#page = page;
    const { rows, summary } = resultNames;
    this.paths = {
      rows: join(directory, rows),
      summary: join(directory, summary),
      report: page && join(directory, page.name),
    };
  }

  /** Resolves to whether there is a page that an audit wrote. */
  async hasPage(): Promise<boolean> {
    const { report } = this.paths;
    if (report === undefined || (await kindOf(report)) !== 'file') return false;
    return (await readOwn(report))?.startsWith(this.#page?.beginning ?? '') === true;
  }

  /** Reports whether an audit writes files of this name. */
  isResult(name: string): boolean {
    return (
      [manifestName, ...journalNames, ...Object.values(resultNames), this.#page?.name].includes(name) ||
      tableFilePattern.test(name)
    );
  }

  /** Returns the names of the files of an audit, as `written` of its manifest has them. */
  namesOf({ report, format }: Extras): readonly string[] {
    const page = report && this.#page ? [this.#page.name] : [];
    return [...Object.values(resultNames), ...page, ...(format ? [tablesName] : [])];
  }

  /** Resolves to the existing files that an audit would replace, without empty ones. Rejects with `UsageError` for anything but a file. */
  async #standing(inputs: Extras): Promise<readonly string[]> {
    const tables = inputs.format === undefined ? [] : await tablesIn(this.#directory, inputs.format);
    const standing: string[] = [];
    for (const name of [...this.namesOf(inputs).filter((each) => each !== tablesName), ...tables]) {
      if (await this.#holdsSomething(name)) standing.push(name);
    }
    return standing;
  }

  async #holdsSomething(name: string): Promise<boolean> {
    const path = join(this.#directory, name);
    const found = (await isOwn(path, 'file')) ? await lstat(path).catch(unlessMissing) : undefined;
    return found !== undefined && found.size > 0;
  }

  /** Resolves to those names of `namesOf` for which there are files. */
  async taken(inputs: Extras): Promise<readonly string[]> {
    const standing = (await this.#standing(inputs)).map(writtenName);
    return this.namesOf(inputs).filter((name) => standing.includes(name));
  }

  /** Rejects with `UsageError` if a link, a folder or a device has the name of a file that an audit writes. */
  async refuseOthers(inputs: Extras): Promise<void> {
    for (const name of [manifestName, ...journalNames]) await isOwn(join(this.#directory, name), 'file');
    await this.#standing(inputs);
  }

  /** Resolves to a file that an audit would replace and that, according to the manifest, no audit wrote. */
  async foreign(inputs: Extras, manifest: Manifest | undefined): Promise<string | undefined> {
    const written = manifest?.written ?? [];
    const journal = manifest === undefined ? await this.#standingJournal() : [];
    for (const name of [...journal, ...(await this.#standing(inputs))]) {
      const path = join(this.#directory, name);
      const digest = manifest?.results?.files[name];
      if (!written.includes(writtenName(name)) && digest?.sha256 !== (await digestFile(path))?.sha256) return path;
    }
    return undefined;
  }

  async #standingJournal(): Promise<readonly string[]> {
    const standing: string[] = [];
    for (const name of journalNames) if (await this.#holdsSomething(name)) standing.push(name);
    return standing;
  }

  /** Resolves to the names of the tables that an audit wrote, finished or not. */
  async tablesOf({ inputs, results, written }: Manifest): Promise<readonly string[]> {
    if (results !== undefined) return Object.keys(results.files).filter((name) => tableFilePattern.test(name));
    const { format } = inputs;
    return format === undefined || !written?.includes(tablesName) ? [] : tablesIn(this.#directory, format);
  }

  /** Rejects with `UsageError` if a file of the results was changed or removed. */
  async refuseChanged({ files }: NonNullable<Manifest['results']>): Promise<void> {
    for (const [name, written] of Object.entries(files)) {
      const path = join(this.#directory, name);
      const found = await digestFile(path);
      if (found?.sha256 === written.sha256) continue;
      const what = found === undefined ? 'is gone' : 'is not as the audit wrote it';
      throw new UsageError({ fact: `\`${path}\` ${what}`, advice: 'replace-results' });
    }
  }
}

/** Returns the name of a file in `written` of a manifest. */
function writtenName(name: string): string {
  return tableFilePattern.test(name) ? tablesName : name;
}

/** Resolves to size and digest of a file; undefined if there is none. Rejects with `UsageError` for anything but a file. */
async function digestFile(path: string): Promise<FileDigest | undefined> {
  const file = await openOwn(path);
  if (file === undefined) return undefined;
  try {
    const hash = createHash('sha256');
    let bytes = 0;
    for await (const chunk of file.createReadStream({ autoClose: false, highWaterMark: 1 << 20 })) {
      hash.update(chunk);
      bytes += chunk.length;
    }
    return { bytes, sha256: hash.digest('hex') };
  } finally {
    await file.close();
  }
}
