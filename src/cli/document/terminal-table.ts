/** Lays out a table as lines for a terminal. */
import type { Output } from '../terminal/style.js';
import { fitText, formatCount, textWidth, wrapHanging } from '../terminal/text.js';
import { type Block, type Cell, type ColumnShape, isBar, isWhiskers, type Table } from './document.js';
import { plainText, runsOf } from './runs.js';

const gap = '  ';
/**
 * Least widths of a column that is cut first: at all, and before columns that are cut last are cut.
 */
const [narrowest, telling] = [8, 16];
/** Least width of a column that is cut last, as long as others can be cut or dropped. */
const comfortable = 32;

/**
 * Returns the lines of a table with aligned columns. They are at most as wide as the screen, as far
 * as columns can be cut or dropped. Rows after the first `most` are counted.
 */
export function tableLines(table: Table, output: Output, belowLines: (blocks: readonly Block[]) => string[]): string[] {
  const { count, most, rowAt } = table;
  const { width, paint } = output;
  const rows = Array.from({ length: Math.min(count, most) }, (_, at) => rowAt(at));
  const pictureWidth = width < 120 ? 12 : 20;
  const texts = rows.map(({ cells }) => cells.map((cell) => cellText(cell, pictureWidth)));
  const columns = fitColumns(table.columns, texts, width);
  const linesOf = (cells: readonly string[], toneOf: (at: number) => Parameters<typeof paint>[0]) => {
    const fitted = columns.map((column) => ({ column, lines: fitCell(cells[column.at] ?? '', column) }));
    const height = Math.max(...fitted.map(({ lines }) => lines.length));
    return Array.from({ length: height }, (_, line) =>
      fitted
        .map(({ column, lines }) => {
          // Beside a cell of several lines, a cell of one line is on the last line.
          const text = lines.length > 1 ? lines[line]! : line === height - 1 ? lines[0]! : '';
          const blank = ' '.repeat(Math.max(0, column.width - textWidth(text)));
          const painted = paint(toneOf(column.at), text);
          return column.align === 'right' ? blank + painted : painted + blank;
        })
        .join(gap)
        .trimEnd(),
    );
  };
  const titles = table.columns.map(({ title }) => plainText(title));
  return [
    ...linesOf(titles, () => 'head'),
    ...rows.flatMap(({ cells, below }, at) => [
      ...linesOf(texts[at]!, (column) => toneOf(cells[column]!)),
      ...belowLines(below),
    ]),
    ...(count > most ? [paint('faint', `+${formatCount(count - most)} more`)] : []),
  ];
}

function toneOf(cell: Cell) {
  return isWhiskers(cell) || isBar(cell) ? undefined : runsOf(cell)[0]?.[1];
}

/** Returns the text of a cell. Whiskers become a line with the interval and the share on it. */
function cellText(cell: Cell, pictureWidth: number): string {
  // Only pages show bars.
  if (isBar(cell)) return '';
  if (!isWhiskers(cell)) return plainText(cell);
  const columnOf = (share: number) => Math.min(pictureWidth - 1, Math.floor(share * pictureWidth));
  const [low, at, high] = [cell.low, cell.at, cell.high].map(columnOf) as [number, number, number];
  return Array.from({ length: pictureWidth }, (_, column) =>
    column === at ? '●' : column >= low && column <= high ? '─' : ' ',
  ).join('');
}

interface FittedColumn extends ColumnShape {
  /** Its index among all columns. */
  readonly at: number;
  width: number;
}

function fitCell(text: string, { width, separator, wraps }: FittedColumn): string[] {
  if (textWidth(text) <= width) return [text];
  if (wraps) return wrapHanging(text, width, gap);
  if (separator === undefined) return [fitText(text, width)];
  // The first piece is always kept, and cut if it is too long.
  const [first = '', ...rest] = text.split(separator);
  let kept = first;
  for (const piece of rest) {
    if (textWidth(kept + separator + piece) > width) break;
    kept += separator + piece;
  }
  return [fitText(kept, width)];
}

function fitColumns(all: readonly ColumnShape[], rows: readonly (readonly string[])[], width: number): FittedColumn[] {
  const natural = all.map((column, at): FittedColumn => {
    const widths = rows.map((cells) => textWidth(cells[at]!));
    return { ...column, at, width: Math.max(textWidth(plainText(column.title)), ...widths) };
  });
  for (;;) {
    // Names are not cut if other columns are wide enough to be cut.
    const whole = natural.map((column) => ({ ...column }));
    if (shrink(whole, width, 'first', telling)) return whole;
    const columns = natural.map((column) => ({ ...column }));
    if (shrink(columns, width, 'last', comfortable) || shrink(columns, width, 'first')) return columns;
    const dropped = natural.findLastIndex(({ optional }) => optional);
    if (dropped === -1) {
      shrink(columns, width, 'last');
      return columns;
    }
    natural.splice(dropped, 1);
  }
}

/**
 * Cuts the widest of the columns that are flexible in the given way, one column at a time, down to
 * `least`. Returns whether the table fits.
 */
function shrink(columns: readonly FittedColumn[], width: number, when: 'first' | 'last', least = narrowest): boolean {
  const total = () => columns.reduce((sum, column) => sum + column.width, gap.length * (columns.length - 1));
  while (total() > width) {
    const open = columns.filter((column) => column.flexible === when && column.width > least);
    const widest = open.reduce((most, each) => (most === undefined || each.width > most.width ? each : most), open[0]);
    if (widest === undefined) return false;
    widest.width -= 1;
  }
  return true;
}
