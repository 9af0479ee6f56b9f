import type { ContenderResult, MeasurementResult } from '../bench/record.js';
import type { Spread } from '../bench/statistics.js';
import type { Output } from './terminal/style.js';
import { type Column, tableLines } from './terminal/table.js';
import { counted, formatCount, formatPercent, wrapWords } from './terminal/text.js';

/** The screen of one measurement, one string per line. */
export function benchScreen(result: MeasurementResult, output: Output): string[] {
  const { contenders } = result;
  const { width, paint } = output;
  const notes = contenders.flatMap(({ name, note, detail = note }) =>
    detail === undefined ? [] : wrapWords(`${name}: ${detail}`, width).map((line) => paint('faint', line)),
  );
  return [
    paint('head', result.name),
    ...wrapWords(sizeWords(result), width),
    ...tableLines(columnsOf(result, width >= fullWidth), contenders, output),
    ...notes,
  ];
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

/** Columns of the full table; a narrower one leaves out what follows from the other figures. */
const fullWidth = 110;

function columnsOf({ unit, contenders }: MeasurementResult, isFull: boolean): Column<ContenderResult>[] {
  const figure = (title: string, text: (row: ContenderResult) => string | undefined): Column<ContenderResult> => ({
    title,
    align: 'right',
    text: (row) => text(row) ?? '',
  });
  const bytes = (count: number | undefined) => (count === undefined ? undefined : bytesWords(count));
  const times = ({ status, ratio }: ContenderResult) => (status === 'measured' ? ratioWords(ratio) : 'not measured');
  const optional = [
    isFull
      ? figure('p50 / p95 / p99', ({ perMessage: at }) => at && [at.p50, at.p95, at.p99].map(timeWords).join(' / '))
      : figure('p99', ({ perMessage }) => perMessage && timeWords(perMessage.p99)),
    ...(isFull
      ? [
          figure('a second', ({ perSecond }) => (perSecond ? sizeOf(perSecond, ['', 'k', 'M', 'G']) : undefined)),
          figure('MB/s', ({ megabytesPerSecond: rate }) => (rate ? threeDigits(rate) : undefined)),
        ]
      : []),
    figure('allocates', ({ allocatedBytes }) => bytes(allocatedBytes)),
    ...(isFull ? [figure('holds', ({ heldBytes }) => bytes(heldBytes))] : []),
    figure('peak', ({ peakBytes }) => bytes(peakBytes)),
  ];
  return [
    { title: 'contender', text: ({ name }) => name, flexible: 'last' },
    { ...figure('times ours', times), tone: ({ status }) => (status === 'measured' ? undefined : 'doubt') },
    figure(unit === 'message' ? 'a message' : 'each', ({ ns }) => ns && timeWords(ns.median)),
    ...optional.filter(({ text }) => contenders.some((row) => text(row) !== '')),
    figure('count', ({ count }) => (count === undefined ? undefined : formatCount(count))),
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
