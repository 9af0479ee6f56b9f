/** The findings of lint: their ids, severities and fields. */
import type { IssueCode } from '../../engine/compile/issue.js';
import type { Semantics } from '../../engine/semantics.js';

/** The id of a finding: a code of `engine.issues`, or one of these. */
export type FindingId =
  | IssueCode
  | 'matches-empty'
  | 'never-fires'
  | 'joined-patterns'
  | 'unused-list'
  | 'stops-nothing'
  | 'one-letter-term'
  | 'covered'
  | 'shadowed'
  | 'idle-threshold'
  | 'everyday-term'
  | 'everyday-pattern'
  | 'over-limit'
  | 'unread-expression'
  | 'one-case-pattern'
  | 'unread-wildcard'
  | 'trimmed-term'
  | 'hidden-character'
  | 'misread-edge'
  | 'misread-pattern';

/** `error`: not evaluated as it is written, or never of any effect. `warning`: probably not what its author meant. `info`: worth a look. */
export type FindingSeverity = 'error' | 'warning' | 'info';

/** A problem of a rule set. `detail` describes it, `mend` the fix: one line each, lowercase, without a period. */
export interface Finding {
  readonly id: FindingId;
  readonly severity: FindingSeverity;
  readonly ruleId?: string;
  readonly conditionId?: number;
  readonly listId?: string;
  /** Position in the list's `searchTerms`, the condition's `value`, or the rule's `filters`, from 0. */
  readonly index?: number;
  /** The term or the pattern that it is about, as its author wrote it. */
  readonly term?: string;
  readonly pattern?: string;
  readonly detail: string;
  /** How to fix it. */
  readonly mend?: string;
  /** A text by which the engine confirms the finding. */
  readonly witness?: string;
}

/** A finding as a check reports it: its id and severity are those of the check. */
export type Found = Omit<Finding, 'id' | 'severity'>;

/** The findings of `lintRuleSet`, in the order of the rule set within each id. */
export interface LintReport {
  readonly findings: readonly Finding[];
  /** How many findings there are of each severity. */
  readonly counts: Readonly<Record<FindingSeverity, number>>;
  /** The revision by which a moderator that holds these rules accepts them, `status.held.revision`: a digest without what a platform adds. */
  readonly revision: string;
}

/** Findings to leave out: those of an id and of a place. An absent field stands for any value. */
export interface IgnoredFinding {
  readonly id: FindingId;
  readonly ruleId?: string | undefined;
  readonly conditionId?: number | undefined;
  readonly listId?: string | undefined;
  readonly index?: number | undefined;
  readonly term?: string | undefined;
  readonly pattern?: string | undefined;
  /** For people. */
  readonly why?: string | undefined;
}

/** Options of `lintRuleSet`. */
export interface LintOptions {
  /** Readings other than the defaults, as `createEngine` takes them. */
  readonly semantics?: Partial<Semantics> | undefined;
  /** Findings to leave out, besides those that `lint` of the rule set names. */
  readonly ignore?: readonly IgnoredFinding[] | undefined;
}
