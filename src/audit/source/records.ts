/**
 * Finds the ends of records in a stream of bytes: lines of NDJSON and TSV, records of CSV, whose
 * quoted cells may hold ends of lines, and items of a JSON array. Records are found byte by byte,
 * without reading their content, however the bytes are divided into chunks.
 */
import { ShapeError } from '../../foundation/errors.js';

/** The layout of records in a file; for CSV with the separator of cells. Plain data. */
export type RecordKind = { readonly kind: 'line' | 'item' | 'record'; readonly delimiter?: string };

/** Finds the ends of records, one after the other. */
interface RecordScanner {
  /**
   * Returns the offset after the record that begins or continues at `at`; -1 if it continues after
   * the chunk. Throws `ShapeError`.
   */
  next(chunk: Uint8Array, at: number): number;
  /** The number of line ends in the record that was found, or in what was read of it. */
  lines: number;
  /** Whether something follows a quote that closes a cell, and the number of cells. */
  isMalformed?: boolean;
  cells?: number;
  /** Returns why the bytes may not end here, as words that follow `the whole file`. */
  unfinished?(): string | undefined;
}

const newline = 0x0a;
const carriageReturn = 0x0d;
const quote = 0x22;
const comma = 0x2c;
const bracket = 0x5b;
const backslash = 0x5c;
const endBracket = 0x5d;
const brace = 0x7b;
const endBrace = 0x7d;

/**
 * Returns a scanner that begins at a record, after `last`, the last byte of another record, if
 * there is one.
 */
export function createScanner({ kind, delimiter = ',' }: RecordKind, source: string, last?: number): RecordScanner {
  if (kind === 'record' && delimiter !== '\t') return csvScanner(delimiter.charCodeAt(0));
  if (kind === 'item') return itemScanner(source, last !== undefined && last !== comma && last !== bracket);
  // A cell of TSV never spans lines.
  return { next: (chunk, at) => chunk.indexOf(newline, at) + 1 || -1, lines: 1 };
}

/**
 * The whole rows at the beginning of bytes: the offset of their end, their number, and the number
 * of line ends in them.
 */
interface Cut {
  readonly end: number;
  readonly rows: number;
  readonly lines: number;
  /** The reason why the bytes may not end here. */
  readonly fault?: string | undefined;
}

/** Finds the whole rows at the beginning of bytes, or all of them if the file ends with these. */
export function cutRecords(
  bytes: Uint8Array,
  records: RecordKind,
  { source, last, isEnd }: { readonly source: string; readonly last: number | undefined; readonly isEnd: boolean },
): Cut {
  if (records.kind === 'line') {
    const end = isEnd ? bytes.length : bytes.lastIndexOf(newline) + 1;
    const lines = newlinesIn(bytes.subarray(0, end)) + Number(end > 0 && bytes[end - 1] !== newline);
    return { end, rows: lines, lines };
  }
  const scanner = createScanner(records, source, last);
  let [end, rows, lines] = [0, 0, 0];
  for (let next = scanner.next(bytes, 0); next !== -1; next = scanner.next(bytes, end)) {
    end = next;
    rows++;
    lines += scanner.lines;
    if (end === bytes.length) break;
  }
  if (!isEnd) return { end, rows, lines };
  const fault = scanner.unfinished?.();
  if (fault !== undefined || end === bytes.length) return { end, rows, lines, fault };
  const behind = scanner.lines + Number(records.kind === 'record');
  return { end: bytes.length, rows: rows + 1, lines: lines + behind };
}

/** Returns the number of line ends. */
export function newlinesIn(bytes: Uint8Array): number {
  let count = 0;
  for (let at = bytes.indexOf(newline); at !== -1; at = bytes.indexOf(newline, at + 1)) count++;
  return count;
}

const [start, unquoted, quoted] = [0, 1, 2];
/**
 * The states after a quote in a quoted cell, which ends the cell or is the first of two, and after
 * the carriage return that follows the end.
 */
const [closing, returning] = [3, 4];

/**
 * Scans records of RFC 4180. A quote opens a quoted cell only at the beginning of a cell; elsewhere
 * it is an ordinary character.
 */
function csvScanner(delimiter: number): RecordScanner {
  let state = start;
  let isWhole = true;
  const scanner = {
    lines: 0,
    isMalformed: false,
    cells: 1,
    unfinished: () => (state === quoted ? 'ends in a cell whose quote never closes' : undefined),
    next(chunk: Uint8Array, at: number): number {
      if (isWhole) Object.assign(scanner, { lines: 0, isMalformed: false, cells: 1 });
      isWhole = false;
      for (let index = at; index < chunk.length; index++) {
        const byte = chunk[index]!;
        if (byte === newline) {
          scanner.lines++;
          if (state === quoted) continue;
          state = start;
          isWhole = true;
          return index + 1;
        }
        if (state === quoted) state = byte === quote ? closing : quoted;
        else if (byte === delimiter && state !== returning) {
          state = start;
          scanner.cells++;
        } else if (byte === quote && (state === start || state === closing)) state = quoted;
        else if (byte === carriageReturn && state === closing) state = returning;
        else if (state !== unquoted) {
          if (state !== start) scanner.isMalformed = true;
          state = unquoted;
        }
      }
      return -1;
    },
  };
  return scanner;
}

/**
 * Scans the items of one array, each with the comma or bracket after it. An item need not be valid
 * JSON: it ends with its brackets.
 */
function itemScanner(source: string, isAfterArray: boolean): RecordScanner {
  let isEnded = isAfterArray;
  let [depth, isText, isEscaped, isWhole] = [1, false, false, true];
  const scanner = {
    lines: 0,
    unfinished: () => (isEnded ? undefined : 'ends before its array does'),
    next(chunk: Uint8Array, at: number): number {
      if (isWhole) scanner.lines = 0;
      isWhole = false;
      for (let index = at; index < chunk.length; index++) {
        const byte = chunk[index]!;
        if (byte === newline) scanner.lines++;
        if (isText) {
          if (isEscaped) isEscaped = false;
          else if (byte === backslash) isEscaped = true;
          else if (byte === quote) isText = false;
        } else if (isEnded) {
          if (byte > 0x20) throw new ShapeError(source, 'the whole file', 'must end behind its array');
        } else if (byte === quote) isText = true;
        else if (byte === bracket || byte === brace) depth++;
        else if ((byte === endBracket || byte === endBrace) && depth > 1) depth--;
        else if (depth === 1 && (byte === comma || byte === endBracket)) {
          isEnded = byte === endBracket;
          isWhole = true;
          return index + 1;
        }
      }
      return -1;
    },
  };
  return scanner;
}
