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

/** So many issues of one code about one rule, condition or list are made; a file may hold millions of wrong terms. */
const mostAlike = 1000;

/** Collects issues; the code determines the severity. A detail is one line, whatever text of the rule set it quotes. */
export class IssueLog {
  readonly issues: Issue[] = [];
  /** How many issues in a row are alike, the last one among them. */
  #alike = 0;

  add(code: IssueCode, place: IssuePlace, detail: string): void {
    const last = this.issues.at(-1);
    this.#alike = last?.code === code && isSamePart(last, place) ? this.#alike + 1 : 1;
    if (this.#alike <= mostAlike) this.#push(code, place, detail);
    if (this.#alike !== mostAlike + 1) return;
    const { index: _, ...part } = place;
    this.#push(code, part, `there is more of this than the ${mostAlike} issues before`);
  }

  #push(code: IssueCode, place: IssuePlace, detail: string): void {
    this.issues.push({ code, severity: warnings.has(code) ? 'warning' : 'error', ...place, detail: oneLine(detail) });
  }
}

/** Whether two places are of the same rule, condition and list. */
function isSamePart(one: IssuePlace, other: IssuePlace): boolean {
  return one.ruleId === other.ruleId && one.conditionId === other.conditionId && one.listId === other.listId;
}

const oneLine = (text: string) => text.replace(/\s+/g, ' ').toWellFormed();
