import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isMissing } from './file-reason.js';

/**
 * Makes a directory and its parents. The option `recursive` of Node 20 is not used: it never
 * returns if a directory cannot be made (`/proc`), and takes a full disk for a missing parent.
 */
export async function makeDirectory(path: string): Promise<void> {
  const failure = await mkdir(path).catch((error: NodeJS.ErrnoException) => error);
  if (!(failure instanceof Error) || failure.code === 'EEXIST') return;
  const parent = dirname(path);
  if (!isMissing(failure) || parent === path) throw failure;
  await makeDirectory(parent);
  await mkdir(path);
}
