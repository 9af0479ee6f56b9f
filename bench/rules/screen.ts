import { type Block, type Column, heading, paragraph, table } from '../../src/cli/document/document.js';
import { counted, formatCount } from '../../src/cli/terminal/text.js';
import type { MeasurementResult } from './bench-rule-set.js';
import type { ContenderResult, Spread } from './measure.js';

/** Returns the screen of one measurement. */
export function benchBlocks(result: MeasurementResult): readonly Block[] {
  const notes = result.contenders.flatMap(({ name, note, detail = note }) =>
    detail === undefined ? [] : [paragraph(`${name}: ${detail}`, 'faint')],
  );
  return [heading(result.name), paragraph(sizeWords(result)), ...table(columnsOf(result), result.contenders), ...notes];
}

function sizeWords({ question, messages, bytes, units, terms, patterns, rules }: MeasurementResult): string {
  const sizes = [
    counted(rules, 'rule'),
    counted(terms, 'term'),
    counted(patterns, 'pattern'),
    counted(messages, 'message'),
  ];
  const length = `${Math.round(units / messages)} characters and ${Math.round(bytes / messages)} bytes on average`;
  return `${question}; ${sizes.join(', ')} of ${length}`;
}

function columnsOf({ unit, messages, bytes, contenders }: MeasurementResult): Column<ContenderResult>[] {
  const figure = (title: string, text: (row: ContenderResult) => string | undefined) =>
    ({ title, align: 'right', cell: (row: ContenderResult) => text(row) ?? '' }) as const;
  const times = ({ status, ratio }: ContenderResult) => (status === 'measured' ? ratioWords(ratio) : 'not measured');
  const perSecond = [
    figure('a second', ({ ns }) => ns && sizeOf(1e9 / ns.median, ['', 'k', 'M', 'G'])),
    figure('MB/s', ({ ns }) => ns && threeDigits((bytes / messages / ns.median) * 1e3)),
  ];
  return [
    { title: 'contender', cell: ({ name }) => name, flexible: 'last' },
    { ...figure('times ours', times), tone: ({ status }) => (status === 'measured' ? undefined : 'warning') },
    figure(unit === 'message' ? 'a message' : 'each', ({ ns }) => ns && timeWords(ns.median)),
    ...(unit === 'message' && contenders.some(({ ns }) => ns !== undefined) ? perSecond : []),
    figure('count', ({ count }) => (count === undefined ? undefined : formatCount(count))),
  ];
}

/** Returns a ratio with its interquartile range: `1.42 (1.38-1.47)`. */
export function ratioWords(ratio: Spread | undefined): string {
  if (ratio === undefined) return '';
  const range =
    threeDigits(ratio.low) === threeDigits(ratio.high) ? '' : ` (${threeDigits(ratio.low)}-${threeDigits(ratio.high)})`;
  return threeDigits(ratio.median) + range;
}

/** Returns a time in nanoseconds, in the largest unit below it. */
export function timeWords(ns: number): string {
  if (ns < 1e3) return `${Math.round(ns)} ns`;
  if (ns < 1e6) return `${threeDigits(ns / 1e3)} us`;
  return ns < 1e9 ? `${threeDigits(ns / 1e6)} ms` : `${threeDigits(ns / 1e9)} s`;
}

/** Returns a size in bytes, in decimal units. */
export function bytesWords(bytes: number): string {
  return sizeOf(bytes, [' B', ' kB', ' MB', ' GB']);
}

function sizeOf(amount: number, names: readonly string[]): string {
  let rest = amount;
  let name = 0;
  while (rest >= 1000 && name < names.length - 1) {
    rest /= 1000;
    name += 1;
  }
  return (name === 0 ? String(Math.round(rest)) : threeDigits(rest)) + names[name]!;
}

/** Returns a number with three significant digits, or more before the point. */
function threeDigits(figure: number): string {
  if (figure >= 100) return formatCount(Math.round(figure));
  return figure.toFixed(figure >= 10 ? 1 : 2);
}
