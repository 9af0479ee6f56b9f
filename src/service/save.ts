/**
 * What a service writes when it closes, if it was started with `save`: all files of a data directory at once. They are written
 * aside into a folder `.sluice-saving`; one rename makes that folder `.sluice-saved`, and from that instant the directory is the new
 * one, before it the old one. What is left, moving the files to their places, the next service or save does if need be; until then
 * they are read where they are (data-directory.ts).
 */
import { constants } from 'node:fs';
import { access, mkdir, open, readdir, readFile, realpath, rename, rm } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { UsageError } from '../errors.js';
import { lockDirectory, makeDirectory, type Unlock } from '../files/directory-lock.js';
import { withFileErrors } from '../files/file-reason.js';
import { dataFiles, type LoadedRows, otherForm, savedName, scoresFile } from './data-directory.js';
import type { ServiceState } from './operations/operation.js';
import type { ConversationRow } from './rows.js';

/** The folder that files are written into before they are saved. */
const savingName = '.sluice-saving';

/**
 * Makes the directory that a service will be saved in, when it is missing, takes it for this service alone, and finishes what a
 * process that was killed had begun there. Throws `UsageError` when it cannot be written, and when another service saves into it.
 */
export async function prepareSave(directory: string): Promise<Unlock> {
  if (directory === '') throw new UsageError('`save` should be the path of a directory');
  return withFileErrors('save into', directory, async () => {
    await makeDirectory(resolve(directory));
    // The slash makes it fail for what is no directory.
    await access(`${directory}/`, constants.W_OK);
    const unlock = await lockDirectory(directory);
    await finishSaves(directory).catch(async (error: unknown) => {
      await unlock();
      throw error;
    });
    return unlock;
  });
}

/**
 * Checks that a service can write its files into a directory and read them again: `UsageError` when a directory has the name of one,
 * or when a collection stands there in the other form and is not the data of the service. It belongs to somebody else, so it is
 * neither replaced nor taken away.
 */
export async function refuseForeignFiles(directory: string, rows: LoadedRows): Promise<void> {
  const entries = await readdir(directory, { withFileTypes: true });
  const present = new Map(entries.map((entry) => [entry.name, entry]));
  const own = await ownFiles(directory, rows);
  const into = `cannot save into \`${directory}\``;
  for (const standard of Object.values(dataFiles)) {
    const name = own?.get(standard) ?? standard;
    if (present.get(name)?.isDirectory()) {
      throw new UsageError(`${into}, where \`${name}\` is a directory; move it away, or choose another directory`);
    }
    if (!present.has(otherForm(name))) continue;
    throw new UsageError({ fact: `${into}, which holds \`${otherForm(name)}\``, advice: 'serve-as-data' });
  }
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
      for (const [standard, content] of filesOf(rows, state)) {
        const name = own?.get(standard) ?? standard;
        await writeSynced(join(unfinished, name), inForm(name, content));
      }
      // Scores go with data from another directory; without them the rest is saved all the same.
      const from = own === undefined ? rows.origin?.files.get(scoresFile) : undefined;
      const scores = from && (await readFile(from, 'utf8').catch(() => undefined));
      if (scores !== undefined) await writeSynced(join(unfinished, scoresFile), [scores]);
      await syncDirectory(unfinished);
      await rename(unfinished, join(directory, savedName));
    } catch (error) {
      await rm(unfinished, { recursive: true, force: true }).catch(() => {});
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

/** Moves saved files to their places, and takes away what a process that was killed had begun: no other one saves here now. */
async function finishSaves(directory: string): Promise<void> {
  await rm(join(directory, savingName), { recursive: true, force: true });
  const saved = join(directory, savedName);
  const names = await readdir(saved).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    return undefined;
  });
  if (names === undefined) return;
  await syncDirectory(directory);
  for (const name of names) await rename(join(saved, name), join(directory, name));
  await syncDirectory(directory);
  await rm(saved, { recursive: true, force: true });
}

const blockLength = 1024 * 1024;

/** In blocks of about 1 MiB: a million messages are not a million writes, nor one of 250 MB. */
async function writeSynced(path: string, pieces: Iterable<string>): Promise<void> {
  const file = await open(path, 'wx');
  try {
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
