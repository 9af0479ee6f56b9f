/**
 * The rows of a block, and the messages they hold: lines of NDJSON, items of an array, records of
 * CSV and TSV. Both audits and the page of `sluice play`, in a browser, read files by it.
 */
import { faultOfMessage } from '../../engine/evaluate/message-text.js';
import { ShapeError } from '../../foundation/errors.js';
import { notUtf8, parseNdjsonLine } from '../../foundation/files/ndjson.js';
import type { MessageDraft } from '../../platform/contract/message-draft.js';
import { ColumnError, type ColumnMap, type Columns, columnAt, columnsOf, messageOfCells } from './columns.js';
import { parseDraft } from './message-row.js';
import { createScanner, type RecordKind } from './records.js';

/** How the rows of a file are read. Plain data, for threads. */
export interface RowFormat {
  readonly records: RecordKind;
  /** The columns that the caller named. */
  readonly map: ColumnMap;
  /** The bytes and lines before the first row. */
  readonly head: { readonly bytes: number; readonly lines: number };
  /** The cells of the header; only of CSV. */
  readonly header?: readonly string[];
  /**
   * The columns of the header, or of the first row; absent if that is a message, or cannot be read.
   */
  readonly columns?: Columns;
  /** Whether texts have entities of HTML that are to be read as characters. */
  readonly decode?: 'html' | undefined;
}

/** NDJSON without any hints. */
export const plainFormat: RowFormat = { records: { kind: 'line' }, map: {}, head: { bytes: 0, lines: 0 } };

/** A row as it is in a file. */
interface Row {
  /** The line in which the row begins, from 1. */
  readonly line: number;
  /** The number of rows of the block before it. */
  readonly index: number;
  /** The text without its end; undefined if it is not UTF-8. */
  readonly text: string | undefined;
  readonly isMalformed?: boolean | undefined;
  readonly cells?: number | undefined;
}

const newline = 0x0a;
const comma = 0x2c;
const endBracket = 0x5d;

/**
 * Judges the row between two offsets of a block, after which a line feed follows; returns false if
 * the row has to be read.
 */
export type JudgeRow = (start: number, end: number) => boolean;

/**
 * Yields the rows of a block. The text of each row is decoded by itself: a slice of one text for
 * the whole block would have wide characters if any line does, and would keep all of it in memory.
 * Rows of NDJSON that `isJudged` takes are not yielded.
 */
export function* rowsOf(
  { bytes, firstLine }: { readonly bytes: Uint8Array; readonly firstLine: number },
  { records }: RowFormat,
  isJudged?: JudgeRow,
): Generator<Row, void, undefined> {
  if (records.kind === 'line') return yield* linesOf(bytes, firstLine, isJudged);
  const scanner = createScanner(records, '');
  let line = firstLine;
  for (let [from, next, index] = [0, 0, 0]; next < bytes.length; from = next, index++) {
    next = scanner.next(bytes, from);
    if (next === -1) next = bytes.length;
    let end = next;
    const behind = line + scanner.lines;
    if (records.kind === 'item') {
      for (; from < end && bytes[from]! <= 0x20; from++) if (bytes[from] === newline) line++;
      const last = bytes[end - 1];
      if (from < end && (last === comma || last === endBracket)) end--;
      // An empty array has no items, and nothing follows an array.
      if (from === end && last !== comma) return;
    } else if (bytes[end - 1] === newline) end--;
    const { isMalformed, cells } = scanner;
    yield { line, index, text: textOf(bytes.subarray(from, end)), isMalformed, cells };
    line = behind;
  }
}

/** Yields the lines that `isJudged` does not take. */
function* linesOf(
  bytes: Uint8Array,
  firstLine: number,
  isJudged: JudgeRow | undefined,
): Generator<Row, void, undefined> {
  for (let [from, index] = [0, 0]; from < bytes.length; index++) {
    const found = bytes.indexOf(newline, from);
    const end = found === -1 ? bytes.length : found;
    if (found === -1 || isJudged?.(from, end) !== true)
      yield { line: firstLine + index, index, text: textOf(bytes.subarray(from, end)) };
    from = end + 1;
  }
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Returns the text of bytes; undefined if they are not UTF-8. */
function textOf(bytes: Uint8Array): string | undefined {
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}

/**
 * Reads the message of a row; undefined for a blank one. Throws `ShapeError` or `UsageError` that
 * name source, line and field, never a value.
 */
type ReadRow = (row: Row) => MessageDraft | undefined;

export function createRowReader(format: RowFormat, source: string): ReadRow {
  const read = format.header === undefined ? jsonReader(format) : csvReader(format, format.header);
  return (row) => {
    const where = () => `${source}:${row.line}`;
    if (row.text === undefined) throw notUtf8(where());
    const message = read(row.text, row, where);
    const text = format.decode && message?.data?.text;
    return typeof text === 'string' ? { ...message, data: { ...message!.data, text: withoutEntities(text) } } : message;
  };
}

type ReadText = (text: string, row: Row, where: () => string) => MessageDraft | undefined;

/** Returns the cells of a record of CSV that is well formed, or of a line of TSV. */
export function cellsOf(record: string, delimiter: string): readonly string[] {
  const text = record.endsWith('\r') ? record.slice(0, -1) : record;
  if (delimiter === '\t') return text.split('\t').map(tsvCell);
  // Most records have no quotes, and splitting them takes a tenth of the time.
  if (!text.includes('"')) return text.split(delimiter);
  const cells: string[] = [];
  for (let at = 0; at <= text.length; ) {
    if (text[at] !== '"') {
      const found = text.indexOf(delimiter, at);
      const end = found === -1 ? text.length : found;
      cells.push(text.slice(at, end));
      at = end + 1;
      continue;
    }
    let end = at + 1;
    while (end < text.length && (text[end] !== '"' || text[end + 1] === '"')) end += text[end] === '"' ? 2 : 1;
    cells.push(text.slice(at + 1, end).replaceAll('""', '"'));
    at = end + 2;
  }
  return cells;
}

const escapes = /\\(.)/gsu;
const escaped: Readonly<Record<string, string>> = {
  '0': '\0',
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};

/** Matches a cell that Excel put in quotes: every quote inside is doubled. */
const quotedCell = /^"(?:[^"]|"")*"$/;

/**
 * Returns a tab-separated cell, as ClickHouse writes TabSeparated and PostgreSQL the text format of
 * COPY: `\N` is an empty text, and a character after a backslash that is not an escape is that
 * character.
 */
export function tsvCell(cell: string): string {
  if (cell === '\\N') return '';
  const text = quotedCell.test(cell) ? cell.slice(1, -1).replaceAll('""', '"') : cell;
  return text.includes('\\') ? text.replace(escapes, (_, sign: string) => escaped[sign] ?? sign) : text;
}

/** The largest number of cells into which a row is divided: a row may have 64 MiB. */
const mostCells = 1_000_000;

function csvReader({ records, columns = {} }: RowFormat, header: readonly string[]): ReadText {
  const numbers = Object.fromEntries(Object.entries(columns).map(([field, name]) => [field, columnAt(header, name)]));
  return (text, { isMalformed, cells: count = 0 }, where) => {
    if (text === '' || text === '\r') return undefined;
    const refuse = (what: string) => new ShapeError(where(), 'the row', what);
    if (isMalformed) throw refuse('has something behind a quote that closes its cell; a quote inside is doubled');
    if (count > mostCells) throw refuse(`has ${count} cells, and the header ${header.length}`);
    const cells = cellsOf(text, records.delimiter ?? ',');
    // A comma at the end of every row makes an empty cell, or an empty name.
    if (cells.slice(header.length).some(Boolean) || header.slice(cells.length).some(Boolean))
      throw refuse(`has ${cells.length} cells, and the header ${header.length}`);
    return messageOfCells(cells, numbers, { columns, where });
  };
}

/** Largest number of different shapes of rows that are remembered. */
const mostShapes = 100;

function jsonReader({ records, map }: RowFormat): ReadText {
  const shapes = new Map<string, ReturnType<typeof columnsOf>>();
  const shapeOf = (row: object) => {
    const names = columnNamesOf(row);
    const key = JSON.stringify(names);
    const known = shapes.get(key);
    if (known !== undefined) return known;
    if (shapes.size >= mostShapes) shapes.clear();
    shapes.set(key, columnsOf(names, map));
    return columnsOf(names, map);
  };
  return (text, { line }, where) => {
    const value = records.kind === 'line' ? parseNdjsonLine(text, line, where) : parseItem(text, where);
    if (value === undefined) return undefined;
    if (typeof value === 'string') return { data: { text: value } };
    if (!isRow(value, map)) return parseDraft(value, where);
    const row = withJoinedText(value, map);
    const columns = shapeOf(row);
    if (!('fault' in columns)) return messageOfCells(row, columns, { columns, where });
    const mayBeMessage = columns.isTextless && map.text === undefined;
    if (mayBeMessage && faultOfMessage(value) === undefined) return parseDraft(value, where);
    const fault = `${mayBeMessage ? 'has no `data.text`, and ' : ''}${columns.fault}`;
    throw new ColumnError(where(), 'the row', { ...columns, fault });
  };
}

/** Returns an item of an array, which may have many lines. */
function parseItem(text: string, where: () => string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ShapeError(where(), 'the item', 'must be json');
  }
}

/**
 * Reports whether a value may be a row of columns: an object that has no `data`, or any object if
 * the caller named the column of the text.
 */
export function isRow(value: unknown, { text }: ColumnMap): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return text !== undefined || ((value as { data?: unknown }).data ?? undefined) === undefined;
}

/**
 * Returns a row with one text: exports of Telegram have an array of texts and of objects with a
 * text.
 */
export function withJoinedText<Row extends Readonly<Record<string, unknown>>>(
  row: Row,
  { text: name = 'text' }: ColumnMap,
): Row {
  const value = row[name];
  if (!Array.isArray(value)) return row;
  const texts = value.map((item: unknown) => (typeof item === 'object' && item !== null ? (item as Row).text : item));
  return texts.every((text) => typeof text === 'string') ? { ...row, [name]: texts.join('') } : row;
}

const entity = /&(?:#(\d{1,7})|#x([\da-f]{1,6})|(amp|lt|gt|quot|apos|nbsp));/gi;
const namedEntities: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: '\u00a0',
};

/** Reports whether a text has entities of HTML. */
export function hasEntities(text: string): boolean {
  return text.search(entity) !== -1;
}

/** Returns a text with its entities of HTML replaced by their characters. */
function withoutEntities(text: string): string {
  return text.replace(entity, (all, decimal?: string, hex?: string, name = '') => {
    const code = decimal ? Number(decimal) : Number.parseInt(hex ?? '', 16);
    return namedEntities[name.toLowerCase()] ?? (code <= 0x10ffff ? String.fromCodePoint(code) : all);
  });
}

/**
 * Returns the names of the columns of a row; a value that is an object or an array is not a column.
 */
export function columnNamesOf(row: object): string[] {
  return Object.entries(row).flatMap(([name, value]) => (typeof value === 'object' && value !== null ? [] : [name]));
}
