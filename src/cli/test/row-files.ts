import { plainFormat, rowsOf } from '../../audit/source/rows.js';
import { parseJson } from '../../foundation/files/json.js';
import { type NdjsonLine, readNdjson } from '../../foundation/files/lines.js';
import { readWholeText, standardInput } from '../input-files.js';
import type { Io } from '../io.js';

/** A file of rows: NDJSON, or a single JSON array. */
export interface RowFile {
  /** The name in errors and results. */
  readonly label: string;
  readonly isArray: boolean;
  /** Returns the rows, each with the line on which it begins. */
  readonly rows: () => AsyncIterable<NdjsonLine>;
}

/**
 * Opens a file of rows, or standard input for `-`. Throws `UsageError` if it cannot be read.
 * Reading the rows throws `ShapeError` for a row that is not JSON.
 */
export async function openRows(path: string, io: Io, label = path === '-' ? standardInput : path): Promise<RowFile> {
  const text = (await readWholeText(path, io)).replace(/^\ufeff/, '');
  const [start] = /^\s*\[/.exec(text) ?? [];
  const rows = () => (start === undefined ? readNdjson([Buffer.from(text)], label) : itemsOf(text, start, label));
  return { label, isArray: start !== undefined, rows };
}

async function* itemsOf(text: string, start: string, label: string): AsyncGenerator<NdjsonLine> {
  const items = parseJson(text, label) as readonly unknown[];
  const [bytes, firstLine] = [Buffer.from(text.slice(start.length)), start.split('\n').length];
  const rows = rowsOf({ bytes, firstLine }, { ...plainFormat, records: { kind: 'item' } });
  for (const value of items) yield { value, line: rows.next().value?.line ?? firstLine };
}
