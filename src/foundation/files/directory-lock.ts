/**
 * A lock that lets one process at a time write into a directory. It is a folder with one entry,
 * whose name identifies the owner and is never used again. A process makes such a folder under
 * another name and renames it to the name of the lock, which fails while the lock has an entry. The
 * entry of a process that has ended is removed by its name, so a late process never removes the
 * entry of the next owner.
 *
 * An owner renews the time of its entry. It counts as ended if it has not done so for too long, by
 * the clock of the file system, or if no process has its process id and both processes share the
 * scope of such ids. A process that was suspended may have lost its entry, and calls `isHeld`
 * before it writes again.
 */
import { createHash, randomUUID } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { lstat, readdir, realpath, rename, rmdir, utimes } from 'node:fs/promises';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { UsageError } from '../errors.js';
import { unlessMissing, unlessMissingOr } from './file-reason.js';
import { makeDirectory } from './make-directory.js';

/** A lock that this process has. */
export interface DirectoryLock {
  /**
   * Releases the directory. Never rejects: a lock that remains soon counts as that of an ended
   * process.
   */
  release(): Promise<void>;
  /** Reports whether this process still has the lock. */
  isHeld(): Promise<boolean>;
}

/** The purpose of a lock, for the error of a second process. */
export interface LockPurpose {
  /** The work as a verb, such as "audit into". */
  readonly verb: string;
  /** The name of the owner, such as "audit". */
  readonly owner: string;
  /**
   * Called when only time can tell whether the owner of the lock is alive: the caller then waits
   * until the owner gives a sign of life, or is silent for too long. If absent, such a lock is
   * refused.
   */
  readonly onWait?: ((holder: { readonly pid: number; readonly atMostMs: number }) => void) | undefined;
  /** Ends the wait. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * The name of the lock. Processes that try to get the lock make folders beside it, named by its
 * name, a dot, and the id of their entry.
 */
export const lockName = '.sluice.lock';

/** Milliseconds between two signs of life, and of silence after which a process has ended. */
const signEveryMs = 5_000;
const silentMs = 30_000;

/** The ids of the entries of this process: an ended process may have had the same process id. */
const held = new Set<string>();
const pidScope = readPidScope();

/**
 * Locks a directory for one process. The lock of a process that has ended is taken over. Throws
 * `UsageError` if another process has it, and rejects with the error of the file system.
 */
export async function lockDirectory(directory: string, purpose: LockPurpose): Promise<DirectoryLock> {
  const path = join(await realpath(directory), lockName);
  const id = `${process.pid}-${randomUUID()}@${pidScope}`;
  const made = `${path}.${id}`;
  const entry = join(path, id);
  held.add(id);
  try {
    await makeDirectory(join(made, id));
    while (!(await isRenamed(made, path))) {
      for (const name of (await readdir(path).catch(unlessMissing)) ?? []) {
        if (!owned.test(name)) throw new UsageError(`\`${path}\` is not a lock: it holds \`${name}\`; remove it`);
        if (!(await hasEnded(join(path, name), join(made, id), purpose))) throw taken(directory, path, name, purpose);
        await removeEntry(path, name);
      }
      await rmdir(path).catch(unlessMissingOr('ENOTEMPTY', 'EEXIST'));
    }
  } catch (error) {
    held.delete(id);
    await removeEntry(made, id);
    throw error;
  }
  await removeAbandoned(path, entry).catch(() => {});
  const signs = setInterval(() => void giveSign(entry).catch(() => {}), signEveryMs).unref();
  return {
    async release() {
      clearInterval(signs);
      held.delete(id);
      await removeEntry(path, id);
    },
    isHeld: async () => (await lstat(entry).catch(unlessMissing)) !== undefined,
  };
}

/** Matches the id of an entry: a process id, random digits, and the scope of process ids. */
const owned = /^([1-9]\d{0,9})-[\da-f-]{36}(?:@([\da-f]+))?$/;

function ownerOf(name: string) {
  const [, pid, where = pidScope] = owned.exec(name) ?? [];
  return { pid: Number(pid), isHere: where === pidScope };
}

/**
 * Reports whether the process of an entry is known to have ended. An entry with our process id that
 * is not ours belongs to an ended process.
 */
function isGone(name: string): boolean {
  const { pid, isHere } = ownerOf(name);
  return isHere && !held.has(name) && (pid === process.pid || !isRunning(pid));
}

/** Tries to rename a folder to the lock; fails if the lock has an entry. */
function isRenamed(made: string, path: string): Promise<boolean> {
  return rename(made, path).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      // Windows reports the first two as `EPERM`.
      if (['ENOTEMPTY', 'EEXIST', 'EPERM'].includes(error.code ?? '')) return false;
      if (error.code === 'ENOTDIR')
        throw new UsageError(`\`${path}\` is not a lock, since it is not a folder; remove it`);
      throw error;
    },
  );
}

/**
 * Reports whether the owner of an entry has ended; waits for a sign of a process that cannot be
 * looked up. `ownEntry` is that of this process.
 */
async function hasEnded(entry: string, ownEntry: string, { onWait, signal }: LockPurpose): Promise<boolean> {
  const { pid, isHere } = ownerOf(basename(entry));
  if (held.has(basename(entry))) return false;
  if (isGone(basename(entry))) return true;
  const first = await signOf(entry);
  await giveSign(ownEntry);
  if (first === undefined || (await signOf(ownEntry))! - first >= silentMs) return true;
  if (isHere || onWait === undefined) return false;
  onWait({ pid, atMostMs: silentMs });
  for (const begin = performance.now(); performance.now() - begin < silentMs; ) {
    await pause(signEveryMs / 5, undefined, { signal }).catch((error) => {
      signal?.throwIfAborted();
      throw error;
    });
    const sign = await signOf(entry);
    if (sign !== first) return sign === undefined;
  }
  return true;
}

const giveSign = (entry: string) => utimes(entry, new Date(), new Date());
const signOf = async (entry: string) => (await lstat(entry).catch(unlessMissing))?.mtimeMs;

/** Removes an entry, and its folder if that is then empty. */
async function removeEntry(path: string, name: string): Promise<void> {
  await rmdir(join(path, name)).catch(() => {});
  await rmdir(path).catch(() => {});
}

/**
 * Removes the folders of processes that were killed before they got the lock or gave up, and
 * nothing else.
 */
async function removeAbandoned(path: string, ownEntry: string): Promise<void> {
  const prefix = `${basename(path)}.`;
  for (const name of await readdir(dirname(path))) {
    const entry = name.slice(prefix.length);
    if (!name.startsWith(prefix) || !owned.test(entry)) continue;
    const folder = join(dirname(path), name);
    const isSilent = (await signOf(ownEntry))! - ((await signOf(folder)) ?? 0) >= silentMs;
    if (isSilent || isGone(entry)) await removeEntry(folder, entry);
  }
}

/**
 * Returns the identity of the scope of process ids: a PID namespace in a running kernel, if the
 * system names these, else a host.
 */
function readPidScope(): string {
  let named: string;
  try {
    named = `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8')} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    named = hostname();
  }
  return createHash('sha256').update(named).digest('hex').slice(0, 12);
}

/**
 * Reports whether a process runs. A zombie does not, though it keeps its id until its parent
 * collects it: in a container, often for ever.
 */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM means that the process belongs to another user.
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  try {
    // The state follows the name, which is in brackets and may have any character.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return !/^ [ZX]/.test(stat.slice(stat.lastIndexOf(')') + 1));
  } catch {
    return true;
  }
}

function taken(directory: string, path: string, name: string, { verb, owner, onWait }: LockPurpose): UsageError {
  const { pid, isHere } = ownerOf(name);
  const into = `cannot ${verb} \`${directory}\`: the ${owner} of process ${pid}`;
  if (isHere) {
    const end = `remove \`${path}\` if process ${pid} is not an ${owner}`;
    return new UsageError(`${into} does so already; end it, choose another directory, or ${end}`);
  }
  const seconds = silentMs / 1000;
  const when = onWait === undefined ? `or wait ${seconds} s if it was killed` : `or remove \`${path}\` if it has ended`;
  const where = 'in another container, or on another machine, does so already';
  const active = `it was active within the last ${seconds} s; end it, choose another directory, ${when}`;
  return new UsageError(`${into} ${where}: ${active}`);
}
