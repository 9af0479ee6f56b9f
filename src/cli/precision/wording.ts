/** The wording of estimates on the screen of `sluice precision`. */
import type { JudgedSample } from '../../audit/sample/sample-file.js';
import { UsageError } from '../../foundation/errors.js';
import type { Estimate, LabelCounts, PrecisionReport } from '../../review/precision/estimate.js';
import { type Block, type Column, name, paragraph, table, type Words } from '../document/document.js';
import { counted, formatCount } from '../terminal/text.js';

/** Returns a share as a whole percentage. It is 0 or 100 only if that is exact. */
function percentWords(share: number): string {
  const percent = Math.round(share * 100);
  if (percent === 0 && share > 0) return '<1';
  return percent === 100 && share < 1 ? '>99' : String(percent);
}

/** A row of the table: a rule, or all stopped messages. */
interface PrecisionRow extends Estimate {
  readonly title: Words;
  readonly isClosed: boolean;
}

/** Reads the value of an option that is a share above 0. Throws `UsageError`. */
export function readShare(option: string, written: string | undefined): number | undefined {
  if (written === undefined) return undefined;
  const share = /^(?:0?\.\d+|[01](?:\.0+)?)$/.test(written) ? Number(written) : Number.NaN;
  if (share > 0 && share <= 1) return share;
  throw new UsageError(`\`--${option}\` must be a share above 0, up to 1, such as 0.9`);
}

/**
 * Reports whether the gate of a rule is closed: its whole interval is below the required precision.
 */
export function isClosed({ drawn, high }: Estimate, minPrecision = 0): boolean {
  return drawn > 0 && high < minPrecision;
}

function precisionRows({ rules, all }: PrecisionReport, minPrecision: number | undefined): PrecisionRow[] {
  const ofRules = rules.map((rule) => {
    return { ...rule, title: name(rule.ruleName ?? rule.ruleId), isClosed: isClosed(rule, minPrecision) };
  });
  return [...ofRules, ...(all === null ? [] : [{ ...all, title: 'all that was stopped', isClosed: false }])];
}

/** Returns `gate closed`, or describes how many more labels are needed to know the precision. */
function openWords({ more, stopped, labelled, isClosed: closed }: PrecisionRow): string {
  if (closed) return 'gate closed';
  return labelled === stopped ? 'all labelled' : more === 0 ? 'known' : `${formatCount(more)} more`;
}

/** Returns the share of the labelled messages that is right. Empty without labels. */
function shareText({ right, labelled }: Pick<LabelCounts, 'right' | 'labelled'>): string {
  return labelled === 0 ? '' : `${percentWords(right / labelled)} %`;
}

/** Returns the ends of the interval. Empty without labels. */
function intervalText({ precision, low, high }: Pick<Estimate, 'precision' | 'low' | 'high'>): string {
  return precision === null || low === high ? '' : `(${percentWords(low)}–${percentWords(high)})`;
}

/** Returns a column with a number of labels. */
export function countColumn<Name extends string>(
  title: Name,
  optional = false,
): Column<Readonly<Record<Name, number>>> {
  return { title, cell: (row) => formatCount(row[title]), align: 'right', optional };
}

/** Returns the columns for a share and its interval. */
export function shareColumns<Row extends LabelCounts & Pick<Estimate, 'precision' | 'low' | 'high'>>(
  tone?: Column<Row>['tone'],
): readonly Column<Row>[] {
  return [
    { title: 'share', cell: shareText, align: 'right', ...(tone && { tone }) },
    {
      title: '0 to 100',
      cell: ({ precision, low, high }) => (precision === null ? '' : { low, at: precision, high }),
      optional: true,
    },
    { title: '95 %', cell: intervalText },
  ];
}

/** Returns the precision of each rule with its interval, and notes on the labels. */
export function precisionBlocks(report: PrecisionReport, minPrecision?: number): readonly Block[] {
  const rows = precisionRows(report, minPrecision);
  const tone = ({ isClosed: closed }: PrecisionRow) => (closed ? 'bad' : undefined);
  const ruleColumn: Column<PrecisionRow> = { title: 'rule', cell: (row) => row.title, flexible: 'first' };
  const columns: Column<PrecisionRow>[] = [
    countColumn('stopped'),
    countColumn('labelled'),
    countColumn('right', true),
    ...(rows.some(({ unsure }) => unsure > 0) ? [countColumn('unsure', true)] : []),
    ...shareColumns<PrecisionRow>(tone),
    { title: 'within ±5', cell: openWords, tone },
  ];
  return [
    ...table([ruleColumn, ...columns], rows, { noun: 'rules' }),
    ...noteWords(report, rows).map((note) => paragraph(note)),
  ];
}

/** Returns the notes below the table: the share that was missed, and what limits the figures. */
function noteWords({ missed }: PrecisionReport, rows: readonly PrecisionRow[]): string[] {
  const bound = missed && `missed: at most ${(missed.high * 100).toFixed(1)} % of what nothing stopped`;
  const left = rows.some(
    ({ more, drawn, stopped, labelled, unsure }) => drawn < stopped && more > drawn - labelled - unsure,
  );
  const open = missed !== null && missed.unsure > 0 ? `, ${formatCount(missed.unsure)} unsure` : '';
  return [
    ...(missed === null || missed.labelled === 0
      ? []
      : [`${bound} (${formatCount(missed.wrong)} of ${formatCount(missed.labelled)}${open})`]),
    ...(left
      ? [
          'for more labels than were drawn, draw again with the same seed, a larger --per-rule and this file: its outcomes stay',
        ]
      : []),
  ];
}

/**
 * Returns the labels of reviewers by rule. They have no interval, since they are not from a sample.
 */
export function reviewedBlocks({ reviewed = [], rules }: PrecisionReport): readonly Block[] {
  const nameOf = (id: string) => rules.find(({ ruleId }) => ruleId === id)?.ruleName ?? id;
  const columns: Column<(typeof reviewed)[number]>[] = [
    {
      title: 'rule',
      cell: ({ ruleId }) => (ruleId === null ? 'no rule' : name(nameOf(ruleId))),
      flexible: 'first',
    },
    { ...countColumn('labelled'), title: 'reviewed' },
    countColumn('right'),
    { title: 'share', cell: shareText, align: 'right' },
  ];
  return [
    ...table(columns, reviewed, { noun: 'rules' }),
    paragraph(
      reviewed.length === 0
        ? 'no label of reviewers'
        : 'labels of reviewers have no interval: reviewers saw what was reported or stopped, not a random sample',
    ),
  ];
}

/** Number of ranges of rows that are named. Further ones are counted. */
const mostRanges = 12;

/**
 * Describes which rows of a spreadsheet have no outcome, and how many of the drawn rows are
 * missing.
 */
export function rowsWords({ strata, drawn }: JudgedSample): readonly string[] {
  const rows = strata.flatMap((stratum) => stratum.rows);
  const open = rows.flatMap(({ line, outcome }) => (outcome === undefined ? [line] : [])).sort((a, b) => a - b);
  const starts = open.filter((line, at) => line - 1 !== open[at - 1]);
  const ends = open.filter((line, at) => line + 1 !== open[at + 1]);
  const ranges = starts.map((line, at) => (line === ends[at] ? `${line}` : `${line} to ${ends[at]}`));
  const more = ranges.length > mostRanges ? ', …' : '';
  const which = `row${open.length === 1 ? '' : 's'} ${ranges.slice(0, mostRanges).join(', ')}${more}`;
  const gone = drawn - rows.length;
  return [
    ...(open.length > 0
      ? [`${formatCount(open.length)} of ${counted(rows.length, 'row')} without an outcome: ${which}`]
      : []),
    ...(gone > 0
      ? [
          `warning: ${formatCount(gone)} of the ${counted(drawn, 'row')} that were drawn are not in the file: to leave out rows by what they say biases the share`,
        ]
      : []),
  ];
}
