/**
 * Tables as CSV (RFC 4180): lines end in CRLF, null is an empty cell, and no spreadsheet takes a
 * text for a formula.
 */
import type { Cell, Table, TableSink, TableWriter } from './columns.js';

/**
 * Matches where a spreadsheet would begin to calculate: at the beginning of the text, and behind
 * what separates cells or lines for spreadsheets that were set up otherwise. Excel takes semicolons
 * in half of Europe, and then our quotes, which are inside a line, close what the text opens. Full-
 * width signs calculate in East Asian editions, and what is invisible may be dropped. Blanks,
 * quotes and what is invisible are looked past up to the next separator alone, so that the search
 * is linear.
 */
const formula = /(?<=^|[;\t\r\n])(?=(?:(?![\t\r\n])[\s\p{Cc}\p{Cf}"])*[=+\-@\uff1d\uff0b\uff0d\uff20\t\r])/gu;
/** Matches what is put there. */
const guard = /(?<=^|[;\t\r\n])'(?=(?:(?![\t\r\n])[\s\p{Cc}\p{Cf}"])*[=+\-@\uff1d\uff0b\uff0d\uff20\t\r])/gu;
/** LibreOffice also separates at semicolons and tabs, unless they are quoted. */
const special = /[",;\t\r\n]/;
/** Most cells: there is nothing in them to make safe or to quote. */
const plain = /^\w[^",;\t\r\n]*$/;
/** Without it, Excel reads UTF-8 as the code page of the machine. */
const byteOrderMark = '\u{feff}';

/**
 * Returns a text that no spreadsheet evaluates: a `'` precedes everything that would begin a
 * formula.
 */
function withoutFormulas(text: string): string {
  return text.replace(formula, "'");
}

/** Returns the text that `withoutFormulas` made safe. */
export function withFormulas(text: string): string {
  return text.replace(guard, '');
}

/**
 * Returns a cell as CSV. What a spreadsheet would calculate of a text gets `'` in front; numbers
 * stay as they are. Timestamps are ISO 8601 in UTC.
 */
export function csvCell(cell: Cell, type: Table['columns'][number]['type']): string {
  if (cell === null) return '';
  if (type === 'timestamp') return new Date(Number(cell)).toISOString();
  if (typeof cell !== 'string') return String(cell);
  if (plain.test(cell)) return cell;
  const safe = withoutFormulas(cell);
  return special.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/**
 * Returns a writer of a file of a table as CSV, after a byte order mark and a line of the names of
 * columns.
 */
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
      await sink.finish();
    },
  };
}
