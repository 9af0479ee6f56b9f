/**
 * Signs of life of a process that cannot be looked up: of another container, whose process ids mean nothing here, or of another machine.
 * The process writes into a file again and again. How long it has been silent is a difference of two times of the same file system, that
 * of its file and that of one written just now, so the clocks of two machines need not agree.
 */
import { createHash } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { lstat, open } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { unlessMissing } from './file-reason.js';

/** The name of the file with the signs. */
export const signName = 'alive';
/** Milliseconds between two signs. */
export const signEveryMs = 5_000;
/** Milliseconds of silence after which a process has ended: more than a busy event loop or a slow disk delays a sign. */
export const silentMs = 30_000;

/**
 * Identifies where process ids mean what they mean to this process: its PID namespace in a running kernel, if the system names them, else
 * its host. Twelve hexadecimal digits.
 */
export function placeOfProcess(): string {
  let place: string;
  try {
    place = `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8')} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    place = hostname();
  }
  return createHash('sha256').update(place).digest('hex').slice(0, 12);
}

/** Reports whether a process of this place is alive. A zombie is not, though it keeps its id until its parent collects it: in a container, often for ever. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM: a process of another user.
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  return !isZombie(pid);
}

/** Reads `/proc`: the state comes after the name, which is in brackets and may have any character. False without such a file. */
function isZombie(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return /^ [ZX]/.test(stat.slice(stat.lastIndexOf(')') + 1));
  } catch {
    return false;
  }
}

/** Gives a sign in a folder, which must exist: a folder that another process removed does not come back. */
export async function giveSign(folder: string): Promise<void> {
  const file = await open(join(folder, signName), 'r+');
  try {
    await file.write('.', 0);
  } finally {
    await file.close();
  }
}

/** Resolves to the time of the last sign in a folder, in milliseconds of its file system; undefined if the folder is gone. */
export async function lastSign(folder: string): Promise<number | undefined> {
  // Opened, since a network file system only then checks with its server; a folder without the file was being removed.
  const file = await open(join(folder, signName), 'r').catch(unlessMissing);
  if (file === undefined) return (await lstat(folder).catch(unlessMissing))?.mtimeMs;
  try {
    return (await file.stat()).mtimeMs;
  } finally {
    await file.close();
  }
}
