import { keyOf } from '../../audit/count/cause.js';
import type { CauseExamples, ExampleContent } from '../../audit/count/examples.js';
import type { AuditReport } from '../../audit/keep/audit-report.js';
import type { LinePosition } from '../../audit/source/line-blocks.js';
import type { RuleSet } from '../../platform/contract/rule-set.js';
import type { PrecisionReport } from '../../review/precision/estimate.js';
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
