import { randomUUID } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/**
 * Writes a file atomically, also across a crash of the machine: a temporary file in the same directory is written and
 * flushed, then renamed over the old one, then the directory is flushed. Rejects with the error of the file system, after
 * the temporary file is removed.
 */
export async function writeFileAtomically(path: string, text: string): Promise<void> {
  const directory = dirname(path);
  const temporary = join(directory, `.${basename(path)}.${randomUUID()}.tmp`);
  try {
    const file = await open(temporary, 'wx');
    try {
      await file.writeFile(text, 'utf8');
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  await flushDirectory(directory);
}

/** Errors are ignored: Windows cannot open a directory, some file systems cannot flush one, and the rename is done already. */
async function flushDirectory(directory: string): Promise<void> {
  try {
    const handle = await open(directory, 'r');
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  } catch {
    return;
  }
}
