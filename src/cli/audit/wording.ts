/** The wording of the result of an audit, and of what could not be checked. */

import { stoppedOf, type UnevaluatedCount, type VerdictCounts } from '../../audit/count/audit-summary.js';
import type { AuditReport } from '../../audit/keep/audit-report.js';
import type { BadRows } from '../../audit/keep/manifest.js';
import { type StoppedAs, stoppedAs, stoppedNames, stops, verdicts } from '../../engine/compile/verdicts.js';
import { daysWords } from '../day-bins.js';
import { counted, escapeText, formatCount, formatPercent } from '../terminal/text.js';
import { maybeTruncated, reasonWords, scaleWords, uncheckedByEveryRule, undatedWords } from '../unchecked.js';

/**
 * Describes the number of stopped messages: `5 of 8 messages stopped (62.5 %)`. As a sentence it
 * has `were`.
 */
export function resultWords({ messages, verdicts }: AuditReport, { isSentence = false } = {}): string {
  const stopped = stoppedOf(verdicts);
  const verb = isSentence ? (stopped < 2 ? 'was stopped' : 'were stopped') : 'stopped';
  const all = `${counted(messages, 'message')} ${verb}`;
  return stopped === 0 ? `none of ${all}` : `${formatCount(stopped)} of ${all} (${formatPercent(stopped, messages)})`;
}

/** Describes how messages were stopped, such as `4 blocked, 1 dropped`. */
export function verdictWords(counts: VerdictCounts): string {
  const stopping = verdicts.filter(stops);
  return stopping.map((verdict) => `${formatCount(counts[verdict])} ${stoppedAs(verdict)}`).join(', ');
}

/** Describes how messages were stopped, from counts for each way. */
export function stoppedWords(counts: Readonly<Record<StoppedAs, number>>): string {
  return stoppedNames.map((name) => `${formatCount(counts[name])} ${name}`).join(', ');
}

/** Describes the first and the last day of the messages. Undefined if no message has a day. */
export function spanWords({ days }: AuditReport): string | undefined {
  const [first, last] = [days[0], days.at(-1)];
  return first && last && daysWords(first.day, last.day);
}

/** A warning that limits what the numbers of an audit say. */
interface AuditWarning {
  readonly words: string;
  readonly figure?: string;
  /** The first details. */
  readonly details: readonly WarningDetail[];
  /** Number of all details, if there are more than the first. */
  readonly of?: number;
}

/** A reason or a bad row. Its text may quote rules and messages. */
interface WarningDetail {
  readonly words: string;
  /** Number of the messages with the reason, or the line of the bad row. */
  readonly messages?: number;
  readonly line?: number;
  /** Why conditions could not be evaluated. */
  readonly why?: UnevaluatedCount['why'];
}

/**
 * Returns the warnings about messages, then those about the rule set. Errors and warnings of single
 * rules are not included: they are the `issues` of the report.
 */
export function warningsOf(report: AuditReport): readonly AuditWarning[] {
  const { messages, unevaluated, exempt, truncated, texts, unreadable, days, undated, badRows, scoresUpToOne } = report;
  const share = (words: string, count: number, whole = messages): AuditWarning[] =>
    count > 0 ? [{ words, figure: `${formatCount(count)} (${formatPercent(count, whole)})`, details: [] }] : [];
  const plain = (words: string | undefined): AuditWarning[] => (words === undefined ? [] : [{ words, details: [] }]);
  const reasons = unevaluated.reasons.map((reason) => ({ ...reason, words: reasonWords([reason]) }));
  const unchecked = {
    words: uncheckedByEveryRule,
    figure: counted(unevaluated.messages, 'message'),
    details: reasons.map(({ words, messages: count, why }) => ({ words, messages: count, why })),
  };
  return [
    ...(unevaluated.messages > 0 ? [unchecked] : []),
    ...share('exempt, allowed unseen', exempt),
    ...share('more matches than listed', truncated),
    ...share('text not readable', unreadable, texts),
    ...share(undatedWords, undated.leftOut ?? 0, messages + (undated.leftOut ?? 0)),
    ...share(
      'without a day: `sentAt` is not in seconds from 1970 to 2199 (divide milliseconds by 1000)',
      undated.outside,
    ),
    ...(days.length > 0 ? share('without a day: no `sentAt`', undated.absent) : []),
    ...plain(scoresUpToOne === undefined ? undefined : scaleWords(scoresUpToOne)),
    ...(badRows === undefined ? [] : [badRowsWarning(badRows)]),
    ...plain(report.ruleSet.truncated ? maybeTruncated : undefined),
  ];
}

/** Returns the warning about rows that contain no message. */
function badRowsWarning({ first, count }: BadRows): AuditWarning {
  const details = first.map(({ file, line, reason }) => ({
    words: file === undefined ? reason : `${reason} in ${file}`,
    line,
  }));
  return { words: 'rows that hold no message, left out', figure: formatCount(count), details, of: count };
}

/** Returns the same warning as a clause, with the first bad row. */
export function badRowsWords(bad: BadRows): string {
  const { words, figure } = badRowsWarning(bad);
  const [first] = bad.first;
  if (first === undefined) return `${words}: ${figure}`;
  const position = `line ${first.line}${first.file === undefined ? '' : ` of ${first.file}`}`;
  return `${words}: ${figure}; the first in ${escapeText(position)}: ${escapeText(first.reason)}`;
}
