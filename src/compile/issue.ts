/** Every kind of thing that can be wrong with a rule set; a closed union. */
export type IssueCode =
  | 'malformed-rule'
  | 'malformed-condition'
  | 'malformed-list'
  | 'malformed-filter'
  | 'malformed-threshold'
  | 'missing-list'
  | 'rejected-pattern'
  | 'rejected-term'
  | 'engine-fault'
  | 'unknown-entity'
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
  /** Position in the condition's `value`, the rule's `filters`, the list's `searchTerms` or `allowTerms`, from 0. */
  readonly index?: number;
  /** For people: lowercase, one line. */
  readonly detail: string;
}

/** Where an issue is; what `report` is told besides code and detail. */
export type IssuePlace = Pick<Issue, 'ruleId' | 'conditionId' | 'listId' | 'index'>;

const warnings: ReadonlySet<IssueCode> = new Set(['unknown-action', 'empty-term', 'duplicate-rule', 'duplicate-list']);

/** Collects issues; the code decides the severity. A detail stays one line, whatever the rule set writes into it. */
export class IssueLog {
  readonly issues: Issue[] = [];

  add(code: IssueCode, place: IssuePlace, detail: string): void {
    this.issues.push({ code, severity: warnings.has(code) ? 'warning' : 'error', ...place, detail: oneLine(detail) });
  }
}

const oneLine = (text: string) => text.replace(/\s+/g, ' ').toWellFormed();
