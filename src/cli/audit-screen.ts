import type { LabelCount, PatternCount, RuleCount, TermCount, UnheardCount } from '../audit/audit-summary.js';
import type { Issue } from '../compile/issue.js';
import type { Verdict } from '../evaluate/decision.js';
import type { AuditReport } from './audit-report.js';
import { closingLines } from './closing-lines.js';
import type { Occasion } from './occasion.js';
import { maybeTruncated } from './rule-set-words.js';
import type { Canvas } from './terminal/canvas.js';
import { escapeText } from './terminal/escape-text.js';
import { counted, formatCount, formatPercent, formatTime } from './terminal/format.js';
import type { Tone } from './terminal/paint.js';
import { type Column, tableLines } from './terminal/table.js';
import { fitText } from './terminal/text-width.js';
import { wrapParts, wrapWords } from './terminal/wrap.js';

/** Rows of a table before the rest becomes a number. */
const shown = { rules: 12, terms: 8, unheard: 6, issues: 6 } as const;

/** The summary of an audit as a person reads it, one string per line. */
export function auditScreen(report: AuditReport, occasion: Occasion, canvas: Canvas): string[] {
  return [
    ...head(report, occasion, canvas),
    '',
    ...ruleSetLines(report, canvas),
    ...block(verdictTable(report, canvas)),
    ...block(ruleTable(report, canvas)),
    ...block(termTable(report, canvas)),
    ...block(unheardTable(report, canvas)),
    ...block(issueLines(report, canvas)),
    ...block(closingLines(report, occasion, canvas)),
  ];
}

function head(report: AuditReport, occasion: Occasion, { width, paint }: Canvas): string[] {
  const tone = report.partial ? 'doubt' : undefined;
  const words = report.partial
    ? `${partialWords(report, occasion)}; everything below is true for those`
    : judgedWords(report);
  return [
    ...wrapWords(`audit of ${escapeText(occasion.label)}`, width).map((line) => paint('head', line)),
    ...wrapWords(words, width).map((line) => paint(tone, line)),
  ];
}

/** How far a partial report goes. */
export function partialWords(report: AuditReport, { interrupted }: Occasion): string {
  return `${interrupted ? 'interrupted' : 'stopped'} after ${judgedWords(report)}`;
}

function judgedWords({ messages, firstSentAt, lastSentAt }: AuditReport): string {
  const judged = counted(messages, 'message');
  if (firstSentAt === undefined || lastSentAt === undefined) return judged;
  return `${judged}, sent ${formatTime(firstSentAt)} to ${formatTime(lastSentAt)} UTC`;
}

function ruleSetLines({ ruleSet }: AuditReport, { width, paint }: Canvas): string[] {
  const { revision, rules, lists, missing, terms, patterns, truncated } = ruleSet;
  const parts = [
    `rule set ${revision.slice(0, 12)}: ${counted(rules, 'rule')} (${runningWords(ruleSet)})`,
    counted(lists, 'keyword list') + (missing.length > 0 ? ` (${formatCount(missing.length)} missing)` : ''),
    counted(terms, 'term'),
    counted(patterns, 'pattern'),
  ];
  return [
    ...wrapParts(parts, width).flatMap((line) => wrapWords(line, width)),
    ...(truncated ? wrapWords(maybeTruncated, width).map((line) => paint('doubt', line)) : []),
  ];
}

function runningWords({ rules, running, issues }: AuditReport['ruleSet']): string {
  const troubled = new Set(issues.map(({ ruleId }) => ruleId).filter((ruleId) => ruleId !== undefined)).size;
  const words = [
    `${formatCount(running)} running`,
    ...(rules > running ? [`${formatCount(rules - running)} not running`] : []),
    ...(troubled > 0 ? [`${formatCount(troubled)} with issues`] : []),
  ];
  return words.join(', ');
}

function block(lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ['', ...lines];
}

function table<Row>(columns: readonly Column<Row>[], rows: readonly Row[], most: number, { width, paint }: Canvas) {
  if (rows.length === 0) return [];
  const lines = tableLines(columns, rows.slice(0, most), width, paint);
  const left = rows.length - most;
  return left > 0 ? [...lines, paint('faint', `+${formatCount(left)} more`)] : lines;
}

const verdictTones = { allow: 'good', blockMessage: 'bad', dropMessage: 'bad' } as const satisfies Record<
  Verdict,
  Tone
>;

function verdictTable({ verdicts, messages, exempt, truncated }: AuditReport, canvas: Canvas): string[] {
  type Row = readonly [name: string, count: number, tone: Tone | undefined];
  const judged = (['allow', 'blockMessage', 'dropMessage'] as const).map(
    (name): Row => [name, verdicts[name], verdicts[name] > 0 ? verdictTones[name] : undefined],
  );
  const besides: Row[] = [
    ['exempt, allowed unseen', exempt, undefined],
    ['more matches than listed', truncated, undefined],
  ];
  const columns: Column<Row>[] = [
    { title: 'verdict', text: ([name]) => name, tone: ([, , tone]) => tone },
    { title: 'messages', align: 'right', text: ([, count]) => formatCount(count) },
    { title: 'share', align: 'right', text: ([, count]) => formatPercent(count, messages) },
  ];
  return table(columns, [...judged, ...besides.filter(([, count]) => count > 0)], Number.POSITIVE_INFINITY, canvas);
}

function ruleTable(report: AuditReport, canvas: Canvas): string[] {
  const reasons = mostOften(report);
  const columns: Column<RuleCount>[] = [
    { title: 'rule', flexible: true, text: ({ ruleName, shadow }) => (shadow ? `${ruleName} (shadow)` : ruleName) },
    { title: 'action', flexible: true, text: ({ actions }) => actions.join(', '), tone: actionTone },
    { title: 'matched', align: 'right', text: ({ matched }) => formatCount(matched) },
    { title: 'decided', align: 'right', text: ({ determining }) => formatCount(determining) },
    { title: 'most often', flexible: true, text: ({ ruleId }) => reasons.get(ruleId) ?? '' },
  ];
  return table(columns, report.rules, shown.rules, canvas);
}

function actionTone({ actions, shadow }: RuleCount): Tone | undefined {
  if (shadow) return 'faint';
  return actions.some((action) => action === 'blockMessage' || action === 'dropMessage') ? 'bad' : undefined;
}

/** By rule: the term, pattern or label that was found in most messages. */
function mostOften({ terms, patterns, labels }: AuditReport): Map<string, string> {
  const best = new Map<string, { readonly messages: number; readonly text: string }>();
  const consider = (row: TermCount | PatternCount | LabelCount, text: string) => {
    if (row.messages > (best.get(row.ruleId)?.messages ?? 0)) best.set(row.ruleId, { messages: row.messages, text });
  };
  for (const row of terms) consider(row, row.term);
  for (const row of patterns) consider(row, `/${row.pattern}/`);
  for (const row of labels) consider(row, `${row.label} over ${row.threshold.greaterThan}`);
  return new Map([...best].map(([ruleId, { messages, text }]) => [ruleId, `${formatCount(messages)}× ${text}`]));
}

function termTable({ terms }: AuditReport, canvas: Canvas): string[] {
  const columns: Column<TermCount>[] = [
    { title: 'top term', flexible: true, text: ({ term }) => term },
    { title: 'list', flexible: true, text: ({ listId }) => listId ?? 'in the rule itself' },
    { title: 'rule', flexible: true, text: ({ ruleId }) => ruleId },
    { title: 'messages', align: 'right', text: ({ messages }) => formatCount(messages) },
  ];
  return table(columns, terms, shown.terms, canvas);
}

const whyWords: Readonly<Record<UnheardCount['why'], string>> = {
  'not-compiled': 'not all of it could be compiled',
  'no-scores': 'no scores for its picture or video',
  'not-answerable': 'the message does not carry what it asks',
  'engine-fault': 'the pattern engine failed',
};

function unheardTable({ unheard }: AuditReport, canvas: Canvas): string[] {
  const columns: Column<UnheardCount>[] = [
    {
      title: 'not heard',
      flexible: true,
      text: ({ ruleId, conditionId }) => `${ruleId}#${conditionId}`,
      tone: () => 'doubt',
    },
    { title: 'why', flexible: true, text: ({ why }) => whyWords[why] },
    { title: 'messages', align: 'right', text: ({ messages }) => formatCount(messages) },
  ];
  return table(columns, unheard.conditions, shown.unheard, canvas);
}

/** Two lines each, since the detail of an issue must not be cut. */
function issueLines({ ruleSet }: AuditReport, { width, paint }: Canvas): string[] {
  if (ruleSet.issues.length === 0) return [];
  const lines = tellingFirst(ruleSet.issues)
    .slice(0, shown.issues)
    .flatMap((issue) => [
      `${paint(issue.severity === 'error' ? 'bad' : 'doubt', issue.code)}  ${fitText(escapeText(whereOf(issue)), width - issue.code.length - 2)}`,
      ...wrapWords(escapeText(issue.detail), width - 2).map((line) => `  ${line}`),
    ]);
  const left = ruleSet.issues.length - shown.issues;
  const more = left > 0 ? [paint('faint', `+${formatCount(left)} more`)] : [];
  return [paint('head', 'issues of the rule set'), ...lines, ...more];
}

/** Errors first, since they are what is not heard, and one of each kind before the second of any. */
function tellingFirst(issues: readonly Issue[]): readonly Issue[] {
  const seen = new Map<string, number>();
  const ranked = issues.map((issue) => {
    const before = seen.get(issue.code) ?? 0;
    seen.set(issue.code, before + 1);
    return { issue, rank: before + (issue.severity === 'error' ? 0 : issues.length) };
  });
  return ranked.sort((left, right) => left.rank - right.rank).map(({ issue }) => issue);
}

/** `index` counts in the condition's values when there is a rule, in the list's terms otherwise. */
function whereOf({ ruleId, conditionId, listId, index }: Issue): string {
  const position = index === undefined ? '' : `[${index}]`;
  if (ruleId === undefined) return (listId ?? '') + position;
  const condition = conditionId === undefined ? '' : `#${conditionId}`;
  return ruleId + condition + position + (listId === undefined ? '' : ` → ${listId}`);
}
