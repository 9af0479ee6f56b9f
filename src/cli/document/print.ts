import { type Io, print, printJson } from '../io.js';
import { outputOf } from '../terminal/style.js';
import type { Group } from './document.js';
import { markdownOf } from './markdown.js';
import { screenLines } from './terminal.js';

/** The form in which a result was requested. */
interface Form {
  readonly json?: boolean | undefined;
  readonly markdown?: boolean | undefined;
  readonly quiet?: boolean | undefined;
}

/** Prints a result in the form that was requested: JSON, Markdown, a screen, or nothing. Markdown never leaves out `last`. */
export async function printResult(
  io: Io,
  { json, markdown, quiet }: Form,
  value: unknown,
  document: readonly Group[],
  last: Group = [],
): Promise<void> {
  if (json) await printJson(io, value);
  else if (markdown) await print(io, markdownOf(document, last));
  else if (!quiet) await printScreen(io, [...document, last]);
}

/** Prints a document on standard output, in the width and colours of the terminal. */
export async function printScreen(io: Io, document: readonly Group[]): Promise<void> {
  await print(io, `${screenLines(document, outputOf(io)).join('\n')}\n`);
}
