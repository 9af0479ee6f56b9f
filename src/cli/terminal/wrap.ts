import { breakText, textWidth } from './text-width.js';

/** Puts parts side by side on as few lines as the width allows; a part that is wider than that stands alone. */
export function wrapParts(parts: readonly string[], width: number, separator = ', '): string[] {
  const lines: string[] = [];
  for (const part of parts) {
    const last = lines.at(-1);
    const joined = last === undefined ? part : last + separator + part;
    if (last !== undefined && textWidth(joined + separator.trimEnd()) <= width) lines[lines.length - 1] = joined;
    else lines.push(part);
  }
  return lines.map((line, index) => (index < lines.length - 1 ? (line + separator).trimEnd() : line));
}

/** Breaks a text between words. */
export function wrapWords(text: string, width: number): string[] {
  return wrapParts(text.split(' '), width, ' ');
}

/** Breaks a text between words, and inside words that no line holds; lines after the first begin with `hang`. */
export function wrapHanging(text: string, width: number, hang: string): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    const joined = last === undefined ? word : `${last} ${word}`;
    if (textWidth(joined) <= width) lines.splice(-1, 1, joined);
    else
      lines.push(...breakText(word, width - hang.length).map((piece) => (lines.length === 0 ? piece : hang + piece)));
  }
  return lines;
}
