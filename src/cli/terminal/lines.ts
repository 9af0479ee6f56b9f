/** What screens are put together from: blocks of lines, paragraphs in one tone, and lists that are cut. */
import type { Output, Tone } from './style.js';
import { counted, escapeText, fitText, formatCount, wrapHanging } from './text.js';

/** Columns shown of a value from a rule or a message. */
export const columns = { name: 80, pattern: 400, text: 60 } as const;

/** A value from a rule or a message, escaped and cut to a width. */
export function cut(text: string, width: number): string {
  return fitText(escapeText(text), width);
}

/** Words in one tone, wrapped to the width of the screen; lines after the first begin with `hang`. */
export function wrapped(text: string, tone: Tone | undefined, { width, paint }: Output, hang = '  '): string[] {
  return wrapHanging(text, width, hang).map((line) => paint(tone, line));
}

/** Blocks of lines with a blank line between them; those without a line are left out. */
export function joinBlocks(blocks: readonly (readonly string[])[]): string[] {
  return blocks
    .filter((lines) => lines.length > 0)
    .flatMap((lines, index) => (index === 0 ? [...lines] : ['', ...lines]));
}

/** The first items of a list by their names, and how many more there are: `a, b, +3 more`. */
export function listed<Item>(items: readonly Item[], most: number, nameOf: (item: Item) => string): string {
  const shown = items.slice(0, most).map((item) => nameOf(item));
  const left = items.length - shown.length;
  return [...shown, ...(left > 0 ? [moreWords(left)] : [])].join(', ');
}

/** How many there are beyond those shown: `+3 more`, `+3 more causes`. */
export function moreWords(left: number, noun?: string): string {
  return `+${noun === undefined ? `${formatCount(left)} more` : counted(left, `more ${noun}`)}`;
}

/** The same as a line with what is said behind it, `+3 more files with scores`; nothing where there is none. */
export function moreLines(left: number, { paint }: Output, noun?: string, behind = '', indent = ''): string[] {
  return left > 0 ? [paint('faint', `${indent}${moreWords(left, noun)}${behind}`)] : [];
}
