/** Readers for the line formats of `sluice judge --in`. */
import { createRowReader, plainFormat, tsvCell } from '../../audit/source/rows.js';
import { ShapeError } from '../../foundation/errors.js';
import type { MessageDraft } from '../../platform/contract/message-draft.js';

/**
 * Reads the message of a line without its newline. Throws `ShapeError` and `UsageError`, which
 * contain neither the number of the line nor a value.
 */
export type ReadLine = (line: string) => MessageDraft | string;

/**
 * The readers of lines, by the name of their format. The result depends on the line alone, not on
 * its number, so that lines that are distributed among several processes have the same results as
 * in one.
 */
export const lineReaders = {
  /**
   * Reads a row of NDJSON like `sluice audit --messages`, or a JSON string, which is only the text,
   * like `POST /decide`.
   */
  messages: (): ReadLine => {
    const read = createRowReader(plainFormat, '');
    // Not the first line, for which errors say more.
    const line = 2;
    return (given) => {
      const message = read({ line, index: 0, text: withoutMark(given) });
      if (message === undefined) throw new ShapeError('', 'the whole line', 'is empty');
      return message;
    };
  },
  /** Reads the line as the text. */
  text: (): ReadLine => (line) => withoutMark(withoutReturn(line)),
  /** Reads the first of the values that tabs separate as the text. */
  tsv: (): ReadLine => (line) => tsvCell(withoutMark(withoutReturn(line)).split('\t', 1)[0]!),
} as const satisfies Record<string, () => ReadLine>;

function withoutReturn(line: string): string {
  return line.endsWith('\r') ? line.slice(0, -1) : line;
}

/**
 * Removes a byte order mark. It begins a file, and so may be inside a stream of concatenated files.
 */
function withoutMark(line: string): string {
  return line.charCodeAt(0) === 0xfeff ? line.slice(1) : line;
}
