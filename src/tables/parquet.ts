/** Tables as Parquet: one row group for each batch of rows, compressed by Snappy. The same rows in the same batches are the same bytes. */
import type { SchemaElement } from 'hyparquet';
import type { ColumnType, Table, TableSink, TableWriter } from './columns.js';

const physical: Record<ColumnType, Omit<SchemaElement, 'name'>> = {
  string: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  double: { type: 'DOUBLE' },
  boolean: { type: 'BOOLEAN' },
  timestamp: { type: 'INT64', converted_type: 'TIMESTAMP_MILLIS' },
};

/** A writer of a table as Parquet. Its library is loaded here, so that nothing else pays for it. */
export async function parquetWriter({ columns }: Table, sink: TableSink): Promise<TableWriter> {
  const { ByteWriter, ParquetWriter } = await import('hyparquet-writer');
  const bytes = new ByteWriter();
  const flush = async () => {
    await sink.append(bytes.getBytes());
    bytes.index = 0;
  };
  const writer = new ParquetWriter({
    writer: Object.assign(bytes, { flush, finish: flush }),
    schema: [
      { name: 'root', num_children: columns.length },
      ...columns.map(({ name, type }): SchemaElement => ({ name, repetition_type: 'OPTIONAL', ...physical[type] })),
    ],
    createdBy: 'sluice',
  });
  return {
    async write(rows) {
      const columnData = columns.map(({ name }, index) => ({ name, data: rows.map((row) => row[index]) }));
      await writer.write({ columnData, rowGroupSize: rows.length });
    },
    async finish() {
      await writer.finish();
    },
  };
}
