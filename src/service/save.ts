import { constants } from 'node:fs';
import { access, mkdir, readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { UsageError } from '../errors.js';
import type { ConversationRow } from './data.js';
import { dataFiles, otherForm, scoresFile } from './data-files.js';
import type { LoadedRows } from './load.js';
import { flag } from './message-flags.js';
import type { MessageTable } from './message-table.js';
import type { ServiceState } from './operation-call.js';
import { lockDirectory, type Unlock } from './save-lock.js';
import { type FileContent, swapFiles } from './swap-files.js';

/**
 * Makes the directory that a service will be saved in, when it is missing, and takes it for this service alone. Throws
 * `UsageError` when it cannot be written, and when another service saves into it.
 */
export async function prepareSave(directory: string): Promise<Unlock> {
  if (directory === '') throw new UsageError('`save` should be the path of a directory');
  return orFail(directory, async () => {
    await makeDirectory(resolve(directory));
    // The slash makes it fail for what is no directory.
    await access(`${directory}/`, constants.W_OK);
    return lockDirectory(directory);
  });
}

/**
 * Writes what a service serves as a data directory, all files or none (swap-files.ts): loading it gives a service that answers
 * every request as this one does. Throws `UsageError` when it cannot be written.
 */
export async function save(directory: string, rows: LoadedRows, state: ServiceState): Promise<void> {
  const files = new Map<string, FileContent>([
    [dataFiles.users, jsonLines(rows.users)],
    [dataFiles.groups, jsonLines(rows.groups.map(({ row }) => row))],
    [dataFiles.messages, messageLines(rows.messages)],
    [dataFiles.rules, jsonArray(rows.rules)],
    [dataFiles.lists, jsonArray(rows.lists)],
    [dataFiles.conversations, jsonLines(conversationRows(state))],
  ]);
  for (const name of [...files.keys()]) files.set(otherForm(name), undefined);
  await orFail(directory, async () => {
    const scores = await scoresFor(directory, rows.scoresFile);
    if (scores !== undefined) files.set(scoresFile, [scores]);
    await swapFiles(directory, files);
  });
}

/** The scores beside the data, when the data came from another directory; without them the rest is saved all the same. */
async function scoresFor(directory: string, from: string | undefined): Promise<Buffer | undefined> {
  if (from === undefined || resolve(dirname(from)) === resolve(directory)) return undefined;
  return readFile(from).catch(() => undefined);
}

function* jsonLines(rows: Iterable<object>): Generator<string> {
  for (const row of rows) yield `${JSON.stringify(row)}\n`;
}

function* jsonArray(rows: readonly object[]): Generator<string> {
  yield `${JSON.stringify(rows, undefined, 2)}\n`;
}

/** Each with its conversation: derived ones may hang on the order of rows, which is now another. */
function* messageLines(messages: MessageTable): Generator<string | Uint8Array> {
  const { columns, conversations, size } = messages;
  for (let position = 0; position < size; position += 1) {
    const line = messages.bytesAt(position);
    if (messages.has(position, flag.unnamed)) {
      const { id } = conversations[columns.conversation[position]!]!;
      yield `{"conversationId":${JSON.stringify(id)},`;
      yield line.subarray(line.indexOf('{') + 1);
    } else yield line;
    yield '\n';
  }
}

function* conversationRows({ tags, markers, store }: ServiceState): Generator<ConversationRow> {
  const readUpTo = new Map(markers.changed());
  const tagged = new Map(tags.changed());
  for (const conversationId of new Set([...tagged.keys(), ...readUpTo.keys()])) {
    const { tags: its, changedAt } = tagged.get(conversationId) ?? {};
    const positions = [...(readUpTo.get(conversationId) ?? [])];
    const ids = positions.map(([uid, position]) => [uid, position === -1 ? null : store.messages.idAt(position)]);
    yield {
      conversationId,
      tags: its,
      tagsChangedAt: changedAt,
      readUpTo: ids.length === 0 ? undefined : Object.fromEntries(ids),
    };
  }
}

/** Not `recursive`: Node 20 never returns from that where nobody can make one (`/proc`). */
async function makeDirectory(path: string): Promise<void> {
  const failure = await mkdir(path).catch((error: NodeJS.ErrnoException) => error);
  if (!(failure instanceof Error) || failure.code === 'EEXIST') return;
  if (failure.code !== 'ENOENT' || dirname(path) === path) throw failure;
  await makeDirectory(dirname(path));
  await mkdir(path);
}

async function orFail<T>(directory: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException;
    if (code === undefined || syscall === undefined) throw error;
    throw new UsageError(`cannot save into \`${directory}\`: ${reasons[code] ?? code}`, { cause: error });
  }
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'no such directory',
  ENOTDIR: 'a part of the path is no directory',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  ENOSPC: 'no space left on the device',
  EDQUOT: 'the disk quota is used up',
  EFBIG: 'a file would be too large',
  EIO: 'the device failed',
};
