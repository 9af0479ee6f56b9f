/**
 * One process at a time writes into a directory, so that none replaces at its end what another one wrote. The lock is a folder with
 * one entry, whose name is that of its owner and is never used again:
 *
 * - A process makes such a folder under a name of its own and renames it to that of the lock. The rename fails while the lock has an
 *   entry, so of many at once one gets it, and the lock has its owner from the instant in which it is there.
 * - The lock of a dead process is emptied by taking away that one entry. Whoever does so late takes away nothing: an entry of the
 *   next owner has another name, and `rmdir` leaves a folder that has one.
 *
 * Whether an owner runs, its process id says where ids mean the same to both; in another container, or on another machine, the signs of
 * life that it gives in its entry (sign-of-life.ts). One that was silent for too long may run all the same, stopped for a while: it finds
 * by `isHeld` that its entry is gone, before it writes more.
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

/** A directory that this process has. */
export interface DirectoryLock {
  /** Lets the directory go. Never rejects: a lock that stays behind is that of a process that is soon dead. */
  release(): Promise<void>;
  /** Whether this process has the directory still. */
  isHeld(): Promise<boolean>;
}

/** The lock of a directory. Beside it stand, for a moment, the folders of those who want it: its name, a dot, and their owner's. */
export const lockName = '.sluice.lock';

/** The process that locks: its id, the locks that it has, which other processes run, and its timers. */
export interface LockingProcess {
  readonly pid: number;
  /** Where process ids mean what they mean here, in hexadecimal digits. */
  readonly place: string;
  /** By path: its own id does not tell locks of this process from those of a dead one that had the same id. */
  readonly held: Set<string>;
  readonly isRunning: (pid: number) => boolean;
  /** Calls `tick` every `ms` until the returned function is called; keeps no process alive. */
  readonly every: (ms: number, tick: () => void) => () => void;
  /** Rejects when the signal aborts. */
  readonly sleep: (ms: number, signal: AbortSignal | undefined) => Promise<void>;
}

/** What a directory is locked for, as the error of the second who wants it says. */
export interface LockPurpose {
  /** As in "cannot save into". */
  readonly verb: string;
  /** As in "the service of process 12". */
  readonly owner: string;
  /**
   * Called when only time can tell whether the owner of the lock runs: it is waited for then, until it gives a sign of life, or is silent for
   * too long. Without it such a lock is refused.
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
 * Takes a directory for one process. The lock of a dead process is taken over. Throws `UsageError` when another one has it, and
 * rejects with the error of the file system.
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
  // What is left behind by others is in nobody's way.
  await removeAbandoned(path, self, signsIn(entry)).catch(() => {});
  let signing: Promise<void> | undefined;
  const forget = () => {
    signing = undefined;
  };
  const stop = self.every(signEveryMs, () => {
    // A disk that hangs is not asked twice.
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

/** The time of a file system: that of the sign that is given in a folder of our own now. */
function signsIn(folder: string): () => Promise<number> {
  return async () => {
    await giveSign(folder);
    return (await lastSign(folder)) ?? 0;
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

/** A process that an entry names. */
interface Owner {
  readonly pid: number;
  readonly place: string;
}

/** An owner, and the name of its entry in the lock. */
interface FoundOwner extends Owner {
  readonly name: string;
}

/**
 * Takes dead processes out of a lock; gives back the one that has it, if any. A lock may be a file, written by hand, that names
 * its process in a line of decimal digits: `unlink` takes away nothing but a file.
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
    // A line that was cut off names nobody.
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

/** Digits of a process id, and the end of its line. */
const longestLine = 11;

/** Takes an entry out of a lock, and the lock when it is empty then. Other files in it stay, and so does it. */
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

/** Whether a process has ended: by its id where ids mean the same to both, else by its silence. */
async function isDead(
  entry: string,
  { pid, place }: Owner,
  self: LockingProcess,
  time: () => Promise<number>,
): Promise<boolean> {
  if (place === self.place) return !isAnother(pid, self);
  return isSilent(await lastSign(entry), time);
}

/** Whether the last sign is long ago; a process without one has let the lock go. */
async function isSilent(sign: number | undefined, time: () => Promise<number>): Promise<boolean> {
  return sign === undefined || (await time()) - sign >= silentMs;
}

/** How often a lock is looked at that is waited for, in milliseconds. */
const lookEveryMs = 1_000;

/** Waits for whether a process of another place has ended, where it may be waited for; not when it gives a sign of life. */
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
  // Who was silent all the while has ended, also when the clock of the file system was put back.
  for (let waitedMs = 0; waitedMs < silentMs; waitedMs += lookEveryMs) {
    if (await isDead(entry, owner, self, time)) break;
    await self.sleep(lookEveryMs, signal);
    const sign = await lastSign(entry);
    if (sign !== undefined && sign !== first) return false;
  }
  await removeEntry(dirname(entry), basename(entry));
  return true;
}

/** Takes away the folders of processes that were killed before they got the lock or gave up; only what is such a folder. */
async function removeAbandoned(path: string, self: LockingProcess, time: () => Promise<number>): Promise<void> {
  const prefix = `${basename(path)}.`;
  for (const name of await readdir(dirname(path))) {
    const folder = join(dirname(path), name);
    const entry = name.slice(prefix.length);
    const owner = name.startsWith(prefix) ? ownerOf(entry, self) : undefined;
    if (owner === undefined || (await kindOf(folder)) !== 'folder') continue;
    // Of another place, one that is just being made has no entry yet: then its own time counts.
    const isLeft =
      owner.place === self.place
        ? !isAnother(owner.pid, self)
        : await isSilent((await lastSign(join(folder, entry))) ?? (await lastSign(folder)), time);
    if (isLeft) await removeEntry(folder, entry).catch(() => {});
  }
}

/** The process that an entry of a lock names. Without a place it is one of ours. */
function ownerOf(entry: string, { place }: Pick<LockingProcess, 'place'>): Owner | undefined {
  const parts = /^([1-9]\d{0,9})-[\da-f-]{36}(?:@([\da-f]+))?$/.exec(entry);
  return parts === null ? undefined : { pid: Number(parts[1]), place: parts[2] ?? place };
}

/** Whether a process runs that is not this one. In a container every run may have the same id as the one before. */
function isAnother(pid: number, self: LockingProcess): boolean {
  return pid !== self.pid && self.isRunning(pid);
}

function noLock(path: string, what: string): UsageError {
  return new UsageError(`\`${path}\` is no lock: it ${what}; take it away`);
}

function taken(directory: string, path: string, { pid, place }: Owner, self: Owner, purpose: LockPurpose): UsageError {
  const { verb, owner, onWait } = purpose;
  const into = `cannot ${verb} \`${directory}\`: the ${owner} of process ${pid}`;
  if (place === self.place) {
    return new UsageError(
      `${into} does so already; end it, choose another directory, ` +
        `or take \`${path}\` away if process ${pid} is no such ${owner}`,
    );
  }
  const seconds = silentMs / 1000;
  const when =
    onWait === undefined ? `or wait ${seconds} s if it was killed` : `or take \`${path}\` away if it has ended`;
  return new UsageError(
    `${into} in another container, or on another machine, does so already: it gave a sign of life within the last ${seconds} s; ` +
      `end it, choose another directory, ${when}`,
  );
}
