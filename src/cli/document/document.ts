/**
 * The content of screens, comments and pages. Commands create documents, and the printers of this
 * folder write them for a terminal, as Markdown and as HTML.
 */
import type { DayCount } from '../../audit/count/audit-summary.js';
import type { StoppedAs } from '../../engine/compile/verdicts.js';
import type { Mark } from '../terminal/marked-text.js';
import type { Tone } from '../terminal/style.js';
import { counted, formatCount } from '../terminal/text.js';

/**
 * Text of this program, values from rules and messages, or both in a row. Every printer escapes
 * what its medium would interpret.
 */
export type Words = string | Value | Toned | readonly Words[];

/**
 * A text from rules or messages. It is escaped, cut to a width, and marked as a quotation by its
 * form.
 */
export interface Value {
  readonly value: string;
  readonly form: 'name' | 'quoted' | 'pattern' | 'plain';
  readonly width: number;
}

/** Text with a tone. */
interface Toned {
  readonly words: Words;
  readonly tone: Tone;
}

/** Widths, in columns, of a name, of a text in quotation marks, and of a pattern. */
const widths = { name: 80, quoted: 60, pattern: 400 } as const;

/** Returns a name or an id. */
export function name(value: string, width: number = widths.name): Value {
  return { value, form: 'name', width };
}

/** Returns a term or a text in quotation marks. */
export function quoted(value: string, width: number = widths.quoted): Value {
  return { value, form: 'quoted', width };
}

/** Returns a pattern. A terminal shows it between slashes. */
export function patternValue(value: string, width: number = widths.pattern): Value {
  return { value, form: 'pattern', width };
}

/**
 * Returns a sentence that may quote values, such as the detail of an issue. It is escaped, and cut
 * only if a width is given.
 */
export function plain(value: string, width = Number.POSITIVE_INFINITY): Value {
  return { value, form: 'plain', width };
}

/** Template tag for text that contains values. */
export function words(strings: TemplateStringsArray, ...values: readonly (Words | number | undefined)[]): Words {
  return strings.flatMap((string, at) => {
    const value = values[at];
    return value === undefined ? [string] : [string, typeof value === 'number' ? String(value) : value];
  });
}

/** Joins texts with a separator. */
export function joined(items: readonly Words[], separator = ', '): Words {
  return items.flatMap((item, at) => (at === 0 ? [item] : [separator, item]));
}

/** Names the first items of a list, and counts the others: `a, b, +3 more`. */
export function listed<Item>(items: readonly Item[], most: number, nameOf: (item: Item) => Words): Words {
  const left = items.length - most;
  return joined([...items.slice(0, most).map((item) => nameOf(item)), ...(left > 0 ? [moreWords(left)] : [])]);
}

/** Returns the number of items that are not shown: `+3 more`, `+3 more causes`. */
export function moreWords(left: number, noun?: string): string {
  return `+${noun === undefined ? `${formatCount(left)} more` : counted(left, `more ${noun}`)}`;
}

/** A block of a document. */
export type Block = Heading | Paragraph | Parts | List | Names | Table | Quotation | Days | Fold;

/** Blocks that belong together: a terminal shows them without blank lines between. */
export type Group = readonly Block[];

interface Heading {
  readonly kind: 'heading';
  readonly words: Words;
  readonly tone?: Tone | undefined;
  /** Whether it is the title of the document. */
  readonly isTitle: boolean;
}

interface Paragraph {
  readonly kind: 'paragraph';
  readonly words: Words;
  readonly tone?: Tone | undefined;
}

/** Short facts in a row. Lines break only between them. */
interface Parts {
  readonly kind: 'parts';
  readonly parts: readonly Words[];
  readonly tone?: Tone | undefined;
}

interface List {
  readonly kind: 'list';
  readonly items: readonly Item[];
}

/** An entry of a list. */
export interface Item {
  /** Precedes the content. A terminal shows it in a column of its own. */
  readonly label?: Toned | undefined;
  readonly blocks: readonly Block[];
}

/** A list of short names with a title. Printed as one paragraph if there is little room. */
interface Names {
  readonly kind: 'names';
  readonly title: Words;
  readonly names: readonly Words[];
  /** Number of names that a terminal shows. */
  readonly most: number;
}

/** A column of a table whose rows have the type `Row`. */
export interface Column<Row> {
  readonly title: Words;
  readonly cell: (row: Row) => Cell;
  readonly align?: 'right';
  /**
   * May be cut to make the table fit. `first` columns are cut first, beginning with the widest;
   * `last` columns are cut only when nothing else can be cut or dropped.
   */
  readonly flexible?: 'first' | 'last';
  /** Continues on further lines instead of being cut. */
  readonly wraps?: boolean;
  /** May be dropped to make the table fit, beginning with the rightmost. */
  readonly optional?: boolean;
  /** Separates pieces of a text. Pieces that do not fit are left out completely. */
  readonly separator?: string;
  readonly tone?: (row: Row) => Tone | undefined;
}

/** The content of a table cell. */
export type Cell = Words | Whiskers | Bar;

/** A bar whose length is a share of the width. */
export interface Bar {
  readonly share: number;
  readonly verdict: StoppedAs;
}

/** An interval of shares and the share itself, drawn on a line from 0 to 1. */
interface Whiskers {
  readonly low: number;
  readonly at: number;
  readonly high: number;
}

/** A row of a table. */
export interface Row {
  readonly cells: readonly Cell[];
  /** Details of the row, shown below it or collapsed. */
  readonly below: readonly Block[];
}

/** The columns of a table, without the functions that need its rows. */
export type ColumnShape = Omit<Column<never>, 'cell' | 'tone'>;

/** A table. Its rows are made when they are printed. */
export interface Table {
  readonly kind: 'table';
  readonly columns: readonly ColumnShape[];
  readonly count: number;
  readonly rowAt: (at: number) => Row;
  /** Number of rows that a terminal shows. */
  readonly most: number;
  /** A plural noun for the rows, such as `senders`. */
  readonly noun: string;
}

/** A text of a message with marks. */
export interface Quotation {
  readonly kind: 'quotation';
  readonly text: string;
  readonly marks: readonly Mark[];
  /**
   * `marked`: a terminal shows only the lines with marks; other media show the text. `line`: one
   * line around the first mark.
   */
  readonly form: 'marked' | 'line';
  /** Precedes a quotation of one line. */
  readonly lead?: Words | undefined;
}

/** Stopped messages by day. */
interface Days {
  readonly kind: 'days';
  readonly days: readonly DayCount[];
  /** Number of messages whose time belongs to no day. */
  readonly outside: number;
}

/** Blocks under a summary, collapsed if the medium allows it. */
interface Fold {
  readonly kind: 'fold';
  readonly summary: Words;
  readonly blocks: readonly Block[];
}

export function title(text: Words, tone?: Tone): Block {
  return { kind: 'heading', words: text, tone, isTitle: true };
}

export function heading(text: Words, tone?: Tone): Block {
  return { kind: 'heading', words: text, tone, isTitle: false };
}

export function paragraph(text: Words, tone?: Tone): Block {
  return { kind: 'paragraph', words: text, tone };
}

export function parts(all: readonly Words[], tone?: Tone): Block {
  return { kind: 'parts', parts: all, tone };
}

/** Returns a list of paragraphs or complete items. Empty if there are no items. */
export function list(items: readonly (Words | Item)[]): readonly Block[] {
  const isItem = (item: Words | Item): item is Item => typeof item === 'object' && 'blocks' in item;
  const all = items.map((item) => (isItem(item) ? item : { blocks: [paragraph(item)] }));
  return all.length === 0 ? [] : [{ kind: 'list', items: all }];
}

/** Returns a list of names. Empty if there are no names. */
export function names(text: Words, all: readonly Words[], most: number): readonly Block[] {
  return all.length === 0 ? [] : [{ kind: 'names', title: text, names: all, most }];
}

/**
 * Returns a line with the number of items that are not shown, followed by `behind`. Empty if all
 * are shown.
 */
export function more(left: number, noun?: string, behind = ''): readonly Block[] {
  return left > 0 ? [paragraph(moreWords(left, noun) + behind, 'faint')] : [];
}

/** Returns a table. Empty if there are no rows. `below` returns the details of a row. */
export function table<Of>(
  columns: readonly Column<Of>[],
  rows: readonly Of[],
  {
    most = rows.length,
    noun = 'rows',
    below,
  }: { readonly most?: number; readonly noun?: string; readonly below?: (row: Of) => readonly Block[] } = {},
): readonly Block[] {
  const cellOf = ({ cell, tone }: Column<Of>, row: Of): Cell => {
    const content = cell(row);
    const rowTone = tone?.(row);
    return rowTone === undefined || isWhiskers(content) || isBar(content) ? content : { words: content, tone: rowTone };
  };
  const rowAt = (at: number): Row => {
    const row = rows[at]!;
    return { cells: columns.map((column) => cellOf(column, row)), below: below?.(row) ?? [] };
  };
  return rows.length === 0 ? [] : [{ kind: 'table', columns, count: rows.length, rowAt, most, noun }];
}

export function isWhiskers(cell: Cell): cell is Whiskers {
  return typeof cell === 'object' && 'low' in cell;
}

export function isBar(cell: Cell): cell is Bar {
  return typeof cell === 'object' && 'share' in cell;
}

export function quotation(
  text: string,
  marks: readonly Mark[],
  form: Quotation['form'] = 'marked',
  lead?: Words,
): Block {
  return { kind: 'quotation', text, marks, form, lead };
}
