/**
 * What a service writes when it closes, if it was started with `save`: all files of a data directory at once. They are written
 * aside into a folder `.sluice-saving`; one rename makes that folder `.sluice-saved`, and from that instant the directory is the new
 * one, before it the old one. What is left, moving the files to their places, the next service or save does if need be; until then
 * they are read where they are (data-directory.ts).
 */
import { constants } from 'node:fs';
import { access, lstat, mkdir, open, readdir, readFile, realpath, rename, rmdir, stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { UsageError } from '../../foundation/errors.js';
import { type DirectoryLock, lockDirectory } from '../../foundation/files/directory-lock.js';
import { unlessMissing, withFileErrors } from '../../foundation/files/file-reason.js';
import { makeDirectory } from '../../foundation/files/make-directory.js';
import { isOwn, namesInOwn, removeOwnFolder } from '../../foundation/files/own-entries.js';
import { type FileAttributes, takeAttributes } from '../../foundation/files/replace-file.js';
import { dataFiles, type LoadedRows, otherForm, savedName, scoresFile } from './data-directory.js';
import type { ServiceState } from './operations/operation.js';
import type { ConversationRow } from './rows.js';

/** The folder that files are written into before they are saved. */
const savingName = '.sluice-saving';

/**
 * Makes the directory that a service will be saved in, when it is missing, takes it for this service alone, and finishes what a
 * process that was killed had begun there. Throws `UsageError` when it cannot be written, and when another service saves into it.
 */
export async function prepareSave(directory: string): Promise<DirectoryLock> {
  if (directory === '') throw new UsageError('`save` must be the path of a directory');
  return withFileErrors('save into', directory, async () => {
    await makeDirectory(resolve(directory));
    // The slash makes it fail for what is no directory.
    await access(`${directory}/`, constants.W_OK);
    const lock = await lockDirectory(directory, { verb: 'save into', owner: 'service' });
    await finishSaves(directory).catch(async (error: unknown) => {
      await lock.release();
      throw error;
    });
    return lock;
  });
}

/**
 * Checks that a service can write its files into a directory and read them again: `UsageError` when a directory or a link has the name of
 * one, or when a collection stands there in the other form and is not the data of the service. It belongs to somebody else, so it is
 * neither replaced nor taken away.
 */
export async function refuseForeignFiles(directory: string, rows: LoadedRows): Promise<void> {
  const entries = await readdir(directory, { withFileTypes: true });
  const present = new Map(entries.map((entry) => [entry.name, entry]));
  const own = await ownFiles(directory, rows);
  const into = `cannot save into \`${directory}\``;
  const passedOn = own === undefined && rows.origin?.files.has(scoresFile) ? [scoresFile] : [];
  for (const standard of [...Object.values(dataFiles), ...passedOn]) {
    const name = own?.get(standard) ?? standard;
    const entry = present.get(name);
    if (entry?.isFile() === false) {
      const kind = entry.isDirectory() ? 'a directory' : entry.isSymbolicLink() ? 'a link' : 'no regular file';
      throw new UsageError(`${into}, where \`${name}\` is ${kind}; move it away, or choose another directory`);
    }
    if (standard === scoresFile) continue;
    if (!present.has(otherForm(name))) continue;
    throw new UsageError({ fact: `${into}, which holds \`${otherForm(name)}\``, advice: 'serve-as-data' });
  }
}

/** Throws `UsageError` when another service has taken the directory: this process was stopped for so long that it passed for a dead one. */
export async function refuseLostLock(lock: DirectoryLock | undefined, directory: string): Promise<void> {
  await withFileErrors('save into', directory, () => access(directory));
  if (await lock?.isHeld()) return;
  throw new UsageError(`cannot save into \`${directory}\`: another process has taken it; nothing was saved`);
}

/** Names of the files that the rows were read from, by those in `dataFiles`; undefined when they are not of this directory. */
async function ownFiles(directory: string, { origin }: LoadedRows): Promise<ReadonlyMap<string, string> | undefined> {
  if (origin === undefined || origin.directory !== (await realpath(directory))) return undefined;
  return new Map([...origin.files].map(([name, path]) => [name, basename(path)]));
}

/**
 * Writes what a service serves, all files or none: loading the directory gives a service that answers every request as this one
 * does. One process at a time. Throws `UsageError` when it cannot be written.
 */
export async function save(directory: string, rows: LoadedRows, state: ServiceState): Promise<void> {
  await withFileErrors('save into', directory, async () => {
    await finishSaves(directory);
    const unfinished = join(directory, savingName);
    try {
      await mkdir(unfinished);
      const own = await ownFiles(directory, rows);
      const stays = own !== undefined && rows.origin?.isRuleSet ? [dataFiles.rules, dataFiles.lists] : [];
      for (const [standard, content] of filesOf(rows, state)) {
        if (stays.some((name) => name === standard)) continue;
        const name = own?.get(standard) ?? standard;
        const old = await attributesFor(join(directory, name), rows.origin?.files.get(standard));
        await writeSynced(join(unfinished, name), inForm(name, content), old);
      }
      // Scores go with data from another directory; without them the rest is saved all the same.
      const from = own === undefined ? rows.origin?.files.get(scoresFile) : undefined;
      const scores = from && (await readFile(from, 'utf8').catch(() => undefined));
      const old = await attributesFor(join(directory, scoresFile), from);
      if (scores !== undefined) await writeSynced(join(unfinished, scoresFile), [scores], old);
      await syncDirectory(unfinished);
      await rename(unfinished, join(directory, savedName));
    } catch (error) {
      await removeOwnFolder(unfinished, isDataFile).catch(() => {});
      throw error;
    }
    await finishSaves(directory);
  });
}

function filesOf({ users, groups, rules, lists }: LoadedRows, state: ServiceState): [string, Iterable<object>][] {
  return [
    [dataFiles.users, users],
    [dataFiles.groups, groups.map(({ row }) => row)],
    [dataFiles.messages, state.store.messages],
    [dataFiles.rules, rules],
    [dataFiles.lists, lists],
    [dataFiles.conversations, conversationRows(state)],
  ];
}

/** Rows in the form that the name of their file says: a line each, or one array. */
function* inForm(name: string, rows: Iterable<object>): Generator<string> {
  const areLines = name.endsWith('.ndjson');
  let before = areLines ? '' : '[\n';
  for (const row of rows) {
    yield before + JSON.stringify(row);
    before = areLines ? '\n' : ',\n';
  }
  yield areLines ? before : before === '[\n' ? '[]\n' : '\n]\n';
}

function* conversationRows({ tags, markers, store }: ServiceState): Generator<ConversationRow> {
  const markersOf = new Map(markers.changed());
  for (const conversationId of new Set([...tags.keys(), ...markersOf.keys()])) {
    const { tags: its = undefined, changedAt } = tags.get(conversationId) ?? {};
    const positions = [...(markersOf.get(conversationId) ?? [])];
    const readUpTo = positions.map(([uid, position]) => [uid, store.messages[position]?.id ?? null]);
    yield {
      conversationId,
      tags: its && [...its],
      tagsChangedAt: changedAt,
      readUpTo: readUpTo.length === 0 ? undefined : Object.fromEntries(readUpTo),
    };
  }
}

/**
 * What a new file has of an old one: owner and permissions of the one that it replaces, else the permissions of the one that its rows were
 * read from, in another directory.
 */
async function attributesFor(path: string, origin: string | undefined): Promise<Partial<FileAttributes>> {
  const old = await lstat(path).catch(unlessMissing);
  if (old?.isFile()) return { mode: old.mode & 0o7777, uid: old.uid, gid: old.gid };
  const read = origin === undefined ? undefined : await stat(origin).catch(() => undefined);
  return read === undefined ? {} : { mode: read.mode & 0o777 };
}

/** Moves saved files to their places, and takes away what a process that was killed had begun: no other one saves here now. */
async function finishSaves(directory: string): Promise<void> {
  const [unfinished, saved] = [join(directory, savingName), join(directory, savedName)];
  await dataFilesIn(unfinished);
  const names = await dataFilesIn(saved);
  for (const name of names) await isOwn(join(directory, name), 'file');
  await removeOwnFolder(unfinished, isDataFile);
  if (!(await isOwn(saved, 'folder'))) return;
  await syncDirectory(directory);
  for (const name of names) await rename(join(saved, name), join(directory, name));
  await syncDirectory(directory);
  await rmdir(saved);
}

/** Whether a save writes files of this name. */
function isDataFile(name: string): boolean {
  const standard = Object.values<string>(dataFiles);
  return name === scoresFile || standard.includes(name) || standard.includes(otherForm(name));
}

/** Names of the files in a folder of ours. Throws `UsageError` when the folder is none, or something else is in it: it stays as it is. */
async function dataFilesIn(folder: string): Promise<readonly string[]> {
  const names = await namesInOwn(folder);
  for (const name of names) {
    if (!isDataFile(name))
      throw new UsageError(`\`${folder}\` holds \`${name}\`, which no service wrote there; move it away`);
    await isOwn(join(folder, name), 'file');
  }
  return names;
}

const blockLength = 1024 * 1024;

/** In blocks of about 1 MiB: a million messages are not a million writes, nor one of 250 MB. */
async function writeSynced(
  path: string,
  pieces: Iterable<string>,
  { mode, uid, gid }: Partial<FileAttributes>,
): Promise<void> {
  const file = await open(path, 'wx', mode);
  try {
    if (mode !== undefined && uid !== undefined && gid !== undefined) await takeAttributes(file, { mode, uid, gid });
    let block = '';
    for (const piece of pieces) {
      block += piece;
      if (block.length < blockLength) continue;
      await file.appendFile(block);
      block = '';
    }
    await file.appendFile(block);
    await file.sync();
  } finally {
    await file.close();
  }
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
