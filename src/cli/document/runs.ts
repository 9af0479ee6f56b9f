/** Converts the text of a document to text for a terminal. */
import { type Output, paintRuns, type Run, type Tone } from '../terminal/style.js';
import { escapeText, fitText, wrapHanging } from '../terminal/text.js';
import type { Value, Words } from './document.js';

/** Returns a text as one line of plain text, escaped. */
export function plainText(content: Words): string {
  return runsOf(content)
    .map(([text]) => text)
    .join('');
}

/** Returns a text as runs of escaped text, each in its own tone or in the tone around it. */
export function runsOf(content: Words, tone?: Tone): Run[] {
  if (typeof content === 'string') return [[escapeText(content), tone]];
  if ('words' in content) return runsOf(content.words, content.tone);
  return 'value' in content ? [[valueText(content), tone]] : content.flatMap((item) => runsOf(item, tone));
}

function valueText({ value, form, width }: Value): string {
  const text = Number.isFinite(width) ? fitText(escapeText(value), width) : escapeText(value);
  return form === 'quoted' ? `"${text}"` : form === 'pattern' ? `/${text}/` : text;
}

/** Wraps runs between words. Lines after the first are indented by two columns. */
export function wrapRuns(runs: readonly Run[], { width, paint }: Output): string[] {
  const hang = '  ';
  const text = runs.map(([piece]) => piece).join('');
  let at = 0;
  return wrapHanging(text, width, hang).map((line, index) => {
    const content = index === 0 ? line : line.slice(hang.length);
    const row = cutRuns(runs, at, at + content.length);
    at += content.length;
    if (text[at] === ' ') at += 1;
    return (index === 0 ? '' : paint(row[0]?.[1], hang)) + paintRuns(row, paint);
  });
}

function cutRuns(runs: readonly Run[], start: number, end: number): Run[] {
  let at = 0;
  return runs.flatMap(([text, tone]): Run[] => {
    const from = at;
    at += text.length;
    const kept = text.slice(Math.max(0, start - from), Math.max(0, end - from));
    return kept === '' ? [] : [[kept, tone]];
  });
}
