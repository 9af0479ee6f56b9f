import type { Dirent } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ShapeError, UsageError } from '../errors.js';
import type { ModerationRow } from './data.js';
import { createModeration, type Moderation } from './moderation.js';
import { readArray } from './read-files.js';
import { moderationRow } from './row-checks.js';

/** Revisions by name, oldest first. */
export type RevisionTable = ReadonlyMap<string, Moderation>;

/**
 * Reads a directory of revisions. Each is a file `2026-01-31.json` with `{ rules, lists }`, as `sluice pull` writes it, or a
 * directory `2026-01-31` with `rules.json` and, if any rule names one, `lists.json`. Names begin with a date, a word may
 * follow (`2026-01-31-stricter`), and their order is that of time. Other files, and names that begin with a dot, are left
 * alone. Throws `UsageError` for a directory that cannot be read, holds no revision or has a name without a date, and
 * `ShapeError`, naming the file, for a revision that is not in its stored form.
 */
export async function readRevisions(directory: string): Promise<RevisionTable> {
  const table = new Map<string, Moderation>();
  const entries = await orFail(directory, () => readdir(directory, { withFileTypes: true }));
  for (const { name, path, isDirectory } of (await candidates(directory, entries)).sort(byName)) {
    if (!isDated(name)) {
      throw new UsageError(`the revision \`${path}\` should have a name that begins with a date, such as 2026-01-31`);
    }
    if (table.has(name)) throw new UsageError(`there are two revisions \`${name}\` in \`${directory}\`; rename one`);
    table.set(name, await orFail(path, () => (isDirectory ? fromDirectory(path) : fromFile(path))));
  }
  if (table.size === 0) {
    throw new UsageError(`\`${directory}\` should hold revisions, such as 2026-01-31.json or 2026-01-31/rules.json`);
  }
  return table;
}

interface Candidate {
  readonly name: string;
  readonly path: string;
  readonly isDirectory: boolean;
}

async function candidates(directory: string, entries: readonly Dirent[]): Promise<Candidate[]> {
  const found: Candidate[] = [];
  for (const { name } of entries.filter((entry) => !entry.name.startsWith('.'))) {
    const path = join(directory, name);
    // Not from the entry: a link to a revision is one.
    const isDirectory = await orFail(path, async () => (await stat(path)).isDirectory());
    if (isDirectory) found.push({ name, path, isDirectory });
    else if (name.endsWith('.json')) found.push({ name: name.slice(0, -'.json'.length), path, isDirectory });
  }
  return found;
}

function byName({ name: one }: Candidate, { name: other }: Candidate): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

function isDated(name: string): boolean {
  const [date] = /^\d{4}-\d\d-\d\d(?!\d)/.exec(name) ?? [];
  if (date === undefined) return false;
  const time = new Date(`${date}T00:00:00Z`);
  return !Number.isNaN(time.getTime()) && time.toISOString().startsWith(date);
}

async function fromDirectory(directory: string): Promise<Moderation> {
  const files = await readdir(directory);
  if (!files.includes('rules.json')) throw new UsageError(`the revision \`${directory}\` should hold rules.json`);
  const rules: ModerationRow[] = [];
  const lists: ModerationRow[] = [];
  await readArray(join(directory, 'rules.json'), (row, source) => rules.push(moderationRow(row, source)));
  if (files.includes('lists.json')) {
    await readArray(join(directory, 'lists.json'), (row, source) => lists.push(moderationRow(row, source)));
  }
  return createModeration(rules, lists);
}

async function fromFile(file: string): Promise<Moderation> {
  const value = fromJson(await readFile(file), file);
  if (typeof value !== 'object' || value === null) throw new ShapeError(file, 'the whole value', 'should be an object');
  const rowsOf = (field: 'rules' | 'lists'): readonly ModerationRow[] => {
    const rows = (value as Readonly<Record<string, unknown>>)[field];
    if (!Array.isArray(rows)) throw new ShapeError(file, field, 'should be an array');
    return rows.map((row, index) => moderationRow(row, `${file}: ${field}[${index}]`));
  };
  return createModeration(rowsOf('rules'), rowsOf('lists'));
}

/** The parser's own error is left out: it quotes the text. */
function fromJson(bytes: Buffer, file: string): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw new ShapeError(file, 'the whole value', 'should be json in utf-8');
  }
}

async function orFail<Result>(path: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException;
    if (code === undefined || syscall === undefined) throw error;
    throw new UsageError(`cannot read \`${path}\`: ${reasons[code] ?? code}`, { cause: error });
  }
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'no such file or directory',
  ENOTDIR: 'it is no directory',
  EISDIR: 'it is a directory',
  EACCES: 'permission denied',
};
