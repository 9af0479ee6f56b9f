/**
 * The journal of an apply, a private file beside the rules: a head, then a row for each part with its old and new content, on the disk before its
 * write.
 */
import { type FileHandle, open, readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import * as z from 'zod';
import { ShapeError, UsageError } from '../../foundation/errors.js';
import { withFileErrors } from '../../foundation/files/file-reason.js';
import { decodeText, readBytes } from '../../foundation/files/json.js';
import { ndjsonLine } from '../../foundation/files/ndjson.js';
import { flushDirectory } from '../../foundation/files/replace-file.js';
import { parse } from '../../platform/contract/parse.js';
import type { JournalRow } from '../../review/apply/journal-rows.js';

const headSchema = z.object({ apply: z.string() });
const partSchema = z.looseObject({ id: z.string() }).nullable();
const rowSchema = z.object({ kind: z.enum(['rule', 'list']), id: z.string(), was: partSchema, becomes: partSchema });

/** A journal that is written. */
export interface Journal {
  /** The path of its file, once it has a row. */
  readonly path: string | undefined;
  /** Adds a row, and resolves once it is on the disk. */
  readonly add: (row: JournalRow) => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Creates a journal in a directory, of an apply to the platform of an id; its file is made with the first row. */
export function createJournal(directory: string, platform: string): Journal {
  let file: FileHandle | undefined;
  let path: string | undefined;
  const begin = async (): Promise<FileHandle> => {
    const time = new Date().toISOString().slice(0, 19).replaceAll(':', '');
    for (let number = 1; ; number += 1) {
      path = join(directory, `apply-${time}${number === 1 ? '' : `-${number}`}.ndjson`);
      try {
        const opened = await open(path, 'wx', 0o600);
        await opened.appendFile(ndjsonLine({ apply: platform }));
        await flushDirectory(directory);
        return opened;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      }
    }
  };
  return {
    get path() {
      return path;
    },
    add: (row) =>
      withFileErrors('write a journal into', directory, async () => {
        file ??= await begin();
        await file.appendFile(ndjsonLine(row));
        await file.sync();
      }),
    close: async () => file?.close(),
  };
}

/** Reads a journal: its platform and its rows. A last line that was cut off is left out, since its write was never made. */
export async function readJournal(
  path: string,
): Promise<{ readonly platform: string; readonly rows: readonly JournalRow[] }> {
  const lines = decodeText(await readBytes(path), path)
    .split('\n')
    .slice(0, -1);
  const values = lines.map((line, index): unknown => {
    try {
      return JSON.parse(line);
    } catch {
      throw new ShapeError(`${path}:${index + 1}`, 'the whole line', 'must be json');
    }
  });
  if (values.length === 0) throw new ShapeError(path, 'the first line', 'must be that of a journal of `sluice apply`');
  const { apply } = parse(headSchema, values[0], `${path}:1`);
  const rows = values.slice(1).map((value, index) => parse(rowSchema, value, `${path}:${index + 2}`));
  return { platform: apply, rows: rows as unknown as JournalRow[] };
}

/** Resolves to the directory in which the journals of rules are: that of a folder itself, or that of a file. */
export async function journalDirectoryOf(path: string): Promise<string> {
  const found = await withFileErrors('read', path, () => stat(path));
  return found.isDirectory() ? path : dirname(path);
}

/** Reads the rows of all journals in a directory that are of a platform. Throws `UsageError` for one that cannot be read as a journal. */
export async function rowsOfJournals(directory: string, platform: string): Promise<readonly JournalRow[]> {
  const names = await withFileErrors('read', directory, () => readdir(directory));
  const rows: JournalRow[] = [];
  for (const name of names.filter((name) => /^apply-[\dT-]+\.ndjson$/.test(name)).sort()) {
    const path = join(directory, name);
    const journal = await readJournal(path).catch((error: unknown) => {
      if (!(error instanceof ShapeError)) throw error;
      throw new UsageError(`${error.message}; move the file away if it is not a journal of \`sluice apply\``);
    });
    if (journal.platform === platform) rows.push(...journal.rows);
  }
  return rows;
}
