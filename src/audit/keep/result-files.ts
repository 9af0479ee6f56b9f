/** The files of an audit's results: their names, which of them an audit wrote, and what stands in their place that it did not write. */
import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { UsageError } from '../../errors.js';
import { unlessMissing } from '../../files/file-reason.js';
import { isOwn, kindOf, readOwn } from '../../files/own-entries.js';
import { type AuditInputs, type Manifest, manifestName } from './manifest.js';
import { digestFile, type FileDigest, hasParts, partsFolder, windowsName } from './parts.js';
import { tableFilePattern, tablesIn } from './table-files.js';

/** What a directory is of: an audit, or a diff of two rule sets. */
export type ResultKind = AuditInputs['kind'];

/** Names of the files beside the tables. */
export const resultNames = {
  audit: { rows: 'decisions.ndjson', summary: 'summary.json', report: 'report.html' },
  diff: { rows: 'differences.ndjson', summary: 'diff.json', report: 'report.html' },
} as const;

/** Names of the files of one kind. */
export type ResultNames = (typeof resultNames)[ResultKind];

/** All tables of an audit, in `written` of its manifest: how many there will be is not known before. */
export const tablesName = 'tables';

/** First bytes of every `report.html`, by which one is known: another file of this name is no result of an audit. */
export const reportBeginning = '<!doctype html>\n<html lang="en">\n<head>\n<meta name="generator" content="sluice ';

/** Whether a file is a report of an audit. */
export async function isReport(path: string): Promise<boolean> {
  if ((await kindOf(path)) !== 'file') return false;
  return (await readOwn(path))?.startsWith(reportBeginning) === true;
}

/** Whether a file of this name is one that an audit writes beside its parts. */
export function isResult(name: string): boolean {
  const names = Object.values(resultNames).flatMap((ofKind) => Object.values<string>(ofKind));
  return [manifestName, ...names].includes(name) || tableFilePattern.test(name);
}

/** What an audit of these inputs writes, as `written` of its manifest names it. */
export function namesOf({ kind, report, format }: Pick<AuditInputs, 'kind' | 'report' | 'format'>): readonly string[] {
  const names = resultNames[kind];
  return [names.summary, names.rows, ...(report ? [names.report] : []), ...(format ? [tablesName] : [])];
}

/** Names of the files that stand where an audit of these inputs writes; an empty one is nobody's. Throws `UsageError` for what is no file. */
export async function standingResults(
  directory: string,
  inputs: Pick<AuditInputs, 'kind' | 'report' | 'format'>,
): Promise<readonly string[]> {
  const tables = inputs.format === undefined ? [] : await tablesIn(directory, inputs.format);
  const names = namesOf(inputs).filter((name) => name !== tablesName);
  const standing: string[] = [];
  for (const name of [...names, ...tables]) {
    const path = join(directory, name);
    const found = (await isOwn(path, 'file')) ? await lstat(path).catch(unlessMissing) : undefined;
    if (found !== undefined && found.size > 0) standing.push(name);
  }
  return standing;
}

/** Throws `UsageError` when a link, or something else, is in the place of what an audit of these inputs makes. */
export async function refuseOthers(directory: string, inputs: AuditInputs): Promise<void> {
  await isOwn(join(directory, manifestName), 'file');
  await isOwn(partsFolder(directory), 'folder');
  await isOwn(join(partsFolder(directory), windowsName), 'folder');
  await standingResults(directory, inputs);
}

/** A file or folder that an audit of these inputs would replace, and that none wrote, by what the directory's manifest says. */
export async function foreignResult(
  directory: string,
  inputs: AuditInputs,
  manifest: Manifest | undefined,
): Promise<string | undefined> {
  if (manifest === undefined && (await hasParts(directory))) return partsFolder(directory);
  const written = manifest?.written ?? [];
  const digests = manifest && digestsOf(manifest);
  for (const name of await standingResults(directory, inputs)) {
    const path = join(directory, name);
    const isWritten = written.includes(tableFilePattern.test(name) ? tablesName : name);
    if (!isWritten && digests?.get(name)?.sha256 !== (await digestFile(path))?.sha256) return path;
  }
  return undefined;
}

/** The files of the results of a finished audit, by name; none of one that is not finished. */
export function digestsOf({ inputs, results }: Manifest): ReadonlyMap<string, FileDigest> {
  if (results === undefined) return new Map();
  const { decisions, summary, report, tables = {} } = results;
  const names = resultNames[inputs.kind];
  return new Map([
    [names.summary, summary],
    [names.rows, decisions],
    ...(report === undefined ? [] : [[names.report, report] as const]),
    ...Object.entries(tables),
  ]);
}

/** Names of the files of tables that an audit wrote, finished or not. */
export async function tablesOf(directory: string, { inputs, results, written }: Manifest): Promise<readonly string[]> {
  if (results !== undefined) return Object.keys(results.tables ?? {});
  return inputs.format === undefined || !written?.includes(tablesName) ? [] : tablesIn(directory, inputs.format);
}

/** Throws `UsageError` when a file of the results is not as the audit wrote it. */
export async function refuseChanged(directory: string, manifest: Manifest): Promise<void> {
  for (const [name, written] of digestsOf(manifest)) {
    const path = join(directory, name);
    const found = await digestFile(path);
    if (found?.sha256 === written.sha256) continue;
    const what = found === undefined ? 'is gone' : 'is not as the audit wrote it';
    throw new UsageError(`\`${path}\` ${what}; add \`--force\` to audit anew, or choose another directory`);
  }
}
