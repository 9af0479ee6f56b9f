/** The kinds of defects of a rule set; a closed union. */
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
  | 'unknown-shadow-rule'
  | 'unknown-word-list'
  | 'unflagged-list'
  | 'empty-value'
  | 'empty-term'
  | 'duplicate-rule'
  | 'duplicate-list';

/**
 * A defect of a part of a rule set. `error`: the part could not be compiled and is not evaluated. `warning`: it compiled, but
 * is probably not what its author meant.
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

/** The place of an issue in the rule set. */
export type IssuePlace = Pick<Issue, 'ruleId' | 'conditionId' | 'listId' | 'index'>;

const warnings: ReadonlySet<IssueCode> = new Set([
  'unknown-action',
  'unknown-shadow-rule',
  'unknown-word-list',
  'unflagged-list',
  'empty-term',
  'duplicate-rule',
  'duplicate-list',
]);

/** Collects issues; the code determines the severity. A detail is one line, whatever text of the rule set it quotes. */
export class IssueLog {
  readonly issues: Issue[] = [];

  add(code: IssueCode, place: IssuePlace, detail: string): void {
    this.issues.push({ code, severity: warnings.has(code) ? 'warning' : 'error', ...place, detail: oneLine(detail) });
  }
}

const oneLine = (text: string) => text.replace(/\s+/g, ' ').toWellFormed();
