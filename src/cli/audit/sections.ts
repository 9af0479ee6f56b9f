/** The sections that the screen and the page of an audit share. */
import type { DayCount, OriginCounts } from '../../audit/count/audit-summary.js';
import type { Cause } from '../../audit/count/cause.js';
import type { UnmatchedTerms } from '../../audit/count/unmatched.js';
import type { AuditReport } from '../../audit/keep/audit-report.js';
import type { Issue } from '../../engine/compile/issue.js';
import type { RuleSet } from '../../platform/contract/rule-set.js';
import { exceptionWords, patternName } from '../cause-names.js';
import {
  type Block,
  type Column,
  list,
  moreWords,
  name,
  names,
  paragraph,
  patternValue,
  plain,
  table,
  type Words,
  words,
} from '../document/document.js';
import { issuePlace, mostInformative } from '../rule-errors.js';
import { counted, escapeText, formatCount, formatPercent, textWidth } from '../terminal/text.js';
import { type Given, optionWords } from '../unchecked.js';
import { warningsOf } from './wording.js';

/** Numbers of shown names of rules, lists and exceptions, of terms of a list, and of bad rows. */
const most = { names: 5, terms: 40, badRows: 3 } as const;

/**
 * Width, in columns, up to which a pattern is shown without its number. Longer patterns have their
 * number before them.
 */
const shortPattern = 24;

/** A cause, with the number of messages that have it, and of those that it stopped. */
export interface CountedCause extends Cause {
  readonly messages: number;
  readonly stopped: number;
}

/**
 * Returns all causes of an audit, those with the most stopped messages first. Causes with equal
 * numbers are ordered: terms, patterns, labels.
 */
export function causesOf({ terms, patterns, labels }: AuditReport): CountedCause[] {
  return [...terms, ...patterns, ...labels].sort(
    (left: CountedCause, right: CountedCause) => right.stopped - left.stopped || right.messages - left.messages,
  );
}

/** Returns a right-aligned column of numbers. */
export function countColumn<Row>(title: string, count: (row: Row) => number): Column<Row> {
  return { title, align: 'right', cell: (row) => formatCount(count(row)) };
}

/** Returns the column by which the rows are ranked. */
export function stoppedColumn<Row>(stopped: (row: Row) => number): Column<Row> {
  return { ...countColumn('stopped', stopped), tone: (row) => (stopped(row) > 0 ? 'bad' : undefined) };
}

/**
 * Returns the name of a cause. A long pattern has its number before it, or, with `brief`, is only
 * its number.
 */
export function causeWords(
  { term, pattern, label = '', ruleId, listId, threshold }: CountedCause,
  ruleSet: RuleSet,
  brief = false,
): Words {
  if (term !== undefined) return name(term);
  if (pattern === undefined) return words`${name(label)} > ${threshold?.greaterThan}`;
  const number = patternName(ruleSet, ruleId, { pattern, listId });
  if (textWidth(escapeText(pattern)) <= shortPattern) return patternValue(pattern);
  if (brief) return words`${number}${listId === undefined ? undefined : words` of ${name(listId)}`}`;
  return number === 'pattern' ? patternValue(pattern) : words`${number}: ${patternValue(pattern)}`;
}

/** Returns everything that matched, by stopped messages. */
export function causeTable(report: AuditReport, ruleSet: RuleSet, top?: number): readonly Block[] {
  const ruleNames = new Map(report.rules.map(({ ruleId, ruleName }) => [ruleId, ruleName]));
  const columns: Column<CountedCause>[] = [
    { title: 'what matched', flexible: 'last', cell: (cause) => causeWords(cause, ruleSet) },
    stoppedColumn(({ stopped }) => stopped),
    countColumn('messages', ({ messages }) => messages),
    { title: 'list', flexible: 'first', optional: true, cell: ({ listId = '' }) => name(listId) },
    { title: 'rule', flexible: 'first', optional: true, cell: ({ ruleId }) => name(ruleNames.get(ruleId) ?? ruleId) },
  ];
  const shown = ruleNames.size === 1 ? columns.slice(0, -1) : columns;
  const noun = 'terms, patterns and labels';
  return table(shown, causesOf(report), { ...(top && { most: top }), noun });
}

/** Returns the days of an audit. */
export function dayTable(days: readonly DayCount[], top: number): readonly Block[] {
  const columns: Column<DayCount>[] = [
    { title: 'day', cell: ({ day }) => day },
    stoppedColumn(({ stopped }) => stopped),
    countColumn('messages', ({ messages }) => messages),
    { title: 'share', align: 'right', cell: ({ stopped, messages }) => formatPercent(stopped, messages) },
  ];
  return table(columns, days, { most: top });
}

/** Returns the senders or conversations of stopped messages, and what the table leaves out. */
export function originTable(by: string, origins: OriginCounts | undefined, top?: number): readonly Block[] {
  if (origins === undefined) return [];
  const { rows, unknown } = origins;
  const all = rows.reduce((sum, { stopped }) => sum + stopped, unknown);
  const columns: Column<(typeof rows)[number]>[] = [
    { title: by, flexible: 'last', cell: ({ id }) => name(id) },
    stoppedColumn(({ stopped }) => stopped),
    { title: 'of all stopped', align: 'right', cell: ({ stopped }) => formatPercent(stopped, all) },
  ];
  const notes = unknown > 0 ? [`${counted(unknown, 'stopped message')} without a ${by}`] : [];
  return [
    ...table(columns, rows, { ...(top && { most: top }), noun: `${by}s` }),
    ...notes.map((note) => paragraph(note, 'faint')),
  ];
}

/** Returns the matches that exceptions spared, by exception. */
export function exceptedNames({ exceptions }: AuditReport): readonly Block[] {
  const all = exceptions.map((found) => words`${exceptionWords(found)} in ${counted(found.messages, 'message')}`);
  return names('excepted', all, most.names);
}

/**
 * Returns the rules, exceptions and terms that never matched. Terms are named by list, or only
 * counted by list.
 */
export function neverMatched(report: AuditReport, { isWhole }: { readonly isWhole: boolean }): readonly Block[] {
  const { rules, terms, exceptions } = report.neverMatched;
  const ruleNames = rules.map(({ ruleName }) => name(ruleName));
  const count = terms.reduce((sum, source) => sum + source.unmatched.length, 0);
  const what = count === 1 ? 'term or pattern' : 'terms or patterns';
  const shares = terms.map((source) => unmatchedWords(source));
  const byList = terms.map((source, at) => [shares[at]!, source.unmatched.map((term) => name(term))] as const);
  return [
    ...names(`${counted(rules.length, 'rule')} never matched${unsureWords(report)}`, ruleNames, most.names),
    ...(isWhole
      ? byList.flatMap(([share, missing]) => names(words`never matched, ${share}`, missing, most.terms))
      : names(`${formatCount(count)} ${what} never matched (--by term)`, shares, most.names)),
    ...names(`${counted(exceptions.length, 'exception')} never applied`, exceptions.map(exceptionWords), most.names),
  ];
}

/** Describes how many terms or patterns of a list or rule never matched. */
function unmatchedWords({ listId, ruleId = '', kind, unmatched, of }: UnmatchedTerms): Words {
  const holder = listId === undefined ? (kind === 'word' ? 'words of ' : 'patterns of ') : '';
  return words`${holder}${name(listId ?? ruleId)} ${formatCount(unmatched.length)} of ${formatCount(of)}`;
}

/**
 * Describes how many of the rules that never matched could not be checked on every message. Empty
 * if there are none.
 */
function unsureWords({ neverMatched: { rules } }: AuditReport): string {
  const unsure = rules.filter(({ unevaluated }) => unevaluated > 0).length;
  const share = unsure === rules.length ? 'none of them' : `${formatCount(unsure)} of them not`;
  return unsure === 0 ? '' : `, ${share} checked on every message`;
}

/**
 * Returns everything that limits what the numbers say. With `given`, it names the options that
 * help.
 */
export function limitBlocks(report: AuditReport, given?: Given): readonly Block[] {
  return warningsOf(report).flatMap(({ words: what, figure, details, of = details.length }) => {
    const shown = details.slice(0, details[0]?.line === undefined ? details.length : most.badRows);
    const lines = shown.map(({ words: reason, messages, line, why }): Words => {
      const option = why === undefined || given === undefined ? '' : optionWords(why, given);
      if (messages === undefined) return words`${plain(reason)}: line ${line}`;
      return words`${formatCount(messages)}: ${plain(reason)}${option}`;
    });
    const rest = of > shown.length ? [moreWords(of - shown.length)] : [];
    const all = [...lines, ...rest].map((line): Words => ({ words: line, tone: 'warning' }));
    return [paragraph(figure === undefined ? what : `${what}: ${figure}`, 'warning'), ...list(all)];
  });
}

/** Returns the issues of a rule set with their complete details. */
export function issueList(issues: readonly Issue[]): readonly Block[] {
  const items = mostInformative(issues).map((issue) => {
    const code: Words = { words: issue.code, tone: issue.severity === 'error' ? 'bad' : 'warning' };
    return { blocks: [paragraph(words`${code}  ${plain(issuePlace(issue), 120)}`), paragraph(plain(issue.detail))] };
  });
  return list(items);
}
