/** Tables as CSV (RFC 4180): lines end in CRLF, null is an empty cell, and no text is taken for a formula by a spreadsheet. */
import type { Cell, Table, TableSink, TableWriter } from './columns.js';

/** What makes spreadsheets calculate, at the beginning of a cell. */
const formula = /^[=+\-@\t\r]/;
const special = /[",\r\n]/;
/** Without it, Excel reads UTF-8 as the code page of the machine. */
const byteOrderMark = '\u{feff}';

/**
 * A cell as CSV. A text that a spreadsheet would calculate gets `'` in front; numbers stay as they are. Timestamps are ISO 8601 in
 * UTC.
 */
export function csvCell(cell: Cell, type: Table['columns'][number]['type']): string {
  if (cell === null) return '';
  if (type === 'timestamp') return new Date(Number(cell)).toISOString();
  if (typeof cell !== 'string') return String(cell);
  const safe = formula.test(cell) ? `'${cell}` : cell;
  return special.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** A writer of a table as CSV, behind a byte order mark and a line of the names of columns. */
export function csvWriter({ columns }: Table, sink: TableSink): TableWriter {
  let isBegun = false;
  const begin = () => {
    if (isBegun) return '';
    isBegun = true;
    return `${byteOrderMark}${columns.map(({ name }) => name).join(',')}\r\n`;
  };
  return {
    async write(rows) {
      const line = (row: readonly Cell[]) => row.map((cell, index) => csvCell(cell, columns[index]!.type)).join(',');
      await sink.append(Buffer.from(begin() + rows.map((row) => `${line(row)}\r\n`).join('')));
    },
    async finish() {
      await sink.append(Buffer.from(begin()));
    },
  };
}
