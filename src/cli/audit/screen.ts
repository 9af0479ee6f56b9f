import type { UnevaluatedCount } from '../../audit/count/audit-summary.js';
import { stoppedBy, stoppedOf } from '../../audit/count/stopped.js';
import type { AuditReport } from '../../audit/keep/audit-report.js';
import { errorsOf } from '../../engine/compile/issue.js';
import type { Rule } from '../../platform/contract/rule.js';
import { kindWords, optionWords } from '../doubts.js';
import { exceptionWords } from '../plain-words.js';
import { errorWords, issueCount, issuePlace, mostInformative } from '../rule-errors.js';
import { dayChart } from '../terminal/day-chart.js';
import { cut, joinBlocks, listed, moreWords, wrapped } from '../terminal/lines.js';
import type { Output } from '../terminal/style.js';
import { type Column, tableLines } from '../terminal/table.js';
import {
  counted,
  escapeText,
  formatCount,
  formatDuration,
  wrapHanging,
  wrapParts,
  wrapWords,
} from '../terminal/text.js';
import type { AuditFacts, WrittenFiles } from './facts.js';
import { platformLines } from './platform.js';
import { countColumn, rankedTable, unmatchedTermCounts } from './tables.js';
import { doubtsOf, resultWords, spanWords, unsureWords, verdictWords } from './words.js';

/** Names shown of rules that never matched, and bad rows shown. */
const mostNames = 5;
const mostBadRows = 3;

/** The screen of an audit, one string per line: the result, where it comes from, what is doubtful, how it was made. */
export function auditScreen(report: AuditReport, facts: AuditFacts, output: Output): string[] {
  return joinBlocks([
    [...headLines(report, facts, output), ...dayChart(report.days, output)],
    oneRuleLines(report, facts, output),
    rankedTable(report, facts, output),
    shadowLines(report, facts, output),
    exceptedLines(report, output),
    unmatchedLines(report, facts, output),
    ...(report.platform === undefined ? [] : [platformLines(report.platform, facts.top, output)]),
    doubtLines(report, facts, output),
    ...(facts.showIssues ? [unevaluatedTable(report, output), issueLines(report, output)] : []),
    closingLines(report, facts, output),
  ]);
}

function headLines(report: AuditReport, facts: AuditFacts, output: Output): string[] {
  const { width, paint } = output;
  const isStopped = stoppedOf(report.verdicts) > 0;
  const result = resultWords(report, facts.rule === undefined ? {} : { by: ` by ${nameOf(facts.rule)}` });
  const span = spanWords(report);
  const parts = [
    isStopped ? `${result}: ${verdictWords(report.verdicts)}` : result,
    ...(span === undefined ? [] : [span]),
  ];
  const warning = `${partialWords(report, facts)}; everything below is true for those`;
  const [first = '', ...others] = wrapParts(parts, width, '   ').flatMap((line) => wrapWords(line, width));
  return [
    ...(report.partial ? wrapped(warning, 'doubt', output, '') : []),
    paint('head', paint(isStopped ? 'bad' : 'good', first)),
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
  output: Output,
): string[] {
  const { width } = output;
  const [row] = rules;
  if (rule === undefined) return [];
  if (!runningRules.some(({ id }) => id === rule.id)) {
    const words = 'the rule does not run: it is switched off, or the reading `runs` leaves it out';
    return wrapped(words, 'doubt', output);
  }
  if (row === undefined) return [];
  const { matched, alone, examples, verdicts } = row;
  const byOthers = stoppedOf(verdicts) - stoppedBy(row);
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

/** What was excepted, by exception. */
function exceptedLines({ exceptions }: AuditReport, { width }: Output): string[] {
  if (exceptions.length === 0) return [];
  const names = listed(exceptions, mostNames, (own) => `${exceptionWords(own)} in ${counted(own.messages, 'message')}`);
  return wrapHanging(`excepted: ${names}`, width, '  ');
}

/** What ran and never matched: rules by name, terms by list, exceptions. */
function unmatchedLines(report: AuditReport, { by }: AuditFacts, { width }: Output): string[] {
  const { rules, exceptions } = report.neverMatched;
  const names = listed(rules, mostNames, ({ ruleName }) => escapeText(ruleName));
  const terms = by === 'term' ? undefined : unmatchedTermCounts(report);
  const spared = listed(exceptions, mostNames, exceptionWords);
  return [
    ...(rules.length > 0 ? [`${counted(rules.length, 'rule')} never matched${unsureWords(report)}: ${names}`] : []),
    ...(terms === undefined ? [] : [terms]),
    ...(exceptions.length > 0 ? [`${counted(exceptions.length, 'exception')} never applied: ${spared}`] : []),
  ].flatMap((line) => wrapHanging(line, width, '  '));
}

/** What keeps the numbers from being the whole truth, with the option that helps. */
function doubtLines(report: AuditReport, { scores, showIssues }: AuditFacts, output: Output): string[] {
  const given = { faults: showIssues ? undefined : '--issues', scores };
  const all = errorsOf(report.ruleSet);
  const errors = errorWords(all, { option: showIssues ? undefined : '--issues' });
  const warnings = report.ruleSet.issues.length - all.length;
  const doubts = doubtsOf(report).flatMap(({ words, figure, details, of = details.length }) => {
    const most = details[0]?.line === undefined ? details.length : mostBadRows;
    const widest = formatCount(details[0]?.messages ?? 0).length;
    const lines = details.slice(0, most).map(({ words: what, messages, line, why }) => {
      if (messages === undefined) return `  ${escapeText(what)}: line ${line}`;
      return `  ${formatCount(messages).padStart(widest)}: ${what}${why === undefined ? '' : optionWords(why, given)}`;
    });
    return [
      figure === undefined ? words : `${words}: ${figure}`,
      ...lines,
      ...(of > lines.length ? [`  ${moreWords(of - lines.length)}`] : []),
    ];
  });
  const hidden = warnings === 0 || showIssues ? [] : [`${issueCount(warnings, 'warning')} (--issues)`];
  return [
    ...(errors === undefined ? [] : wrapped(errors, 'bad', output)),
    ...[...doubts, ...hidden].flatMap((words) => wrapped(words, 'doubt', output, '    ')),
  ];
}

function unevaluatedTable({ unevaluated }: AuditReport, output: Output): string[] {
  const where = ({ ruleId, conditionId }: UnevaluatedCount) => `${ruleId}#${conditionId}`;
  const columns: Column<UnevaluatedCount>[] = [
    { title: 'not evaluated', flexible: 'last', text: where, tone: () => 'doubt' },
    { title: 'why', flexible: 'first', text: ({ why }) => kindWords(why) },
    countColumn('messages', ({ messages }) => messages),
  ];
  return tableLines(columns, unevaluated.conditions, output);
}

/** Not a table, since the detail of an issue must not be cut. */
function issueLines({ ruleSet: { issues } }: AuditReport, { width, paint }: Output): string[] {
  if (issues.length === 0) return [];
  const lines = mostInformative(issues).flatMap((issue) => [
    `${paint(issue.severity === 'error' ? 'bad' : 'doubt', issue.code)}  ${cut(issuePlace(issue), width - issue.code.length - 2)}`,
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
function closingLines(report: AuditReport, facts: AuditFacts, output: Output): string[] {
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
  const hint = '`--out DIR` keeps every decision and exactly why';
  return [
    ...[...wrapParts(parts, output.width, ' · '), `from ${escapeText(label)}`].flatMap((line) =>
      wrapped(line, 'faint', output),
    ),
    ...(written === undefined ? wrapped(hint, 'faint', output, '') : [writtenLine(written)]),
  ];
}
