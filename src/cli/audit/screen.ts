import type { UnevaluatedCount } from '../../audit/count/audit-summary.js';
import { errorsOf } from '../../compile/issue.js';
import type { Rule } from '../../contract/rule.js';
import { reasonWords, scaleWords } from '../plain-words.js';
import { errorWords, issuePlace, mostInformative } from '../rule-errors.js';
import { maybeTruncated } from '../sources.js';
import { dayChart, daysWords } from '../terminal/day-chart.js';
import type { Output, Tone } from '../terminal/style.js';
import { type Column, tableLines } from '../terminal/table.js';
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
} from '../terminal/text.js';
import { platformLines } from './platform.js';
import type { AuditFacts, AuditReport, WrittenFiles } from './report.js';
import { countColumn, rankedTable, stoppedBy, unmatchedTermCounts } from './tables.js';

/** Names shown of rules that never matched. */
const mostNames = 5;

/** The screen of an audit, one string per line: the result, where it comes from, what is doubtful, how it was made. */
export function auditScreen(report: AuditReport, facts: AuditFacts, output: Output): string[] {
  const blocks = [
    [...headLines(report, facts, output), ...dayChart(report.days, output)],
    oneRuleLines(report, facts, output),
    rankedTable(report, facts, output),
    shadowLines(report, facts, output),
    unmatchedLines(report, facts, output),
    ...(report.platform === undefined ? [] : [platformLines(report.platform, facts.top, output)]),
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
  const by = facts.rule === undefined ? '' : ` by ${nameOf(facts.rule)}`;
  const result =
    stopped === 0
      ? `none of ${of} stopped${by}`
      : `${formatCount(stopped)} of ${of} stopped${by} (${formatPercent(stopped, messages)}): ` +
        `${formatCount(blockMessage)} blocked, ${formatCount(dropMessage)} dropped`;
  const { days: all } = report;
  const days = all.length === 0 ? [] : [daysWords(all[0]!.day, all.at(-1)!.day)];
  const warning = `${partialWords(report, facts)}; everything below is true for those`;
  const [first = '', ...others] = wrapParts([result, ...days], width, '   ').flatMap((line) => wrapWords(line, width));
  return [
    ...(partial ? wrapWords(warning, width).map((line) => paint('doubt', line)) : []),
    paint('head', paint(stopped === 0 ? 'good' : 'bad', first)),
    ...others,
  ];
}

function nameOf({ id, name }: Pick<Rule, 'id' | 'name'>): string {
  return escapeText(name ?? id);
}

/** The scope of a partial report. */
export function partialWords({ messages }: AuditReport, { interrupted }: Pick<AuditFacts, 'interrupted'>): string {
  return `${interrupted ? 'interrupted' : 'stopped'} after ${counted(messages, 'message')}`;
}

/** What one rule did beyond its stopped messages; nothing in the report of all rules. */
function oneRuleLines(
  { rules, conditions }: AuditReport,
  { rule, runningRules }: AuditFacts,
  { width, paint }: Output,
): string[] {
  const [row] = rules;
  if (rule === undefined) return [];
  if (!runningRules.some(({ id }) => id === rule.id)) {
    const words = 'the rule does not run: it is switched off, or the reading `runs` leaves it out';
    return wrapHanging(words, width, '  ').map((line) => paint('doubt', line));
  }
  if (row === undefined) return [];
  const { matched, alone, examples, verdicts } = row;
  const byOthers = verdicts.blockMessage + verdicts.dropMessage - stoppedBy(row);
  const counts = [
    `matched ${counted(matched, 'message')}`,
    ...(byOthers > 0 ? [`${formatCount(byOthers)} of them stopped by other rules`] : []),
    `${formatCount(alone)} of their verdicts would be another without it`,
  ];
  const byCondition = [...conditions]
    .sort((left, right) => left.conditionId - right.conditionId)
    .map(({ conditionId, messages }) => `condition ${conditionId}: ${formatCount(messages)}`);
  return [
    ...wrapParts(counts, width, ' · ').flatMap((line) => wrapHanging(line, width, '  ')),
    ...wrapParts(byCondition, width, ' · '),
    ...(examples.length > 0 ? wrapHanging(`such as ${escapeText(examples.join(', '))}`, width, '  ') : []),
  ];
}

/** What the rules in shadow would do if they decided. */
function shadowLines({ rules }: AuditReport, facts: AuditFacts, { width }: Output): string[] {
  const shadow = facts.ruleSet.rules.filter(({ id }) => facts.semantics.shadow.includes(id));
  const running = new Set(facts.runningRules.map(({ id }) => id));
  return shadow
    .filter(({ id }) => facts.rule === undefined || facts.rule.id === id)
    .flatMap((rule) => {
      const { matched = 0, wouldStop = 0 } = rules.find(({ ruleId }) => ruleId === rule.id) ?? {};
      const more = `would stop ${formatCount(wouldStop)} more ${wouldStop === 1 ? 'message' : 'messages'}`;
      const words = running.has(rule.id) ? `${more} (${formatCount(matched)} matched)` : 'does not run';
      return wrapHanging(`in shadow: ${nameOf(rule)} ${words}`, width, '  ');
    });
}

/** What ran and never matched: rules by name, terms by list. */
function unmatchedLines(report: AuditReport, { by }: AuditFacts, { width }: Output): string[] {
  const { rules } = report.neverMatched;
  const names = rules.slice(0, mostNames).map(({ ruleName }) => escapeText(ruleName));
  const more = rules.length > mostNames ? `, +${formatCount(rules.length - mostNames)} more` : '';
  const doubtful = rules.filter(({ unevaluated }) => unevaluated > 0).length;
  const share = doubtful === rules.length ? 'none of them' : `${formatCount(doubtful)} of them not`;
  const doubt = doubtful === 0 ? '' : `, ${share} checked on every message`;
  const terms = by === 'term' ? undefined : unmatchedTermCounts(report);
  return [
    ...(rules.length > 0 ? [`${counted(rules.length, 'rule')} never matched${doubt}: ${names.join(', ')}${more}`] : []),
    ...(terms === undefined ? [] : [terms]),
  ].flatMap((line) => wrapHanging(line, width, '  '));
}

/** What could not be checked and why, with the option that helps. */
function doubtLines(report: AuditReport, { scores, showIssues, bad }: AuditFacts, { width, paint }: Output): string[] {
  const { messages, unevaluated, exempt, truncated, unreadable, texts, days, undated, ruleSet, scoresUpToOne } = report;
  const help = {
    'not-compiled': showIssues ? undefined : '--issues',
    'no-scores': scores.size === 0 ? '--scores FILE' : undefined,
    'not-answerable': undefined,
    'engine-fault': undefined,
  };
  const { reasons } = unevaluated;
  const widest = formatCount(reasons[0]?.messages ?? 0).length;
  const reasonLines = reasons.map((reason) => {
    const option = help[reason.why];
    return `  ${formatCount(reason.messages).padStart(widest)}: ${reasonWords([reason])}${option === undefined ? '' : ` (${option})`}`;
  });
  const share = (count: number, whole: number) => `${formatCount(count)} (${formatPercent(count, whole)})`;
  const errors = errorWords(errorsOf(ruleSet), { option: showIssues ? undefined : '--issues' });
  const warnings = ruleSet.issues.length - errorsOf(ruleSet).length;
  const said = (lines: readonly string[], tone: Tone, hang: string) =>
    lines.flatMap((line) => wrapHanging(line, width, hang)).map((line) => paint(tone, line));
  const lines = [
    ...(unevaluated.messages > 0
      ? [`could not be checked by every rule: ${counted(unevaluated.messages, 'message')}`, ...reasonLines]
      : []),
    ...(exempt > 0 ? [`exempt, allowed unseen: ${share(exempt, messages)}`] : []),
    ...(truncated > 0 ? [`more matches than listed: ${share(truncated, messages)}`] : []),
    ...(unreadable > 0 ? [`text not readable: ${share(unreadable, texts)}`] : []),
    ...(undated.outside > 0
      ? [`in no day, \`sentAt\` being no second from 1970 to 2199: ${share(undated.outside, messages)}`]
      : []),
    ...(undated.absent > 0 && days.length > 0
      ? [`in no day, without \`sentAt\`: ${share(undated.absent, messages)}`]
      : []),
    ...(scoresUpToOne === undefined ? [] : [scaleWords(scoresUpToOne)]),
    ...(bad.count > 0 ? badRowLines(bad) : []),
    ...(ruleSet.truncated ? [maybeTruncated] : []),
    ...(warnings > 0 && !showIssues ? [`${counted(warnings, 'warning')} about the rules (--issues)`] : []),
  ];
  return [...said(errors === undefined ? [] : [errors], 'bad', '  '), ...said(lines, 'doubt', '    ')];
}

/** Bad rows shown. */
const mostBadRows = 3;

/** Rows of a file that hold no message, in lines. */
export function badRowLines({ first, count }: AuditFacts['bad']): string[] {
  const rows = first.slice(0, mostBadRows).map(({ reason, line }) => `  ${escapeText(reason)}: line ${line}`);
  const rest = count - rows.length;
  return [
    `rows that hold no message, left out: ${formatCount(count)}`,
    ...rows,
    ...(rest > 0 ? [`  +${formatCount(rest)} more`] : []),
  ];
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
  'no-scores': 'scores of its files are missing',
  'not-answerable': 'the message lacks what the condition reads',
  'engine-fault': 'the pattern engine failed',
};

/** Not a table, since the detail of an issue must not be cut. */
function issueLines({ ruleSet: { issues } }: AuditReport, { width, paint }: Output): string[] {
  if (issues.length === 0) return [];
  const lines = mostInformative(issues).flatMap((issue) => [
    `${paint(issue.severity === 'error' ? 'bad' : 'doubt', issue.code)}  ${fitText(escapeText(issuePlace(issue)), width - issue.code.length - 2)}`,
    ...wrapWords(escapeText(issue.detail), width - 2).map((line) => `  ${line}`),
  ]);
  return [paint('head', 'issues of the rule set'), ...lines];
}

/** The files of the results, in one line. */
export function writtenLine({ decisions, rows, summary, report, tables, isOld }: WrittenFiles): string {
  const verb = isOld ? 'finished before, and left as they are:' : 'wrote';
  const files = [
    `${decisions} (${counted(rows, 'row')})`,
    ...tables,
    summary,
    ...(report === undefined ? [] : [report]),
  ];
  return escapeText(`${verb} ${files.slice(0, -1).join(', ')} and ${files.at(-1)}`);
}

/** The end of the screen: how the result was made, where from, and what keeps it. */
function closingLines(report: AuditReport, facts: AuditFacts, { width, paint }: Output): string[] {
  const { messages, ruleSet, revision } = report;
  const { tookMs, judged, written, label } = facts;
  const rate = tookMs > 0 ? ` (${formatCount(Math.round(judged / (tookMs / 1000)))} a second)` : '';
  const before = messages - judged;
  const { rules, running, lists, missing, terms, patterns } = ruleSet;
  const parts = [
    ...(judged > 0 || before === 0 ? [`${counted(judged, 'message')} in ${formatDuration(tookMs)}${rate}`] : []),
    ...(before > 0 ? [`${counted(before, 'message')} judged before`] : []),
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
