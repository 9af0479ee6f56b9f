import type { LabelCount, PatternCount, RuleCount, TermCount, UnevaluatedCount } from '../audit/audit-summary.js';
import type { Issue } from '../compile/issue.js';
import type { AuditReport, WrittenFiles } from './audit-output.js';
import { maybeTruncated } from './sources.js';
import type { Output, Tone } from './terminal/style.js';
import { type Column, tableLines } from './terminal/table.js';
import {
  counted,
  escapeText,
  fitText,
  formatCount,
  formatDuration,
  formatPercent,
  formatTime,
  wrapParts,
  wrapWords,
} from './terminal/text.js';

/** How an audit was run, beyond its report: shown on the screen, never part of `summary.json`. */
export interface AuditFacts {
  /** Sources of messages and rules. */
  readonly label: string;
  /** Whether a signal stopped the audit; a partial report without one means that the source failed. */
  readonly interrupted: boolean;
  /** Time of judging, fetching included. */
  readonly tookMs: number;
  /** The files of `--out`. */
  readonly written: WrittenFiles | undefined;
  /** Whether scores of pictures and videos were given. */
  readonly hasScores: boolean;
}

/** Rows shown of a table; the rest becomes a number. */
const mostRows = { rules: 12, terms: 8, unevaluated: 6, issues: 6 } as const;

/** The screen of an audit, one string per line. */
export function auditScreen(report: AuditReport, context: AuditFacts, output: Output): string[] {
  const blocks = [
    verdictTable(report, output),
    ruleTable(report, output),
    termTable(report, output),
    unevaluatedTable(report, output),
    issueLines(report, output),
    closingLines(report, context, output),
  ].filter((lines) => lines.length > 0);
  return [
    ...headLines(report, context, output),
    '',
    ...ruleSetLines(report, output),
    ...blocks.flatMap((lines) => ['', ...lines]),
  ];
}

function headLines(report: AuditReport, context: AuditFacts, { width, paint }: Output): string[] {
  const scope = report.partial
    ? `${partialWords(report, context)}; everything below is true for those`
    : judgedWords(report);
  return [
    ...wrapWords(`audit of ${escapeText(context.label)}`, width).map((line) => paint('head', line)),
    ...wrapWords(scope, width).map((line) => paint(report.partial ? 'doubt' : undefined, line)),
  ];
}

/** The scope of a partial report. */
export function partialWords(report: AuditReport, { interrupted }: AuditFacts): string {
  return `${interrupted ? 'interrupted' : 'stopped'} after ${judgedWords(report)}`;
}

function judgedWords({ messages, firstSentAt, lastSentAt }: AuditReport): string {
  const judged = counted(messages, 'message');
  if (firstSentAt === undefined || lastSentAt === undefined) return judged;
  return `${judged}, sent ${formatTime(firstSentAt)} to ${formatTime(lastSentAt)} UTC`;
}

function ruleSetLines({ ruleSet }: AuditReport, { width, paint }: Output): string[] {
  const { revision, rules, running, issues, lists, missing, terms, patterns, truncated } = ruleSet;
  const withIssues = new Set(issues.map(({ ruleId }) => ruleId).filter((ruleId) => ruleId !== undefined)).size;
  const states = [
    `${formatCount(running)} running`,
    ...(rules > running ? [`${formatCount(rules - running)} not running`] : []),
    ...(withIssues > 0 ? [`${formatCount(withIssues)} with issues`] : []),
  ];
  const parts = [
    `rule set ${revision.slice(0, 12)}: ${counted(rules, 'rule')} (${states.join(', ')})`,
    counted(lists, 'keyword list') + (missing.length > 0 ? ` (${formatCount(missing.length)} missing)` : ''),
    counted(terms, 'term'),
    counted(patterns, 'pattern'),
  ];
  return [
    ...wrapParts(parts, width).flatMap((line) => wrapWords(line, width)),
    ...(truncated ? wrapWords(maybeTruncated, width).map((line) => paint('doubt', line)) : []),
  ];
}

function countColumn<Row>(title: string, count: (row: Row) => number): Column<Row> {
  return { title, align: 'right', text: (row) => formatCount(count(row)) };
}

function verdictTable({ verdicts, messages, exempt, truncated, unreadable }: AuditReport, output: Output): string[] {
  type Row = readonly [name: string, count: number, tone?: Tone];
  const further: Row[] = [
    ['exempt, allowed unseen', exempt],
    ['more matches than listed', truncated],
    ['text not readable', unreadable, 'doubt'],
  ];
  const rows: Row[] = [
    ['allow', verdicts.allow, 'good'],
    ['blockMessage', verdicts.blockMessage, 'bad'],
    ['dropMessage', verdicts.dropMessage, 'bad'],
    ...further.filter(([, count]) => count > 0),
  ];
  const columns: Column<Row>[] = [
    { title: 'verdict', text: ([name]) => name, tone: ([, count, tone]) => (count > 0 ? tone : undefined) },
    countColumn('messages', ([, count]) => count),
    { title: 'share', align: 'right', text: ([, count]) => formatPercent(count, messages) },
  ];
  return tableLines(columns, rows, output);
}

function ruleTable(report: AuditReport, output: Output): string[] {
  const reasons = mostFrequent(report);
  const columns: Column<RuleCount>[] = [
    { title: 'rule', flexible: true, text: ({ ruleName, shadow }) => (shadow ? `${ruleName} (shadow)` : ruleName) },
    { title: 'action', flexible: true, text: ({ actions }) => actions.join(', '), tone: actionTone },
    countColumn('matched', ({ matched }) => matched),
    countColumn('decided', ({ determining }) => determining),
    { title: 'most often', flexible: true, text: ({ ruleId }) => reasons.get(ruleId) ?? '' },
  ];
  return tableLines(columns, report.rules, output, mostRows.rules);
}

function actionTone({ actions, shadow }: RuleCount): Tone | undefined {
  if (shadow) return 'faint';
  return actions.some((action) => action === 'blockMessage' || action === 'dropMessage') ? 'bad' : undefined;
}

/** By rule id: the term, pattern or label with the most messages. */
function mostFrequent({ terms, patterns, labels }: AuditReport): Map<string, string> {
  const best = new Map<string, { readonly messages: number; readonly text: string }>();
  const consider = ({ ruleId, messages }: TermCount | PatternCount | LabelCount, text: string) => {
    if (messages > (best.get(ruleId)?.messages ?? 0)) best.set(ruleId, { messages, text });
  };
  for (const row of terms) consider(row, row.term);
  for (const row of patterns) consider(row, `/${row.pattern}/`);
  for (const row of labels) consider(row, `${row.label} over ${row.threshold.greaterThan}`);
  return new Map([...best].map(([ruleId, { messages, text }]) => [ruleId, `${formatCount(messages)}× ${text}`]));
}

function termTable({ terms }: AuditReport, output: Output): string[] {
  const columns: Column<TermCount>[] = [
    { title: 'top term', flexible: true, text: ({ term }) => term },
    { title: 'list', flexible: true, text: ({ listId }) => listId ?? 'in the rule itself' },
    { title: 'rule', flexible: true, text: ({ ruleId }) => ruleId },
    countColumn('messages', ({ messages }) => messages),
  ];
  return tableLines(columns, terms, output, mostRows.terms);
}

const whyWords: Readonly<Record<UnevaluatedCount['why'], string>> = {
  'not-compiled': 'not all of it could be compiled',
  'no-scores': 'no scores for its picture or video',
  'not-answerable': 'the message lacks what the condition reads',
  'engine-fault': 'the pattern engine failed',
};

function unevaluatedTable({ unevaluated }: AuditReport, output: Output): string[] {
  const where = ({ ruleId, conditionId }: UnevaluatedCount) => `${ruleId}#${conditionId}`;
  const columns: Column<UnevaluatedCount>[] = [
    { title: 'not evaluated', flexible: true, text: where, tone: () => 'doubt' },
    { title: 'why', flexible: true, text: ({ why }) => whyWords[why] },
    countColumn('messages', ({ messages }) => messages),
  ];
  return tableLines(columns, unevaluated.conditions, output, mostRows.unevaluated);
}

/** Not a table, since the detail of an issue must not be cut. */
function issueLines({ ruleSet: { issues } }: AuditReport, { width, paint }: Output): string[] {
  if (issues.length === 0) return [];
  const lines = mostInformative(issues)
    .slice(0, mostRows.issues)
    .flatMap((issue) => [
      `${paint(issue.severity === 'error' ? 'bad' : 'doubt', issue.code)}  ${fitText(escapeText(whereOf(issue)), width - issue.code.length - 2)}`,
      ...wrapWords(escapeText(issue.detail), width - 2).map((line) => `  ${line}`),
    ]);
  const left = issues.length - mostRows.issues;
  const more = left > 0 ? [paint('faint', `+${formatCount(left)} more`)] : [];
  return [paint('head', 'issues of the rule set'), ...lines, ...more];
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

/** The end of the screen: time, totals, files, and hints. */
function closingLines(report: AuditReport, context: AuditFacts, { width, paint }: Output): string[] {
  const { messages, unevaluated, verdicts } = report;
  const { tookMs, written, hasScores } = context;
  const rate = tookMs > 0 ? `, ${formatCount(Math.round(messages / (tookMs / 1000)))} a second` : '';
  const needsScores = !hasScores && unevaluated.conditions.some(({ why }) => why === 'no-scores');
  const hints = [
    ...(written === undefined ? ['add `--out DIR` to keep every decision and exactly why'] : []),
    ...(needsScores ? ['add `--scores FILE` to have pictures and videos evaluated'] : []),
  ];
  const judged = `judged ${counted(messages, 'message')} in ${formatDuration(tookMs)}${rate}`;
  const stopped = `${formatCount(verdicts.blockMessage)} blocked, ${formatCount(verdicts.dropMessage)} dropped`;
  return [
    ...wrapWords(`${judged}: ${stopped}`, width),
    ...(written === undefined ? [] : [writtenLine(written)]),
    ...hints.flatMap((line) => wrapWords(line, width)).map((line) => paint('faint', line)),
  ];
}
