import type { Output } from './style.js';
import { counted, escapeText, graphemesOf, onlyMarks, textWidth } from './text.js';

/** A half-open range of UTF-16 units. */
interface Span {
  readonly start: number;
  readonly end: number;
}

/** A unit of layout that is never broken: a character, or the escape of an invisible one. */
interface Cell {
  readonly shown: string;
  readonly width: number;
  /** `place`: part of a span. `point`: at an empty span. */
  readonly mark: 'place' | 'point' | undefined;
}

const indent = '  ';

/** The base for combining marks without a letter, as in code charts: by themselves they fill no column. */
const dottedCircle = '\u{25cc}';
/** Rows with marks before the rest becomes a number. */
const mostRows = 12;

/** Characters that are laid out to be shown or counted; a match may be as long as its text. */
const mostLaidOut = 64_000;

/** A longer line is laid out as several, so that the work for one line is bounded. */
const longestLine = 4000;

/**
 * The lines of a text that hold spans, with the spans marked: inverse video in colour, a line of `^` otherwise; an empty
 * span is `|`. Omitted lines are `…`. Long lines are wrapped, invisible characters escaped.
 */
export function markedLines(text: string, spans: readonly Span[], output: Output): string[] {
  const covered = merged(spans);
  const lines: string[] = [];
  let next = 0;
  let shown = 0;
  let hidden = 0;
  let laidOut = 0;
  let skipped = false;
  for (const line of linesOf(text)) {
    while (next < covered.length && covered[next]!.end < line.start) next += 1;
    const own = spansOn(line, covered, next, text.length);
    if (own.length > 0 && hidden > 0 && laidOut > mostLaidOut) {
      return [...lines, output.paint('faint', `${indent}over ${counted(hidden, 'more line')} with matches`)];
    }
    if (own.length > 0) laidOut += line.end - line.start;
    const rows = own.length === 0 ? [undefined] : wrapCells(cellsOf(text, line, own), output.width - indent.length);
    for (const row of rows) {
      if (row === undefined || !row.some(({ mark }) => mark !== undefined)) skipped = true;
      else if (shown === mostRows) hidden += 1;
      else {
        if (skipped) lines.push(output.paint('faint', `${indent}…`));
        lines.push(...drawRow(row, output));
        skipped = false;
        shown += 1;
      }
    }
  }
  if (hidden > 0) lines.push(output.paint('faint', `${indent}+${counted(hidden, 'more line')} with matches`));
  else if (skipped) lines.push(output.paint('faint', `${indent}…`));
  return lines;
}

/** Spans in order, overlapping ones united. */
function merged(spans: readonly Span[]): Span[] {
  const result: { start: number; end: number }[] = [];
  for (const { start, end } of [...spans].sort((left, right) => left.start - right.start || left.end - right.end)) {
    const last = result.at(-1);
    if (last !== undefined && start < last.end) last.end = Math.max(last.end, end);
    else result.push({ start, end });
  }
  return result;
}

/** The lines of a text as spans, line feeds included. */
function* linesOf(text: string): Generator<Span> {
  let start = 0;
  let feed = -2;
  do {
    // Searched once for each feed: a line that is cut many times would be read to its end each time.
    if (feed !== -1 && feed < start) feed = text.indexOf('\n', start);
    let end = Math.min(feed === -1 ? text.length : feed + 1, start + longestLine);
    if (end < text.length && text.codePointAt(end - 1)! > 0xffff) end -= 1;
    yield { start, end };
    start = end;
  } while (start < text.length);
}

/** The spans on a line, from index `first` on; an empty one lies on the line of the next character, or on the last. */
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
    // A grapheme with an invisible part is drawn as several cells, so that each has a known width.
    if (escapeText(segment) === segment) add(segment);
    else for (const part of splitInvisible(segment)) add(part);
  }
  const last = spans.at(-1)!;
  if (last.start === last.end && last.start === line.end) cells.push({ shown: '', width: 1, mark: 'point' });
  return cells;
}

function splitInvisible(grapheme: string): string[] {
  const parts: string[] = [];
  let visible = '';
  for (const point of grapheme) {
    if (escapeText(point) === point) visible += point;
    else {
      parts.push(...(visible === '' ? [] : [visible]), point);
      visible = '';
    }
  }
  return visible === '' ? parts : [...parts, visible];
}

function markOf({ start, end }: Span, from: number, to: number): Cell['mark'] {
  if (start < end) return start < to && end > from ? 'place' : undefined;
  return start >= from && start < to ? 'point' : undefined;
}

/** Breaks rows after a space where there is one, anywhere otherwise. */
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

function drawRow(row: readonly Cell[], { paint, coloured }: Output): string[] {
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
