/**
 * Replaces several files of a directory at once. New files are written under unfinished names and synced, then one rename
 * puts a journal in place that says which they are: from that instant the directory is the new one, before it the old one.
 * What is left, renaming the files, can be done by anyone who finds the journal.
 */
import { randomUUID } from 'node:crypto';
import { type FileHandle, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { ShapeError } from '../errors.js';

/** What a file is to hold, in pieces; undefined for a file that is to go. */
export type FileContent = Iterable<string | Uint8Array> | undefined;

/** By file name: the unfinished name of its new content, null for a file that is to go. */
type Journal = Readonly<Record<string, string | null>>;

const journalName = '.saving.json';
const blockBytes = 1024 * 1024;
const leftoverAgeMs = 60 * 60 * 1000;

/**
 * Where the files of a directory stand, for those that an interrupted swap left elsewhere: the names to look under, first one
 * first, none for a file that is gone. Changes nothing. Throws `ShapeError` for a journal that no swap wrote.
 */
export async function pendingFiles(directory: string): Promise<ReadonlyMap<string, readonly string[]>> {
  const journal = Object.entries(await readJournal(directory));
  return new Map(journal.map(([name, unfinished]) => [name, unfinished === null ? [] : [unfinished, name]]));
}

/**
 * Gives files of a directory new content, all or none, whatever happens meanwhile. Rejects with the error of the file system;
 * what was written is then removed, and the directory holds what it held, unless the journal was in place already.
 */
export async function swapFiles(directory: string, files: ReadonlyMap<string, FileContent>): Promise<void> {
  await finishSwap(directory);
  await removeLeftovers(directory, [journalName, ...files.keys()]);
  const journal: Record<string, string | null> = {};
  const unfinishedJournal = unfinishedName(journalName);
  try {
    for (const [name, content] of files) {
      journal[name] = content === undefined ? null : unfinishedName(name);
      if (content !== undefined) await writeSynced(join(directory, journal[name]!), content);
    }
    await writeSynced(join(directory, unfinishedJournal), [JSON.stringify(journal)]);
    await syncDirectory(directory);
    await rename(join(directory, unfinishedJournal), join(directory, journalName));
  } catch (error) {
    for (const name of [unfinishedJournal, ...Object.values(journal)]) {
      if (name !== null) await rm(join(directory, name), { force: true }).catch(() => {});
    }
    throw error;
  }
  await syncDirectory(directory);
  await finishSwap(directory);
}

/** Does what a journal says, and takes it away. */
async function finishSwap(directory: string): Promise<void> {
  const journal = Object.entries(await readJournal(directory));
  if (journal.length === 0) return;
  for (const [name, unfinished] of journal) {
    const path = join(directory, name);
    if (unfinished === null) await rm(path, { force: true });
    else await rename(join(directory, unfinished), path).catch(unlessMissing);
  }
  await syncDirectory(directory);
  await rm(join(directory, journalName), { force: true });
  await syncDirectory(directory);
}

async function readJournal(directory: string): Promise<Journal> {
  const path = join(directory, journalName);
  const text = await readFile(path, 'utf8').catch(unlessMissing);
  if (text === undefined) return {};
  const journal = fromJson(text, path);
  const names = Object.entries(journal).flat();
  // Names and nothing else: a path could lead out of the directory.
  if (names.every((name) => name === null || (typeof name === 'string' && name !== '' && name === basename(name)))) {
    return journal as Journal;
  }
  throw new ShapeError(path, 'the whole value', 'should be as a save wrote it; take the file away');
}

function fromJson(text: string, path: string): object {
  try {
    return Object(JSON.parse(text));
  } catch {
    throw new ShapeError(path, 'the whole value', 'should be json; take the file away');
  }
}

/** For what may not be there: done already, or never begun. A path that is no directory holds nothing either. */
function unlessMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') throw error;
}

/** What a killed process left behind. By age, since another one may be at work now: a save takes seconds. */
async function removeLeftovers(directory: string, names: readonly string[]): Promise<void> {
  for (const leftover of await readdir(directory)) {
    if (!leftover.endsWith('.unfinished') || !names.some((name) => leftover.startsWith(`.${name}.`))) continue;
    const path = join(directory, leftover);
    const { mtimeMs = Date.now() } = (await stat(path).catch(unlessMissing)) ?? {};
    if (Date.now() - mtimeMs > leftoverAgeMs) await rm(path, { force: true });
  }
}

function unfinishedName(name: string): string {
  return `.${name}.${randomUUID()}.unfinished`;
}

async function writeSynced(path: string, content: Iterable<string | Uint8Array>): Promise<void> {
  const file = await open(path, 'wx');
  try {
    await writeBlocks(file, content);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** In blocks of 1 MiB: a million messages are not a million writes, nor one of 250 MB. */
async function writeBlocks(file: FileHandle, content: Iterable<string | Uint8Array>): Promise<void> {
  const block = Buffer.allocUnsafe(blockBytes);
  let filled = 0;
  for (const piece of content) {
    const bytes = typeof piece === 'string' ? Buffer.from(piece) : piece;
    if (filled + bytes.length > block.length) {
      await file.appendFile(block.subarray(0, filled));
      filled = 0;
    }
    if (bytes.length > block.length) await file.appendFile(bytes);
    else {
      block.set(bytes, filled);
      filled += bytes.length;
    }
  }
  await file.appendFile(block.subarray(0, filled));
}

/** Makes renames last. Windows opens no directories, and orders renames by itself. */
async function syncDirectory(directory: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(directory);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
