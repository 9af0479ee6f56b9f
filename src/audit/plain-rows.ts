/**
 * Judges rows of NDJSON that are plainly allowed without parsing them. Nearly all rows are plainly
 * allowed, and parsing a row takes longer than deciding about its text. All other rows are left to
 * the reader of rows.
 */
import { isUtf8 } from 'node:buffer';
import type { Fields } from '../engine/compile/untrusted.js';
import type { PlainTexts } from '../engine/evaluate/plain-texts.js';
import { isInMilliseconds } from './source/columns.js';
import { type MessageSelection, type Selected, selectionOf } from './source/message-selection.js';
import {
  bitsOfText,
  ESCAPES,
  FIRST_OF_FILTERS,
  Field,
  NOTED,
  notesOf,
  readRow,
  spans,
  WIDE,
} from './source/row-bytes.js';
import type { JudgeRow } from './source/rows.js';
import type { ScoreTable } from './source/scores.js';

/** The options of judging plain rows. */
interface PlainRows {
  readonly plainTexts: PlainTexts;
  readonly selection: MessageSelection;
  readonly scores: ScoreTable;
  /** Called for a message that is plainly allowed, with its time in seconds if it has one. */
  readonly onAllowed: (sentAt: number | undefined) => void;
  readonly onLeftOut: (why: Exclude<Selected, 'selected'>) => void;
}

const quote = 0x22;
const backslash = 0x5c;
const brace = 0x7b;

/** Returns a function that judges plain rows: rows of which the reader converts nothing. */
export function createPlainRows(block: Uint8Array, how: PlainRows): JudgeRow | undefined {
  const bytes = Buffer.from(block.buffer, block.byteOffset, block.length);
  const isValid = isUtf8(bytes);
  const { plainTexts, selection, scores, onAllowed, onLeftOut } = how;
  const notes = notesOf(plainTexts.properties);
  if (notes === undefined) return undefined;
  const row = createRowFields(plainTexts.properties);
  const { conversation, since, until } = selection;
  const hasFilters = (conversation ?? since ?? until) !== undefined;
  const isJudged: JudgeRow = (start, end) => {
    if (!isValid && !isUtf8(bytes.subarray(start, end))) return false;
    if (readRow(bytes, start, end, notes) !== NOTED || !isTextMessage(bytes)) return false;
    const sentAt = secondsIn(bytes);
    if (Number.isNaN(sentAt)) return false;
    row.begin(bytes);
    if (hasFilters) {
      const conversationId = row.readField(Field.CONVERSATION_ID) as string | undefined;
      const selected = selectionOf(selection, { conversationId, sentAt });
      if (selected !== 'selected') {
        onLeftOut(selected);
        return true;
      }
    }
    const text = textIn(bytes, Field.TEXT, bitsOfText);
    if (scores.size > 0 && (scores.has(text) || scores.has(row.readField(Field.ID) as string))) return false;
    if (!plainTexts.isPlain(text, row.fields)) return false;
    onAllowed(sentAt);
    return true;
  };
  let [tried, judged, left] = [0, 0, 0];
  return (start, end) => {
    if (left > 0) {
      left--;
      return false;
    }
    const isDone = isJudged(start, end);
    judged += Number(isDone);
    // If few rows are plain, reading them on their bytes takes longer than it saves.
    if (++tried === rowsTried) {
      if (judged < rowsTried / 3) left = 4 * rowsTried;
      [tried, judged] = [0, 0];
    }
    return isDone;
  };
}

/** The number of rows after which it is decided whether further rows are tried. */
const rowsTried = 48;

const optionalStrings = [Field.ID, Field.SENDER, Field.CONVERSATION_ID] as const;
const plainKinds = [
  [Field.CATEGORY, '"message"'],
  [Field.TYPE, '"text"'],
] as const;

/**
 * Reports whether the row that was read last is a message with a text, whose fields need no
 * conversion.
 */
function isTextMessage(bytes: Uint8Array): boolean {
  const text = spans[2 * Field.TEXT]!;
  if (text === -1 || bytes[text] !== quote || bytes[spans[2 * Field.DATA]!] !== brace) return false;
  if (spans[2 * Field.OUTER_TEXT] !== -1 || spans[2 * Field.ATTACHMENTS] !== -1) return false;
  for (const field of optionalStrings) {
    const at = spans[2 * field]!;
    if (at !== -1 && bytes[at] !== quote) return false;
  }
  const id = spans[2 * Field.ID]!;
  if (id !== -1 && spans[2 * Field.ID + 1] === id + 2) return false;
  for (const [field, json] of plainKinds) {
    const at = spans[2 * field]!;
    if (at === -1) continue;
    if (spans[2 * field + 1] !== at + json.length) return false;
    for (let index = 1; index < json.length; index++) if (bytes[at + index] !== json.charCodeAt(index)) return false;
  }
  return true;
}

/**
 * Returns the time of the row; undefined if it has no time, NaN if the reader has to convert or
 * refuse it.
 */
function secondsIn(bytes: Buffer): number | undefined {
  const at = spans[2 * Field.SENT_AT]!;
  if (at === -1) return undefined;
  const end = spans[2 * Field.SENT_AT + 1]!;
  // Present times in seconds have ten digits.
  let [seconds, digits] = [0, at];
  for (; digits < end && bytes[digits]! >= 0x30 && bytes[digits]! <= 0x39; digits++)
    seconds = 10 * seconds + bytes[digits]! - 0x30;
  if (digits < end || end - at > 15) seconds = Number(bytes.toString('latin1', at, end));
  return Number.isFinite(seconds) && !isInMilliseconds(seconds) ? seconds : Number.NaN;
}

/** Returns the string of a field. */
function textIn(bytes: Buffer, field: number, bits = ESCAPES): string {
  const [from, to] = [spans[2 * field]!, spans[2 * field + 1]!];
  if ((bits & ESCAPES) !== 0) return JSON.parse(bytes.toString('utf8', from, to));
  return bytes.toString((bits & WIDE) === 0 ? 'latin1' : 'utf8', from + 1, to - 1);
}

/** Returns the JSON value between two offsets; most values are short strings without escapes. */
function valueIn(bytes: Buffer, from: number, to: number): unknown {
  let at = bytes[from] === quote ? from + 1 : to;
  while (at < to - 1 && bytes[at]! < 0x80 && bytes[at] !== backslash) at++;
  return at === to - 1 ? bytes.toString('latin1', from + 1, at) : JSON.parse(bytes.toString('utf8', from, to));
}

const unread = Symbol('unread');

/**
 * Returns the fields of the row that was read last, as filters read them; each is parsed when it is
 * first read.
 */
function createRowFields(properties: readonly string[]) {
  let bytes: Buffer = Buffer.alloc(0);
  const values = Array.from({ length: FIRST_OF_FILTERS + 2 * properties.length }, (): unknown => unread);
  const readField = (field: number): unknown => {
    if (values[field] !== unread) return values[field];
    const from = spans[2 * field]!;
    const value = from === -1 ? undefined : valueIn(bytes, from, spans[2 * field + 1]!);
    values[field] = value;
    return value;
  };
  const partyOf = (field: number, first: number) => {
    const getters = properties.map((name, index) => [name, { get: () => readField(first + 2 * index) }]);
    const entity: Fields = Object.defineProperties({}, Object.fromEntries(getters));
    return {
      get entity() {
        return bytes[spans[2 * field]!] === brace ? entity : undefined;
      },
    };
  };
  const fields: Fields = {
    get sender() {
      return readField(Field.SENDER);
    },
    get receiver() {
      return readField(Field.RECEIVER);
    },
    get receiverType() {
      return readField(Field.RECEIVER_TYPE);
    },
    get sentAt() {
      return readField(Field.SENT_AT);
    },
    data: {
      entities: {
        sender: partyOf(Field.SENDER_ENTITY, FIRST_OF_FILTERS),
        receiver: partyOf(Field.RECEIVER_ENTITY, FIRST_OF_FILTERS + 1),
      },
    },
  };
  return {
    fields,
    readField,
    begin(read: Buffer): void {
      bytes = read;
      values.fill(unread);
    },
  };
}
