/** Prints documents as Markdown, for a comment on a pull request. */
import { escapeText, fitText } from '../terminal/text.js';
import {
  type Block,
  type Group,
  isBar,
  isWhiskers,
  type Quotation,
  type Table,
  type Value,
  type Words,
} from './document.js';

/** Length limit of a comment, in characters. Pull requests accept about 65,000. */
const mostCharacters = 60_000;
/** Number of characters kept free for the last group, which is never left out. */
const reserved = 4_000;
/** Width, in columns, of the text on either side of a mark. */
const textWidth = 100;

/**
 * Returns a document as Markdown that fits into one comment, whatever rules and messages contain.
 * If it is too long, it is cut at the end, but `last` is always included.
 */
export function markdownOf(document: readonly Group[], last: Group = []): string {
  const end = blocksOf(last);
  let text = '';
  for (const piece of document.flat().flatMap(piecesOf)) {
    if (text.length + piece.length > mostCharacters - (end === '' ? 0 : reserved)) {
      text += '\nThe rest was left out: it is too long for a comment.\n\n';
      break;
    }
    text += piece;
  }
  return `${(text + end).trimEnd()}\n`;
}

/** Returns the pieces of a block. The output may end after each of them. */
function piecesOf(block: Block): string[] {
  if (block.kind === 'table') return tablePieces(block);
  const text = textOf(block);
  return text === '' ? [] : [`${text}\n\n`];
}

function blocksOf(blocks: readonly Block[]): string {
  return blocks.flatMap(piecesOf).join('');
}

function textOf(block: Block): string {
  switch (block.kind) {
    case 'heading':
      return block.isTitle ? `### ${inline(block.words)}` : `**${inline(block.words)}**`;
    case 'paragraph':
      return toned(inline(block.words), block.tone);
    case 'list':
      return block.items.map(({ label, blocks }) => itemText(label, blocks)).join('\n');
    case 'table':
      return tablePieces(block).join('').trimEnd();
    case 'quotation':
      return quotationText(block);
    // Documents for comments do not have these blocks.
    case 'parts':
    case 'names':
    case 'days':
    case 'fold':
      return '';
  }
}

function toned(text: string, tone: string | undefined): string {
  return tone === 'bad' ? `**${text}**` : tone === 'faint' ? `<sub>${text}</sub>` : text;
}

/** Returns an entry of a list: its first block on the line of the entry, the others below it. */
function itemText(label: Words | undefined, blocks: readonly Block[]): string {
  const lead = label === undefined ? '' : `**${inline(label)}** `;
  return `- ${lead}${blocks.map(textOf).join('<br>\n')}`.replaceAll('\n', '\n  ');
}

function tablePieces({ columns, count, most, rowAt, noun }: Table): string[] {
  const rows = Array.from({ length: Math.min(count, most) }, (_, at) => rowAt(at));
  const lineOf = (cells: readonly string[]) => `| ${cells.join(' | ')} |\n`;
  // Bars and whiskers cannot be shown in a comment.
  const isShown = columns.map((_, at) => rows.every(({ cells }) => !isWhiskers(cells[at]!) && !isBar(cells[at]!)));
  const shown = <Of>(all: readonly Of[]) => all.filter((_, at) => isShown[at]);
  const examples = rows
    .filter(({ below }) => below.length > 0)
    .map(
      ({ cells, below }) => `- ${inline(cells[0] as Words)}\n${below.map((item) => `  - ${textOf(item)}\n`).join('')}`,
    );
  return [
    lineOf(shown(columns).map(({ title }) => inline(title))) +
      lineOf(shown(columns).map(({ align }) => (align === 'right' ? '---:' : '---'))),
    ...rows.map(({ cells }) => lineOf(shown(cells).map((cell) => inline(cell as Words)))),
    count > most ? `\n+${count - most} more ${noun}\n\n` : '\n',
    examples.length > 0 ? `<details><summary>examples</summary>\n\n${examples.join('')}\n</details>\n\n` : '',
  ];
}

function quotationText({ text, marks: [mark], lead = '' }: Quotation): string {
  if (mark === undefined) return inline(lead) + code(text, textWidth);
  const [match, after] = [text.slice(mark.start, mark.end), text.slice(mark.end)];
  const before = text.slice(0, mark.start);
  const start = before.length > textWidth ? `…${before.slice(-textWidth).replace(/^[\udc00-\udfff]/, '')}` : before;
  const rest = [start === '' ? '' : code(start, textWidth + 1), `<b>${code(match)}</b>`];
  return inline(lead) + rest.join('') + (after === '' ? '' : code(after, textWidth));
}

function inline(content: Words): string {
  if (typeof content === 'string') return content;
  if ('words' in content) return inline(content.words);
  return 'value' in content ? valueText(content) : content.map(inline).join('');
}

function valueText({ value, form, width }: Value): string {
  return form === 'plain' ? inert(escapeText(value)) : code(value, Math.min(width, 200));
}

/**
 * Returns a value as code. Invisible characters are escaped, and punctuation is written as
 * character references, which Markdown does not interpret: the value can neither begin nor end a
 * table cell, code span, link, mention or HTML element.
 */
function code(text: string, width = 60): string {
  return `<code>${inert(fitText(escapeText(text), width))}</code>`;
}

/** Returns a text in which Markdown interprets nothing. */
function inert(text: string): string {
  return text.replace(/[!-+./:-@[-`{-~]/g, (character) => `&#${character.charCodeAt(0)};`);
}
