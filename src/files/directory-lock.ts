/**
 * One process at a time writes into a directory, so that none replaces at its end what another one wrote. The lock is a folder with
 * one entry, whose name is that of its owner and is never used again:
 *
 * - A process makes such a folder under a name of its own and renames it to that of the lock. The rename fails while the lock has an
 *   entry, so of many at once one gets it, and the lock has its owner from the instant in which it is there.
 * - The lock of a dead process is emptied by taking away that one entry. Whoever does so late takes away nothing: an entry of the
 *   next owner has another name, and `rmdir` leaves a folder that has one.
 */
import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, realpath, rename, rm, rmdir, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { UsageError } from '../errors.js';

/** Lets a directory go. Never rejects: a lock that stays behind is that of a process that is soon dead. */
export type Unlock = () => Promise<void>;

/** The lock of a directory. Beside it stand, for a moment, the folders of those who want it: its name, a dot, and their owner's. */
export const lockName = '.sluice.lock';

/** The process that locks: its id, the locks that it has, and which other processes run. */
export interface LockingProcess {
  readonly pid: number;
  /** By path: its own id does not tell locks of this process from those of a dead one that had the same id. */
  readonly held: Set<string>;
  readonly isRunning: (pid: number) => boolean;
}

/** What a directory is locked for, as the error of the second who wants it says. */
export interface LockPurpose {
  /** As in "cannot save into". */
  readonly verb: string;
  /** As in "the service of process 12". */
  readonly owner: string;
}

const saving: LockPurpose = { verb: 'save into', owner: 'service' };

const thisProcess: LockingProcess = { pid: process.pid, held: new Set(), isRunning };

/**
 * Takes a directory for one process. The lock of a dead process is taken over. Throws `UsageError` when another one has it, and
 * rejects with the error of the file system. Process ids are those of one machine: machines that share a directory do not see each
 * other.
 */
export async function lockDirectory(
  directory: string,
  self: LockingProcess = thisProcess,
  purpose: LockPurpose = saving,
): Promise<Unlock> {
  const path = join(await realpath(directory), lockName);
  if (self.held.has(path)) throw taken(directory, path, self.pid, purpose);
  self.held.add(path);
  const owner = `${self.pid}-${randomUUID()}`;
  const made = `${path}.${owner}`;
  try {
    await makeDirectory(join(made, owner));
    for (let attempt = 1; !(await isRenamed(made, path, attempt === mostAttempts)); attempt += 1) {
      const other = await clearLock(path, self);
      if (other !== undefined) throw taken(directory, path, other, purpose);
    }
  } catch (error) {
    await rm(made, { recursive: true, force: true }).catch(() => {});
    self.held.delete(path);
    throw error;
  }
  await removeAbandoned(path, self);
  return async () => {
    await rmdir(join(path, owner)).catch(() => {});
    await rmdir(path).catch(() => {});
    self.held.delete(path);
  };
}

/** Each finds a lock that its owner or another process has cleared by then; more is a file system that fails. */
const mostAttempts = 100;

/** Whether a folder has the name of the lock now; not when the lock has an entry, or is a file. */
function isRenamed(made: string, path: string, isLast: boolean): Promise<boolean> {
  return rename(made, path).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      // The last is how Windows says any of the others.
      if (!isLast && ['ENOTEMPTY', 'EEXIST', 'ENOTDIR', 'EPERM'].includes(error.code ?? '')) return false;
      throw error;
    },
  );
}

/**
 * Takes dead processes out of a lock; gives back the running one that has it, if any. A lock may be a file, written by hand, that names
 * its process in a line of decimal digits: `unlink` takes away nothing but a file.
 */
async function clearLock(path: string, self: LockingProcess): Promise<number | undefined> {
  const entries = await readdir(path).catch(unless('ENOENT', 'ENOTDIR'));
  const line = entries === undefined ? await readFile(path, 'utf8').catch(unless('ENOENT', 'EISDIR')) : undefined;
  if (line !== undefined) {
    if (isAnother(ownerOf(line), self)) return ownerOf(line);
    await unlink(path).catch(unless('ENOENT', 'EISDIR', 'EPERM'));
    return undefined;
  }
  for (const name of entries ?? []) {
    const pid = ownerOf(name);
    if (isAnother(pid, self)) return pid;
    if (pid === 0) throw new UsageError(`\`${path}\` is no lock: it holds \`${name}\`; take it away`);
    await rmdir(join(path, name)).catch(unless('ENOENT'));
  }
  await rmdir(path).catch(unless('ENOENT', 'ENOTEMPTY', 'EEXIST'));
  return undefined;
}

/** Takes away the folders of processes that were killed before they got the lock or gave up; only what has their name. */
async function removeAbandoned(path: string, self: LockingProcess): Promise<void> {
  const prefix = `${basename(path)}.`;
  for (const name of await readdir(dirname(path)).catch(() => [])) {
    const owner = name.slice(prefix.length);
    const isOne = name.startsWith(prefix) && /^\d+-[\da-f-]{36}$/.test(owner);
    if (isOne && !isAnother(ownerOf(owner), self))
      await rm(join(dirname(path), name), { recursive: true }).catch(() => {});
  }
}

/** The process that an entry of a lock names, or the line of a lock that is a file; 0 when none is. */
function ownerOf(written: string): number {
  return Number(/^([1-9]\d{0,9})(?:-|\n$)/.exec(written)?.[1] ?? 0);
}

/** Whether a process runs that is not this one. In a container every run may have the same id as the one before. */
function isAnother(pid: number, self: LockingProcess): boolean {
  return pid !== 0 && pid !== self.pid && self.isRunning(pid);
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Takes an error of the file system with one of the codes for undefined. */
function unless(...codes: readonly string[]) {
  return (error: NodeJS.ErrnoException): undefined => {
    if (!codes.includes(error.code ?? '')) throw error;
  };
}

function taken(directory: string, path: string, pid: number, { verb, owner }: LockPurpose): UsageError {
  return new UsageError(
    `cannot ${verb} \`${directory}\`: the ${owner} of process ${pid} does so already; end it, choose another directory, ` +
      `or take \`${path}\` away if process ${pid} is no such ${owner}`,
  );
}

/**
 * Makes a directory and its parents. `recursive` of Node 20 never returns where none can be made (`/proc`), and takes a full disk for a
 * missing parent.
 */
export async function makeDirectory(path: string): Promise<void> {
  const failure = await mkdir(path).catch((error: NodeJS.ErrnoException) => error);
  if (!(failure instanceof Error) || failure.code === 'EEXIST') return;
  const parent = dirname(path);
  if (failure.code !== 'ENOENT' || parent === path) throw failure;
  await makeDirectory(parent);
  await mkdir(path);
}
