import { escapeText } from './escape-text.js';
import type { Paint, Tone } from './paint.js';
import { fitText, textWidth } from './text-width.js';

export interface Column<Row> {
  readonly title: string;
  readonly text: (row: Row) => string;
  readonly align?: 'left' | 'right';
  /** May be cut to make the table fit; the widest of these gives first. */
  readonly flexible?: boolean;
  readonly tone?: (row: Row) => Tone | undefined;
}

const gap = '  ';
const narrowest = 8;

/** Lines of a table with aligned columns, no wider than `width` as long as its flexible columns can give. */
export function tableLines<Row>(columns: readonly Column<Row>[], rows: readonly Row[], width: number, paint: Paint) {
  const cells = rows.map((row) => columns.map((column) => escapeText(column.text(row))));
  const widths = columns.map((column, index) =>
    Math.max(textWidth(column.title), ...cells.map((row) => textWidth(row[index] ?? ''))),
  );
  shrink(widths, columns, width);
  const line = (texts: readonly string[], tone: (column: Column<Row>) => Tone | undefined) =>
    columns
      .map((column, index) => {
        const room = widths[index] ?? 0;
        const text = fitText(texts[index] ?? '', room);
        const blank = ' '.repeat(Math.max(0, room - textWidth(text)));
        const painted = paint(tone(column), text);
        return column.align === 'right' ? blank + painted : painted + blank;
      })
      .join(gap)
      .trimEnd();
  return [
    line(
      columns.map((column) => column.title),
      () => 'head',
    ),
    ...rows.map((row, index) => line(cells[index] ?? [], (column) => column.tone?.(row))),
  ];
}

function shrink<Row>(widths: number[], columns: readonly Column<Row>[], width: number): void {
  const total = () => widths.reduce((sum, own) => sum + own, gap.length * (widths.length - 1));
  while (total() > width) {
    let widest = -1;
    for (const [index, column] of columns.entries()) {
      const own = widths[index] ?? 0;
      if (column.flexible && own > narrowest && own > (widths[widest] ?? 0)) widest = index;
    }
    if (widest === -1) return;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
}
