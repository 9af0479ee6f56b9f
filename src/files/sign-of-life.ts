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
