import { readFileSync } from 'node:fs';
import { brotliDecompressSync } from 'node:zlib';

/**
 * The messages of the demo by columns, which take a third of the bytes of rows under gzip: the
 * shape of each row, and in each shape the number of a column instead of each value. The first
 * columns, ids and times, hold differences to the value before.
 */
interface Columns {
  readonly shapes: readonly string[];
  readonly rows: readonly number[];
  readonly differences: readonly (readonly number[])[];
  readonly columns: readonly (readonly unknown[])[];
}

/** The path of the demo, the same from `src/platform/service` and from `dist/platform/service`. */
const bundled = new URL('../../../fixtures/data/messages.json.br', import.meta.url);

/** Yields the messages of the demo that comes with the package, as rows (§2.4), oldest first. */
export function* bundledMessages(file: URL | string = bundled): Generator<unknown> {
  const read = JSON.parse(brotliDecompressSync(readFileSync(file)).toString('utf8')) as Columns;
  const [ids, ...times] = read.differences.map((column) => {
    let sum = 0;
    return column.map((difference) => (sum += difference));
  });
  const columns = [ids!.map(String), ...times, ...read.columns].map((column) => column.values());
  const fill = (_: string, value: unknown) => (typeof value === 'number' ? columns[value]!.next().value : value);
  for (const shape of read.rows) yield JSON.parse(read.shapes[shape]!, fill);
}
