import type { Estimate, PrecisionReport } from '../../review/precision/estimate.js';
import { stratumName } from '../label/session.js';
import { wrapped } from '../terminal/lines.js';
import type { Output, Tone } from '../terminal/style.js';
import { type Column, tableLines } from '../terminal/table.js';
import { counted, formatCount } from '../terminal/text.js';

/** A share in percent without decimals; 0 and 100 only where that is exact. */
export function percentWords(share: number): string {
  const percent = Math.round(share * 100);
  if (percent === 0 && share > 0) return '<1';
  return percent === 100 && share < 1 ? '>99' : String(percent);
}

/** A row of the table: a rule, or all that was stopped. */
export interface PrecisionRow extends Estimate {
  readonly name: string;
  readonly isClosed: boolean;
}

/** The rows of what was drawn, and the gate of each rule: it closes where the whole interval lies below. */
export function precisionRows({ rules, all }: PrecisionReport, minPrecision = 0): PrecisionRow[] {
  const ofRules = rules.map((rule) => ({
    ...{ ...rule, name: stratumName({ ...rule, kind: 'rule', size: rule.stopped }) },
    isClosed: rule.high < minPrecision,
  }));
  const ofAll = all === null ? [] : [{ ...all, name: 'all that was stopped', isClosed: false }];
  return [...ofRules, ...ofAll].filter(({ drawn }) => drawn > 0);
}

/** A closed gate, or what it takes to know the precision. */
export function moreWords({ more, stopped, labelled, isClosed }: PrecisionRow): string {
  if (isClosed) return 'gate closed';
  return labelled === stopped ? 'all labelled' : more === 0 ? 'known' : `${formatCount(more)} more`;
}

/** The precision in percent; nothing without a label. */
export const precisionText = ({ precision }: Estimate) => (precision === null ? '' : `${percentWords(precision)} %`);

/** The ends of the interval; without a label nothing is known. */
export function intervalText({ precision, low, high }: Estimate): string {
  return precision === null || low === high ? '' : `(${percentWords(low)}–${percentWords(high)})`;
}

/** A line from 0 to 100 with the interval and the precision on it. */
function whiskers({ precision, low, high }: Estimate, width: number): string {
  if (precision === null) return '';
  const place = (share: number) => Math.min(width - 1, Math.floor(share * width));
  const signs: string[] = Array.from({ length: width }, (_, at) => (at >= place(low) && at <= place(high) ? '─' : ' '));
  signs[place(precision)] = '●';
  return signs.join('');
}

/** The report as a screen. */
export function precisionScreen(report: PrecisionReport, rows: readonly PrecisionRow[], output: Output): string[] {
  const width = output.width < 120 ? 12 : 20;
  const tone = ({ isClosed }: PrecisionRow): Tone | undefined => (isClosed ? 'bad' : undefined);
  const count = (title: 'stopped' | 'labelled' | 'right' | 'unsure', optional = false): Column<PrecisionRow> => {
    return { title, text: (row) => formatCount(row[title]), align: 'right', optional };
  };
  const table: readonly Column<PrecisionRow>[] = [
    { title: 'rule', text: ({ name }) => name, flexible: 'first' },
    count('stopped'),
    count('labelled'),
    count('right', true),
    ...(rows.some(({ unsure }) => unsure > 0) ? [count('unsure', true)] : []),
    { title: 'share', text: precisionText, align: 'right', tone },
    { title: `0${'100'.padStart(width - 1)}`, text: (row) => whiskers(row, width).trimEnd(), optional: true, tone },
    { title: '95 %', text: intervalText },
    { title: 'within ±5', text: moreWords, tone },
  ];
  return [
    ...tableLines(table, rows, output),
    ...noteWords(report, rows).flatMap((words) => wrapped(words, undefined, output)),
  ];
}

/** What was missed, and what has to be known of the labels. */
export function noteWords({ missed, notDrawn }: PrecisionReport, rows: readonly PrecisionRow[]): string[] {
  const bound = missed && `missed: at most ${(missed.high * 100).toFixed(1)} % of what nothing stopped`;
  const left = rows.some(
    ({ more, drawn, stopped, labelled, unsure }) => drawn < stopped && more > drawn - labelled - unsure,
  );
  const open = missed !== null && missed.unsure > 0 ? `, ${formatCount(missed.unsure)} unsure` : '';
  const others = notDrawn.labelled + notDrawn.unsure;
  return [
    ...(missed === null || missed.labelled === 0
      ? []
      : [`${bound} (${formatCount(missed.wrong)} of ${formatCount(missed.labelled)}${open})`]),
    ...(left
      ? [
          'for more labels than were drawn, draw again with the same seed and a larger --per-rule: what was drawn before stays, and its labels',
        ]
      : []),
    ...(others > 0
      ? [
          `${counted(others, 'label')} of messages that were not drawn: ${formatCount(notDrawn.right)} right of ${formatCount(notDrawn.labelled)}; no interval, since chance did not choose them`,
        ]
      : []),
  ];
}

/** The report as Markdown. */
export function precisionMarkdown(
  report: PrecisionReport,
  rows: readonly PrecisionRow[],
  inert: (text: string) => string,
): string {
  const lines = rows.map((row) => {
    const cells = [row.stopped, row.labelled, row.right, row.unsure].map(formatCount);
    return `| ${[inert(row.name), ...cells, precisionText(row), intervalText(row), moreWords(row)].join(' | ')} |\n`;
  });
  const head =
    '| rule | stopped | labelled | right | unsure | precision | 95 % | within ±5 |\n| --- | ---: | ---: | ---: | ---: | ---: | --- | --- |\n';
  return (
    head +
    lines.join('') +
    noteWords(report, rows)
      .map((words) => `\n${words}\n`)
      .join('')
  );
}
