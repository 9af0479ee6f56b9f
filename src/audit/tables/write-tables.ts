/**
 * Writes the tables of an audit from the rows of its decisions, in one pass; memory holds a batch
 * of each table at most.
 */
import type { DecisionRow } from '../keep/decision-row.js';
import { type Cell, type Table, type TableName, type TableSink, type TableWriter, tables } from './columns.js';
import { csvWriter } from './csv.js';
import { parquetWriter } from './parquet.js';

export const tableFormats = ['parquet', 'csv'] as const;
export type TableFormat = (typeof tableFormats)[number];

/** Opens a file of a table. Files are numbered from 1. */
export type OpenTable = (table: TableName, number: number) => Promise<TableSink>;

/**
 * The number of rows of a batch, which is a row group in Parquet. A batch may have up to 1,000 rows
 * more, since one message may have 1,000 matches.
 */
const batchRows = 10_000;

/**
 * The largest number of rows of a file. The footer of a Parquet file grows by its row groups and is
 * held in memory; a sheet of Excel ends at 1,048,576 rows.
 */
const fileRows = 1_000_000;

/** One file of a table. */
interface OpenFile {
  readonly writer: TableWriter;
  /** Rows that are in the file and in the batch. */
  count: number;
  batch: (readonly Cell[])[];
}

/**
 * Writes the three tables. Before any table would have more than `rowsPerFile` rows in a file, all
 * tables begin their next file, so that files with the same number have the same decisions; a
 * single decision with more rows has a file to itself. The same rows give the same bytes, however
 * they arrive. Rejects with the errors of rows and sinks.
 */
export async function writeTables(
  rows: AsyncIterable<DecisionRow> | Iterable<DecisionRow>,
  format: TableFormat,
  open: OpenTable,
  rowsPerFile = fileRows,
): Promise<void> {
  const writerOf = format === 'parquet' ? parquetWriter : csvWriter;
  const openFile = async (table: Table, number: number): Promise<OpenFile> => ({
    writer: await writerOf(table, await open(table.name, number)),
    count: 0,
    batch: [],
  });
  const openFiles = async (number: number): Promise<readonly OpenFile[]> => {
    const opened: OpenFile[] = [];
    for (const table of tables) opened.push(await openFile(table, number));
    return opened;
  };
  let line = 0;
  let number = 1;
  let files = await openFiles(number);
  for await (const row of rows) {
    line += 1;
    const added = tables.map((table) => table.rowsOf(row, line));
    const isFull = added.some((each, index) => files[index]!.count + each.length > rowsPerFile);
    if (isFull && files.some(({ count }) => count > 0)) {
      await finish(files);
      number += 1;
      files = await openFiles(number);
    }
    for (const [index, file] of files.entries()) {
      file.count += added[index]!.length;
      for (const row of added[index]!) file.batch.push(row);
      if (file.batch.length >= batchRows) await writeBatch(file);
    }
  }
  await finish(files);
}

async function writeBatch(file: OpenFile): Promise<void> {
  await file.writer.write(file.batch);
  file.batch = [];
}

async function finish(files: readonly OpenFile[]): Promise<void> {
  for (const file of files) {
    if (file.batch.length > 0) await writeBatch(file);
    await file.writer.finish();
  }
}
