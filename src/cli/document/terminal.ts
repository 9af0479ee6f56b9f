/** Prints documents on a terminal: as lines of its width, with colours if it has them. */
import type { DayCount } from '../../audit/count/audit-summary.js';
import { dayNames } from '../../audit/count/day-names.js';
import { binsOf } from '../day-bins.js';
import { excerptRuns, markedLines } from '../terminal/marked-text.js';
import { type Output, paintRuns } from '../terminal/style.js';
import { formatCount, textWidth, wrapParts } from '../terminal/text.js';
import { type Block, type Group, type Item, joined, moreWords, type Quotation } from './document.js';
import { plainText, runsOf, wrapRuns } from './runs.js';
import { tableLines } from './terminal-table.js';

/** Returns the lines of a document, with a blank line between its groups. */
export function screenLines(document: readonly Group[], output: Output): string[] {
  return document
    .map((group) => blockLines(group, output))
    .filter((lines) => lines.length > 0)
    .flatMap((lines, at) => (at === 0 ? lines : ['', ...lines]));
}

export function blockLines(blocks: readonly Block[], output: Output): string[] {
  return blocks.flatMap((block) => linesOf(block, output));
}

function linesOf(block: Block, output: Output): string[] {
  const { width, paint } = output;
  switch (block.kind) {
    case 'heading':
      return wrapRuns(runsOf(block.words, block.tone), output).map((line) => paint('head', line));
    case 'paragraph':
      return wrapRuns(runsOf(block.words, block.tone), output);
    case 'parts':
      return wrapParts(block.parts.map(plainText), width, ' · ').flatMap((line) =>
        wrapRuns([[line, block.tone]], output),
      );
    case 'list':
      return block.items.flatMap((item) => itemLines(item, labelWidth(block.items), output));
    case 'names': {
      const { names, most } = block;
      const left = names.length > most ? [moreWords(names.length - most)] : [];
      return wrapRuns(runsOf([block.title, ': ', joined([...names.slice(0, most), ...left])]), output);
    }
    case 'table':
      return tableLines(block, output, (below) => indented(blockLines(below, narrowed(output, 4)), '    '));
    case 'quotation':
      return quotationLines(block, output);
    case 'days':
      return dayChart(block.days, output);
    case 'fold':
      return blockLines(block.blocks, output);
  }
}

function labelWidth(items: readonly Item[]): number {
  return Math.max(...items.map(({ label }) => (label === undefined ? 0 : textWidth(plainText(label)))));
}

/**
 * Returns an entry of a list: its label beside its content, or only its content, indented by two
 * columns.
 */
function itemLines({ label, blocks }: Item, widest: number, output: Output): string[] {
  const margin = ' '.repeat(widest + 2);
  const lines = indented(blockLines(blocks, narrowed(output, margin.length)), margin);
  if (label === undefined || lines.length === 0) return lines;
  const [first = '', ...rest] = lines;
  const text = plainText(label);
  return [output.paint(label.tone, text) + ' '.repeat(margin.length - textWidth(text)) + first.trimStart(), ...rest];
}

function narrowed(output: Output, columns: number): Output {
  return { ...output, width: output.width - columns };
}

function indented(lines: readonly string[], margin: string): string[] {
  return lines.map((line) => (line === '' ? '' : margin + line));
}

function quotationLines({ text, marks, form, lead = '' }: Quotation, output: Output): string[] {
  if (form !== 'line') return markedLines(text, marks, output);
  const runs = runsOf(lead);
  const room = output.width - runs.reduce((sum, [piece]) => sum + textWidth(piece), 0);
  return [paintRuns([...runs, ...excerptRuns(text, marks[0], room)], output.paint)];
}

const bars = '▁▂▃▄▅▆▇█';

/** Least number of bars beside which text is shown. With less room, it is below the chart. */
const narrowest = 20;

/**
 * Returns a chart of stopped messages, with a bar for each day, or for several days if the screen
 * is too narrow. Missing days have the lowest bar. Empty for fewer than two days.
 */
function dayChart(days: readonly DayCount[], { width }: Output): string[] {
  if (days.length < 2) return [];
  const most = days.reduce((largest, { stopped }) => Math.max(largest, stopped), 0);
  const wordsWidth = `   per 10 days, most from Sep 30 (${formatCount(most * 10)})`.length;
  const isBeside = width - wordsWidth >= narrowest;
  const { bins, peak, each } = binsOf(days, isBeside ? width - wordsWidth : width)!;
  const highest = peak.stopped;
  const tops = bins.map(({ stopped }) => Math.max(0, Math.ceil((stopped / highest) * bars.length) - 1));
  const chart = tops.map((top) => bars[top] ?? bars[0]).join('');
  const per = each === 1 ? 'per day, most on' : `per ${each} days, most from`;
  const caption = highest === 0 ? 'per day' : `${per} ${dayNames(peak.first).monthDay} (${formatCount(highest)})`;
  const line = `${chart}   ${caption}`;
  return line.length <= width ? [line] : [chart, caption];
}
