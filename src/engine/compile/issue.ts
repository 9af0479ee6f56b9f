/** The severity of each kind of defect of a rule set. */
export const issueSeverities = {
  'malformed-rule': 'error',
  'malformed-condition': 'error',
  'malformed-list': 'error',
  'malformed-filter': 'error',
  'malformed-threshold': 'error',
  'missing-list': 'error',
  'rejected-pattern': 'error',
  'rejected-term': 'error',
  'malformed-domain': 'error',
  'engine-fault': 'error',
  'low-threshold': 'warning',
  'unknown-field': 'warning',
  'unknown-entity': 'error',
  'unknown-operand': 'error',
  'unknown-operator': 'error',
  'unknown-category': 'warning',
  'unknown-action': 'warning',
  'unknown-shadow-rule': 'warning',
  'unknown-word-list': 'warning',
  'unknown-exception-target': 'warning',
  'excepted-term': 'warning',
  'unflagged-list': 'warning',
  'empty-list': 'warning',
  'joined-terms': 'warning',
  'unread-pattern': 'warning',
  'unread-line': 'warning',
  'doubtful-filter': 'warning',
  'empty-value': 'error',
  'empty-term': 'warning',
  'duplicate-rule': 'warning',
  'duplicate-list': 'warning',
  'expired-term': 'warning',
} as const satisfies Readonly<Record<string, 'error' | 'warning'>>;

/** The kinds of defects of a rule set; a closed union. */
export type IssueCode = keyof typeof issueSeverities;

/**
 * A defect of a part of a rule set. `error`: the part is not evaluated as it is written. `warning`:
 * it is, and is probably not what its author meant; or, `unknown-category`, it is a condition that
 * live platforms have and that is not evaluated here.
 */
export interface Issue {
  readonly code: IssueCode;
  readonly severity: 'error' | 'warning';
  readonly ruleId?: string;
  readonly conditionId?: number;
  readonly listId?: string;
  /**
   * Position in the condition's `value`, the rule's `filters`, the list's `searchTerms` or the
   * reading `exceptions`, from 0.
   */
  readonly index?: number;
  /** For people: lowercase, one line. */
  readonly detail: string;
}

/** The place of an issue in the rule set. */
export type IssuePlace = Pick<Issue, 'ruleId' | 'conditionId' | 'listId' | 'index'>;

/**
 * Reports whether something of the rule set is not evaluated because of the issue, so that a
 * condition without a match is `unevaluated`.
 */
export function leavesOut({ code, severity }: Issue): boolean {
  return severity === 'error' || code === 'unknown-category';
}

/** Returns the issues of severity `error`. */
export function errorsOf({ issues }: { readonly issues: readonly Issue[] }): readonly Issue[] {
  return issues.filter(({ severity }) => severity === 'error');
}

/**
 * So many issues of one code about one rule, condition or list are made; a file may hold millions
 * of wrong terms.
 */
const mostAlike = 1000;

/**
 * Collects issues; the code determines the severity. A detail is one line, whatever text of the
 * rule set it quotes.
 */
export class IssueLog {
  readonly issues: Issue[] = [];
  /** The issues of parts that stop nothing and were meant to. */
  readonly idle: Issue[] = [];
  /**
   * Detail of the first issue that leaves something out since this was last cleared, also of one
   * that was too many to be kept.
   */
  leftOut: string | undefined;
  /** Number of similar issues in a row, including the last one. */
  #alike = 0;

  /**
   * Adds an issue, and returns it. Of many similar ones in a row only the first are kept, and one
   * that there are more.
   */
  add(code: IssueCode, location: IssuePlace, detail: string, isIdle = false): Issue {
    const issue: Issue = { code, severity: issueSeverities[code], ...location, detail: oneLine(detail) };
    const last = this.issues.at(-1);
    this.#alike = last?.code === code && isSamePart(last, location) ? this.#alike + 1 : 1;
    if (leavesOut(issue)) this.leftOut ??= issue.detail;
    if (this.#alike <= mostAlike) this.issues.push(issue);
    if (this.#alike <= mostAlike && isIdle) this.idle.push(issue);
    if (this.#alike === mostAlike + 1) {
      const { index: _, ...shown } = issue;
      this.issues.push({ ...shown, detail: `there is more of this than the ${mostAlike} issues before` });
    }
    return issue;
  }
}

/** Reports whether two places have the same rule, condition and list. */
function isSamePart(left: IssuePlace, right: IssuePlace): boolean {
  return left.ruleId === right.ruleId && left.conditionId === right.conditionId && left.listId === right.listId;
}

const oneLine = (text: string) => text.replace(/\s+/g, ' ').toWellFormed();
