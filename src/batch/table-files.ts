/** The tables of a finished audit as files beside its decisions. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import type { DecisionRow } from '../audit/decision-row.js';
import { readNdjson } from '../audit/ndjson.js';
import { type FileReplacement, replaceFile } from '../loader/write-file-atomically.js';
import { type TableName, type TableSink, tableNames } from '../tables/columns.js';
import { type TableFormat, writeTables } from '../tables/write-tables.js';
import type { FileDigest } from './parts.js';

/**
 * Writes the tables from a file of decisions, each whole or not at all, and returns sizes and digests by name of the file. Rejects with
 * the errors of the file system.
 */
export async function writeTableFiles(
  directory: string,
  decisions: string,
  format: TableFormat,
): Promise<Record<string, FileDigest>> {
  const files: { readonly name: string; readonly file: FileReplacement; readonly digest: () => FileDigest }[] = [];
  const sinks: Partial<Record<TableName, TableSink>> = {};
  try {
    for (const table of tableNames) {
      const name = `${table}.${format}`;
      const file = await replaceFile(join(directory, name));
      const hash = createHash('sha256');
      let length = 0;
      files.push({ name, file, digest: () => ({ bytes: length, sha256: hash.copy().digest('hex') }) });
      sinks[table] = {
        async append(bytes) {
          hash.update(bytes);
          length += bytes.length;
          await file.append(bytes);
        },
      };
    }
    await writeTables(rowsOf(decisions), format, sinks as Record<TableName, TableSink>);
    for (const { file } of files) await file.commit();
    return Object.fromEntries(files.map(({ name, digest }) => [name, digest()]));
  } finally {
    for (const { file } of files) await file.discard();
  }
}

async function* rowsOf(path: string): AsyncGenerator<DecisionRow, void, undefined> {
  const chunks = createReadStream(path, { highWaterMark: 1 << 20 });
  for await (const { value } of readNdjson(chunks, path)) yield value as DecisionRow;
}
