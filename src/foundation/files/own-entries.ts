/**
 * What we make in directories of ours: regular files and folders, by names of ours. No link is followed there, and what is neither is
 * never read, replaced, moved or removed: it is an error that names it.
 *
 * What remains is a race. Node has no `openat`, so a folder is checked by `lstat` and its files are opened by their whole path: whoever may
 * write into the directory can put a link in the place of the folder between the two. The last name of a path is opened with `O_NOFOLLOW`
 * where there is one (not on Windows), and renaming and removing act on a link itself, never on what it leads to.
 */
import { constants } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, readdir, rmdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { UsageError } from '../errors.js';
import { unless, unlessMissing, unlessMissingOr } from './file-reason.js';

/** What an entry is, itself: not what a link leads to. */
export type EntryKind = 'file' | 'folder' | 'link' | 'device, pipe or socket';

/** What stands at a path; undefined for nothing. Rejects with the error of the file system. */
export async function kindOf(path: string): Promise<EntryKind | undefined> {
  const found = await lstat(path).catch(unlessMissing);
  if (found === undefined) return undefined;
  if (found.isSymbolicLink()) return 'link';
  return found.isFile() ? 'file' : found.isDirectory() ? 'folder' : 'device, pipe or socket';
}

/** Whether something stands at a path. Throws `UsageError` when that is not what we put there. */
export async function isOwn(path: string, expected: 'file' | 'folder'): Promise<boolean> {
  const kind = await kindOf(path);
  if (kind === undefined || kind === expected) return kind !== undefined;
  throw new UsageError(
    `\`${path}\` is a ${kind}, in the place of a ${expected}; move it away, or choose another directory`,
  );
}

/** Opens a file of ours to be read, or as the flags say; undefined when there is none. Throws `UsageError` for what is no file. */
export async function openOwn(path: string, flags = constants.O_RDONLY): Promise<FileHandle | undefined> {
  if (!(await isOwn(path, 'file'))) return undefined;
  return open(path, flags | (constants.O_NOFOLLOW ?? 0)).catch(unlessMissing);
}

/** Opens a file of ours to be read and appended to; makes it, for its owner alone, if it is missing. Throws `UsageError` for what is not a file. */
export async function openToAppend(path: string): Promise<FileHandle> {
  await isOwn(path, 'file');
  const { O_RDWR, O_CREAT, O_APPEND, O_NOFOLLOW = 0 } = constants;
  return open(path, O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW, 0o600);
}

/** The text of a file of ours; undefined when there is none. Throws `UsageError` for what is no file. */
export async function readOwn(path: string): Promise<string | undefined> {
  const file = await openOwn(path);
  if (file === undefined) return undefined;
  try {
    return await file.readFile('utf8');
  } finally {
    await file.close();
  }
}

/** Removes a file of ours; nothing else that has its name. */
export async function removeOwn(path: string): Promise<void> {
  if ((await kindOf(path)) === 'file') await unlink(path).catch(unlessMissing);
}

/** Makes a folder of ours unless it is there. Throws `UsageError` for what is no folder. */
export async function makeOwnFolder(path: string): Promise<void> {
  await mkdir(path).catch(unless('EEXIST'));
  await isOwn(path, 'folder');
}

/** Names of what is in a folder of ours, of whatever kind; none when it is not there. Throws `UsageError` for what is no folder. */
export async function namesInOwn(path: string): Promise<readonly string[]> {
  return (await isOwn(path, 'folder')) ? ((await readdir(path).catch(unlessMissing)) ?? []) : [];
}

/** So often a folder is read again in which another process still writes. */
const mostAttempts = 5;

/** Removes the files of ours in a folder, by their names, and the folder unless something else is in it. */
export async function removeOwnFolder(path: string, isOurs: (name: string) => boolean): Promise<void> {
  for (let attempt = 1; attempt <= mostAttempts; attempt += 1) {
    const names = (await namesInOwn(path)).filter(isOurs);
    for (const name of names) await removeOwn(join(path, name));
    const isGone = await rmdir(path).then(
      () => true,
      (error) => unlessMissingOr('ENOTEMPTY', 'EEXIST')(error) ?? false,
    );
    if (isGone || names.length === 0) return;
  }
}
