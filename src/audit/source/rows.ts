/** The rows of a block, and the messages they hold: lines of NDJSON, items of an array, records of CSV. */
import { isUtf8 } from 'node:buffer';
import Papa from 'papaparse';
import { faultOfMessage } from '../../engine/evaluate/message-text.js';
import { ShapeError } from '../../foundation/errors.js';
import { notUtf8 } from '../../foundation/files/lines.js';
import { parseNdjsonLine } from '../../foundation/files/ndjson.js';
import type { MessageDraft } from '../../platform/contract/message-draft.js';
import { type ColumnMap, type Columns, columnAt, columnError, columnsOf, messageOfCells } from './columns.js';
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
  /** The columns of the header, or of the first row; absent where that is a message, or cannot be read. */
  readonly columns?: Columns;
}

/** NDJSON without any hints. */
export const plainFormat: RowFormat = { records: { kind: 'line' }, map: {}, head: { bytes: 0, lines: 0 } };

/** A row as it is in a file. */
export interface Row {
  /** The line in which it begins, from 1. */
  readonly line: number;
  /** How many rows of the block are before it. */
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
 * Yields the rows of a block. The text of each row is decoded by itself: a slice of one text for
 * the whole block would have wide characters if any line does, and would keep all of it in memory.
 * Rows of NDJSON that `isJudged` takes are not yielded.
 */
export function* rowsOf(
  block: { readonly bytes: Uint8Array; readonly firstLine: number },
  { records }: RowFormat,
  isJudged?: (bytes: Buffer, start: number, end: number) => boolean,
): Generator<Row, void, undefined> {
  const { bytes, firstLine } = block;
  const whole = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  if (records.kind === 'line') return yield* linesOf(whole, firstLine, isJudged);
  const isValid = isUtf8(whole);
  let index = -1;
  const scanner = createScanner(records, '');
  let line = firstLine;
  for (let [from, next] = [0, 0]; next < whole.length; from = next) {
    next = scanner.next(whole, from);
    if (next === -1) next = whole.length;
    let end = next;
    const behind = line + scanner.lines;
    if (records.kind === 'item') {
      for (; from < end && whole[from]! <= 0x20; from++) if (whole[from] === newline) line++;
      const last = whole[end - 1];
      if (from < end && (last === comma || last === endBracket)) end--;
      // Nothing stands in an empty array, and behind an array.
      if (from === end && last !== comma) return;
    } else if (whole[end - 1] === newline) end--;
    const text = isValid || isUtf8(whole.subarray(from, end)) ? whole.toString('utf8', from, end) : undefined;
    index++;
    yield { line, index, text, isMalformed: scanner.isMalformed, cells: scanner.cells };
    line = behind;
  }
}

/** Yields the lines that are not judged on their bytes. */
function* linesOf(
  whole: Buffer,
  firstLine: number,
  isJudged: ((bytes: Buffer, start: number, end: number) => boolean) | undefined,
): Generator<Row, void, undefined> {
  if (whole.length === 0) return;
  const bytes = whole.at(-1) === newline ? whole : Buffer.concat([whole, Buffer.from('\n')]);
  const isValid = isUtf8(bytes);
  for (let [from, index] = [0, 0]; from < bytes.length; index++) {
    const end = bytes.indexOf(newline, from);
    const isText = isValid || isUtf8(bytes.subarray(from, end));
    if (!isText || isJudged?.(bytes, from, end) !== true)
      yield { line: firstLine + index, index, text: isText ? bytes.toString('utf8', from, end) : undefined };
    from = end + 1;
  }
}

/** Reads the message of a row; undefined for a blank one. Throws `ShapeError` or `UsageError` that name source, line and field, never a value. */
type ReadRow = (row: Row) => MessageDraft | undefined;

export function createRowReader(format: RowFormat, source: string): ReadRow {
  const read = format.header === undefined ? jsonReader(format) : csvReader(format, format.header);
  return (row) => {
    const place = () => `${source}:${row.line}`;
    if (row.text === undefined) throw notUtf8(place());
    return read(row.text, row, place);
  };
}

type ReadText = (text: string, row: Row, place: () => string) => MessageDraft | undefined;

/** Returns the cells of a record of CSV that is well formed; between tabs they may have the escapes of `tsvCell`. */
export function cellsOf(record: string, delimiter: string): readonly string[] {
  const text = record.endsWith('\r') ? record.slice(0, -1) : record;
  // Without quotes a record is its cells; most have none, and it takes a tenth of the time.
  const cells = text.includes('"')
    ? (Papa.parse<string[]>(text, { delimiter, newline: '\n' }).data[0] ?? [])
    : text.split(delimiter);
  return delimiter === '\t' && text.includes('\\') ? cells.map(tsvCell) : cells;
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

/**
 * Returns a tab-separated cell, as ClickHouse writes TabSeparated and PostgreSQL the text format of COPY: `\N` is an empty text, and a character
 * after a backslash that is not an escape stands for itself.
 */
export function tsvCell(cell: string): string {
  return cell === '\\N' ? '' : cell.replace(escapes, (_, sign: string) => escaped[sign] ?? sign);
}

/** The most cells of a row that are taken apart: a row may have 64 MiB. */
const mostCells = 1_000_000;

function csvReader({ records, columns = {} }: RowFormat, header: readonly string[]): ReadText {
  const numbers = Object.fromEntries(Object.entries(columns).map(([field, name]) => [field, columnAt(header, name)]));
  return (text, { isMalformed, cells: count = 0 }, place) => {
    if (text === '' || text === '\r') return undefined;
    const refuse = (what: string) => new ShapeError(place(), 'the row', what);
    if (isMalformed) throw refuse('has something behind a quote that closes its cell; a quote inside is doubled');
    if (count > mostCells) throw refuse(`has ${count} cells, and the header ${header.length}`);
    const cells = cellsOf(text, records.delimiter ?? ',');
    // A comma at the end of every row makes an empty cell, or an empty name.
    if (cells.slice(header.length).some(Boolean) || header.slice(cells.length).some(Boolean))
      throw refuse(`has ${cells.length} cells, and the header ${header.length}`);
    return messageOfCells(cells, numbers, { columns, place });
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
  return (text, { line }, place) => {
    const value = records.kind === 'line' ? parseNdjsonLine(text, line, place) : parseItem(text, place);
    if (value === undefined) return undefined;
    if (!isRow(value, map)) return parseDraft(value, place);
    const columns = shapeOf(value);
    if (!('fault' in columns)) return messageOfCells(value, columns, { columns, place });
    const mayBeMessage = columns.isTextless && map.text === undefined;
    if (mayBeMessage && faultOfMessage(value) === undefined) return parseDraft(value, place);
    const fault = `${mayBeMessage ? 'has no `data.text`, and ' : ''}${columns.fault}`;
    throw columnError(place(), 'the row', { ...columns, fault });
  };
}

/** Returns an item of an array, which may have many lines. */
function parseItem(text: string, place: () => string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ShapeError(place(), 'the item', 'must be json');
  }
}

/** Reports whether a value may be a row of columns: an object that has no `data`, or of whose columns the caller named the text. */
export function isRow(value: unknown, { text }: ColumnMap): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return text !== undefined || ((value as { data?: unknown }).data ?? undefined) === undefined;
}

/** Returns the columns of a row that may be one: a value that is an object or an array is not a column. */
export function columnNamesOf(row: object): string[] {
  return Object.entries(row).flatMap(([name, value]) => (typeof value === 'object' && value !== null ? [] : [name]));
}
