/**
 * Reads a row of NDJSON from its bytes. It accepts exactly the rows that `JSON.parse` accepts once
 * they are decoded, and notes the offsets of the fields that tell whether a message is plainly
 * allowed. It builds no objects, and takes a third of the time of `JSON.parse`. Of several fields
 * with the same name the last one counts, as for `JSON.parse`. Reads are in bounds, since a line
 * feed follows the row and ends every inner loop.
 */

/** The fields of a message that are noted; those of `data` have names of their own. */
export const Field = {
  ID: 1,
  SENDER: 2,
  CONVERSATION_ID: 3,
  RECEIVER: 4,
  RECEIVER_TYPE: 5,
  CATEGORY: 6,
  TYPE: 7,
  SENT_AT: 8,
  /** A `text` beside `data`. */
  OUTER_TEXT: 9,
  DATA: 10,
  TEXT: 11,
  ENTITIES: 12,
  ATTACHMENTS: 13,
  /** `sender` and `receiver` of `data.entities`, and the `entity` of each. */
  SENDER_PARTY: 14,
  RECEIVER_PARTY: 15,
  SENDER_ENTITY: 16,
  RECEIVER_ENTITY: 17,
} as const;

/** The first field that a filter reads of a sender; that of the receiver is the next one. */
export const FIRST_OF_FILTERS = 18;
/** The most properties of senders and receivers that are noted. */
const MOST_PROPERTIES = 50;

/** The row is not JSON. */
export const REFUSED = -1;
/**
 * The row may be JSON: an object whose fields are noted has a name with escapes, or brackets are
 * nested a thousand deep.
 */
export const UNKNOWN = -2;
/** The row is JSON; `spans` has its fields. */
export const NOTED = 0;

/**
 * The offsets of each field of the row that was read last: the beginning of its value at `2 *
 * field`, -1 if the field is absent, and the end at `2 * field + 1`.
 */
export const spans = new Int32Array(2 * (FIRST_OF_FILTERS + 2 * MOST_PROPERTIES));

/** The bits that describe a string: it has escapes, or characters beyond ASCII. */
export const ESCAPES = 1;
export const WIDE = 2;
/** The bits of the string that was read last, and those of `data.text`. */
let bits = 0;
export let bitsOfText = 0;

const [quote, backslash, comma, colon, newline] = [0x22, 0x5c, 0x2c, 0x3a, 0x0a];
const [openBracket, closeBracket, openBrace, closeBrace] = [0x5b, 0x5d, 0x7b, 0x7d];
const [zero, nine, minus, plus, point] = [0x30, 0x39, 0x2d, 0x2b, 0x2e];

const [VALUE, VALUE_OR_END, NAME, NAME_OR_END, COMMA_OR_END] = [0, 1, 2, 3, 4];

/**
 * The bytes that end a run of plain ones in a string: a quote, a backslash, a control, a byte
 * beyond ASCII.
 */
const [CLOSES, ESCAPED, CONTROL, BEYOND] = [1, 2, 3, 4];
const endOfRun = new Uint8Array(256).fill(CONTROL, 0, 0x20).fill(BEYOND, 0x80);
endOfRun[quote] = CLOSES;
endOfRun[backslash] = ESCAPED;

/** A bit for a byte that may follow a backslash, another for a hexadecimal digit. */
const isEscape = marksOf('"\\/bfnrt');
const isHex = marksOf('0123456789abcdefABCDEF');

function marksOf(characters: string): Uint8Array {
  const marks = new Uint8Array(256);
  for (let at = 0; at < characters.length; at++) marks[characters.charCodeAt(at)] = 1;
  return marks;
}

/** The names of fields by their length. */
type Names = readonly (readonly { readonly name: string; readonly field: number }[] | undefined)[];

function namesOf(fields: Readonly<Record<string, number>>): Names {
  const names: { readonly name: string; readonly field: number }[][] = [];
  for (const [name, field] of Object.entries(fields))
    names[name.length] = [...(names[name.length] ?? []), { name, field }];
  return names;
}

const namesOfMessage = namesOf({
  id: Field.ID,
  sender: Field.SENDER,
  conversationId: Field.CONVERSATION_ID,
  receiver: Field.RECEIVER,
  receiverType: Field.RECEIVER_TYPE,
  category: Field.CATEGORY,
  type: Field.TYPE,
  sentAt: Field.SENT_AT,
  text: Field.OUTER_TEXT,
  data: Field.DATA,
});
const none: Names = [];

/**
 * The fields that are noted: for each field, the names of the fields inside it, and all fields
 * inside it at any depth.
 */
interface Notes {
  readonly names: readonly Names[];
  readonly inside: readonly (readonly number[])[];
}

/**
 * Makes the notes of the fields that tell whether a message is plainly allowed, and of properties
 * of senders and receivers.
 */
export function notesOf(properties: readonly string[]): Notes | undefined {
  if (properties.length > MOST_PROPERTIES) return undefined;
  const fieldsFrom = (first: number) =>
    namesOf(Object.fromEntries(properties.map((name, index) => [name, first + 2 * index])));
  const names: Names[] = Array.from({ length: FIRST_OF_FILTERS + 2 * properties.length }, () => none);
  names[Field.DATA] = namesOf({ text: Field.TEXT, entities: Field.ENTITIES, attachments: Field.ATTACHMENTS });
  names[Field.ENTITIES] = namesOf({ sender: Field.SENDER_PARTY, receiver: Field.RECEIVER_PARTY });
  names[Field.SENDER_PARTY] = namesOf({ entity: Field.SENDER_ENTITY });
  names[Field.RECEIVER_PARTY] = namesOf({ entity: Field.RECEIVER_ENTITY });
  names[Field.SENDER_ENTITY] = fieldsFrom(FIRST_OF_FILTERS);
  names[Field.RECEIVER_ENTITY] = fieldsFrom(FIRST_OF_FILTERS + 1);
  const fieldsIn = (byLength: Names): number[] =>
    byLength.flatMap((known = []) => known.flatMap(({ field }) => [field, ...fieldsIn(names[field]!)]));
  return { names, inside: names.map(fieldsIn) };
}

function fieldOf(bytes: Uint8Array, from: number, to: number, names: Names): number {
  const known = names[to - from];
  if (known === undefined) return 0;
  for (let index = 0; index < known.length; index++) {
    const { name, field } = known[index]!;
    let at = name.length - 1;
    while (at >= 0 && bytes[from + at] === name.charCodeAt(at)) at--;
    if (at < 0) return field;
  }
  return 0;
}

/** Returns the offset of the quote that closes the string whose first byte is at `at`, or -1. */
function endOfString(bytes: Uint8Array, at: number): number {
  bits = 0;
  for (;;) {
    let end = endOfRun[bytes[at]!]!;
    while (end === 0) end = endOfRun[bytes[++at]!]!;
    if (end === CLOSES) return at;
    if (end === CONTROL) return -1;
    if (end === BEYOND) {
      bits |= WIDE;
      at++;
      continue;
    }
    bits |= ESCAPES;
    if (isEscape[bytes[at + 1]!] === 1) at += 2;
    else if (bytes[at + 1] === 0x75 && isHex[bytes[at + 2]!] === 1 && isHex[bytes[at + 3]!] === 1) {
      if (isHex[bytes[at + 4]!] !== 1 || isHex[bytes[at + 5]!] !== 1) return -1;
      at += 6;
    } else return -1;
  }
}

const literals = ['true', 'false', 'null'];

/** Returns the offset of the end of a number or a literal, or -1. */
function endOfPlain(bytes: Uint8Array, from: number): number {
  const first = bytes[from]!;
  if (first === minus || (first >= zero && first <= nine)) return endOfNumber(bytes, from);
  for (const literal of literals) {
    let at = 0;
    while (at < literal.length && bytes[from + at] === literal.charCodeAt(at)) at++;
    if (at === literal.length) return from + at;
  }
  return -1;
}

function endOfNumber(bytes: Uint8Array, from: number): number {
  let at = bytes[from] === minus ? from + 1 : from;
  if (bytes[at] === zero) at++;
  else at = endOfDigits(bytes, at);
  if (at !== -1 && bytes[at] === point) at = endOfDigits(bytes, at + 1);
  if (at === -1 || (bytes[at]! | 0x20) !== 0x65) return at;
  at++;
  return endOfDigits(bytes, bytes[at] === plus || bytes[at] === minus ? at + 1 : at);
}

function endOfDigits(bytes: Uint8Array, from: number): number {
  let at = from;
  while (bytes[at]! >= zero && bytes[at]! <= nine) at++;
  return at === from ? -1 : at;
}

function note({ inside }: Notes, field: number, from: number, to: number): void {
  spans[2 * field] = from;
  spans[2 * field + 1] = to;
  if (field === Field.TEXT) bitsOfText = bits;
  const fields = inside[field]!;
  for (let index = 0; index < fields.length; index++) spans[2 * fields[index]!] = -1;
}

/** Returns the offset after the colon that follows a name, or -1. */
function afterColon(bytes: Uint8Array, from: number): number {
  let at = from;
  while (bytes[at] === 0x20 || bytes[at] === 0x09 || bytes[at] === 0x0d) at++;
  return bytes[at] === colon ? at + 1 : -1;
}

/** An entry for each open bracket: 1 for a brace. */
const isObject = new Uint8Array(1 << 10);
/** The fields whose values are open, by their depth. */
const opened = new Uint8Array(6);

/**
 * Reads the row from `start` to `end`, the offset of a line feed; the bytes must be UTF-8. Returns
 * `NOTED`, `REFUSED` or `UNKNOWN`.
 */
export function readRow(bytes: Uint8Array, start: number, end: number, notes: Notes): number {
  let [at, depth, field, expects, isUnknown] = [start, 0, 0, VALUE, false];
  spans.fill(-1, 0, 2 * notes.names.length);
  for (;;) {
    let byte = bytes[at]!;
    while (byte === 0x20 || byte === 0x09 || byte === 0x0d) byte = bytes[++at]!;
    if (byte === quote) {
      let close = endOfString(bytes, at + 1);
      if (close === -1 || expects === COMMA_OR_END) return REFUSED;
      if (expects >= NAME) {
        const value = afterColon(bytes, close + 1);
        if (value === -1) return REFUSED;
        const names = depth === 1 ? namesOfMessage : depth <= opened.length ? notes.names[opened[depth - 1]!]! : none;
        field = names.length === 0 ? 0 : fieldOf(bytes, at + 1, close, names);
        if (names.length > 0 && (bits & ESCAPES) !== 0) isUnknown = true;
        at = value;
        expects = VALUE;
        if (bytes[at] !== quote) continue;
        // Most values are strings that follow at once.
        close = endOfString(bytes, at + 1);
        if (close === -1) return REFUSED;
      }
      if (field !== 0) note(notes, field, at, close + 1);
      at = close + 1;
    } else if (byte === comma) {
      if (expects !== COMMA_OR_END || depth === 0) return REFUSED;
      expects = isObject[depth - 1] === 1 ? NAME : VALUE;
      at++;
      continue;
    } else if (byte === openBrace || byte === openBracket) {
      if (expects > VALUE_OR_END) return REFUSED;
      if (depth === isObject.length) return UNKNOWN;
      if (field !== 0) note(notes, field, at, -1);
      if (depth < opened.length) opened[depth] = field;
      field = 0;
      isObject[depth++] = byte === openBrace ? 1 : 0;
      expects = byte === openBrace ? NAME_OR_END : VALUE_OR_END;
      at++;
      continue;
    } else if (byte === closeBrace || byte === closeBracket) {
      const closesObject = byte === closeBrace ? 1 : 0;
      const mayEnd = expects === COMMA_OR_END || expects === (closesObject === 1 ? NAME_OR_END : VALUE_OR_END);
      if (depth === 0 || isObject[depth - 1] !== closesObject || !mayEnd) return REFUSED;
      depth--;
      if (depth < opened.length && opened[depth] !== 0) spans[2 * opened[depth]! + 1] = at + 1;
      at++;
    } else if (byte === newline) {
      if (at !== end || expects !== COMMA_OR_END || depth !== 0) return REFUSED;
      return isUnknown ? UNKNOWN : NOTED;
    } else {
      if (expects > VALUE_OR_END) return REFUSED;
      const next = endOfPlain(bytes, at);
      if (next === -1) return REFUSED;
      if (field !== 0) note(notes, field, at, next);
      at = next;
    }
    field = 0;
    expects = COMMA_OR_END;
  }
}
