import type { AuditSummary } from '../audit/audit-summary.js';
import type { Issue } from '../compile/issue.js';
import type { RuleSet } from '../contract/rule-set.js';
import type { Engine, EngineCounts } from '../engine.js';

/** What an audit judged by. */
export interface RuleSetFacts extends EngineCounts {
  readonly revision: string;
  readonly missing: RuleSet['missing'];
  /** The list of rules was as long as its page, so rules may be missing. */
  readonly truncated: boolean;
  readonly issues: readonly Issue[];
}

/** The content of `summary.json`: depends on rules, semantics, messages and scores, and on nothing else. */
export interface AuditReport extends AuditSummary {
  /** Whether the audit was stopped before its last message; everything said is true for the messages counted. */
  readonly partial: boolean;
  /** Revision of the engine: rule set and semantics together. */
  readonly revision: string;
  readonly ruleSet: RuleSetFacts;
}

/** Puts the report of an audit together. */
export function buildReport(summary: AuditSummary, engine: Engine, ruleSet: RuleSet, partial: boolean): AuditReport {
  const { revision, missing, truncated } = ruleSet;
  return {
    partial,
    revision: engine.revision,
    ruleSet: { revision, ...engine.counts, missing, truncated, issues: engine.issues },
    ...summary,
  };
}
