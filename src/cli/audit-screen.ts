import type { LabelCount, PatternCount, RuleCount, TermCount, UnevaluatedCount } from '../audit/audit-summary.js';
import type { Issue } from '../compile/issue.js';
import type { AuditReport, WrittenFiles } from './audit-output.js';
import type { AuditTally } from './audit-tally.js';
import type { MessageInput } from './message-source.js';
import { patternName } from './plain-words.js';
import { maybeTruncated } from './sources.js';
import { dayChart, daysWords } from './terminal/day-chart.js';
import type { Output } from './terminal/style.js';
import { type Column, tableLines } from './terminal/table.js';
import {
  counted,
  escapeText,
  fitText,
  formatCount,
  formatDuration,
  formatPercent,
  wrapHanging,
  wrapParts,
  wrapWords,
} from './terminal/text.js';

/** How an audit was run, beyond its report: shown on the screen, never part of `summary.json`. */
export interface AuditFacts extends Pick<MessageInput, 'label' | 'ruleSet' | 'runningRules' | 'scores'> {
  /** Whether a signal stopped the audit; a partial report without one means that the source failed. */
  readonly interrupted: boolean;
  /** Time of judging, fetching included. */
  readonly tookMs: number;
  /** The files of `--out`. */
  readonly written: WrittenFiles | undefined;
  readonly tally: AuditTally;
  /** Rows shown of the table of rules; the rest becomes a number. */
  readonly top: number;
  /** Whether to list what is wrong with the rule set, and each condition that could not be evaluated. */
  readonly showIssues: boolean;
}

/** Terms, patterns and labels shown of a rule; names of rules that never matched. */
const most = { hits: 3, names: 8 } as const;

/** The screen of an audit, one string per line: the result, where it comes from, what is doubtful, how it was made. */
export function auditScreen(report: AuditReport, facts: AuditFacts, output: Output): string[] {
  const blocks = [
    [...headLines(report, facts, output), ...dayChart(facts.tally.days, output)],
    ruleTable(report, facts, output),
    silentLines(report, facts, output),
    doubtLines(report, facts, output),
    ...(facts.showIssues ? [unevaluatedTable(report, output), issueLines(report, output)] : []),
    closingLines(report, facts, output),
  ].filter((lines) => lines.length > 0);
  return blocks.flatMap((lines, index) => (index === 0 ? lines : ['', ...lines]));
}

function headLines(report: AuditReport, facts: AuditFacts, { width, paint }: Output): string[] {
  const { messages, verdicts, partial } = report;
  const { blockMessage, dropMessage } = verdicts;
  const stopped = blockMessage + dropMessage;
  const of = counted(messages, 'message');
  const result =
    stopped === 0
      ? `none of ${of} stopped`
      : `${formatCount(stopped)} of ${of} stopped (${formatPercent(stopped, messages)}): ` +
        `${formatCount(blockMessage)} blocked, ${formatCount(dropMessage)} dropped`;
  const days = facts.tally.days.size === 0 ? [] : [daysWords(...extremes(facts.tally.days.keys()))];
  const warning = `${partialWords(report, facts)}; everything below is true for those`;
  const [first = '', ...others] = wrapParts([result, ...days], width, '   ').flatMap((line) => wrapWords(line, width));
  return [
    ...(partial ? wrapWords(warning, width).map((line) => paint('doubt', line)) : []),
    paint('head', paint(stopped === 0 ? 'good' : 'bad', first)),
    ...others,
  ];
}

function extremes(numbers: Iterable<number>): [least: number, greatest: number] {
  let [least, greatest] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const number of numbers) [least, greatest] = [Math.min(least, number), Math.max(greatest, number)];
  return [least, greatest];
}

/** The scope of a partial report. */
export function partialWords({ messages }: AuditReport, { interrupted }: Pick<AuditFacts, 'interrupted'>): string {
  return `${interrupted ? 'interrupted' : 'stopped'} after ${counted(messages, 'message')}`;
}

function countColumn<Row>(title: string, count: (row: Row) => number): Column<Row> {
  return { title, align: 'right', text: (row) => formatCount(count(row)) };
}

const actionWords: Readonly<Record<string, string>> = { blockMessage: 'block', dropMessage: 'drop' };

function ruleTable(report: AuditReport, { tally, ruleSet, top }: AuditFacts, output: Output): string[] {
  const hits = mostFrequent(report, (row) => patternName(ruleSet, row.ruleId, row));
  const hitWords = ({ ruleId, matched, determining }: RuleCount) => {
    const words = (hits.get(ruleId) ?? []).join(' · ');
    return matched === determining ? words : `${formatCount(matched)} matched: ${words}`;
  };
  const alone = ({ ruleId }: RuleCount) => tally.alone.get(ruleId) ?? 0;
  const stopped: Column<RuleCount> = countColumn('stopped', ({ determining }) => determining);
  const columns: Column<RuleCount>[] = [
    { title: 'rule', flexible: 'last', text: ({ ruleName, shadow }) => (shadow ? `${ruleName} (shadow)` : ruleName) },
    {
      title: 'action',
      flexible: 'first',
      optional: true,
      text: ({ actions }) => actions.map((action) => actionWords[action] ?? action).join(', '),
    },
    { ...stopped, tone: ({ determining }) => (determining > 0 ? 'bad' : undefined) },
    { ...countColumn('alone', alone), optional: true },
    {
      title: 'what hit most',
      flexible: 'first',
      optional: true,
      separator: ' · ',
      text: hitWords,
    },
  ];
  const rows = [...report.rules].sort((left, right) => right.determining - left.determining);
  return tableLines(columns, rows, output, top);
}

/** By rule id: the terms, patterns and labels with the most messages, as `moron ×12`. */
function mostFrequent(
  { terms, patterns, labels }: AuditReport,
  nameOf: (row: PatternCount) => string,
): Map<string, string[]> {
  const found = new Map<string, { readonly messages: number; readonly text: string }[]>();
  const add = ({ ruleId, messages }: TermCount | PatternCount | LabelCount, name: string) => {
    found.set(ruleId, [...(found.get(ruleId) ?? []), { messages, text: `${name} ×${formatCount(messages)}` }]);
  };
  for (const row of terms) add(row, row.term);
  for (const row of patterns) add(row, nameOf(row));
  for (const row of labels) add(row, `${row.label} > ${row.threshold.greaterThan}`);
  const firstOf = (rows: readonly { readonly messages: number; readonly text: string }[]) =>
    [...rows]
      .sort((left, right) => right.messages - left.messages)
      .slice(0, most.hits)
      .map(({ text }) => text);
  return new Map([...found].map(([ruleId, rows]) => [ruleId, firstOf(rows)]));
}

/** The running rules that never matched, though nothing kept them from being evaluated. */
function silentLines({ rules, unevaluated }: AuditReport, { runningRules }: AuditFacts, { width }: Output): string[] {
  const others = new Set([...rules, ...unevaluated.conditions].map(({ ruleId }) => ruleId));
  const names = runningRules.filter(({ id }) => !others.has(id)).map(({ id, name }) => escapeText(name ?? id));
  if (names.length === 0) return [];
  const more = names.length > most.names ? `, +${formatCount(names.length - most.names)} more` : '';
  return wrapHanging(
    `${counted(names.length, 'rule')} never matched: ${names.slice(0, most.names).join(', ')}${more}`,
    width,
    '  ',
  );
}

/** What could not be checked and why, with the option that helps. */
function doubtLines(
  report: AuditReport,
  { tally, scores, showIssues }: AuditFacts,
  { width, paint }: Output,
): string[] {
  const { messages, unevaluated, exempt, truncated, unreadable, texts, ruleSet } = report;
  const help = {
    'not-compiled': showIssues ? undefined : '--issues',
    'no-scores': scores.size === 0 ? '--scores FILE' : undefined,
    'not-answerable': undefined,
    'engine-fault': undefined,
  };
  const reasons = tally.unchecked();
  const widest = formatCount(reasons[0]?.messages ?? 0).length;
  const reasonLines = reasons.map(({ words, why, messages: own }) => {
    const option = help[why];
    return `  ${formatCount(own).padStart(widest)}: ${words}${option === undefined ? '' : ` (${option})`}`;
  });
  const share = (count: number, whole: number) => `${formatCount(count)} (${formatPercent(count, whole)})`;
  const withIssues = new Set(ruleSet.issues.flatMap(({ ruleId }) => ruleId ?? [])).size;
  const issues = `${counted(ruleSet.issues.length, 'issue')} of the rule set, in ${counted(withIssues, 'rule')} (--issues)`;
  const lines = [
    ...(unevaluated.messages > 0
      ? [`could not be checked by every rule: ${counted(unevaluated.messages, 'message')}`, ...reasonLines]
      : []),
    ...(exempt > 0 ? [`exempt, allowed unseen: ${share(exempt, messages)}`] : []),
    ...(truncated > 0 ? [`more matches than listed: ${share(truncated, messages)}`] : []),
    ...(unreadable > 0 ? [`text not readable: ${share(unreadable, texts)}`] : []),
    ...(ruleSet.truncated ? [maybeTruncated] : []),
    ...(ruleSet.issues.length > 0 && !showIssues ? [issues] : []),
  ];
  return lines.flatMap((line) => wrapHanging(line, width, '    ')).map((line) => paint('doubt', line));
}

function unevaluatedTable({ unevaluated }: AuditReport, output: Output): string[] {
  const where = ({ ruleId, conditionId }: UnevaluatedCount) => `${ruleId}#${conditionId}`;
  const columns: Column<UnevaluatedCount>[] = [
    { title: 'not evaluated', flexible: 'last', text: where, tone: () => 'doubt' },
    { title: 'why', flexible: 'first', text: ({ why }) => whyWords[why] },
    countColumn('messages', ({ messages }) => messages),
  ];
  return tableLines(columns, unevaluated.conditions, output);
}

const whyWords: Readonly<Record<UnevaluatedCount['why'], string>> = {
  'not-compiled': 'not all of it could be compiled',
  'no-scores': 'no scores for its picture or video',
  'not-answerable': 'the message lacks what the condition reads',
  'engine-fault': 'the pattern engine failed',
};

/** Not a table, since the detail of an issue must not be cut. */
function issueLines({ ruleSet: { issues } }: AuditReport, { width, paint }: Output): string[] {
  if (issues.length === 0) return [];
  const lines = mostInformative(issues).flatMap((issue) => [
    `${paint(issue.severity === 'error' ? 'bad' : 'doubt', issue.code)}  ${fitText(escapeText(whereOf(issue)), width - issue.code.length - 2)}`,
    ...wrapWords(escapeText(issue.detail), width - 2).map((line) => `  ${line}`),
  ]);
  return [paint('head', 'issues of the rule set'), ...lines];
}

/** Errors first, since their conditions are not evaluated; then the first issue of each code before the second of any. */
function mostInformative(issues: readonly Issue[]): readonly Issue[] {
  const seen = new Map<string, number>();
  const ranked = issues.map((issue) => {
    const before = seen.get(issue.code) ?? 0;
    seen.set(issue.code, before + 1);
    return { issue, rank: before + (issue.severity === 'error' ? 0 : issues.length) };
  });
  return ranked.sort((left, right) => left.rank - right.rank).map(({ issue }) => issue);
}

/** The place of an issue. `index` is into the values of the condition when there is a rule, else into the list's terms. */
function whereOf({ ruleId, conditionId, listId, index }: Issue): string {
  const position = index === undefined ? '' : `[${index}]`;
  if (ruleId === undefined) return (listId ?? '') + position;
  const condition = conditionId === undefined ? '' : `#${conditionId}`;
  return ruleId + condition + position + (listId === undefined ? '' : ` → ${listId}`);
}

/** The files written, in one line. */
export function writtenLine({ decisions, rows, summary }: WrittenFiles): string {
  return escapeText(`wrote ${decisions} (${counted(rows, 'row')}) and ${summary}`);
}

/** The end of the screen: how the result was made, where from, and what keeps it. */
function closingLines(report: AuditReport, facts: AuditFacts, { width, paint }: Output): string[] {
  const { messages, ruleSet, revision } = report;
  const { tookMs, written, label } = facts;
  const rate = tookMs > 0 ? ` (${formatCount(Math.round(messages / (tookMs / 1000)))} a second)` : '';
  const { rules, running, lists, missing, terms, patterns } = ruleSet;
  const parts = [
    `${counted(messages, 'message')} in ${formatDuration(tookMs)}${rate}`,
    `${running === rules ? '' : `${formatCount(running)} of `}${counted(rules, 'rule')}`,
    counted(lists, 'list') + (missing.length > 0 ? ` (${formatCount(missing.length)} missing)` : ''),
    counted(terms, 'term'),
    counted(patterns, 'pattern'),
    `rules ${ruleSet.revision.slice(0, 12)}`,
    `engine ${revision.slice(0, 12)}`,
  ];
  const from = wrapHanging(`from ${escapeText(label)}`, width, '  ');
  const hint = wrapWords('`--out DIR` keeps every decision and exactly why', width);
  return [
    ...[...wrapParts(parts, width, ' · ').flatMap((line) => wrapHanging(line, width, '  ')), ...from].map((line) =>
      paint('faint', line),
    ),
    ...(written === undefined ? hint.map((line) => paint('faint', line)) : [writtenLine(written)]),
  ];
}
