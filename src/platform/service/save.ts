/**
 * Writes what a service serves when it closes, all files of a data directory at once. They are written aside into a folder
 * `.sluice-saving`; one rename makes that folder `.sluice-saved`, and from that instant the directory is the new one, before it the old one.
 * The next service or save moves the files to their places, if a process was killed before that; until then they are read where they are.
 */
import { constants } from 'node:fs';
import { access, lstat, mkdir, readdir, readFile, realpath, rename, rmdir, stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { UsageError } from '../../foundation/errors.js';
import { type DirectoryLock, lockDirectory } from '../../foundation/files/directory-lock.js';
import { unlessMissing, withFileErrors } from '../../foundation/files/file-reason.js';
import { makeDirectory } from '../../foundation/files/make-directory.js';
import { isOwn, namesInOwn, removeOwnFolder } from '../../foundation/files/own-entries.js';
import { flushDirectory, type Permissions, replacedBy, replaceOwn } from '../../foundation/files/replace-file.js';
import { dataFiles, type LoadedRows, otherForm, savedName, scoresFile } from './data-directory.js';
import type { ServiceState } from './operations/operation.js';
import type { ConversationRow } from './rows.js';

/** The folder that files are written into before they are saved. */
const savingName = '.sluice-saving';

/**
 * Makes the directory of a save, when it is missing, takes it for this service alone, and finishes what a process that was killed had begun
 * there. Throws `UsageError` when it cannot be written, and when another service saves into it.
 */
export async function prepareSave(directory: string): Promise<DirectoryLock> {
  if (directory === '') throw new UsageError('`save` must be the path of a directory');
  return withFileErrors('save into', directory, async () => {
    await makeDirectory(resolve(directory));
    // The slash makes it fail for anything but a directory.
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
 * Checks that a service can write its files into a directory and read them again. Throws `UsageError` when something else than a file has
 * the name of one, and when a collection that is not the data of the service stands there in the other form: it belongs to someone else.
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
      const kind = entry.isDirectory() ? 'a directory' : entry.isSymbolicLink() ? 'a link' : 'not a regular file';
      throw new UsageError(`${into}, where \`${name}\` is ${kind}; move it away, or choose another directory`);
    }
    if (standard === scoresFile || !present.has(otherForm(name))) continue;
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
 * Writes what a service serves, all files or none: a service started on the directory answers every request as this one does. One process at
 * a time. Throws `UsageError` when it cannot be written.
 */
export async function save(directory: string, rows: LoadedRows, state: ServiceState): Promise<void> {
  await withFileErrors('save into', directory, async () => {
    await finishSaves(directory);
    const unfinished = join(directory, savingName);
    try {
      await mkdir(unfinished);
      const own = await ownFiles(directory, rows);
      for (const [standard, content] of await filesOf(rows, state, own !== undefined)) {
        const name = own?.get(standard) ?? standard;
        const attributes = await attributesFor(join(directory, name), rows.origin?.files.get(standard));
        const file = await replaceOwn(join(unfinished, name), attributes);
        try {
          for (const block of blocksOf(name, content)) await file.append(block);
          await file.commit();
        } finally {
          await file.discard();
        }
      }
      await flushDirectory(unfinished);
      await rename(unfinished, join(directory, savedName));
    } catch (error) {
      await removeOwnFolder(unfinished, isDataFile).catch(() => {});
      throw error;
    }
    await finishSaves(directory);
  });
}

/** Returns the rows of each file, by its name in `dataFiles`, or its text. */
async function filesOf({ users, groups, rules, lists, origin }: LoadedRows, state: ServiceState, areOwn: boolean) {
  const files: [string, Iterable<object> | string][] = [
    [dataFiles.users, users],
    [dataFiles.groups, groups.map(({ row }) => row)],
    [dataFiles.messages, state.store.messages],
    [dataFiles.conversations, conversationRows(state)],
  ];
  // A rule set that was pulled stays as it is in its own directory, unless operations wrote rules or lists.
  const { rules: servedRules, lists: servedLists } = state.moderation;
  const isWritten = servedRules.all !== rules || servedLists.all !== lists;
  if (!areOwn || !origin?.isRuleSet || isWritten)
    files.push([dataFiles.rules, servedRules.all], [dataFiles.lists, servedLists.all]);
  // Scores go with data from another directory; without them the rest is saved all the same.
  const from = areOwn ? undefined : origin?.files.get(scoresFile);
  const scores = from && (await readFile(from, 'utf8').catch(() => undefined));
  if (scores !== undefined) files.push([scoresFile, scores]);
  return files;
}

const blockLength = 1024 * 1024;

/**
 * Returns the text of a file in blocks of about 1 MiB: a million messages are neither a million writes nor one of 250 MB. The name of the file
 * says the form of its rows: a line each, or one array.
 */
function* blocksOf(name: string, content: Iterable<object> | string): Generator<string> {
  if (typeof content === 'string') return yield content;
  const areLines = name.endsWith('.ndjson');
  let block = '';
  let before = areLines ? '' : '[\n';
  for (const row of content) {
    block += before + JSON.stringify(row);
    before = areLines ? '\n' : ',\n';
    if (block.length < blockLength) continue;
    yield block;
    block = '';
  }
  yield block + (areLines ? before : before === '[\n' ? '[]\n' : '\n]\n');
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
 * Returns what a new file has of an old one: owner and permissions of the file that it replaces, else the permissions of the file that its
 * rows were read from, in another directory.
 */
async function attributesFor(path: string, origin: string | undefined): Promise<Permissions> {
  const old = await lstat(path).catch(unlessMissing);
  if (old?.isFile()) return { attributes: old };
  const read = origin === undefined ? undefined : await stat(origin).catch(() => undefined);
  return read === undefined ? {} : { mode: read.mode & 0o777 };
}

/** Moves saved files to their places, and removes what a process that was killed had begun: no other one saves here now. */
async function finishSaves(directory: string): Promise<void> {
  const [unfinished, saved] = [join(directory, savingName), join(directory, savedName)];
  await demandDataFiles(unfinished);
  const names = await demandDataFiles(saved);
  for (const name of names) await isOwn(join(directory, name), 'file');
  await removeOwnFolder(unfinished, isDataFile);
  if (!(await isOwn(saved, 'folder'))) return;
  await flushDirectory(directory);
  for (const name of names) await rename(join(saved, name), join(directory, name));
  await flushDirectory(directory);
  await rmdir(saved);
}

/** Whether a save writes files of this name, or is writing one. */
function isDataFile(entry: string): boolean {
  const name = replacedBy(entry) ?? entry;
  const standard = Object.values<string>(dataFiles);
  return name === scoresFile || standard.includes(name) || standard.includes(otherForm(name));
}

/** Returns the names of the files in a folder of ours. Throws `UsageError` when anything else stands in it or in its place. */
async function demandDataFiles(folder: string): Promise<readonly string[]> {
  const names = await namesInOwn(folder);
  for (const name of names) {
    if (!isDataFile(name))
      throw new UsageError(`\`${folder}\` holds \`${name}\`, which no service wrote there; move it away`);
    await isOwn(join(folder, name), 'file');
  }
  return names;
}
