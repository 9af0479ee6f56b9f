import type { OriginCounts, RuleCount } from '../../audit/count/audit-summary.js';
import { stoppedBy } from '../../audit/count/stopped.js';
import type { UnmatchedTerms } from '../../audit/count/unmatched.js';
import type { AuditReport } from '../../audit/keep/audit-report.js';
import { stops } from '../../engine/compile/verdicts.js';
import { patternName } from '../plain-words.js';
import { listed, moreWords, wrapped } from '../terminal/lines.js';
import type { Output } from '../terminal/style.js';
import { type Column, tableLines } from '../terminal/table.js';
import { escapeText, formatCount, formatPercent, textWidth, wrapHanging, wrapParts } from '../terminal/text.js';
import { byStopped, type CountedCause, causesOf } from './causes.js';
import type { AuditFacts } from './facts.js';
import { originWords, unmatchedWords } from './words.js';

/** Terms, patterns and labels shown of a rule, also on a screen of more than 100 columns; lists named, and terms shown of a list in the ranking by term. */
const most = { hits: 3, hitsOfWide: 6, lists: 5, terms: 40 } as const;

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

/** Returns what a screen calls an action: one that stops messages by its first word, any other by its own name. */
export const actionWord = (action: string): string => (stops(action) ? action.replace('Message', '') : action);

function ruleTable(report: AuditReport, facts: AuditFacts, output: Output): string[] {
  const causes = causesOf(report);
  const mostFrequent = ({ ruleId, matched, determining }: RuleCount) => {
    const own = causes.filter((row) => row.ruleId === ruleId).sort((left, right) => right.messages - left.messages);
    const words = own
      .slice(0, output.width > 100 ? most.hitsOfWide : most.hits)
      .map((cause) => `${causeName(cause, facts)} ×${formatCount(cause.messages)}`);
    return (matched === determining ? '' : `${formatCount(matched)} matched: `) + words.join(' · ');
  };
  const columns: Column<RuleCount>[] = [
    { title: 'rule', flexible: 'last', text: ({ ruleName, shadow }) => (shadow ? `${ruleName} (shadow)` : ruleName) },
    {
      title: 'action',
      flexible: 'first',
      optional: true,
      text: ({ actions }) => actions.map(actionWord).join(', '),
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
    // `--out` is about all rules.
    ...(facts.written === undefined ? ['--rule ID'] : []),
  ];
  return [...lines, ...wrapParts(legend, output.width, ' · ').flatMap((line) => wrapped(line, 'faint', output))];
}

/** What a cause is called. A short pattern as it is written; a longer one by its number, and the list that the number is of. */
function causeName(cause: CountedCause, { ruleSet }: AuditFacts): string {
  const { term, pattern, label, ruleId, listId, threshold } = cause;
  if (term !== undefined) return term;
  if (pattern === undefined) return `${label} > ${threshold?.greaterThan}`;
  if (textWidth(escapeText(pattern)) <= shortPattern) return pattern;
  const name = patternName(ruleSet, ruleId, { pattern, listId });
  return listId === undefined ? name : `${name} of ${listId}`;
}

/** The same with a longer pattern behind its number: a column cuts what has no room. */
function nameWithPattern(cause: CountedCause, facts: AuditFacts): string {
  const { pattern } = cause;
  if (pattern === undefined || textWidth(escapeText(pattern)) <= shortPattern) return causeName(cause, facts);
  const number = patternName(facts.ruleSet, cause.ruleId, { pattern, listId: cause.listId });
  return number === 'pattern' ? pattern : `${number}: ${pattern}`;
}

function termTable(report: AuditReport, facts: AuditFacts, output: Output): string[] {
  const names = new Map(report.rules.map(({ ruleId, ruleName }) => [ruleId, ruleName]));
  const columns: Column<CountedCause>[] = [
    { title: 'what hit', flexible: 'last', text: (cause) => nameWithPattern(cause, facts) },
    stoppedColumn(({ stopped }) => stopped),
    countColumn('messages', ({ messages }) => messages),
    { title: 'list', flexible: 'first', optional: true, text: ({ listId = '' }) => listId },
    { title: 'rule', flexible: 'first', optional: true, text: ({ ruleId }) => names.get(ruleId) ?? ruleId },
  ];
  const shown = facts.rule === undefined ? columns : columns.slice(0, -1);
  return tableLines(shown, causesOf(report).sort(byStopped), output, facts.top);
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
  const { rows } = origins;
  const { all, notes } = originWords(origins, by);
  const columns: Column<(typeof rows)[number]>[] = [
    { title: by, flexible: 'last', text: ({ id }) => id },
    stoppedColumn(({ stopped }) => stopped),
    { title: 'of all stopped', align: 'right', text: ({ stopped }) => formatPercent(stopped, all) },
  ];
  return [...tableLines(columns, rows, output, top), ...notes.flatMap((note) => wrapped(note, 'faint', output))];
}

/** What of the lists never matched, in one paragraph: counts by list. */
export function unmatchedTermCounts({ neverMatched: { terms } }: AuditReport): string | undefined {
  if (terms.length === 0) return undefined;
  const count = terms.reduce((sum, own) => sum + own.unmatched.length, 0);
  const named = listed(terms, most.lists, (own) => `${placeOf(own)} ${unmatchedWords(own).share}`);
  const what = count === 1 ? 'term or pattern' : 'terms or patterns';
  return `${formatCount(count)} ${what} never matched: ${named} (--by term)`;
}

function unmatchedTermLines({ neverMatched: { terms } }: AuditReport, output: Output): string[] {
  return terms.flatMap((own) => {
    const { unmatched } = own;
    const title = `never matched, ${placeOf(own)} (${unmatchedWords(own).share}):`;
    const words = unmatched.slice(0, most.terms).map((term) => escapeText(term));
    const more = unmatched.length > most.terms ? [`${moreWords(unmatched.length - most.terms)} (--json)`] : [];
    const width = output.width - 2;
    const lines = wrapParts([...words, ...more], width).flatMap((line) => wrapHanging(line, width, ''));
    return ['', ...wrapped(title, 'head', output), ...lines.map((line) => `  ${line}`)];
  });
}

function placeOf(own: UnmatchedTerms): string {
  return escapeText(unmatchedWords(own).holder + (own.listId ?? own.ruleId));
}
