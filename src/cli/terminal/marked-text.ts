import type { Canvas } from './canvas.js';
import { escapeText } from './escape-text.js';
import { counted } from './format.js';
import { graphemesOf, onlyMarks, textWidth } from './text-width.js';

/** A half-open range of UTF-16 units. */
interface Span {
  readonly start: number;
  readonly end: number;
}

/** Something that is drawn as a whole: a character, or the escape of what cannot be seen. */
interface Cell {
  readonly shown: string;
  readonly width: number;
  /** `place`: part of a span. `point`: an empty span stands before it. */
  readonly mark: 'place' | 'point' | undefined;
}

const indent = '  ';

/** What marks that belong to no letter are drawn on, as in charts: they have no column of their own to be marked. */
const dottedCircle = '\u{25cc}';
const mostLines = 12;

/** A line of a text is laid out at most so far; the rest of it is another line. Bounds the work for endless ones. */
const longestLine = 4000;

/**
 * The lines of a text on which spans lie, with the spans marked: inverted in colour, by a line of `^` otherwise; an empty
 * span is `|`. What lies between is `…`. Long lines are wrapped, what cannot be seen is escaped.
 */
export function markedLines(text: string, spans: readonly Span[], canvas: Canvas): string[] {
  const covered = merged(spans);
  const lines: string[] = [];
  let next = 0;
  let shown = 0;
  let hidden = 0;
  let skipped = false;
  for (const line of linesOf(text)) {
    while (next < covered.length && covered[next]!.end < line.start) next += 1;
    const own = spansOn(line, covered, next, text.length);
    const rows = own.length === 0 ? [undefined] : wrapCells(cellsOf(text, line, own), canvas.width - indent.length);
    for (const row of rows) {
      if (row === undefined || !row.some(({ mark }) => mark !== undefined)) skipped = true;
      else if (shown === mostLines) hidden += 1;
      else {
        if (skipped) lines.push(canvas.paint('faint', `${indent}…`));
        lines.push(...drawRow(row, canvas));
        skipped = false;
        shown += 1;
      }
    }
  }
  if (hidden > 0) lines.push(canvas.paint('faint', `${indent}+${counted(hidden, 'more line')} with matches`));
  else if (skipped) lines.push(canvas.paint('faint', `${indent}…`));
  return lines;
}

/** Spans in order, those that overlap as one. */
function merged(spans: readonly Span[]): Span[] {
  const result: { start: number; end: number }[] = [];
  for (const { start, end } of [...spans].sort((left, right) => left.start - right.start || left.end - right.end)) {
    const last = result.at(-1);
    if (last !== undefined && start < last.end) last.end = Math.max(last.end, end);
    else result.push({ start, end });
  }
  return result;
}

/** Where lines stand, their line feed included. */
function* linesOf(text: string): Generator<Span> {
  let start = 0;
  do {
    const feed = text.indexOf('\n', start);
    let end = Math.min(feed === -1 ? text.length : feed + 1, start + longestLine);
    if (end < text.length && text.codePointAt(end - 1)! > 0xffff) end -= 1;
    yield { start, end };
    start = end;
  } while (start < text.length);
}

/** Those of the spans that touch a line; an empty one belongs to the character after it, or to the last line. */
function spansOn(line: Span, spans: readonly Span[], first: number, length: number): Span[] {
  const own: Span[] = [];
  for (let index = first; index < spans.length && spans[index]!.start <= line.end; index += 1) {
    const { start, end } = spans[index]!;
    const isOn =
      start < end
        ? start < line.end && end > line.start
        : start >= line.start && (start < line.end || line.end === length);
    if (isOn) own.push({ start, end });
  }
  return own;
}

function cellsOf(text: string, line: Span, spans: readonly Span[]): Cell[] {
  const cells: Cell[] = [];
  let at = line.start;
  let next = 0;
  const add = (raw: string) => {
    const shown = onlyMarks.test(raw) ? dottedCircle + raw : escapeText(raw);
    const end = at + raw.length;
    while (next < spans.length - 1 && spans[next]!.end <= at && spans[next + 1]!.start < end) next += 1;
    cells.push({ shown, width: textWidth(shown), mark: markOf(spans[next]!, at, end) });
    at = end;
  };
  for (const { segment } of graphemesOf(text.slice(line.start, line.end))) {
    // A character that holds something unseen is drawn in parts, each of them narrow.
    if (escapeText(segment) === segment) add(segment);
    else for (const part of seenAndUnseen(segment)) add(part);
  }
  const last = spans.at(-1)!;
  if (last.start === last.end && last.start === line.end) cells.push({ shown: '', width: 1, mark: 'point' });
  return cells;
}

function seenAndUnseen(grapheme: string): string[] {
  const parts: string[] = [];
  let seen = '';
  for (const point of grapheme) {
    if (escapeText(point) === point) seen += point;
    else {
      parts.push(...(seen === '' ? [] : [seen]), point);
      seen = '';
    }
  }
  return seen === '' ? parts : [...parts, seen];
}

function markOf({ start, end }: Span, from: number, to: number): Cell['mark'] {
  if (start < end) return start < to && end > from ? 'place' : undefined;
  return start >= from && start < to ? 'point' : undefined;
}

/** Breaks after white space where there is some, anywhere otherwise. */
function wrapCells(cells: readonly Cell[], room: number): Cell[][] {
  const rows: Cell[][] = [];
  let row: Cell[] = [];
  let used = 0;
  let breakAt = 0;
  for (const cell of cells) {
    if (used + cell.width > room && row.length > 0) {
      const cut = breakAt > 0 ? breakAt : row.length;
      rows.push(row.slice(0, cut));
      row = row.slice(cut);
      used = row.reduce((sum, { width }) => sum + width, 0);
      breakAt = 0;
    }
    row.push(cell);
    used += cell.width;
    if (cell.shown === ' ') breakAt = row.length;
  }
  return [...rows, row];
}

function drawRow(row: readonly Cell[], { paint, coloured }: Canvas): string[] {
  let line = indent;
  for (let from = 0; from < row.length; ) {
    const isPlace = row[from]!.mark === 'place';
    let to = from + 1;
    while (to < row.length && (row[to]!.mark === 'place') === isPlace) to += 1;
    const run = row.slice(from, to).map(({ shown }) => shown);
    line += isPlace ? paint('mark', run.join('')) : run.join('');
    from = to;
  }
  const needsPoints = row.some(({ mark }) => mark === 'point');
  if (coloured && !needsPoints) return [line.trimEnd()];
  const marks = row.map(({ width, mark }) => (mark === 'point' ? '|'.padEnd(width) : (mark ? '^' : ' ').repeat(width)));
  return [line.trimEnd(), (indent + marks.join('')).trimEnd()];
}
