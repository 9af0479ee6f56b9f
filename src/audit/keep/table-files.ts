/**
 * The tables of a finished audit as files beside its decisions: `decisions-0001.parquet`, and so
 * on.
 */
import { join } from 'node:path';
import { ShapeError } from '../../foundation/errors.js';
import { readNdjson } from '../../foundation/files/lines.js';
import { openOwn } from '../../foundation/files/own-entries.js';
import { type FileReplacement, type Permissions, replaceOwn } from '../../foundation/files/replace-file.js';
import { tableNames } from '../tables/columns.js';
import { type OpenTable, type TableFormat, tableFormats, writeTables } from '../tables/write-tables.js';
import type { DecisionRow } from './decision-row.js';

/**
 * Names of the files of tables. They are always numbered, so that one pattern reads an audit of any
 * size.
 */
export const tableFilePattern = new RegExp(`^(${tableNames.join('|')})-\\d{4,}\\.(${tableFormats.join('|')})$`);

/**
 * Writes the tables of a file of decisions; resolves to the names of the files. Each is written
 * whole or not at all; an error leaves those that were finished before it. Rejects with the errors
 * of the file system.
 */
export async function writeTableFiles(
  directory: string,
  decisions: string,
  format: TableFormat,
  permissions: Permissions,
  rowsPerFile?: number,
): Promise<readonly string[]> {
  const opened = new Set<FileReplacement>();
  const written: string[] = [];
  const open: OpenTable = async (table, number) => {
    const name = `${table}-${String(number).padStart(4, '0')}.${format}`;
    const file = await replaceOwn(join(directory, name), permissions);
    opened.add(file);
    return {
      append: file.append,
      async finish() {
        await file.commit();
        opened.delete(file);
        written.push(name);
      },
    };
  };
  try {
    await writeTables(rowsOf(decisions), format, open, rowsPerFile);
    return written;
  } finally {
    for (const file of opened) await file.discard();
  }
}

/**
 * Returns the files of tables for people: one name for each table, a pattern for one with several
 * files.
 */
export function tableFilesInWords(names: readonly string[]): readonly string[] {
  const tableOf = (name: string) => tableFilePattern.exec(name)?.[1];
  return tableNames.flatMap((table) => {
    const files = names.filter((name) => tableOf(name) === table);
    return files.length > 1 ? [files[0]!.replace(/-\d+/, '-*')] : files;
  });
}

async function* rowsOf(path: string): AsyncGenerator<DecisionRow, void, undefined> {
  const file = await openOwn(path);
  if (file === undefined) throw new ShapeError(path, 'the whole file', 'is gone');
  try {
    const chunks = file.createReadStream({ autoClose: false, highWaterMark: 1 << 20 });
    for await (const { value } of readNdjson(chunks, path)) yield value as DecisionRow;
  } finally {
    await file.close();
  }
}
