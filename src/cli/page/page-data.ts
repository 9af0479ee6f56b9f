import { createHash } from 'node:crypto';
import { keyOf } from '../../audit/count/cause.js';
import type { CauseExamples, ExampleContent } from '../../audit/count/examples.js';
import { stoppedBy } from '../../audit/count/stopped.js';
import type { AuditReport } from '../../audit/keep/audit-report.js';
import type { LinePosition } from '../../audit/source/line-blocks.js';
import type { RuleSet } from '../../contract/rule-set.js';
import type { PrecisionReport } from '../../precision/estimate.js';
import { byStopped, type CountedCause, causesOf } from '../audit/causes.js';

/** What a report is made of: nothing else changes its bytes. */
export interface ReportInput {
  /** Counts, those by sender and by conversation among them. */
  readonly audit: AuditReport;
  readonly examples: readonly CauseExamples[];
  readonly content: ExampleContent;
  /** What the labels of a sample say, where they were given. */
  readonly precision?: PrecisionReport | undefined;
  /** The rules, for the numbers of patterns. */
  readonly ruleSet: RuleSet;
  /** Version of Sluice. */
  readonly version: string;
  /** Where the messages came from, in words: `may.ndjson`. */
  readonly from: string;
  /** The file of messages that was read; absent for those of a platform. */
  readonly messages?: LinePosition | undefined;
  /** The command line, with placeholders for names of files. */
  readonly command: string;
}

/** A cause with its counts and examples. */
export interface ShownCause extends CountedCause {
  readonly examples: CauseExamples['examples'];
}

/** What matched, the most stopped messages first, then the most messages. */
export function shownCauses({ audit, examples }: Pick<ReportInput, 'audit' | 'examples'>): ShownCause[] {
  const found = new Map(examples.map((row) => [keyOf(row), row.examples]));
  const causes = causesOf(audit).sort(byStopped);
  return causes.map((cause) => ({ ...cause, examples: found.get(keyOf(cause)) ?? [] }));
}

/** Most causes in the data: those of the longest keyword lists that all matched would make a page of many megabytes. */
const mostCausesInData = 2_000;
/** UTF-16 units of a name in the data. */
const longestName = 300;

/**
 * What comparing reads of a report: counts without texts of messages. A cause has the first units of a digest as its id, since a
 * pattern may be of any length.
 */
export function comparedData(input: ReportInput): unknown {
  const { audit, version } = input;
  const { messages, verdicts, days, revision, ruleSet, partial } = audit;
  const causes = causesOf(audit).sort(byStopped);
  const name = (text: string) => text.slice(0, longestName).toWellFormed();
  return {
    format: 1,
    ...{ version, partial, messages, verdicts, revision, rules: ruleSet.revision },
    days: days.length === 0 ? null : [days[0]!.day, days.at(-1)!.day],
    byRule: audit.rules.map((rule) => ({
      ...{ id: rule.ruleId, name: name(rule.ruleName), stopped: stoppedBy(rule), messages: rule.matched },
    })),
    byCause: causes.slice(0, mostCausesInData).map((row) => ({
      id: createHash('sha256').update(keyOf(row)).digest('hex').slice(0, 16),
      ...{
        name: name(row.term ?? row.pattern ?? `${row.label} over ${row.threshold?.greaterThan}`),
        rule: row.ruleId,
        list: row.listId ?? null,
        stopped: row.stopped,
        messages: row.messages,
      },
    })),
    causesLeftOut: Math.max(0, causes.length - mostCausesInData),
  };
}
