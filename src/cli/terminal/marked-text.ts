/** Shows a text with marks, and with labels below the marks. */
import { type Output, paintRuns, type Run, type Tone } from './style.js';
import {
  counted,
  escapeText,
  fitText,
  graphemesOf,
  hasSteadyColumns,
  isReordered,
  onlyMarks,
  textWidth,
  wrapHanging,
} from './text.js';

/** A half-open range of UTF-16 units. */
interface Span {
  readonly start: number;
  readonly end: number;
}

/** The label of a mark: one line of text, which may wrap. */
export interface MarkLabel {
  readonly text: string;
  readonly tone: Tone | undefined;
}

/** A range of a text, with its labels. */
export interface Mark extends Span {
  readonly labels: readonly MarkLabel[];
}

/** A unit of layout that is never broken: a character, or the escape of an invisible one. */
interface Cell {
  readonly shown: string;
  readonly width: number;
  /** `place`: inside a mark. `point`: at an empty mark. */
  readonly kind: 'place' | 'point' | undefined;
  readonly tone: Tone | undefined;
  /** The marks that begin in this cell. */
  readonly begun: readonly Mark[];
}

const indent = '  ';

/**
 * The base character that combining marks without a letter get, as in code charts. By themselves
 * they have no width.
 */
const dottedCircle = '\u{25cc}';
/** Number of marks that are shown. Further ones are counted. */
const mostMarks = 8;
/** Number of rows with marks that are shown. */
const mostRows = 12;
/** Least width of a label, in columns. If a mark leaves less, the rows are broken earlier. */
const labelRoom = 26;
/** Least width of a text, in columns. */
const narrowestText = 20;

/** Number of characters that are laid out. A match may be as long as its text. */
const mostLaidOut = 64_000;

/** Length from which a line is laid out as several lines, which bounds the work for each. */
const longestLine = 4000;

/**
 * Returns the lines of a text that contain its first marks. Each mark is shown by `^`, or by `|` if
 * it is empty, with its labels below: side by side if they fit, otherwise stacked. In colour, the
 * marked characters have the tone of their first label.
 *
 * On rows whose columns differ between terminals (joined characters), the labels repeat the marked
 * text. On rows whose letters are reordered (right to left), the labels replace the `^`. Omitted
 * lines are shown as `…`. Long lines are wrapped, and invisible characters are escaped.
 */
export function markedLines(text: string, marks: readonly Mark[], output: Output): string[] {
  const sorted = [...marks].sort((left, right) => left.start - right.start || right.end - left.end);
  const shownMarks = sorted.slice(0, mostMarks);
  const lines: string[] = [];
  const omitted = output.paint('faint', `${indent}…`);
  let rows = 0;
  let laidOut = 0;
  let skipped = false;
  for (const line of linesOf(text)) {
    const lineMarks = shownMarks.filter((mark) => isOn(line, mark, text.length));
    const isFull = rows === mostRows || laidOut > mostLaidOut;
    if (lineMarks.length === 0 || isFull) {
      skipped = true;
      if (isFull || shownMarks.every(({ end }) => end < line.start)) break;
      continue;
    }
    laidOut += line.end - line.start;
    for (const row of rowsOf(cellsOf(text, line, lineMarks), output.width - indent.length)) {
      if (rows === mostRows || !isMarked(row)) skipped = true;
      else {
        lines.push(...(skipped ? [omitted] : []), ...drawRow(row, text, output));
        skipped = false;
        rows += 1;
      }
    }
  }
  const left = sorted.length - shownMarks.length;
  if (left > 0) return [...lines, output.paint('faint', `${indent}+${counted(left, 'more mark')}`)];
  return skipped ? [...lines, omitted] : lines;
}

/** Yields the lines of a text as spans that include line feeds. */
function* linesOf(text: string): Generator<Span> {
  let start = 0;
  let feed = -2;
  do {
    // Searched only once for each line feed. Otherwise a line that is cut many times would be read
    // to its end each time.
    if (feed !== -1 && feed < start) feed = text.indexOf('\n', start);
    let end = Math.min(feed === -1 ? text.length : feed + 1, start + longestLine);
    if (end < text.length && text.codePointAt(end - 1)! > 0xffff) end -= 1;
    yield { start, end };
    start = end;
  } while (start < text.length);
}

/**
 * Reports whether a mark is on a line. An empty mark is on the line of the next character, or on
 * the last line.
 */
function isOn(line: Span, { start, end }: Span, length: number): boolean {
  if (start < end) return start < line.end && end > line.start;
  return start >= line.start && (start < line.end || line.end === length);
}

function cellsOf(text: string, line: Span, marks: readonly Mark[]): Cell[] {
  const cells: Cell[] = [];
  let at = line.start;
  const add = (raw: string) => {
    const shown = onlyMarks.test(raw) ? dottedCircle + raw : escapeText(raw);
    cells.push(cellOf(shown, textWidth(shown), { start: at, end: at + raw.length }, marks));
    at += raw.length;
  };
  for (const { segment } of graphemesOf(text.slice(line.start, line.end))) {
    // A grapheme that contains invisible characters is drawn as several cells, so that each has a
    // known width.
    if (escapeText(segment) === segment) add(segment);
    else for (const piece of splitInvisible(segment)) add(piece);
  }
  const atEnd = marks.filter(({ start, end }) => start === end && start === line.end);
  if (atEnd.length > 0) cells.push(cellOf('', 1, { start: at, end: at + 1 }, atEnd));
  return cells;
}

function cellOf(shown: string, width: number, { start, end }: Span, marks: readonly Mark[]): Cell {
  const covering = marks.find((mark) => mark.start < end && mark.end > start);
  const begun = marks.filter((mark) => mark.start >= start && mark.start < end);
  const kind = covering !== undefined ? 'place' : begun.length > 0 ? 'point' : undefined;
  return { shown, width, kind, tone: (covering ?? begun[0])?.labels[0]?.tone, begun };
}

function splitInvisible(grapheme: string): string[] {
  const pieces: string[] = [];
  let visible = '';
  for (const point of grapheme) {
    if (escapeText(point) === point) visible += point;
    else {
      pieces.push(...(visible === '' ? [] : [visible]), point);
      visible = '';
    }
  }
  return visible === '' ? pieces : [...pieces, visible];
}

/**
 * Breaks a text into rows of the width of the screen. Rows are narrower if a mark would leave no
 * room for its label.
 */
function rowsOf(cells: readonly Cell[], room: number): Cell[][] {
  const rows = wrapCells(cells, room);
  const narrow = Math.max(narrowestText, room - labelRoom);
  const isCrowded = rows.some((row) => anchorsOf(row).some(({ column }) => column > narrow));
  return isCrowded ? wrapCells(cells, narrow) : rows;
}

/** Breaks rows after a space if there is one, otherwise anywhere. */
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

/** The labels of the marks that begin at the same column of a row. */
interface Anchor {
  readonly column: number;
  readonly labels: readonly MarkLabel[];
}

function anchorsOf(row: readonly Cell[]): Anchor[] {
  const anchors: Anchor[] = [];
  let column = 0;
  for (const { width, begun } of row) {
    const labels = begun.flatMap((mark) => mark.labels);
    if (labels.length > 0) anchors.push({ column, labels });
    column += width;
  }
  return anchors;
}

const isMarked = (row: readonly Cell[]) => row.some(({ kind }) => kind !== undefined);

function drawRow(row: readonly Cell[], text: string, output: Output): string[] {
  const { paint } = output;
  const drawn = paintRuns(
    row.map(({ shown, kind, tone }) => [shown, kind === 'place' ? tone : undefined]),
    paint,
  );
  if (row.some(({ shown }) => isReordered(shown))) return [indent + drawn, ...stretchLines(row, text, output)];
  const carets = row.map(({ width, kind, tone }): Run => {
    if (kind === 'point') return ['|'.padEnd(width), tone];
    return [(kind === 'place' ? '^' : ' ').repeat(width), kind && tone];
  });
  const isSteady = row.every(({ shown }) => hasSteadyColumns(shown));
  const labels = isSteady ? labelLines(anchorsOf(row), output) : stretchLines(row, text, output);
  return [indent + drawn, indent + paintRuns(carets, paint), ...labels];
}

/**
 * Returns the labels below the carets. They are placed from right to left, so that no line crosses
 * a label.
 */
function labelLines(anchors: readonly Anchor[], { width, paint }: Output): string[] {
  const lines: string[] = [];
  for (let pending = anchors.length; pending > 0; pending -= 1) {
    const { column, labels } = anchors[pending - 1]!;
    let stems = '';
    let drawn = 0;
    for (const before of anchors.slice(0, pending - 1)) {
      stems += `${' '.repeat(before.column - drawn)}${paint(before.labels[0]?.tone, '│')}`;
      drawn = before.column + 1;
    }
    const lead = indent + stems + ' '.repeat(Math.max(0, column - drawn));
    for (const [index, label] of labels.entries()) {
      const [elbow, below] = index < labels.length - 1 ? ['├', '│'] : ['└', ' '];
      const wrapped = wrapHanging(label.text, width - indent.length - column - 2, '');
      for (const [at, wrappedLine] of wrapped.entries())
        lines.push(lead + paint(label.tone, `${at === 0 ? elbow : below} ${wrappedLine}`));
    }
  }
  return lines;
}

/**
 * Width, in columns, of the marked text that is shown beside a label, and number of UTF-16 units
 * that are read for it.
 */
const stretchWidth = 24;
const stretchUnits = 400;

/**
 * Returns the marked texts of a row with their labels. Equal ones are shown once, with their
 * number.
 */
function stretchLines(row: readonly Cell[], text: string, { width, paint }: Output): string[] {
  const counts = new Map<string, { readonly tone: Tone | undefined; count: number }>();
  for (const { start, end, labels } of row.flatMap(({ begun }) => begun)) {
    const stretch = `"${fitText(escapeText(text.slice(start, Math.min(end, start + stretchUnits))), stretchWidth)}"`;
    for (const label of labels) {
      const shown = label.text.startsWith(`${stretch} `) ? label.text : `${stretch}: ${label.text}`;
      const entry = counts.get(shown) ?? { tone: label.tone, count: 0 };
      entry.count += 1;
      counts.set(shown, entry);
    }
  }
  return [...counts].flatMap(([content, { tone, count }]) => {
    const line = `${indent}└ ${content}${count > 1 ? ` ×${count}` : ''}`;
    return wrapHanging(line, width, `${indent}  `).map((wrapped) => paint(tone, wrapped));
  });
}

/**
 * Returns one line of a text around a mark. The marked text is in brackets, with as much text on
 * both sides as fits. Without a mark, returns the beginning of the text.
 */
export function excerptRuns(text: string, mark: Span | undefined, room: number): Run[] {
  if (mark === undefined) return [[fitText(escapeText(text), room), undefined]];
  const marked = fitText(escapeText(text.slice(mark.start, mark.end)), Math.max(8, room - 2));
  const left = room - 2 - textWidth(marked);
  const behind = escapeText(text.slice(mark.end));
  const lead = fitEnd(escapeText(text.slice(0, mark.start)), Math.max(Math.floor(left / 2), left - textWidth(behind)));
  return [
    [lead, undefined],
    [`[${marked}]`, 'mark1'],
    [fitText(behind, Math.max(0, left - textWidth(lead))), undefined],
  ];
}

/**
 * Cuts a text to its last `columns` columns, with an ellipsis in the first one if something was
 * cut.
 */
function fitEnd(text: string, columns: number): string {
  if (textWidth(text) <= columns) return text;
  const segments = [...graphemesOf(text)].map(({ segment }) => segment);
  let kept = '';
  let width = 1;
  for (let segment = segments.pop(); segment !== undefined; segment = segments.pop()) {
    width += textWidth(segment);
    if (width > columns) break;
    kept = segment + kept;
  }
  return columns < 1 ? '' : `…${kept}`;
}
