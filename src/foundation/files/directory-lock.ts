/**
 * A lock, so that only one process at a time writes into a directory, and none replaces what another wrote. The lock is a folder with one
 * entry, whose name is that of its owner and is never used again:
 *
 * - A process makes such a folder under a name of its own and renames it to that of the lock. The rename fails while the lock has an
 * entry, so of many at once one succeeds, and the lock has an owner from its first instant on.
 * - The lock of a dead process is emptied by removing that one entry. A process that does so too late removes nothing: the entry of the
 * next owner has another name, and `rmdir` leaves a folder that is not empty.
 *
 * Whether an owner is alive is known by its process id where ids mean the same to both, and in another container or on another machine by
 * the signs of life in its entry (sign-of-life.ts). A process that was stopped for a while may be silent for too long and still be alive:
 * it finds by `isHeld` that it lost its entry, before it writes more.
 */
import { randomUUID } from 'node:crypto';
import { lstat, readdir, readFile, realpath, rename, rmdir, unlink, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as timer } from 'node:timers/promises';
import { UsageError } from '../errors.js';
import { unlessMissing, unlessMissingOr } from './file-reason.js';
import { makeDirectory } from './make-directory.js';
import { kindOf } from './own-entries.js';
import { giveSign, isRunning, lastSign, placeOfProcess, signEveryMs, signName, silentMs } from './sign-of-life.js';

/** A lock that this process has. */
export interface DirectoryLock {
  /** Releases the directory. Never rejects: a remaining lock is soon that of an ended process. */
  release(): Promise<void>;
  /** Reports whether this process still has the lock. */
  isHeld(): Promise<boolean>;
}

/** The name of the lock. Beside it, for a moment, are the folders of processes that try to get it: its name, a dot, and their owner. */
export const lockName = '.sluice.lock';

/** The locking process: its id, its locks, the processes it sees, and its timers. */
export interface LockingProcess {
  readonly pid: number;
  /** Identifies where process ids mean the same, in hexadecimal digits. */
  readonly place: string;
  /** The locks of this process by path: a dead process may have had the same id. */
  readonly held: Set<string>;
  readonly isRunning: (pid: number) => boolean;
  /** Calls `tick` every `ms` until the returned function is called; keeps no process alive. */
  readonly every: (ms: number, tick: () => void) => () => void;
  /** Rejects when the signal aborts. */
  readonly sleep: (ms: number, signal: AbortSignal | undefined) => Promise<void>;
}

/** The purpose of a lock, for the error of a second process. */
export interface LockPurpose {
  /** "audit into", for example. */
  readonly verb: string;
  /** "audit", for example. */
  readonly owner: string;
  /**
   * Called when only time can tell whether the owner of the lock is alive: the caller then waits until the owner gives a sign of life, or
   * is silent for too long. Without it such a lock is refused.
   */
  readonly onWait?: ((holder: { readonly pid: number; readonly atMostMs: number }) => void) | undefined;
  /** Ends the waiting. */
  readonly signal?: AbortSignal | undefined;
}

const thisProcess: LockingProcess = {
  pid: process.pid,
  place: placeOfProcess(),
  held: new Set(),
  isRunning,
  every: (ms, tick) => {
    const interval = setInterval(tick, ms).unref();
    return () => clearInterval(interval);
  },
  sleep: (ms, signal) =>
    timer(ms, undefined, { signal }).catch((error) => {
      signal?.throwIfAborted();
      throw error;
    }),
};

/**
 * Locks a directory for one process. The lock of a dead process is taken over. Throws `UsageError` if another process has it, and rejects
 * with the error of the file system.
 */
export async function lockDirectory(
  directory: string,
  purpose: LockPurpose,
  self: LockingProcess = thisProcess,
): Promise<DirectoryLock> {
  const path = join(await realpath(directory), lockName);
  const refused = (owner: Owner) => taken(directory, path, owner, self, purpose);
  if (self.held.has(path)) throw refused(self);
  self.held.add(path);
  const owner = `${self.pid}-${randomUUID()}@${self.place}`;
  const made = `${path}.${owner}`;
  try {
    await makeDirectory(join(made, owner));
    await writeFile(join(made, owner, signName), '.', { flag: 'wx' });
    const ownSign = signsIn(join(made, owner));
    for (let attempt = 1; !(await isRenamed(made, path, attempt === mostAttempts)); attempt += 1) {
      const other = await clearLock(path, self, ownSign);
      if (other !== undefined && !(await hasEnded(join(path, other.name), other, self, purpose, ownSign)))
        throw refused(other);
    }
  } catch (error) {
    await removeEntry(made, owner).catch(() => {});
    self.held.delete(path);
    throw error;
  }
  const entry = join(path, owner);
  // Leftovers of other processes block nothing.
  await removeAbandoned(path, self, signsIn(entry)).catch(() => {});
  let signing: Promise<void> | undefined;
  const forget = () => {
    signing = undefined;
  };
  const stop = self.every(signEveryMs, () => {
    // A disk that hangs is not written to twice.
    signing ??= giveSign(entry).then(forget, forget);
  });
  return {
    async release() {
      stop();
      await signing;
      await removeEntry(path, owner).catch(() => {});
      self.held.delete(path);
    },
    isHeld: async () => (await kindOf(entry)) === 'folder',
  };
}

/** Returns a clock of the file system: the time of a sign that is given in an own folder now. */
function signsIn(folder: string): () => Promise<number> {
  return async () => {
    await giveSign(folder);
    return (await lastSign(folder)) ?? 0;
  };
}

/** Number of attempts, each of which finds a lock that was cleared in between; more of them mean that the file system fails. */
const mostAttempts = 100;

/** Tries to rename a folder to the lock; fails when the lock has an entry, or is a file. */
function isRenamed(made: string, path: string, isLast: boolean): Promise<boolean> {
  return rename(made, path).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      // Windows reports any of the others as the last.
      if (!isLast && ['ENOTEMPTY', 'EEXIST', 'ENOTDIR', 'EPERM'].includes(error.code ?? '')) return false;
      throw error;
    },
  );
}

/** The process that an entry names. */
interface Owner {
  readonly pid: number;
  readonly place: string;
}

/** An owner, and the name of its entry in the lock. */
interface FoundOwner extends Owner {
  readonly name: string;
}

/**
 * Removes dead processes from a lock; resolves to the process that has it, if any. A lock may be a file, written by hand, with a process
 * id in decimal digits on a line: `unlink` removes only a file.
 */
async function clearLock(
  path: string,
  self: LockingProcess,
  time: () => Promise<number>,
): Promise<FoundOwner | undefined> {
  const found = await lstat(path).catch(unlessMissing);
  if (found === undefined) return undefined;
  if (!found.isDirectory()) {
    const line =
      found.isFile() && found.size <= longestLine ? await readFile(path, 'utf8').catch(unlessMissingOr('EISDIR')) : '?';
    if (line === undefined) return undefined;
    if (!/^\d*\n?$/.test(line)) throw noLock(path, `is ${found.isSymbolicLink() ? 'a link' : 'something else'}`);
    // A line that was cut off names no process.
    const pid = line.endsWith('\n') ? Number(line) : 0;
    if (pid > 0 && isAnother(pid, self)) return { pid, place: self.place, name: '' };
    await unlink(path).catch(unlessMissingOr('EISDIR', 'EPERM'));
    return undefined;
  }
  for (const name of (await readdir(path).catch(unlessMissingOr('ENOTDIR'))) ?? []) {
    const owner = ownerOf(name, self);
    if (owner === undefined) throw noLock(path, `holds \`${name}\``);
    if (!(await isDead(join(path, name), owner, self, time))) return { ...owner, name };
    await removeEntry(path, name);
  }
  await rmdir(path).catch(unlessMissingOr('ENOTEMPTY', 'EEXIST'));
  return undefined;
}

/** Length of a process id with the end of its line. */
const longestLine = 11;

/** Removes an entry from a lock, and the lock if it is then empty. Other files in it stay, and so does the lock. */
async function removeEntry(path: string, name: string): Promise<void> {
  const kind = await kindOf(join(path, name));
  if (kind !== undefined && kind !== 'folder') throw noLock(path, `holds \`${name}\`, a ${kind}`);
  await unlink(join(path, name, signName)).catch(unlessMissing);
  await rmdir(join(path, name)).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOTEMPTY' || error.code === 'EEXIST')
      throw noLock(path, `holds \`${name}\`, with other files`);
    unlessMissing(error);
  });
  await rmdir(path).catch(unlessMissingOr('ENOTEMPTY', 'EEXIST'));
}

/** Reports whether a process has ended: by its id where ids mean the same to both, else by its silence. */
async function isDead(
  entry: string,
  { pid, place }: Owner,
  self: LockingProcess,
  time: () => Promise<number>,
): Promise<boolean> {
  if (place === self.place) return !isAnother(pid, self);
  return isSilent(await lastSign(entry), time);
}

/** Reports whether the last sign is too old; a process without one has released the lock. */
async function isSilent(sign: number | undefined, time: () => Promise<number>): Promise<boolean> {
  return sign === undefined || (await time()) - sign >= silentMs;
}

/** Milliseconds between two checks of a lock that is waited for. */
const lookEveryMs = 1_000;

/** Waits until a process of another place has ended, if waiting is allowed; false once it gives a sign of life. */
async function hasEnded(
  entry: string,
  owner: Owner,
  self: LockingProcess,
  { onWait, signal }: LockPurpose,
  time: () => Promise<number>,
): Promise<boolean> {
  if (owner.place === self.place || onWait === undefined) return false;
  const first = await lastSign(entry);
  onWait({ pid: owner.pid, atMostMs: silentMs });
  // A process that stayed silent has ended, even if the clock of the file system was put back.
  for (let waitedMs = 0; waitedMs < silentMs; waitedMs += lookEveryMs) {
    if (await isDead(entry, owner, self, time)) break;
    await self.sleep(lookEveryMs, signal);
    const sign = await lastSign(entry);
    if (sign !== undefined && sign !== first) return false;
  }
  await removeEntry(dirname(entry), basename(entry));
  return true;
}

/** Removes the folders of processes that were killed before they got the lock or gave up, and nothing else. */
async function removeAbandoned(path: string, self: LockingProcess, time: () => Promise<number>): Promise<void> {
  const prefix = `${basename(path)}.`;
  for (const name of await readdir(dirname(path))) {
    const folder = join(dirname(path), name);
    const entry = name.slice(prefix.length);
    const owner = name.startsWith(prefix) ? ownerOf(entry, self) : undefined;
    if (owner === undefined || (await kindOf(folder)) !== 'folder') continue;
    // A folder of another place may just be made and have no entry yet: then its own time counts.
    const isLeft =
      owner.place === self.place
        ? !isAnother(owner.pid, self)
        : await isSilent((await lastSign(join(folder, entry))) ?? (await lastSign(folder)), time);
    if (isLeft) await removeEntry(folder, entry).catch(() => {});
  }
}

/** Parses the name of an entry. Without a place it is of this place. */
function ownerOf(entry: string, { place }: Pick<LockingProcess, 'place'>): Owner | undefined {
  const parts = /^([1-9]\d{0,9})-[\da-f-]{36}(?:@([\da-f]+))?$/.exec(entry);
  return parts === null ? undefined : { pid: Number(parts[1]), place: parts[2] ?? place };
}

/** Reports whether another process has this id. In a container every run may have the same id. */
function isAnother(pid: number, self: LockingProcess): boolean {
  return pid !== self.pid && self.isRunning(pid);
}

function noLock(path: string, what: string): UsageError {
  return new UsageError(`\`${path}\` is not a lock: it ${what}; remove it`);
}

function taken(directory: string, path: string, { pid, place }: Owner, self: Owner, purpose: LockPurpose): UsageError {
  const { verb, owner, onWait } = purpose;
  const into = `cannot ${verb} \`${directory}\`: the ${owner} of process ${pid}`;
  if (place === self.place) {
    return new UsageError(
      `${into} does so already; end it, choose another directory, ` +
        `or remove \`${path}\` if process ${pid} is not an ${owner}`,
    );
  }
  const seconds = silentMs / 1000;
  const when = onWait === undefined ? `or wait ${seconds} s if it was killed` : `or remove \`${path}\` if it has ended`;
  return new UsageError(
    `${into} in another container, or on another machine, does so already: it was active within the last ${seconds} s; ` +
      `end it, choose another directory, ${when}`,
  );
}
