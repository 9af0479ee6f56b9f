import type { CauseExamples, ExampleContent } from '../../audit/count/examples.js';
import type { AuditReport } from '../../audit/keep/audit-report.js';
import type { Position } from '../../audit/source/blocks.js';
import type { RuleSet } from '../../platform/contract/rule-set.js';

/** The content of a report: nothing else changes its bytes. */
export interface ReportInput {
  /** Counts, those by sender and by conversation among them. */
  readonly audit: AuditReport;
  readonly examples: readonly CauseExamples[];
  readonly content: ExampleContent;
  /** The rules, for the numbers of patterns. */
  readonly ruleSet: RuleSet;
  /** Version of Sluice. */
  readonly version: string;
  /** Source of the messages in words: `may.ndjson`. */
  readonly from: string;
  /** The file of messages that was read; absent for those of a platform. */
  readonly messages?: Position | undefined;
  /** The command line, with placeholders for names of files. */
  readonly command: string;
}
