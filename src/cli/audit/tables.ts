import type { OriginCounts, RuleCount, TermCount } from '../../audit/count/audit-summary.js';
import type { UnmatchedTerms } from '../../audit/count/unmatched.js';
import { patternName } from '../plain-words.js';
import type { Output } from '../terminal/style.js';
import { type Column, tableLines } from '../terminal/table.js';
import {
  counted,
  escapeText,
  formatCount,
  formatPercent,
  textWidth,
  wrapHanging,
  wrapParts,
} from '../terminal/text.js';
import type { AuditFacts, AuditReport } from './report.js';

/** Terms, patterns and labels shown of a rule, lists named, and terms shown of a list in the ranking by term. */
const most = { hits: 3, lists: 5, terms: 40 } as const;

/** Columns of the longest pattern that stands for itself; a longer one is named by its number. */
const shortPattern = 24;

/** The table of an audit, ranked by stopped messages, with what has to be said about it. */
export function rankedTable(report: AuditReport, facts: AuditFacts, output: Output): string[] {
  switch (facts.by) {
    case 'rule':
      return ruleTable(report, facts, output);
    case 'term':
      return [...termTable(report, facts, output), ...unmatchedTermLines(report, output)];
    case 'day':
      return dayTable(report, facts, output);
    case 'sender':
      return originTable(report.senders, facts, output);
    case 'conversation':
      return originTable(report.conversations, facts, output);
  }
}

/** A right-aligned column of numbers. */
export function countColumn<Row>(title: string, count: (row: Row) => number): Column<Row> {
  return { title, align: 'right', text: (row) => formatCount(count(row)) };
}

/** The column that rows are ranked by. */
function stoppedColumn<Row>(stopped: (row: Row) => number): Column<Row> {
  return { ...countColumn('stopped', stopped), tone: (row) => (stopped(row) > 0 ? 'bad' : undefined) };
}

/** What a screen calls the actions that are verdicts; others go by their own names. */
export const actionWords: Readonly<Record<string, string>> = { blockMessage: 'block', dropMessage: 'drop' };

/** Messages whose verdict rests on a rule and is no `allow`. */
export function stoppedBy({ determining, verdicts }: RuleCount): number {
  return Math.min(determining, verdicts.blockMessage + verdicts.dropMessage);
}

function ruleTable(report: AuditReport, facts: AuditFacts, output: Output): string[] {
  const found = foundOf(report, facts);
  const mostFrequent = ({ ruleId, matched, determining }: RuleCount) => {
    const own = found.filter((row) => row.ruleId === ruleId).sort((left, right) => right.messages - left.messages);
    const words = own.slice(0, most.hits).map(({ name, messages }) => `${name} ×${formatCount(messages)}`);
    return (matched === determining ? '' : `${formatCount(matched)} matched: `) + words.join(' · ');
  };
  const columns: Column<RuleCount>[] = [
    { title: 'rule', flexible: 'last', text: ({ ruleName, shadow }) => (shadow ? `${ruleName} (shadow)` : ruleName) },
    {
      title: 'action',
      flexible: 'first',
      optional: true,
      text: ({ actions }) => actions.map((action) => actionWords[action] ?? action).join(', '),
    },
    stoppedColumn(stoppedBy),
    { ...countColumn('alone', ({ alone }) => alone), optional: true },
    { title: 'what hit most', flexible: 'first', optional: true, separator: ' · ', text: mostFrequent },
  ];
  const rows = [...report.rules].sort((left, right) => right.determining - left.determining);
  const lines = tableLines(columns, rows, output, facts.top);
  if (!lines[0]?.includes('alone')) return lines;
  const legend = [
    'alone: messages whose verdict would be another without the rule',
    '--top N',
    '--by day|sender|conversation|term',
    '--rule ID',
  ];
  const legendLines = wrapParts(legend, output.width, ' · ').flatMap((line) => wrapHanging(line, output.width, '  '));
  return [...lines, ...legendLines.map((line) => output.paint('faint', line))];
}

/** A term, pattern or label of a rule that matched, by its name on the screen. */
interface FoundRow {
  readonly name: string;
  readonly ruleId: string;
  readonly listId?: string | undefined;
  readonly messages: number;
  readonly stopped: number;
}

function foundOf({ terms, patterns, labels }: AuditReport, { ruleSet }: AuditFacts): FoundRow[] {
  return [
    ...terms.map((row) => ({ ...row, name: row.term })),
    ...patterns.map((row) => ({ ...row, name: patternWords(row.pattern, patternName(ruleSet, row.ruleId, row), row) })),
    ...labels.map((row) => ({ ...row, name: `${row.label} > ${row.threshold.greaterThan}` })),
  ];
}

/** A short pattern as it is written; a longer one by its number, and the list that the number is of. */
function patternWords(pattern: string, name: string, { listId }: Pick<TermCount, 'listId'>): string {
  if (textWidth(escapeText(pattern)) <= shortPattern) return pattern;
  return listId === undefined ? name : `${name} of ${listId}`;
}

function termTable(report: AuditReport, facts: AuditFacts, output: Output): string[] {
  const names = new Map(report.rules.map(({ ruleId, ruleName }) => [ruleId, ruleName]));
  const columns: Column<FoundRow>[] = [
    { title: 'what hit', flexible: 'last', text: ({ name }) => name },
    stoppedColumn(({ stopped }) => stopped),
    countColumn('messages', ({ messages }) => messages),
    { title: 'list', flexible: 'first', optional: true, text: ({ listId = '' }) => listId },
    { title: 'rule', flexible: 'first', optional: true, text: ({ ruleId }) => names.get(ruleId) ?? ruleId },
  ];
  const shown = facts.rule === undefined ? columns : columns.slice(0, -1);
  return tableLines(shown, foundOf(report, facts).sort(byStopped), output, facts.top);
}

/** Stable: rows of equal counts stay in the order of the summary. */
function byStopped<Row extends { readonly stopped: number; readonly messages: number }>(left: Row, right: Row): number {
  return right.stopped - left.stopped || right.messages - left.messages;
}

function dayTable({ days }: AuditReport, { top }: AuditFacts, output: Output): string[] {
  type Row = (typeof days)[number];
  const columns: Column<Row>[] = [
    { title: 'day', text: ({ day }) => day },
    stoppedColumn(({ stopped }) => stopped),
    countColumn('messages', ({ messages }) => messages),
    { title: 'share', align: 'right', text: ({ stopped, messages }) => formatPercent(stopped, messages) },
  ];
  return tableLines(
    columns,
    [...days].sort((left, right) => right.stopped - left.stopped),
    output,
    top,
  );
}

function originTable(origins: OriginCounts | undefined, { by, top }: AuditFacts, output: Output): string[] {
  if (origins === undefined) return [];
  const { rows, others, unknown } = origins;
  const all = rows.reduce((sum, { stopped }) => sum + stopped, others + unknown);
  const columns: Column<(typeof rows)[number]>[] = [
    { title: by, flexible: 'last', text: ({ id }) => id },
    stoppedColumn(({ stopped }) => stopped),
    { title: 'of all stopped', align: 'right', text: ({ stopped }) => formatPercent(stopped, all) },
  ];
  const notes = [
    ...(unknown > 0 ? [`${counted(unknown, 'stopped message')} without a ${by}`] : []),
    ...(others > 0
      ? [`too many of them to count each: counts may be too small, by ${formatCount(others)} in all`]
      : []),
  ];
  const lines = notes.flatMap((note) => wrapHanging(note, output.width, '  '));
  return [...tableLines(columns, rows, output, top), ...lines.map((line) => output.paint('faint', line))];
}

/** What of the lists never matched, in one paragraph: counts by list. */
export function unmatchedTermCounts({ neverMatched: { terms } }: AuditReport): string | undefined {
  if (terms.length === 0) return undefined;
  const count = terms.reduce((sum, own) => sum + own.unmatched.length, 0);
  const named = terms.slice(0, most.lists).map((own) => `${placeOf(own)} ${shareOf(own)}`);
  const more = terms.length > most.lists ? `, +${formatCount(terms.length - most.lists)} more` : '';
  return `${counted(count, 'term or pattern')} never matched: ${named.join(', ')}${more} (--by term)`.replace(
    'term or patterns',
    'terms or patterns',
  );
}

function unmatchedTermLines({ neverMatched: { terms } }: AuditReport, { width, paint }: Output): string[] {
  return terms.flatMap((own) => {
    const { unmatched } = own;
    const title = `never matched, ${placeOf(own)} (${shareOf(own)}):`;
    const words = unmatched.slice(0, most.terms).map((term) => escapeText(term));
    const more = unmatched.length > most.terms ? [`+${formatCount(unmatched.length - most.terms)} more (--json)`] : [];
    const lines = wrapParts([...words, ...more], width - 2).flatMap((line) => wrapHanging(line, width - 2, ''));
    return [
      '',
      ...wrapHanging(title, width, '  ').map((line) => paint('head', line)),
      ...lines.map((line) => `  ${line}`),
    ];
  });
}

function placeOf({ listId, ruleId, kind }: UnmatchedTerms): string {
  return escapeText(listId ?? `${kind === 'word' ? 'words' : 'patterns'} of ${ruleId}`);
}

function shareOf({ unmatched, of }: UnmatchedTerms): string {
  return `${formatCount(unmatched.length)} of ${formatCount(of)}`;
}
