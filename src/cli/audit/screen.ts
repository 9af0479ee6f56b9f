/** The screen of `sluice audit`. */
import { type RuleCount, stoppedBy, stoppedOf, type UnevaluatedCount } from '../../audit/count/audit-summary.js';
import type { AuditReport } from '../../audit/keep/audit-report.js';
import { errorsOf } from '../../engine/compile/issue.js';
import { stops } from '../../engine/compile/verdicts.js';
import type { Rule } from '../../platform/contract/rule.js';
import {
  type Block,
  type Column,
  type Group,
  heading,
  name,
  paragraph,
  parts,
  table,
  type Words,
  words,
} from '../document/document.js';
import { plainText } from '../document/runs.js';
import { errorWords, issueCount } from '../rule-errors.js';
import { counted, formatCount, formatDuration } from '../terminal/text.js';
import { kindWords } from '../unchecked.js';
import { type AuditFacts, writtenLine } from './facts.js';
import { platformGroups } from './platform.js';
import {
  causesOf,
  causeTable,
  causeWords,
  countColumn,
  dayTable,
  exceptedNames,
  issueList,
  limitBlocks,
  neverMatched,
  originTable,
  stoppedColumn,
} from './sections.js';
import { resultWords, spanWords, verdictWords } from './wording.js';

/**
 * Number of terms, patterns and labels that are shown for a rule. Tables omit those that do not
 * fit.
 */
const mostHits = 6;

/** Returns the screen of an audit: the result, its source, the warnings, and how it was made. */
export function auditScreen(report: AuditReport, facts: AuditFacts): Group[] {
  return [
    [...headBlocks(report, facts), { kind: 'days', days: report.days, outside: 0 }],
    rankedTable(report, facts),
    shadowed(report, facts),
    exceptedNames(report),
    neverMatched(report, { isWhole: facts.by === 'term' }),
    ...(report.platform === undefined ? [] : platformGroups(report.platform, facts.top)),
    warningBlocks(report, facts),
    ...(facts.verbose ? [unevaluatedTable(report), issueBlocks(report)] : []),
    closing(report, facts),
  ];
}

function headBlocks(report: AuditReport, facts: AuditFacts): readonly Block[] {
  const isStopped = stoppedOf(report.verdicts) > 0;
  const result = resultWords(report);
  const span = spanWords(report);
  const warning = `${partialWords(report, facts)}; everything below is true for those`;
  return [
    ...(report.partial ? [paragraph(warning, 'warning')] : []),
    heading(isStopped ? `${result}: ${verdictWords(report.verdicts)}` : result, isStopped ? 'bad' : 'good'),
    ...(span === undefined ? [] : [paragraph(span)]),
  ];
}

function nameOf({ id, name: title }: Pick<Rule, 'id' | 'name'>): Words {
  return name(title ?? id);
}

/** Describes which messages a partial report covers. */
export function partialWords({ messages }: AuditReport, { interrupted }: Pick<AuditFacts, 'interrupted'>): string {
  return `${interrupted ? 'interrupted' : 'stopped'} after ${counted(messages, 'message')}`;
}

/** Returns the table of an audit, ranked by stopped messages. */
function rankedTable(report: AuditReport, facts: AuditFacts): readonly Block[] {
  switch (facts.by) {
    case 'rule':
      return ruleTable(report, facts);
    case 'term':
      return causeTable(report, facts.ruleSet, facts.top);
    case 'day':
      return dayTable(
        [...report.days].sort((left, right) => right.stopped - left.stopped),
        facts.top,
      );
    case 'sender':
      return originTable('sender', report.senders, facts.top);
    case 'conversation':
      return originTable('conversation', report.conversations, facts.top);
  }
}

/**
 * Returns the name of an action for people: the first word for actions that stop messages,
 * otherwise the name itself.
 */
export const actionWord = (action: string): string => (stops(action) ? action.replace('Message', '') : action);

function ruleTable(report: AuditReport, { ruleSet, top }: AuditFacts): readonly Block[] {
  const causes = causesOf(report).sort((left, right) => right.messages - left.messages);
  const hits = ({ ruleId, matched, determining }: RuleCount) => {
    const hits = causes.filter((cause) => cause.ruleId === ruleId).slice(0, mostHits);
    const all = hits.map((cause) => `${plainText(causeWords(cause, ruleSet, true))} ×${formatCount(cause.messages)}`);
    return (matched === determining ? '' : `${formatCount(matched)} matched: `) + all.join(' · ');
  };
  const actionsOf = ({ actions }: RuleCount) => actions.map(actionWord).join(', ');
  const columns: Column<RuleCount>[] = [
    {
      title: 'rule',
      flexible: 'last',
      cell: ({ ruleName, shadow, actions }) => {
        const mark = shadow ? ' (shadow)' : actions.some(stops) ? undefined : ' (stops nothing)';
        return words`${name(ruleName)}${mark}`;
      },
    },
    { title: 'action', flexible: 'first', optional: true, cell: actionsOf },
    stoppedColumn(stoppedBy),
    { ...countColumn('alone', ({ alone }) => alone), optional: true },
    { title: 'what hit most', flexible: 'first', optional: true, separator: ' · ', cell: hits },
  ];
  const rows = [...report.rules].sort((left, right) => right.determining - left.determining);
  const legend = [
    'alone: messages whose verdict would be another without the rule',
    '--top N',
    '--by day|sender|conversation|term',
  ];
  return rows.length === 0 ? [] : [...table(columns, rows, { most: top }), parts(legend, 'faint')];
}

/** Returns how many messages the rules in shadow would stop if they decided. */
function shadowed({ rules }: AuditReport, { ruleSet, semantics, runningRules }: AuditFacts): Block[] {
  const running = new Set(runningRules.map(({ id }) => id));
  return ruleSet.rules
    .filter(({ id }) => semantics.shadow.includes(id))
    .map((rule) => {
      const { matched = 0, wouldStop = 0 } = rules.find(({ ruleId }) => ruleId === rule.id) ?? {};
      const clause = `would stop ${formatCount(wouldStop)} more ${wouldStop === 1 ? 'message' : 'messages'}`;
      const effect = running.has(rule.id) ? `${clause} (${formatCount(matched)} matched)` : 'does not run';
      return paragraph(words`in shadow: ${nameOf(rule)} ${effect}`);
    });
}

/** Returns everything that limits what the numbers say, with the options that help. */
function warningBlocks(report: AuditReport, { scores, verbose }: AuditFacts): readonly Block[] {
  const option = verbose ? undefined : '--verbose';
  const all = errorsOf(report.ruleSet);
  const errors = errorWords(all, { option });
  const hidden = verbose ? 0 : report.ruleSet.issues.length - all.length;
  return [
    ...(errors === undefined ? [] : [paragraph(errors, 'bad')]),
    ...limitBlocks(report, { errors: option, scores }),
    ...(hidden === 0 ? [] : [paragraph(`${issueCount(hidden, 'warning')} (--verbose)`, 'warning')]),
  ];
}

function unevaluatedTable({ unevaluated }: AuditReport): readonly Block[] {
  const columns: Column<UnevaluatedCount>[] = [
    {
      title: 'not evaluated',
      flexible: 'last',
      cell: ({ ruleId, conditionId }) => words`${name(ruleId)}#${conditionId}`,
      tone: () => 'warning',
    },
    { title: 'why', flexible: 'first', cell: ({ why }) => kindWords(why) },
    countColumn('messages', ({ messages }) => messages),
  ];
  return table(columns, unevaluated.conditions);
}

function issueBlocks({ ruleSet: { issues } }: AuditReport): readonly Block[] {
  return issues.length === 0 ? [] : [heading('issues of the rule set'), ...issueList(issues)];
}

/** Returns how the result was made, from which input, and where it is kept. */
function closing({ messages, ruleSet, revision }: AuditReport, facts: AuditFacts): readonly Block[] {
  const { tookMs, judged, written, label } = facts;
  const rate = tookMs > 0 ? ` (${formatCount(Math.round(judged / (tookMs / 1000)))} a second)` : '';
  const before = messages - judged;
  const { rules, running, lists, missing, terms, patterns } = ruleSet;
  const sizes = [
    ...(judged > 0 || before === 0 ? [`${counted(judged, 'message')} in ${formatDuration(tookMs)}${rate}`] : []),
    ...(before > 0 ? [`${counted(before, 'message')} judged before`] : []),
    `${running === rules ? '' : `${formatCount(running)} of `}${counted(rules, 'rule')}`,
    counted(lists, 'list') + (missing.length > 0 ? ` (${formatCount(missing.length)} missing)` : ''),
    counted(terms, 'term'),
    counted(patterns, 'pattern'),
    `rules ${ruleSet.revision.slice(0, 12)}`,
    `engine ${revision.slice(0, 12)}`,
  ];
  return [
    parts(sizes, 'faint'),
    paragraph(`from ${label}`, 'faint'),
    written === undefined
      ? paragraph('`--out DIR` keeps every decision and exactly why', 'faint')
      : paragraph(writtenLine(written)),
  ];
}
