import type { Output, Tone } from './style.js';
import { escapeText, fitText, formatCount, textWidth } from './text.js';

/** A column of a table over rows of one type. */
export interface Column<Row> {
  readonly title: string;
  readonly text: (row: Row) => string;
  readonly align?: 'left' | 'right';
  /** May be cut to make the table fit: `first`, the widest of them first, or `last`, when nothing else is left to be cut or dropped. */
  readonly flexible?: 'first' | 'last';
  /** May be left out to make the table fit, the rightmost first. */
  readonly optional?: boolean;
  /** Separates parts of a text, of which those that do not fit are left out whole. */
  readonly separator?: string;
  readonly tone?: (row: Row) => Tone | undefined;
}

const gap = '  ';
/** Columns that a flexible column keeps. */
const narrowest = 8;
/** Columns that a column that is cut last keeps while others can be cut or dropped. */
const comfortable = 32;

/**
 * Lines of a table with aligned columns, at most as wide as the screen as long as columns can be cut or dropped; nothing when
 * there are no rows. Rows beyond `most` become a number.
 */
export function tableLines<Row>(
  all: readonly Column<Row>[],
  allRows: readonly Row[],
  { width, paint }: Output,
  most = allRows.length,
): string[] {
  if (allRows.length === 0) return [];
  const rows = allRows.slice(0, most);
  const { columns, widths } = fitColumns(all, rows, width);
  const line = (textOf: (column: Column<Row>) => string, tone: (column: Column<Row>) => Tone | undefined) =>
    columns
      .map((column, index) => {
        const room = widths[index] ?? 0;
        const text = fitParts(textOf(column), room, column.separator);
        const blank = ' '.repeat(Math.max(0, room - textWidth(text)));
        const painted = paint(tone(column), text);
        return column.align === 'right' ? blank + painted : painted + blank;
      })
      .join(gap)
      .trimEnd();
  return [
    line(
      (column) => column.title,
      () => 'head',
    ),
    ...rows.map((row) =>
      line(
        (column) => escapeText(column.text(row)),
        (column) => column.tone?.(row),
      ),
    ),
    ...(allRows.length > most ? [paint('faint', `+${formatCount(allRows.length - most)} more`)] : []),
  ];
}

/** As many parts of a text as fit, the first at least, which is cut. */
function fitParts(text: string, room: number, separator: string | undefined): string {
  if (separator === undefined || textWidth(text) <= room) return fitText(text, room);
  const [first = '', ...others] = text.split(separator);
  let kept = first;
  for (const part of others) {
    if (textWidth(kept + separator + part) > room) break;
    kept += separator + part;
  }
  return fitText(kept, room);
}

function fitColumns<Row>(all: readonly Column<Row>[], rows: readonly Row[], width: number) {
  const columns = [...all];
  const natural = all.map((column) =>
    Math.max(textWidth(column.title), ...rows.map((row) => textWidth(escapeText(column.text(row))))),
  );
  for (;;) {
    const widths = [...natural];
    if (shrink(widths, columns, width, 'last', comfortable)) return { columns, widths };
    if (shrink(widths, columns, width, 'first')) return { columns, widths };
    const dropped = columns.findLastIndex(({ optional }) => optional);
    if (dropped === -1) {
      shrink(widths, columns, width, 'last');
      return { columns, widths };
    }
    columns.splice(dropped, 1);
    natural.splice(dropped, 1);
  }
}

/** Cuts the widest of the columns that are cut `when`, again and again, to `least`; returns whether the table fits. */
function shrink<Row>(
  widths: number[],
  columns: readonly Column<Row>[],
  width: number,
  when: NonNullable<Column<Row>['flexible']>,
  least = narrowest,
): boolean {
  const total = () => widths.reduce((sum, own) => sum + own, gap.length * (widths.length - 1));
  while (total() > width) {
    let widest = -1;
    for (const [index, column] of columns.entries()) {
      const own = widths[index] ?? 0;
      if (column.flexible === when && own > least && own > (widths[widest] ?? 0)) widest = index;
    }
    if (widest === -1) return false;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  return true;
}
