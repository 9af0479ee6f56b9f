/** Every kind of thing that can be wrong with a rule set; a closed union. */
export type IssueCode =
  | 'malformed-rule'
  | 'malformed-condition'
  | 'malformed-list'
  | 'malformed-filter'
  | 'malformed-threshold'
  | 'missing-list'
  | 'rejected-pattern'
  | 'unknown-operand'
  | 'unknown-operator'
  | 'unknown-category'
  | 'unknown-action'
  | 'empty-value'
  | 'empty-term'
  | 'duplicate-rule'
  | 'duplicate-list';

/**
 * What is wrong with a part of a rule set. An `error` means that something could not be compiled and will not be heard;
 * a `warning` means that it compiled but is probably not what its author meant.
 */
export interface Issue {
  readonly code: IssueCode;
  readonly severity: 'error' | 'warning';
  readonly ruleId?: string;
  readonly conditionId?: number;
  readonly listId?: string;
  /** Position in the condition's `value` or in the list's `searchTerms`, from 0. */
  readonly index?: number;
  /** For people: lowercase, one line. */
  readonly detail: string;
}
