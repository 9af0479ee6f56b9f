/** One service at a time saves into a directory, so that none replaces at its end what another one wrote. */
import { readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { UsageError } from '../errors.js';

/** Lets a directory go. Never rejects: a lock that stays behind is that of a process that is soon dead. */
export type Unlock = () => Promise<void>;

/** The file that says who saves into a directory: its process id, as a line of decimal digits. */
export const lockName = '.sluice.lock';

/** Locks of services in this process: its own id does not tell them from those of dead ones. */
const held = new Set<string>();

/** How often, and how many milliseconds apart, a lock is read that says no process yet: its owner is about to write it. */
const looks = { most: 5, apartMs: 20 };

/**
 * Takes a directory for one service. The lock of a dead process is taken over, and one that was never written to its end. Throws
 * `UsageError` when another service has it, and rejects with the error of the file system. Process ids are those of one machine:
 * machines that share a directory do not see each other.
 */
export async function lockDirectory(directory: string): Promise<Unlock> {
  const path = join(await realpath(directory), lockName);
  if (held.has(path)) throw taken(directory, path, process.pid);
  // Before the file is there: until its owner noted it here, a lock of our own id would pass for that of a dead process.
  held.add(path);
  try {
    for (let look = 0; !(await create(path)); look += 1) {
      const owner = await ownerOf(path);
      if (owner !== undefined && isAnother(owner)) throw taken(directory, path, owner);
      if (owner === undefined && look < looks.most) await pause(looks.apartMs);
      else await rm(path, { force: true });
    }
  } catch (error) {
    held.delete(path);
    throw error;
  }
  return async () => {
    // Not the lock of a service that took it meanwhile.
    const isOurs = held.delete(path) && (await ownerOf(path).catch(() => undefined)) === process.pid;
    if (isOurs) await rm(path, { force: true }).catch(() => {});
  };
}

/** Whether the lock was not there and is ours now. */
function create(path: string): Promise<boolean> {
  return writeFile(path, `${process.pid}\n`, { flag: 'wx' }).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
      return false;
    },
  );
}

/** The process that a lock names, if it names one. */
async function ownerOf(path: string): Promise<number | undefined> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    return '';
  });
  return /^[1-9]\d{0,9}\n$/.test(text) ? Number(text) : undefined;
}

/** Whether a process runs that is not this one. In a container every run may have the same id as the one before. */
function isAnother(pid: number): boolean {
  if (pid === process.pid) return false;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function taken(directory: string, path: string, owner: number): UsageError {
  return new UsageError(
    `cannot save into \`${directory}\`: the service of process ${owner} does so already; end it, choose another directory, ` +
      `or take \`${path}\` away if process ${owner} is no such service`,
  );
}
