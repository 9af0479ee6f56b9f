/**
 * Finds the format of a file of messages by its first bytes: NDJSON, one array, or CSV by its
 * header; and its columns.
 */
import { faultOfMessage } from '../../engine/evaluate/message-text.js';
import { ShapeError } from '../../foundation/errors.js';
import { ColumnError, type ColumnFault, type ColumnMap, columnAt, columnsOf, isInMilliseconds } from './columns.js';
import type { ByteReader } from './open-file.js';
import { createScanner } from './records.js';
import {
  cellsOf,
  columnNamesOf,
  createRowReader,
  hasEntities,
  isRow,
  plainFormat,
  type RowFormat,
  rowsOf,
  withJoinedText,
} from './rows.js';

/** The format of a file of messages. */
interface RowStream {
  readonly format: RowFormat;
  /** Whether the first row is a message, and not a row of columns. */
  readonly isOfMessages: boolean;
  /** Whether the time of the first row counts in milliseconds. */
  readonly isInMilliseconds: boolean;
  /** The number of the first texts that have entities of HTML; present if most of them do. */
  readonly entities?: { readonly count: number; readonly of: number } | undefined;
}

/** The format of a named file. */
export interface FoundRows extends RowStream {
  /** The name of the file in errors. */
  readonly name: string;
}

/** Facts of a stream that are known before its first byte. */
interface RowHints {
  /** Its name in errors. */
  readonly source: string;
  /** Whether the name of the file is that of CSV. */
  readonly isNamedCsv: boolean;
  readonly map: ColumnMap;
  readonly decode?: 'html' | undefined;
}

/** Largest number of bytes of a header, and of a first row that is examined. */
const mostBytes = 1 << 20;

/**
 * Reads as much of the beginning of a file as its format needs, and puts it back. Rejects with
 * `ShapeError` if it is neither UTF-8 nor JSON nor CSV, and for a header whose columns cannot be
 * read, with these columns.
 */
export async function readRowFormat(reader: ByteReader, hints: RowHints): Promise<RowStream> {
  let room = new Uint8Array(1 << 16);
  let length = 0;
  let found: RowStream | undefined;
  while (found === undefined) {
    if (length === room.length) {
      const larger = new Uint8Array(2 * length);
      larger.set(room);
      room = larger;
    }
    const count = await reader.fill(room, length);
    length += count;
    found = formatOf(room.subarray(0, length), hints, count === 0 || length > mostBytes);
  }
  reader.unread(room.subarray(0, length));
  return found;
}

/**
 * Returns the format by the first bytes of a file, or by all of them if `isAll`; undefined if more
 * bytes are needed.
 */
export function formatOf(bytes: Uint8Array, hints: RowHints, isAll: boolean): RowStream | undefined {
  const found = beginningOf(bytes, hints, isAll);
  if (found === undefined) return undefined;
  const { format: read = { ...plainFormat, map: hints.map }, isOfMessages = false, time } = found;
  const format = { ...read, decode: hints.decode };
  const entities = hints.decode ? undefined : entitiesIn(bytes.subarray(format.head.bytes), format);
  return { format, isOfMessages, isInMilliseconds: isInMilliseconds(time), entities };
}

/** Counts the first texts that have entities of HTML. */
function entitiesIn(bytes: Uint8Array, format: RowFormat): RowStream['entities'] {
  const read = createRowReader(format, '');
  let [count, all] = [0, 0];
  for (const row of rowsOf({ bytes, firstLine: 1 }, format)) {
    try {
      const text = read(row)?.data?.text;
      if (typeof text !== 'string') continue;
      all++;
      count += Number(hasEntities(text));
    } catch {
      // The reader reports the error of a row when the row is judged.
    }
    if (all === mostTexts) break;
  }
  return count * 2 > all ? { count, of: all } : undefined;
}

/** The most texts that are looked through for entities. */
const mostTexts = 200;

/**
 * The format by the beginning of a stream, with the unit of the time in its first row; NDJSON if
 * the format is unknown.
 */
interface Beginning extends Partial<Pick<RowStream, 'format' | 'isOfMessages'>> {
  readonly time?: unknown;
}

const newline = 0x0a;
const bracket = 0x5b;
const brace = 0x7b;

/**
 * Returns the beginning by the first bytes, or by all of them if `isAll`; undefined if more bytes
 * are needed.
 */
function beginningOf(bytes: Uint8Array, hints: RowHints, isAll: boolean): Beginning | undefined {
  const { source, isNamedCsv, map } = hints;
  if (bytes.length < 4 && !isAll) return undefined;
  const [first, second] = bytes;
  const isMarked = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  if (isMarked || bytes.subarray(0, 4).includes(0)) {
    throw new ShapeError(
      source,
      'the whole file',
      'must be UTF-8, and seems to be UTF-16; `iconv -f UTF-16 -t UTF-8` converts it',
    );
  }
  const from = first === 0xef && second === 0xbb && bytes[2] === 0xbf ? 3 : 0;
  const refuse = (what: string, fact: string, hint: string) => new ShapeError(source, what, fact, { hint });
  if (/^sep=./.test(textIn(bytes, from, from + 5)))
    throw refuse('the first row', 'is one for Excel alone', '; `tail -n +2` leaves it out');
  if (isNamedCsv && bytes.length === from)
    throw refuse('the whole file', 'is empty', '; check that it is the right one');
  let at = from;
  while (at < bytes.length && bytes[at]! <= 0x20) at++;
  if (at === bytes.length && !isAll) return undefined;
  const isJson = bytes[at] === bracket || bytes[at] === brace;
  if (at < bytes.length ? isNamedCsv || !isJson : isNamedCsv) {
    const csv = csvBeginning(bytes, from, map, isAll);
    if (csv === undefined || !('fault' in csv)) return csv;
    if (!csv.isTextless || (!isJson && (isNamedCsv || csv.isHeader))) throw new ColumnError(source, 'the header', csv);
  }
  return isJson ? jsonBeginning(bytes, at, hints, isAll) : {};
}

function jsonBeginning(
  bytes: Uint8Array,
  at: number,
  { source, map }: RowHints,
  isAll: boolean,
): Beginning | undefined {
  const isArray = bytes[at] === bracket;
  const start = isArray ? at + 1 : 0;
  const head = { bytes: start, lines: linesIn(bytes.subarray(0, start)) };
  const format: RowFormat = { records: { kind: isArray ? 'item' : 'line' }, map, head };
  const end = createScanner(format.records, '').next(bytes, isArray ? start : at);
  if (end === -1 && !isAll) return undefined;
  const [row] = rowsOf(
    { bytes: bytes.subarray(isArray ? start : at, end === -1 ? undefined : end), firstLine: 1 },
    format,
  );
  let first: unknown;
  try {
    first = JSON.parse(row?.text ?? '');
  } catch {
    // The reader of the row reports the error.
  }
  // Matches an object that holds all messages in an array, so that its first lines are not rows.
  const begin = /^\{[^[{]*?"(\w+)"\s*:\s*\[\s*[{\n]/.exec(textIn(bytes, at, at + 1000));
  if (begin?.[1] === 'data' || (begin !== null && isUnread(first, map))) {
    const hint = `; \`jq -c '.${begin[1]}[]'\` takes them out`;
    throw new ShapeError(source, 'the whole file', `has its messages in \`${begin[1]}\``, { hint });
  }
  if (!isRow(first, map)) {
    const { data, sentAt } = (first ?? {}) as { readonly data?: unknown; readonly sentAt?: unknown };
    return { format, isOfMessages: data !== undefined, time: sentAt };
  }
  const names = columnNamesOf(withJoinedText(first, map));
  const columns = columnsOf(names, map);
  if ('fault' in columns) return { format };
  // A row may lack columns for which it has no value.
  const lost = Object.values(map).find((name) => name !== '' && !textIn(bytes).includes(JSON.stringify(name)));
  if (lost !== undefined && !isAll) return undefined;
  if (lost !== undefined)
    throw new ColumnError(source, 'the whole file', { fault: `has no column \`${lost}\``, names });
  return { format: { ...format, columns }, time: first[columns.sentAt ?? ''] };
}

/** Reports whether the first row is neither a message nor a row of columns. */
function isUnread(first: unknown, map: ColumnMap): boolean {
  if (first === undefined) return true;
  return faultOfMessage(first) !== undefined && 'fault' in columnsOf(columnNamesOf(first as object), map);
}

/** Returns a part of the beginning of a file as text, whatever its bytes are. */
function textIn(bytes: Uint8Array, from = 0, to = bytes.length): string {
  return new TextDecoder().decode(bytes.subarray(from, to));
}

function linesIn(bytes: Uint8Array): number {
  return bytes.reduce((lines, byte) => lines + Number(byte === newline), 0);
}

/** The separators of cells that databases and spreadsheets write. */
const delimiters = [',', '\t', ';'];

/**
 * Returns the header of CSV by the separator with which its columns can be read; else the fault for
 * the separator that makes most columns.
 */
function csvBeginning(bytes: Uint8Array, from: number, map: ColumnMap, isAll: boolean) {
  let start = from;
  while (bytes[start] === newline || bytes[start] === 0x0d) start++;
  let most: readonly string[] = [];
  for (const delimiter of delimiters) {
    const records = { kind: 'record', delimiter } as const;
    const scanner = createScanner(records, '');
    const end = scanner.next(bytes, start);
    if (end === -1 && !isAll) return undefined;
    if (end === -1 && (bytes.length > mostBytes || scanner.unfinished?.() !== undefined)) continue;
    const head = {
      bytes: end === -1 ? bytes.length : end,
      lines: linesIn(bytes.subarray(0, end)) + Number(end === -1),
    };
    const rows = rowsOf({ bytes: bytes.subarray(start), firstLine: 1 }, { ...plainFormat, records });
    const [{ text = '' } = {}, next] = [rows.next().value ?? {}, rows.next().value];
    const header = cellsOf(text, delimiter).map((name) => name.trim());
    const columns = columnsOf(header, map, true);
    if (header.length > most.length) most = header;
    if ('fault' in columns) continue;
    const time = cellsOf(next?.text ?? '', delimiter)[columnAt(header, columns.sentAt ?? '')];
    return { format: { records, map, head, header, columns }, time };
  }
  // INVARIANT: no separator made columns that can be read.
  return { ...(columnsOf(most, map, true) as ColumnFault), isHeader: most.length > 1 };
}
