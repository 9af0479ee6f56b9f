/**
 * Signs of life of a process that others cannot ask for: of another container, whose process ids mean nothing here, or of another machine.
 * The process writes into a file again and again. How long it has been silent is a difference of two times of the same file system, that
 * of its file and that of one that was written just now: clocks of two machines need not agree.
 */
import { createHash } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { lstat, open } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { unlessMissing } from './file-reason.js';

/** The name of the file. */
export const signName = 'alive';
/** How often it is written, in milliseconds. */
export const signEveryMs = 5_000;
/** Who has been silent for so long has ended: some signs more than a busy event loop or a slow disk swallows. */
export const silentMs = 30_000;

/**
 * Where process ids mean what they mean to this process: its PID namespace, in a kernel that runs, where the system tells them, else its
 * host. Twelve hexadecimal digits.
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

/** Whether a process of this place runs. A zombie has ended, and has its id until its parent takes note: in a container, often for ever. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM: a process of another user.
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  return !isZombie(pid);
}

/** By `/proc`: the state stands behind the name, which is in brackets and may have any character. False where there is no such file. */
function isZombie(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return /^ [ZX]/.test(stat.slice(stat.lastIndexOf(')') + 1));
  } catch {
    return false;
  }
}

/** Writes into the file of a folder, which must be there: a folder that another process took away does not come back. */
export async function giveSign(folder: string): Promise<void> {
  const file = await open(join(folder, signName), 'r+');
  try {
    await file.write('.', 0);
  } finally {
    await file.close();
  }
}

/** When the last sign was given in a folder, in milliseconds of its file system; undefined when the folder is gone. */
export async function lastSign(folder: string): Promise<number | undefined> {
  // Opened, since a file system of a network asks its server then; what stands without the file was being taken away.
  const file = await open(join(folder, signName), 'r').catch(unlessMissing);
  if (file === undefined) return (await lstat(folder).catch(unlessMissing))?.mtimeMs;
  try {
    return (await file.stat()).mtimeMs;
  } finally {
    await file.close();
  }
}
