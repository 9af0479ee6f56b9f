import type { ContenderResult, MeasurementResult } from '../bench/record.js';
import type { Spread } from '../bench/statistics.js';
import type { Canvas } from './terminal/canvas.js';
import { counted, formatCount, formatPercent } from './terminal/format.js';
import { type Column, tableLines } from './terminal/table.js';
import { wrapWords } from './terminal/wrap.js';

/** One measurement as a person reads it, one string per line. */
export function benchScreen(result: MeasurementResult, { width, paint }: Canvas): string[] {
  const { contenders } = result;
  const notes = contenders.flatMap(({ name, note, detail }) => {
    const words = detail ?? note;
    return words === undefined ? [] : wrapWords(`${name}: ${words}`, width).map((line) => paint('faint', line));
  });
  return [
    paint('head', result.name),
    ...wrapWords(sizeWords(result), width),
    ...tableLines(columnsOf(result, width >= widest), contenders, width, paint),
    ...notes,
  ];
}

function sizeWords({
  messages,
  bytes,
  units,
  terms,
  patterns,
  rules,
  hitShare,
  question,
  warmUpPasses,
}: MeasurementResult): string {
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

/** Columns that a table with everything needs; on less, what can be reckoned from the rest gives way. */
const widest = 110;

function columnsOf({ unit, contenders }: MeasurementResult, isWide: boolean): Column<ContenderResult>[] {
  const right = { align: 'right' } as const;
  const optional = (has: (row: ContenderResult) => boolean, column: Column<ContenderResult>) =>
    contenders.some(has) ? [column] : [];
  return [
    { title: 'contender', text: ({ name }) => name, flexible: true },
    {
      title: 'times ours',
      ...right,
      text: (row) => (row.status === 'measured' ? ratioWords(row.ratio) : 'not measured'),
      tone: ({ status }) => (status === 'measured' ? undefined : 'doubt'),
    },
    { title: unit === 'message' ? 'a message' : 'each', ...right, text: ({ ns }) => (ns ? timeWords(ns.median) : '') },
    ...optional((row) => !isWide && row.perMessage !== undefined, {
      title: 'p99',
      ...right,
      text: ({ perMessage }) => (perMessage ? timeWords(perMessage.p99) : ''),
    }),
    ...optional((row) => isWide && row.perMessage !== undefined, {
      title: 'p50 / p95 / p99',
      ...right,
      text: ({ perMessage }) =>
        perMessage ? [perMessage.p50, perMessage.p95, perMessage.p99].map((ns) => timeWords(ns)).join(' / ') : '',
    }),
    ...optional((row) => isWide && row.perSecond !== undefined, {
      title: 'a second',
      ...right,
      text: ({ perSecond }) => (perSecond ? sizeOf(perSecond, ['', 'k', 'M', 'G'], 1000) : ''),
    }),
    ...optional((row) => isWide && row.megabytesPerSecond !== undefined, {
      title: 'MB/s',
      ...right,
      text: ({ megabytesPerSecond: rate }) => (rate ? short(rate) : ''),
    }),
    ...optional((row) => row.allocatedBytes !== undefined, {
      title: 'allocates',
      ...right,
      text: ({ allocatedBytes: bytes }) => (bytes === undefined ? '' : bytesWords(bytes)),
    }),
    ...optional((row) => isWide && row.heldBytes !== undefined, {
      title: 'holds',
      ...right,
      text: ({ heldBytes: bytes }) => (bytes === undefined ? '' : bytesWords(bytes)),
    }),
    ...optional((row) => row.peakBytes !== undefined, {
      title: 'peak',
      ...right,
      text: ({ peakBytes: bytes }) => (bytes === undefined ? '' : bytesWords(bytes)),
    }),
    { title: 'count', ...right, text: ({ count }) => (count === undefined ? '' : formatCount(count)) },
  ];
}

/** A ratio with where its middle half lies: `1.42 (1.38-1.47)`. */
export function ratioWords(ratio: Spread | undefined): string {
  if (ratio === undefined) return '';
  const range = short(ratio.low) === short(ratio.high) ? '' : ` (${short(ratio.low)}-${short(ratio.high)})`;
  return short(ratio.median) + range;
}

/** Nanoseconds as a person reads them. */
export function timeWords(ns: number): string {
  if (ns < 1e3) return `${Math.round(ns)} ns`;
  if (ns < 1e6) return `${short(ns / 1e3)} us`;
  return ns < 1e9 ? `${short(ns / 1e6)} ms` : `${short(ns / 1e9)} s`;
}

/** Bytes as a person reads them, by thousands. */
export function bytesWords(bytes: number): string {
  return sizeOf(bytes, [' B', ' kB', ' MB', ' GB'], 1000);
}

function sizeOf(amount: number, names: readonly string[], step: number): string {
  let rest = amount;
  let name = 0;
  while (rest >= step && name < names.length - 1) {
    rest /= step;
    name += 1;
  }
  return (name === 0 ? String(Math.round(rest)) : short(rest)) + names[name]!;
}

/** Three digits that mean something. */
function short(figure: number): string {
  if (figure >= 100) return formatCount(Math.round(figure));
  return figure.toFixed(figure >= 10 ? 1 : 2);
}
