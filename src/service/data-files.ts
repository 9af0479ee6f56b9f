import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { UsageError } from '../errors.js';
import type { ServiceData } from './data.js';
import { pendingFiles } from './swap-files.js';

/** A collection of a data directory. */
export type Collection = keyof ServiceData;

/** The collections, with the file that each is written to. Each may also be read from the other form. */
export const dataFiles = {
  users: 'users.ndjson',
  groups: 'groups.ndjson',
  messages: 'messages.ndjson',
  rules: 'rules.json',
  lists: 'lists.json',
  conversations: 'conversations.ndjson',
} as const satisfies Record<Collection, string>;

/** Labels of media by address: for whoever judges messages. The service passes it on when it saves, and never reads it. */
export const scoresFile = 'scores.json';

/** A file of a data directory. */
export interface DataFile {
  readonly path: string;
  /** Whether rows stand one a line; otherwise they are an array. */
  readonly isLines: boolean;
}

/** `users.json` for `users.ndjson`, and the other way round. */
export function otherForm(name: string): string {
  return name.endsWith('.ndjson') ? name.replace(/\.ndjson$/, '.json') : name.replace(/\.json$/, '.ndjson');
}

/**
 * Which files a data directory holds, those of an interrupted save with them (swap-files.ts). Throws `UsageError` for a
 * directory that holds none, and for a collection in both forms.
 */
export async function findDataFiles(directory: string): Promise<ReadonlyMap<Collection | 'scores', DataFile>> {
  const pending = await pendingFiles(directory);
  const found = new Map<Collection | 'scores', DataFile>();
  const find = async (name: string): Promise<string | undefined> => {
    for (const candidate of pending.get(name) ?? [name]) {
      if (await isFile(join(directory, candidate))) return join(directory, candidate);
    }
    return undefined;
  };
  for (const [collection, name] of Object.entries(dataFiles) as [Collection, string][]) {
    const both: DataFile[] = [];
    for (const form of [name, otherForm(name)]) {
      const path = await find(form);
      if (path !== undefined) both.push({ path, isLines: form.endsWith('.ndjson') });
    }
    if (both.length > 1) {
      throw new UsageError(
        `the data directory \`${directory}\` should hold \`${name}\` or \`${otherForm(name)}\`, not both`,
      );
    }
    if (both[0] !== undefined) found.set(collection, both[0]);
  }
  const scores = await find(scoresFile);
  if (scores !== undefined) found.set('scores', { path: scores, isLines: false });
  if (found.size === 0) {
    const names = [...Object.values(dataFiles), scoresFile].filter((name) => name !== dataFiles.conversations);
    throw new UsageError(`the data directory \`${directory}\` should hold at least one of ${names.join(', ')}`);
  }
  return found;
}

async function isFile(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}
