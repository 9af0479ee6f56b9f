/**
 * Tables as CSV (RFC 4180): lines end in CRLF, null is an empty cell, and no spreadsheet takes a
 * text for a formula.
 */
import type { Cell, Table, TableSink, TableWriter } from './columns.js';

/**
 * Matches the positions at which a spreadsheet would begin a formula: the beginning of the text,
 * and after every character that may separate cells or lines. Excel separates cells at semicolons
 * in half of Europe, and then our quotes, which are inside a line, close what the text opens.
 * Fullwidth signs begin formulas in East Asian editions, and invisible characters may be dropped.
 * Blanks, quotes and invisible characters are skipped only up to the next separator, so that the
 * search is linear.
 */
const formula = /(?<=^|[;\t\r\n])(?=(?:(?![\t\r\n])[\s\p{Cc}\p{Cf}"])*[=+\-@\uff1d\uff0b\uff0d\uff20\t\r])/gu;
/** Matches the `'` that is put at such a position. */
const guard = /(?<=^|[;\t\r\n])'(?=(?:(?![\t\r\n])[\s\p{Cc}\p{Cf}"])*[=+\-@\uff1d\uff0b\uff0d\uff20\t\r])/gu;
/**
 * Matches what has to be quoted: LibreOffice separates at semicolons and tabs unless they are
 * quoted.
 */
const special = /[",;\t\r\n]/;
/** Matches most cells, which need neither a `'` nor quotes. */
const plain = /^\w[^",;\t\r\n]*$/;
/** The byte order mark, without which Excel reads UTF-8 as the code page of the machine. */
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
 * Returns a cell as CSV. A text that a spreadsheet would take for a formula gets a `'` in front;
 * numbers stay as they are. Timestamps are ISO 8601 in UTC.
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
