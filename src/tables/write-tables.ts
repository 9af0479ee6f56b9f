/** Writes the tables of an audit from the rows of its decisions, in one pass; memory holds a batch of each table at most. */
import type { DecisionRow } from '../audit/decision-row.js';
import { type Cell, type TableName, type TableSink, tables } from './columns.js';
import { csvWriter } from './csv.js';
import { parquetWriter } from './parquet.js';

/** The formats of tables. */
export const tableFormats = ['parquet', 'csv'] as const;
export type TableFormat = (typeof tableFormats)[number];

/** Rows of a batch: those of a row group in Parquet. One message may have 1,000 matches, so a batch may have as many more. */
const batchRows = 10_000;

/**
 * Writes the three tables to their sinks. How the rows arrive makes no difference: the same rows are the same bytes. Rejects with the
 * errors of rows and sinks.
 */
export async function writeTables(
  rows: AsyncIterable<DecisionRow> | Iterable<DecisionRow>,
  format: TableFormat,
  sinks: Readonly<Record<TableName, TableSink>>,
): Promise<void> {
  const open = format === 'parquet' ? parquetWriter : csvWriter;
  const writers = await Promise.all(
    tables.map(async (table) => ({
      table,
      writer: await open(table, sinks[table.name]),
      batch: [] as (readonly Cell[])[],
    })),
  );
  for await (const row of rows) {
    for (const each of writers) {
      each.batch.push(...each.table.rowsOf(row));
      if (each.batch.length < batchRows) continue;
      await each.writer.write(each.batch);
      each.batch = [];
    }
  }
  for (const { writer, batch } of writers) {
    if (batch.length > 0) await writer.write(batch);
    await writer.finish();
  }
}
