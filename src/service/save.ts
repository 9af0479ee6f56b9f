/**
 * What a service writes when it closes, if it was started with `save`: all files of a data directory at once. They are written
 * aside into a folder `.saving`; one rename makes that folder `.saved`, and from that instant the directory is the new one,
 * before it the old one. What is left, moving the files to their places, the next save does if need be; until then they are read
 * where they are (`findSaved`).
 */
import { constants } from 'node:fs';
import { access, mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { UsageError } from '../errors.js';
import {
  dataFiles,
  findSaved,
  type LoadedRows,
  otherForm,
  savedName,
  scoresFile,
  withFileErrors,
} from './data-directory.js';
import type { ServiceState } from './operations/operation.js';
import type { ConversationRow } from './rows.js';
import { lockDirectory, type Unlock } from './save-lock.js';

/**
 * Makes the directory that a service will be saved in, when it is missing, and takes it for this service alone. Throws
 * `UsageError` when it cannot be written, and when another service saves into it.
 */
export async function prepareSave(directory: string): Promise<Unlock> {
  if (directory === '') throw new UsageError('`save` should be the path of a directory');
  return withFileErrors('save into', directory, async () => {
    await makeDirectory(resolve(directory));
    // The slash makes it fail for what is no directory.
    await access(`${directory}/`, constants.W_OK);
    return lockDirectory(directory);
  });
}

/** Not `recursive`: Node 20 never returns from that where none can be made (`/proc`). */
async function makeDirectory(path: string): Promise<void> {
  const failure = await mkdir(path).catch((error: NodeJS.ErrnoException) => error);
  if (!(failure instanceof Error) || failure.code === 'EEXIST') return;
  if (failure.code !== 'ENOENT' || dirname(path) === path) throw failure;
  await makeDirectory(dirname(path));
  await mkdir(path);
}

/**
 * Writes what a service serves, all files or none: loading the directory gives a service that answers every request as this one
 * does. One process at a time. Throws `UsageError` when it cannot be written.
 */
export async function save(directory: string, rows: LoadedRows, state: ServiceState): Promise<void> {
  await withFileErrors('save into', directory, async () => {
    await moveSaved(directory);
    const unfinished = join(directory, '.saving');
    try {
      // Left behind by a process that was killed: no other one saves here now.
      await rm(unfinished, { recursive: true, force: true });
      await mkdir(unfinished);
      for (const [name, lines] of filesOf(rows, state)) await writeSynced(join(unfinished, name), lines);
      const scores = await scoresFor(directory, rows.scoresFile);
      if (scores !== undefined) await writeSynced(join(unfinished, scoresFile), [scores]);
      await syncDirectory(unfinished);
      await rename(unfinished, join(directory, savedName));
    } catch (error) {
      await rm(unfinished, { recursive: true, force: true }).catch(() => {});
      throw error;
    }
    await moveSaved(directory);
  });
}

function filesOf({ users, groups, rules, lists }: LoadedRows, state: ServiceState): [string, Iterable<string>][] {
  return [
    [dataFiles.users, jsonLines(users)],
    [dataFiles.groups, jsonLines(groups.map(({ row }) => row))],
    [dataFiles.messages, jsonLines(state.store.messages)],
    [dataFiles.rules, [`${JSON.stringify(rules, undefined, 2)}\n`]],
    [dataFiles.lists, [`${JSON.stringify(lists, undefined, 2)}\n`]],
    [dataFiles.conversations, jsonLines(conversationRows(state))],
  ];
}

function* jsonLines(rows: Iterable<object>): Generator<string> {
  for (const row of rows) yield `${JSON.stringify(row)}\n`;
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

/** The scores beside the data, when the data came from another directory; without them the rest is saved all the same. */
async function scoresFor(directory: string, from: string | undefined): Promise<string | undefined> {
  if (from === undefined || resolve(dirname(from)) === resolve(directory)) return undefined;
  return readFile(from, 'utf8').catch(() => undefined);
}

/** Moves saved files to their places. The other form goes first: whatever happens between, each is read in one form. */
async function moveSaved(directory: string): Promise<void> {
  const saved = await findSaved(directory);
  if (saved === undefined) return;
  await syncDirectory(directory);
  for (const name of await readdir(saved)) {
    await rm(join(directory, otherForm(name)), { force: true });
    await rename(join(saved, name), join(directory, name));
  }
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
