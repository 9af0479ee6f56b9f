import type { Output, Tone } from './style.js';
import { escapeText, fitText, formatCount, textWidth } from './text.js';

/** A column of a table over rows of one type. */
export interface Column<Row> {
  readonly title: string;
  readonly text: (row: Row) => string;
  readonly align?: 'left' | 'right';
  /** May be cut to make the table fit, the widest first. */
  readonly flexible?: boolean;
  readonly tone?: (row: Row) => Tone | undefined;
}

const gap = '  ';
/** Columns that a flexible column keeps. */
const narrowest = 8;

/**
 * Lines of a table with aligned columns, at most as wide as the screen as long as flexible columns can be cut; nothing when
 * there are no rows. Rows beyond `most` become a number.
 */
export function tableLines<Row>(
  columns: readonly Column<Row>[],
  all: readonly Row[],
  { width, paint }: Output,
  most = all.length,
): string[] {
  if (all.length === 0) return [];
  const rows = all.slice(0, most);
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
    ...(all.length > most ? [paint('faint', `+${formatCount(all.length - most)} more`)] : []),
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
