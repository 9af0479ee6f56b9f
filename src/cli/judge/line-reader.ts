/** Readers for the line formats of `sluice judge --in`. */
import { createRowReader, plainFormat, tsvCell } from '../../audit/source/rows.js';
import { ShapeError } from '../../foundation/errors.js';
import type { MessageDraft } from '../../platform/contract/message-draft.js';

/** The message of a line without its newline. Throws `ShapeError` and `UsageError`, whose facts name no number of the line and no value. */
export type ReadLine = (line: string) => MessageDraft | string;

/**
 * The readers of lines, by the name of their format. What they read depends on the line alone, not on its number: lines that are dealt out to
 * several processes give what they give in one.
 */
export const lineReaders = {
  /** A row of NDJSON as `sluice audit --messages` reads it, or a JSON string: the text alone, as `POST /decide` takes it. */
  messages: (): ReadLine => {
    const read = createRowReader(plainFormat, '');
    // Not the first line, of which errors say more.
    const line = 2;
    return (given) => {
      const message = read({ line, index: 0, text: withoutMark(given) });
      if (message === undefined) throw new ShapeError('', 'the whole line', 'is empty');
      return message;
    };
  },
  /** The line is the text. */
  text: (): ReadLine => (line) => withoutMark(withoutReturn(line)),
  /** The text is the first of values that tabs separate. */
  tsv: (): ReadLine => (line) => tsvCell(withoutMark(withoutReturn(line)).split('\t', 1)[0]!),
} as const satisfies Record<string, () => ReadLine>;

function withoutReturn(line: string): string {
  return line.endsWith('\r') ? line.slice(0, -1) : line;
}

/** Without a byte order mark, which begins a file, and so each of several that were put together. */
function withoutMark(line: string): string {
  return line.charCodeAt(0) === 0xfeff ? line.slice(1) : line;
}
