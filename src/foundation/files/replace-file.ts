/** Replaces a file whole or not at all. */
import { randomUUID } from 'node:crypto';
import { type FileHandle, lstat, open, readdir, readlink, realpath, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { unless, unlessMissing, unlessMissingOr } from './file-reason.js';
import { isOwn, removeOwn } from './own-entries.js';

/** A file that is being replaced: its old content stays until `commit`. */
export interface FileReplacement {
  append(content: string | Uint8Array): Promise<void>;
  /** Flushes the appended content to the disk. */
  flush(): Promise<void>;
  /** Flushes, and replaces the old content by the appended one. */
  commit(): Promise<void>;
  /** Removes the appended content; no effect after `commit`. */
  discard(): Promise<void>;
}

/**
 * Writes a file atomically, as `replaceFile` does. Rejects with the error of the file system and
 * leaves the file as it was.
 */
export async function writeFileAtomically(path: string, text: string, permissions?: Permissions): Promise<void> {
  await writeWhole(await replaceFile(path, permissions), text);
}

async function writeWhole(file: FileReplacement, text: string): Promise<void> {
  try {
    await file.append(text);
    await file.commit();
  } finally {
    await file.discard();
  }
}

/**
 * Opens a file to be replaced atomically, also across a crash of the machine: a temporary file in
 * the same directory is written and flushed, then renamed over the old one, then the directory is
 * flushed. The new file has owner and permissions of the old one. A symbolic link stays: its target
 * is replaced. Anything but a regular file (a device, a pipe, `/dev/stdout`) is written to
 * directly, at its end. Rejects with the error of the file system, EISDIR for a directory.
 */
export async function replaceFile(path: string, permissions: Permissions = {}): Promise<FileReplacement> {
  const target = await targetOf(path);
  if (target === undefined) return openDirectly(path);
  const file = await openTemporary(target, permissions);
  // A failure to remove abandoned files must not keep the file from being written.
  await removeAbandoned(dirname(target.path), file.startedAt).catch(() => undefined);
  return file;
}

/**
 * Opens an own file to be replaced, as `replaceFile` does, but follows no link and writes only to a
 * regular file. Throws `UsageError` for anything else, now or at the end.
 */
export async function replaceOwn(path: string, permissions: Permissions = {}): Promise<FileReplacement> {
  const old = (await isOwn(path, 'file')) ? await lstat(path).catch(unlessMissing) : undefined;
  const file = await openTemporary({ path, old }, permissions);
  return {
    ...file,
    async commit() {
      // Another entry may have been put there meanwhile.
      await isOwn(path, 'file');
      await file.commit();
    },
  };
}

/** Writes an own file atomically, as `replaceOwn` does. */
export async function writeOwn(path: string, text: string, permissions?: Permissions): Promise<void> {
  await writeWhole(await replaceOwn(path, permissions), text);
}

/** Permissions of a replaced file, as `chmod` has them. */
export interface Permissions {
  /** Permissions of a new file. */
  readonly mode?: number | undefined;
  /** Permissions that an existing file may keep. Default: all. */
  readonly most?: number | undefined;
}

/** Owner and permissions of a file, as `stat` has them. */
interface FileAttributes {
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
}

/** The regular file to replace; without an `old` one it is new. */
interface Target {
  readonly path: string;
  readonly old: FileAttributes | undefined;
}

/**
 * Reports whether a path names an open descriptor, which may be a file to which other processes
 * write.
 */
export const isDescriptor = (path: string): boolean => descriptor.test(path);
const descriptor = /^\/(?:dev\/(?:stdin|stdout|stderr|fd\/\d+)|proc\/[^/]+\/fd\/\d+)$/;

/** Resolves to the file at the end of all links; `undefined` for anything but a regular file. */
async function targetOf(path: string): Promise<Target | undefined> {
  if (isDescriptor(path)) return undefined;
  const old = await stat(path).catch(unlessMissing);
  if (old !== undefined) return old.isFile() ? { path: await realpath(path), old } : undefined;
  const target = await readlink(path).catch(unlessMissingOr('EINVAL'));
  return target === undefined ? { path, old } : targetOf(resolve(dirname(path), target));
}

async function openTemporary(
  { path, old: found }: Target,
  { mode, most = 0o7777 }: Permissions,
): Promise<FileReplacement & { readonly startedAt: number }> {
  const old = found && { ...found, mode: found.mode & most };
  const directory = dirname(path);
  const temporary = join(directory, `.${basename(path)}.${writer()}.tmp`);
  const file = await open(temporary, 'wx', old === undefined ? mode : old.mode & 0o7777);
  const discard = async () => {
    await file.close().catch(() => undefined);
    await rm(temporary, { force: true });
  };
  let startedAt: number;
  try {
    if (old !== undefined) await takeAttributes(file, old);
    startedAt = (await file.stat()).mtimeMs;
  } catch (error) {
    await discard();
    throw error;
  }
  return {
    startedAt,
    append: (content) => file.appendFile(content),
    flush: () => file.sync(),
    async commit() {
      await file.sync();
      await file.close();
      await rename(temporary, path);
      // The rename is done, and some file systems cannot flush a directory.
      await flushDirectory(directory).catch(() => undefined);
    },
    discard,
  };
}

/** Makes the end of the name of a temporary file. */
const writer = () => randomUUID().slice(0, 18);

/** The name of a temporary file, which contains the name of the file that it replaces. */
const temporaryName = /^\.(.+)\.[\da-f]{8}-[\da-f]{4}-[\da-f]{4}\.tmp$/;

/** Milliseconds without a write after which a temporary file is abandoned: a day. */
const silentMs = 86_400_000;

/**
 * Removes the temporary files of killed processes from a directory. `now` is a time of its file
 * system.
 */
async function removeAbandoned(directory: string, now: number): Promise<void> {
  for (const name of await readdir(directory)) {
    if (!temporaryName.test(name)) continue;
    const path = join(directory, name);
    const { mtimeMs = now } = (await lstat(path).catch(unlessMissing)) ?? {};
    if (mtimeMs < now - silentMs) await removeOwn(path);
  }
}

/**
 * Removes the temporary files that killed processes left for files of certain names. No other
 * process may be replacing one of them. Rejects with the error of the file system.
 */
export async function removeAbandonedFiles(directory: string, isOne: (name: string) => boolean): Promise<void> {
  for (const entry of await readdir(directory)) {
    const name = temporaryName.exec(entry)?.[1];
    if (name !== undefined && isOne(name)) await removeOwn(join(directory, entry));
  }
}

/**
 * Sets owner and permissions; the latter last, since a change of owner drops some. Only root may
 * give a file away; others keep what they can.
 */
async function takeAttributes(file: FileHandle, { mode, uid, gid }: FileAttributes): Promise<void> {
  const opened = await file.stat();
  if (opened.uid !== uid || opened.gid !== gid) await file.chown(uid, gid).catch(unless('EPERM'));
  if (opened.mode !== mode) await file.chmod(mode & 0o7777).catch(unless('EPERM'));
}

async function openDirectly(path: string): Promise<FileReplacement> {
  const file = await open(path, 'a');
  const nothing = async () => undefined;
  return {
    append: (content) => file.appendFile(content),
    flush: nothing,
    commit: () => file.close(),
    discard: () => file.close().catch(nothing),
  };
}

/**
 * Makes renames in a directory durable. Windows opens no directories, and orders renames itself.
 */
async function flushDirectory(directory: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(directory, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
