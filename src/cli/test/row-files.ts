import type { NdjsonLine } from '../../foundation/files/lines.js';
import { isJsonArray, readRows } from '../../foundation/files/rows.js';
import { readWholeText, standardInput } from '../input-files.js';
import type { Io } from '../io.js';

/** A file of rows: NDJSON, or one JSON array. */
export interface RowFile {
  /** Name in errors and results. */
  readonly label: string;
  /** Whether it is an array. */
  readonly isArray: () => Promise<boolean>;
  /** The rows with their first lines. */
  readonly rows: () => AsyncIterable<NdjsonLine>;
}

/**
 * Reads a file of rows, `-` for standard input. Throws `UsageError` if it cannot be read, and
 * `ShapeError` for a row that is not JSON.
 */
export async function openRows(path: string, io: Io, label = path === '-' ? standardInput : path): Promise<RowFile> {
  const chunks = [Buffer.from(await readWholeText(path, io))];
  return { label, isArray: () => isJsonArray(chunks), rows: () => readRows(() => chunks, label) };
}
