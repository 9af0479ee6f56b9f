import { ShapeError } from '../errors.js';
import { jsonFault } from './json-fault.js';

const byteOrderMark = '\u{feff}';

/**
 * Parses a line without its newline; returns undefined for a blank one. The first line may begin
 * with a byte order mark. Throws `ShapeError` that names file and line. It never quotes the line,
 * which may be a message, as the error of the parser does.
 */
export function parseNdjsonLine(written: string, line: number, where: () => string): unknown {
  const text = line === 1 && written.startsWith(byteOrderMark) ? written.slice(1) : written;
  // Blank lines are not parsed: an error takes 4 µs to make, 20 s for 5 MB of blank lines.
  if (isBlank(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    // The fact is the same for every line, since bad rows are counted by it.
    const hint = line === 1 ? '; each line of the file has a value of its own (NDJSON)' : undefined;
    throw new ShapeError(where(), 'the whole line', `must be json; ${jsonFault(text, { oneLine: true })}`, { hint });
  }
}

/** Reports whether a line is blank, mostly by its first character alone. */
function isBlank(text: string): boolean {
  const first = text.charCodeAt(0);
  return !(first > 0x20 && first < 0x80) && text.trim() === '';
}

/**
 * Characters that JSON may contain unescaped and terminals act on: DEL, C1 controls, marks and
 * controls of direction, line separators.
 */
const unsafe = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** Writes a value as JSON that is safe to print: characters that terminals act on are escapes. */
export function safeJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, undefined, indent).replace(
    unsafe,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/**
 * Writes one line of NDJSON with its newline. U+2028 and U+2029 are escapes, since some readers
 * split lines at them.
 */
export function ndjsonLine(value: unknown): string {
  return `${safeJson(value)}\n`;
}

/** The hint that says how to convert what spreadsheets and old databases write. */
export const iconvHint = '; `iconv -f WINDOWS-1252 -t UTF-8` converts it if it is Latin-1';

/** Returns the error for a line that is not UTF-8. */
export function notUtf8(where: string): ShapeError {
  return new ShapeError(where, 'the whole line', 'must be utf-8', { hint: iconvHint });
}
