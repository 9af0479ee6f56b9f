/** Prints documents as HTML, for a page. */
import { dayBars } from '../page/day-bars.js';
import { foreign, type Html, html } from '../page/html.js';
import type { Tone } from '../terminal/style.js';
import { formatCount } from '../terminal/text.js';
import {
  type Bar,
  type Block,
  type ColumnShape,
  isBar,
  isWhiskers,
  type Quotation,
  type Row,
  type Table,
  type Value,
  type Words,
} from './document.js';

/**
 * Limits of tables and lists that could grow with the messages: rows that are open, rows that are
 * folded away, and names.
 */
const most = { open: 20, folded: 480, names: 200, fewNames: 12 } as const;

/** Returns blocks as HTML. All texts in them are escaped. */
export function htmlOf(blocks: readonly Block[]): Html {
  return html`${blocks.map(htmlOfBlock)}`;
}

function htmlOfBlock(block: Block): Html {
  switch (block.kind) {
    case 'heading':
      return html`<h3>${inline(block.words)}</h3>\n`;
    case 'paragraph':
      return paragraphOf(inline(block.words), block.tone);
    case 'parts':
      return paragraphOf(
        html`${block.parts.map((fact, at) => html`${at === 0 ? '' : ' · '}${inline(fact)}`)}`,
        block.tone,
      );
    case 'list':
      return html`<ul>${block.items.map(({ label, blocks }) => itemOf(label, blocks))}</ul>\n`;
    case 'names': {
      const shown = block.names.slice(0, most.names).map((item) => html`<li>${inline(item)}</li>`);
      const isOpen = block.names.length <= most.fewNames ? html` open` : undefined;
      return html`<details${isOpen}><summary>${inline(block.title)}</summary><ul class="names">${shown}</ul>${leftOut(block.names.length - shown.length)}</details>\n`;
    }
    case 'table':
      return tableOf(block);
    case 'quotation':
      return html`<blockquote dir="auto">${markedText(block)}</blockquote>\n`;
    case 'days':
      return dayBars(block.days, block.outside);
    case 'fold':
      return html`<details><summary>${inline(block.summary)}</summary>${htmlOf(block.blocks)}</details>\n`;
  }
}

const classes: Readonly<Partial<Record<Tone, string>>> = { faint: 'faint', bad: 'error' };

function paragraphOf(content: Html, tone: Tone | undefined): Html {
  const name = tone && classes[tone];
  return html`<p${name === undefined ? undefined : html` class="${name}"`}>${content}</p>\n`;
}

/** Returns an entry of a list: a sentence, or a sentence with more below it. */
function itemOf(label: Words | undefined, blocks: readonly Block[]): Html {
  const lead = label === undefined ? undefined : html`<strong>${inline(label)}</strong> `;
  const [first, ...more] = blocks;
  const sentence = first?.kind === 'paragraph' && first.tone === undefined ? first : undefined;
  const rest = sentence === undefined ? blocks : more;
  return html`<li>${lead}${sentence && inline(sentence.words)}${htmlOf(rest)}</li>\n`;
}

function tableOf(table: Table): Html {
  const { columns, count, rowAt, noun } = table;
  const open = Math.min(count, most.open);
  const folded = Math.min(count - open, most.folded);
  const rowsOf = (from: number, length: number) => Array.from({ length }, (_, at) => rowAt(from + at));
  const rows = rowsOf(0, open);
  const print = rows.some(({ below }) => below.length > 0) ? openingRows : plainRows;
  const moreRows =
    folded > 0
      ? html`<details class="more"><summary>${formatCount(folded)} more ${noun}</summary>${print(columns, rowsOf(open, folded))}</details>`
      : undefined;
  return html`<div class="columns">${print(columns, rows)}\n${moreRows}</div>\n${leftOut(count - open - folded, noun)}`;
}

function plainRows(columns: readonly ColumnShape[], rows: readonly Row[]): Html {
  const classOf = ({ align, optional }: ColumnShape) => {
    const names = [...(align === 'right' ? ['n'] : []), ...(optional ? ['o'] : [])];
    return names.length === 0 ? undefined : html` class="${names.join(' ')}"`;
  };
  const head = columns.map((column) => html`<th scope="col"${classOf(column)}>${inline(column.title)}</th>`);
  const body = rows.map(({ cells }) => {
    const figures = cells.map((cell, at) => {
      const name = classOf(columns[at]!);
      return at === 0 ? html`<th scope="row"${name}>${cellOf(cell)}</th>` : html`<td${name}>${cellOf(cell)}</td>`;
    });
    return html`<tr>${figures}</tr>\n`;
  });
  return html`<table><thead><tr>${head}</tr></thead>\n<tbody>${body}</tbody></table>`;
}

/**
 * Returns rows that open to show their details: the first cell, the other cells as figures, and a
 * bar.
 */
function openingRows(columns: readonly ColumnShape[], rows: readonly Row[]): Html {
  return html`${rows.map(({ cells: [first = '', ...rest], below }) => {
    const figures = rest.filter((cell, at) => !isBar(cell) && columns[at + 1]!.align === 'right').map(cellOf);
    const bars = rest.filter(isBar).map(cellOf);
    return html`<details class="rule"><summary><span class="name">${cellOf(first)}</span><span class="n">${figures}</span>
${bars}</summary>
<div>${htmlOf(below)}</div></details>\n`;
  })}`;
}

function cellOf(cell: Row['cells'][number]): Html {
  if (isWhiskers(cell)) return html``;
  return isBar(cell) ? bar(cell) : inline(cell);
}

function bar({ share, verdict }: Bar): Html {
  const width = Math.round(share * 1000) / 10;
  return html`<svg viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true"><rect class="${verdict}" width="${width}" height="1"/></svg>`;
}

function leftOut(left: number, noun?: string): Html | undefined {
  const what = noun === undefined ? 'more' : `more ${noun}`;
  return left > 0 ? html`<p class="faint">${formatCount(left)} ${what} in summary.json</p>` : undefined;
}

/** Returns a text with its marks. Overlapping marks become one. */
function markedText({ text, marks }: Quotation): Html[] {
  const pieces: Html[] = [];
  let at = 0;
  for (let index = 0; index < marks.length; ) {
    const { start } = marks[index]!;
    let { end } = marks[index]!;
    for (index++; index < marks.length && marks[index]!.start < end; index++) end = Math.max(end, marks[index]!.end);
    pieces.push(html`${text.slice(at, start)}`, html`<mark>${text.slice(start, end)}</mark>`);
    at = end;
  }
  return [...pieces, html`${text.slice(at)}`];
}

function inline(content: Words): Html {
  if (typeof content === 'string') return html`${content}`;
  if ('words' in content) {
    const name = classes[content.tone];
    return name === undefined ? inline(content.words) : html`<span class="${name}">${inline(content.words)}</span>`;
  }
  return 'value' in content ? htmlOfValue(content) : html`${content.map(inline)}`;
}

function htmlOfValue({ value, form }: Value): Html {
  if (form === 'quoted') return html`“${foreign(value)}”`;
  return form === 'pattern' ? html`<code>${foreign(value)}</code>` : foreign(value);
}
