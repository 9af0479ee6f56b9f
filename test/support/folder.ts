/** Folders for files that tests write. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

/**
 * Makes an empty folder, which goes after the last test of the file or of the group that calls
 * this.
 */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
