/**
 * The file that keeps the rules of a platform as they were before an apply, beside the rules that
 * were applied. Applying it takes the apply back. If an apply is interrupted, the next one finds
 * its file, so that the file keeps what the platform had before the first attempt.
 */
import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { UsageError } from '../../foundation/errors.js';
import { unlessMissing, withFileErrors } from '../../foundation/files/file-reason.js';
import { writeOwn } from '../../foundation/files/replace-file.js';
import type { BeforeApply, RuleSet } from '../../platform/contract/rule-set.js';
import { readRuleSetFile, renewPulled, serializeRuleSet } from '../../platform/loader/rule-set-file.js';

/** A file of the rules before an apply. */
export interface BeforeFile {
  readonly path: string;
  readonly ruleSet: RuleSet & { readonly before: BeforeApply };
}

/**
 * The files with rules before an apply: the path of a new one, and those that interrupted applies
 * left, oldest first.
 */
export interface BeforeFiles {
  readonly path: string;
  readonly open: readonly BeforeFile[];
}

/**
 * Finds the files that applies of `rules` left. Throws `UsageError` if `given` is the path of
 * something else.
 */
export async function findBeforeFiles(rules: string, given: string | undefined): Promise<BeforeFiles> {
  // The name of `.` is the name of the folder.
  const base = /^\.*$/.test(basename(rules)) ? resolve(rules) : rules;
  const stem = `${basename(base)
    .replace(/\.json$/, '')
    .replace(/\.before-[\dT_-]+$/, '')}.before-`;
  const directory = dirname(base);
  const entries = await withFileErrors('read', directory, () => readdir(directory, { withFileTypes: true }));
  const names = entries.flatMap((entry) => (entry.isFile() ? [entry.name] : [])).sort();
  const taken = names.filter((name) => name.startsWith(stem) && /^[\dT_-]+\.json$/.test(name.slice(stem.length)));
  const paths = taken.map((name) => join(directory, name));
  const found = given === undefined ? undefined : await stat(given).catch(unlessMissing);
  const open = await openFiles(found?.isFile() ? [given!, ...paths] : paths);
  if (found !== undefined && !open.some(({ path }) => path === given))
    throw new UsageError(
      `\`--before\`: \`${given}\` is there, and is not that of an apply that goes on; choose another`,
    );
  const time = new Date().toISOString().slice(0, 19).replaceAll(':', '');
  const free = [time, ...taken.map((_, at) => `${time}_${at + 2}`)].map((end) => join(directory, `${stem}${end}.json`));
  return { path: given ?? free.find((path) => !paths.includes(path))!, open };
}

/** Returns those of the files that no apply has closed. Damaged ones are left out. */
async function openFiles(paths: readonly string[]): Promise<BeforeFile[]> {
  const read = paths.map(async (path) => ({ path, ruleSet: await readRuleSetFile(path).catch(() => undefined) }));
  const isOpen = (file: { path: string; ruleSet: RuleSet | undefined }): file is BeforeFile =>
    file.ruleSet?.before?.target !== undefined;
  return (await Promise.all(read)).filter(isOpen);
}

/**
 * Writes the rules before an apply into a file that only its owner can read. Resolves once it is on
 * the disk.
 */
export async function writeBeforeFile(path: string, ruleSet: RuleSet): Promise<void> {
  const text = serializeRuleSet(path, ruleSet);
  await withFileErrors('write the rules of the platform to', path, () => writeOwn(path, text, { mode: 0o600 }));
}

/** Closes the files of an apply that is finished. */
export async function closeBeforeFiles({ open }: BeforeFiles): Promise<void> {
  for (const { path, ruleSet } of open) await renewPulled(path, ruleSet);
}
