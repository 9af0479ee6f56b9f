/** The types of findings: their ids, severities and fields. */
import type { IssueCode } from '../../engine/compile/issue.js';
import type { Semantics } from '../../engine/semantics.js';

/** The id of a finding: a code of `engine.issues`, or one of the following. */
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

/**
 * `error`: it is not evaluated as written, or never has an effect. `warning`: it is probably not
 * what its author meant. `info`: it deserves a look.
 */
export type FindingSeverity = 'error' | 'warning' | 'info';

/**
 * A problem of a rule set. `detail` describes it and `mend` how to fix it: each is one line,
 * lowercase, without a period.
 */
export interface Finding {
  readonly id: FindingId;
  readonly severity: FindingSeverity;
  readonly ruleId?: string;
  readonly conditionId?: number;
  readonly listId?: string;
  /**
   * Position in the list's `searchTerms`, the condition's `value`, or the rule's `filters`, from 0.
   */
  readonly index?: number;
  /** The term or the pattern, as its author wrote it. */
  readonly term?: string;
  readonly pattern?: string;
  readonly detail: string;
  /** How to fix it. */
  readonly mend?: string;
  /** A text with which the engine confirms the finding. */
  readonly witness?: string;
}

/** A finding as a check reports it. The check determines its id and severity. */
export type Found = Omit<Finding, 'id' | 'severity'>;

/** The findings of `lintRuleSet`. Those of one id are in the order of the rule set. */
export interface LintReport {
  readonly findings: readonly Finding[];
  /** Number of findings of each severity. */
  readonly counts: Readonly<Record<FindingSeverity, number>>;
  /**
   * The revision that accepts these rules, `status.held.revision` of a moderator that holds them
   * back. It is a digest without the fields that a platform adds.
   */
  readonly revision: string;
}

/** Selects findings to leave out, by id and place. An absent field matches any value. */
export interface IgnoredFinding {
  readonly id: FindingId;
  readonly ruleId?: string | undefined;
  readonly conditionId?: number | undefined;
  readonly listId?: string | undefined;
  readonly index?: number | undefined;
  readonly term?: string | undefined;
  readonly pattern?: string | undefined;
  /** A reason, for people. */
  readonly why?: string | undefined;
}

/** Options of `lintRuleSet`. */
export interface LintOptions {
  /** Readings other than the defaults, like those of `createEngine`. */
  readonly semantics?: Partial<Semantics> | undefined;
  /** Findings to leave out, besides those that the field `lint` of the rule set selects. */
  readonly ignore?: readonly IgnoredFinding[] | undefined;
}
