import { stat } from 'node:fs/promises';
import { withFileErrors } from '../../foundation/files/file-reason.js';
import type { NdjsonLine } from '../../foundation/files/lines.js';
import { openFile } from '../../foundation/files/open-file.js';
import { isJsonArray, readRows } from '../../foundation/files/rows.js';
import { readWholeText, standardInput } from '../input-files.js';
import type { Io } from '../io.js';

/** A file of rows: NDJSON, or one JSON array. */
export interface RowFile {
  /** Name in errors and results. */
  readonly label: string;
  /** Whether it is an array. */
  readonly isArray: () => Promise<boolean>;
  /** The rows with their first lines. Each iteration reads the file again. */
  readonly rows: () => AsyncIterable<NdjsonLine>;
}

/**
 * Opens a file of rows, `-` for standard input. A file is read in portions, an array whole, as is what can be read once only: standard
 * input and pipes. Throws `UsageError` when it cannot be read, and `ShapeError` while it is read.
 */
export async function openRows(path: string, io: Io, label = path === '-' ? standardInput : path): Promise<RowFile> {
  const kind = path === '-' ? undefined : await withFileErrors('read', path, () => stat(path));
  const isRepeatable = kind?.isFile() === true || kind?.isDirectory() === true;
  const kept = isRepeatable ? undefined : [Buffer.from(await readWholeText(path, io))];
  const chunks = () => kept ?? chunksOf(path);
  return {
    label,
    isArray: () => isJsonArray(chunks()),
    rows: () => readRows(chunks, label),
  };
}

async function* chunksOf(path: string): AsyncGenerator<Uint8Array> {
  const file = await withFileErrors('read', path, () => openFile(path));
  try {
    yield* file.chunks;
  } finally {
    await file.close();
  }
}
