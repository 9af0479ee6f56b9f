/**
 * Rows of columns, as exports have them, read as messages: which column is what, and what its
 * values mean.
 */
import { secondsSinceEpoch } from '../../engine/compile/instant.js';
import { ShapeError } from '../../foundation/errors.js';
import type { MessageDraft } from '../../platform/contract/message-draft.js';

/**
 * Fields of a message (§2.4) that a column may hold, with the names of such columns, compared
 * without case, blanks and signs; the first that a file has counts.
 */
const columnNames = {
  text: ['text', 'body', 'message', 'content', 'messagetext', 'messagebody'],
  id: ['id', 'messageid'],
  sender: ['sender', 'senderid', 'user', 'userid', 'uid', 'author', 'authorid'],
  sentAt: ['sentat', 'timestamp', 'date', 'createdat', 'datetime', 'time', 'ts', 'createdutc'],
  conversationId: ['conversationid', 'conversation', 'channelid', 'channel', 'roomid', 'room'],
} as const satisfies Record<string, readonly string[]>;

export type ColumnField = keyof typeof columnNames;
export const columnFields = Object.keys(columnNames) as readonly ColumnField[];

/** The columns that the caller named, by field; '' for a field without a column. */
export type ColumnMap = Readonly<Partial<Record<ColumnField, string>>>;

/** The column of each field that has one. */
export type Columns = ColumnMap;

/**
 * The reason why columns cannot be read, as the end of a message, the names of the columns, and
 * whether a column for the text is missing.
 */
export interface ColumnFault {
  readonly fault: string;
  readonly names: readonly string[];
  readonly isTextless: boolean;
}

/**
 * Returns the columns of the fields, or the fault if there is no column for the text, or if several
 * may be it. A header must have each column that the caller named.
 */
export function columnsOf(names: readonly string[], map: ColumnMap, isHeader = false): Columns | ColumnFault {
  const taken: Partial<Record<ColumnField, string>> = {};
  const plain = names.map((name) => name.replace(/[\s_.-]/g, '').toLowerCase());
  for (const field of columnFields) {
    const given = map[field];
    const found =
      given === undefined
        ? columnNames[field].flatMap((known) => names.filter((_, index) => plain[index] === known))
        : names.flatMap((name, index) => (given !== '' && (name || String(index + 1)) === given ? [given] : []));
    if (found.length > 1 && (field === 'text' || found[0] === found[1]))
      return { fault: `has several columns for ${field}: ${listed(found)}`, names, isTextless: false };
    if (isHeader && given && found.length === 0 && field !== 'text')
      return { fault: `has no column ${listed([given])} among ${listed(names)}`, names, isTextless: false };
    if (found[0] !== undefined) taken[field] = found[0];
  }
  if (taken.text !== undefined) return taken;
  const looked = map.text === undefined ? 'no column for the text' : `no column ${listed([map.text])}`;
  return {
    fault: `has ${looked}${names.every((name) => name === '') ? '' : ` among ${listed(names)}`}`,
    names,
    isTextless: true,
  };
}

/** Returns the index of a column, given by its name, or by its number from 1 if it has no name. */
export function columnAt(header: readonly string[], column: string): number {
  return header.findIndex((name, index) => (name || String(index + 1)) === column);
}

/** The error for a row, or a header, whose columns cannot be read. */
export class ColumnError extends ShapeError {
  override readonly name: string = 'ColumnError';
  /** The columns, among which the caller may name those of the fields. */
  readonly columns: readonly string[];
  constructor(where: string, what: string, { fault, names }: Pick<ColumnFault, 'fault' | 'names'>) {
    const hint = '; columns can be mapped: `text=COLUMN,sentAt=COLUMN`, and `sentAt=` leaves one out';
    super(where, what, fault, { hint });
    this.columns = names.map((name, index) => name || String(index + 1));
  }
}

function listed(all: readonly string[]): string {
  const names = all.filter(Boolean);
  const shown = names.slice(0, 20).map((name) => `\`${name.slice(0, 60)}\``);
  return shown.join(', ') + (names.length > shown.length ? ` and ${names.length - shown.length} more` : '');
}

/**
 * Returns the message of a row whose cells are found by name or by number. Empty cells and null
 * count as absent, except for the text, which is then empty: a row is a text message, whatever its
 * other columns contain. Throws `ShapeError` that names the column, never its value.
 */
export function messageOfCells(
  cells: Readonly<Record<string, unknown>> | readonly string[],
  at: Readonly<Partial<Record<ColumnField, string | number>>>,
  { columns, where }: { readonly columns: Columns; readonly where: () => string },
): MessageDraft {
  const refuse = (field: ColumnField, what: string) => new ShapeError(where(), columns[field] ?? field, what);
  const cellOf = (field: ColumnField) => {
    const column = at[field];
    const value = column === undefined ? undefined : (cells as Readonly<Record<string | number, unknown>>)[column];
    return value === '' || value === null ? undefined : value;
  };
  const text = cellOf('text') ?? '';
  if (typeof text !== 'string') throw refuse('text', 'must be a string');
  const message: Record<string, unknown> = { data: { text } };
  for (const field of ['id', 'sender', 'conversationId'] as const) {
    const value = cellOf(field);
    if (typeof value === 'string') message[field] = ownText(value);
    else if (Number.isSafeInteger(value)) message[field] = String(value);
    else if (value !== undefined) throw refuse(field, 'must be a string, or a whole number below 2^53');
  }
  const time = cellOf('sentAt');
  if (time === undefined) return message;
  message.sentAt = secondsOf(time);
  if (!Number.isNaN(message.sentAt)) return message;
  throw refuse('sentAt', 'must be a time: seconds or milliseconds since 1970, or `2026-03-01T08:00:00Z`');
}

/**
 * Returns a copy of a text, since a slice keeps its whole record in memory. V8 copies short strings
 * anyway.
 */
function ownText(value: string): string {
  return value.length < 13 ? value : (JSON.parse(JSON.stringify(value)) as string);
}

/** Reports whether a time counts in milliseconds: seconds are fewer up to the year 5138. */
export function isInMilliseconds(time: unknown): boolean {
  return (typeof time === 'number' || typeof time === 'string') && Number(time) >= 1e11;
}

/** Matches the zone after the time of day, also as databases write it. */
const zone = /(:\d\d(?:\.\d+)?) ?(?:(UTC|GMT)|([+-]\d\d):?(\d\d)?)$/;

/**
 * Returns the seconds since the epoch of a time as exports write it: a number of seconds, or from
 * 10^11 on of milliseconds, or ISO 8601, in UTC if it names no zone. NaN for anything else.
 */
export function secondsOf(time: unknown): number {
  if (typeof time === 'number') return isInMilliseconds(time) ? time / 1000 : time;
  if (typeof time !== 'string') return Number.NaN;
  const seconds = secondsSinceEpoch(
    time.trim().replace(zone, (_, clock, utc, hours, minutes = '00') => clock + (utc ? 'Z' : `${hours}:${minutes}`)),
  );
  return isInMilliseconds(time) ? seconds / 1000 : seconds;
}
