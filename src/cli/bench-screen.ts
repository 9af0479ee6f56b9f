import type { ContenderResult, MeasurementResult } from '../bench/record.js';
import type { Spread } from '../bench/statistics.js';
import { type Block, type Column, heading, paragraph, table } from './document/document.js';
import { counted, formatCount, formatPercent } from './terminal/text.js';

/** The screen of one measurement. */
export function benchBlocks(result: MeasurementResult): readonly Block[] {
  const notes = result.contenders.flatMap(({ name, note, detail = note }) =>
    detail === undefined ? [] : [paragraph(`${name}: ${detail}`, 'faint')],
  );
  return [heading(result.name), paragraph(sizeWords(result)), ...table(columnsOf(result), result.contenders), ...notes];
}

function sizeWords(result: MeasurementResult): string {
  const { messages, bytes, units, terms, patterns, rules, hitShare, question, warmUpPasses } = result;
  const sizes = [
    counted(rules, 'rule'),
    counted(terms, 'term'),
    counted(patterns, 'pattern'),
    counted(messages, 'message'),
  ];
  const hits = hitShare === undefined ? '' : `, ${formatPercent(hitShare, 1)} with a hit`;
  const length = `${Math.round(units / messages)} characters and ${Math.round(bytes / messages)} bytes on average`;
  return `${question}; ${sizes.join(', ')} of ${length}${hits}; warmed up by up to ${formatCount(warmUpPasses)} passes`;
}

/** The columns of a measurement; a narrow screen leaves out what follows from the other figures. */
function columnsOf({ unit, contenders }: MeasurementResult): Column<ContenderResult>[] {
  const figure = (title: string, text: (row: ContenderResult) => string | undefined) =>
    ({ title, align: 'right', cell: (row: ContenderResult) => text(row) ?? '' }) as const;
  const bytes = (count: number | undefined) => (count === undefined ? undefined : bytesWords(count));
  const times = ({ status, ratio }: ContenderResult) => (status === 'measured' ? ratioWords(ratio) : 'not measured');
  const optional = [
    figure('p99', ({ perMessage }) => perMessage && timeWords(perMessage.p99)),
    figure('allocates', ({ allocatedBytes }) => bytes(allocatedBytes)),
    figure('peak', ({ peakBytes }) => bytes(peakBytes)),
    figure('a second', ({ perSecond }) => (perSecond ? sizeOf(perSecond, ['', 'k', 'M', 'G']) : undefined)),
    figure('MB/s', ({ megabytesPerSecond: rate }) => (rate ? threeDigits(rate) : undefined)),
    figure('p50', ({ perMessage }) => perMessage && timeWords(perMessage.p50)),
    figure('p95', ({ perMessage }) => perMessage && timeWords(perMessage.p95)),
    figure('holds', ({ heldBytes }) => bytes(heldBytes)),
  ];
  return [
    { title: 'contender', cell: ({ name }) => name, flexible: 'last' },
    { ...figure('times ours', times), tone: ({ status }) => (status === 'measured' ? undefined : 'warning') },
    figure(unit === 'message' ? 'a message' : 'each', ({ ns }) => ns && timeWords(ns.median)),
    figure('count', ({ count }) => (count === undefined ? undefined : formatCount(count))),
    ...optional
      .filter(({ cell }) => contenders.some((row) => cell(row) !== ''))
      .map((column) => ({ ...column, optional: true })),
  ];
}

/** A ratio with its interquartile range: `1.42 (1.38-1.47)`. */
export function ratioWords(ratio: Spread | undefined): string {
  if (ratio === undefined) return '';
  const range =
    threeDigits(ratio.low) === threeDigits(ratio.high) ? '' : ` (${threeDigits(ratio.low)}-${threeDigits(ratio.high)})`;
  return threeDigits(ratio.median) + range;
}

/** A time in nanoseconds, in the largest unit below it. */
export function timeWords(ns: number): string {
  if (ns < 1e3) return `${Math.round(ns)} ns`;
  if (ns < 1e6) return `${threeDigits(ns / 1e3)} us`;
  return ns < 1e9 ? `${threeDigits(ns / 1e6)} ms` : `${threeDigits(ns / 1e9)} s`;
}

/** A size in bytes, in decimal units. */
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

/** A number with three significant digits, or more before the point. */
function threeDigits(figure: number): string {
  if (figure >= 100) return formatCount(Math.round(figure));
  return figure.toFixed(figure >= 10 ? 1 : 2);
}
