import type { IssueLog, IssuePlace } from './issue.js';
import { asFields, asList, asString } from './untrusted.js';

/** The party whose property a filter tests. */
export type FilterSubject = 'sender' | 'receiver-user' | 'receiver-group';

/** A compiled filter, evaluated by `evaluate/filters.ts`. Real rules carry filters; the interface document does not show them. */
export interface FilterCheck {
  readonly subject: FilterSubject;
  /** Property of the user (§2.1) or group (§2.2). */
  readonly operand: string;
  readonly test: FilterTest;
  /** The operator negated: `not equals`, `not in`. */
  readonly negated: boolean;
  readonly values: readonly string[];
}

export type FilterTest = 'in' | 'startsWith' | 'endsWith' | 'lessThan' | 'greaterThan';

/** Operators of user and group filters, which spell the negations differently. */
const operators: Readonly<Record<string, { readonly test: FilterTest; readonly negated: boolean }>> = {
  equals: { test: 'in', negated: false },
  'not equals': { test: 'in', negated: true },
  notEquals: { test: 'in', negated: true },
  in: { test: 'in', negated: false },
  'not in': { test: 'in', negated: true },
  notIn: { test: 'in', negated: true },
  startsWith: { test: 'startsWith', negated: false },
  endsWith: { test: 'endsWith', negated: false },
  lessThan: { test: 'lessThan', negated: false },
  greaterThan: { test: 'greaterThan', negated: false },
};

const operands: Readonly<Record<string, readonly string[]>> = {
  user: ['uid', 'name', 'role', 'tags', 'createdAt'],
  group: ['guid', 'name', 'type', 'tags', 'createdAt'],
};

/** Compiles one filter. Adds a `malformed-filter` issue and returns `undefined` when it cannot be evaluated. */
export function compileFilter(value: unknown, place: IssuePlace, log: IssueLog): FilterCheck | undefined {
  const fields = asFields(value);
  const refuse = (why: string): undefined => {
    log.add('malformed-filter', place, why);
  };
  if (fields === undefined) return refuse('is not an object');
  const { type, entity, operand, operator } = fields;
  const subject = subjectOf(type, entity);
  if (subject === undefined) return refuse('is not about a sending or receiving user, or a receiving group');
  if (typeof operand !== 'string' || !operands[subject === 'receiver-group' ? 'group' : 'user']!.includes(operand)) {
    return refuse('names no known property in `operand`');
  }
  const known = typeof operator === 'string' && Object.hasOwn(operators, operator) ? operators[operator] : undefined;
  if (known === undefined) return refuse('names no known comparison in `operator`');
  const values = asList(fields.value).map((item) => asString(typeof item === 'number' ? String(item) : item));
  if (values.length === 0 || values.includes(undefined)) return refuse('has no text in `value`');
  return {
    subject,
    operand,
    ...known,
    values: values.flatMap((item) =>
      /^(not ?)?in$/i.test(operator as string) ? item!.split(',').map((part) => part.trim()) : [item!],
    ),
  };
}

function subjectOf(type: unknown, entity: unknown): FilterSubject | undefined {
  if (entity === 'user' && type === 'sender') return 'sender';
  if (entity === 'user' && type === 'receiver') return 'receiver-user';
  if (entity === 'group' && type === 'receiver') return 'receiver-group';
  return undefined;
}
