/**
 * Files and folders that Sluice makes in its own directories, by its own names. No link is followed
 * there, and anything but a regular file or folder is an error that names it: it is never read,
 * replaced, moved or removed.
 *
 * A race remains. Node has no `openat`, so a folder is checked by `lstat` and its files are opened
 * by their whole path: a process that may write into the directory can replace the folder by a link
 * between the two. The last name of a path is opened with `O_NOFOLLOW` if that exists (not on
 * Windows); renaming and removing act on a link itself, never on its target.
 */
import { constants } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, unlink } from 'node:fs/promises';
import { UsageError } from '../errors.js';
import { unless, unlessMissing } from './file-reason.js';

/** The kind of an entry itself, not of the target of a link. */
type EntryKind = 'file' | 'folder' | 'link' | 'device, pipe or socket';

/**
 * Resolves to the kind of the entry at a path; undefined if there is no entry. Rejects with the
 * error of the file system.
 */
export async function kindOf(path: string): Promise<EntryKind | undefined> {
  const found = await lstat(path).catch(unlessMissing);
  if (found === undefined) return undefined;
  if (found.isSymbolicLink()) return 'link';
  return found.isFile() ? 'file' : found.isDirectory() ? 'folder' : 'device, pipe or socket';
}

/** Reports whether there is an entry at a path. Throws `UsageError` if it is of another kind. */
export async function isOwn(path: string, expected: 'file' | 'folder'): Promise<boolean> {
  const kind = await kindOf(path);
  if (kind === undefined || kind === expected) return kind !== undefined;
  throw new UsageError(
    `\`${path}\` is a ${kind}, in the place of a ${expected}; move it away, or choose another directory`,
  );
}

/**
 * Opens an own file for reading, or as the flags say; undefined if there is no such file. Throws
 * `UsageError` for anything but a file.
 */
export async function openOwn(path: string, flags = constants.O_RDONLY): Promise<FileHandle | undefined> {
  if (!(await isOwn(path, 'file'))) return undefined;
  return open(path, flags | (constants.O_NOFOLLOW ?? 0)).catch(unlessMissing);
}

/**
 * Opens an own file to be read and appended to, and makes it, for its owner alone, if it is
 * missing. Throws `UsageError` for anything but a file.
 */
export async function openToAppend(path: string): Promise<FileHandle> {
  await isOwn(path, 'file');
  const { O_RDWR, O_CREAT, O_APPEND, O_NOFOLLOW = 0 } = constants;
  return open(path, O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW, 0o600);
}

/**
 * Reads the text of an own file; undefined if there is no such file. Throws `UsageError` for
 * anything but a file.
 */
export async function readOwn(path: string): Promise<string | undefined> {
  const file = await openOwn(path);
  if (file === undefined) return undefined;
  try {
    return await file.readFile('utf8');
  } finally {
    await file.close();
  }
}

/** Removes an own file, and nothing else that has its name. */
export async function removeOwn(path: string): Promise<void> {
  if ((await kindOf(path)) === 'file') await unlink(path).catch(unlessMissing);
}

/** Makes an own folder unless it exists. Throws `UsageError` for anything but a folder. */
export async function makeOwnFolder(path: string): Promise<void> {
  await mkdir(path).catch(unless('EEXIST'));
  await isOwn(path, 'folder');
}
