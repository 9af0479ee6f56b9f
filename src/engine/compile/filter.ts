/** Compiles the filters of a rule (§2.5), which limit whose messages it applies to. */
import { nearestNames } from '../../foundation/nearest-names.js';
import { type Instant, parseInstant } from './instant.js';
import type { IssueLog, IssuePlace } from './issue.js';
import { checkFields } from './known-fields.js';
import { asFields, asList, asString } from './untrusted.js';

/** The party whose property a filter tests. */
type FilterSubject = 'sender' | 'receiver-user' | 'receiver-group';

/**
 * A compiled filter, evaluated by `evaluate/filters.ts`. Real rules carry filters; the interface
 * document does not show them.
 */
export interface FilterCheck {
  readonly subject: FilterSubject;
  /** Property of the user (§2.1) or group (§2.2). */
  readonly operand: string;
  readonly test: FilterTest;
  /** The operator negated: `not equals`, `not in`. */
  readonly negated: boolean;
  readonly values: readonly string[];
  /** The points in time of a test of order; empty for other tests. */
  readonly instants: readonly Instant[];
}

type FilterTest = 'in' | 'startsWith' | 'endsWith' | 'lessThan' | 'greaterThan';

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

const operands: Readonly<Record<'user' | 'group', readonly string[]>> = {
  user: ['uid', 'name', 'role', 'tags', 'createdAt'],
  group: ['guid', 'name', 'type', 'tags', 'createdAt'],
};

/** Matches operators whose value may be several, separated by commas. */
const takesSeveral = /^(not ?)?in$/i;

/**
 * Compiles one filter. Adds a `malformed-filter` issue and returns `undefined` when it cannot be
 * evaluated, or when its value means nothing, so that it would hold for no one or for everyone.
 */
export function compileFilter(value: unknown, location: IssuePlace, log: IssueLog): FilterCheck | undefined {
  const fields = asFields(value);
  const refuse = (why: string): undefined => {
    log.add('malformed-filter', location, why);
  };
  if (fields === undefined) return refuse('is not an object');
  checkFields('filter', fields, location, log);
  const { type, entity, operand, operator } = fields;
  const subject = subjectOf(type, entity);
  if (subject === undefined) return refuse('is not about a sending or receiving user, or a receiving group');
  const properties = operands[subject === 'receiver-group' ? 'group' : 'user'];
  if (typeof operand !== 'string' || !properties.includes(operand)) {
    return refuse(`names no known property in \`operand\`${nearOrAll(operand, properties)}`);
  }
  const known = typeof operator === 'string' && Object.hasOwn(operators, operator) ? operators[operator] : undefined;
  if (known === undefined) {
    return refuse(`names no known comparison in \`operator\`${nearOrAll(operator, Object.keys(operators))}`);
  }
  const items = asList(fields.value).map((item) => asString(typeof item === 'number' ? String(item) : item));
  if (items.length === 0 || items.includes(undefined)) return refuse('has no text in `value`');
  if (items.some((item) => item!.trim() === ''))
    return refuse(`has an empty text in \`value\`, which no ${operand} is`);
  const values = items.flatMap((item) => (takesSeveral.test(operator as string) ? itemsOf(item!) : [item!]));
  if (values.length === 0) return refuse('has nothing but commas in `value`');
  const isOrder = known.test === 'lessThan' || known.test === 'greaterThan';
  if (isOrder && operand !== 'createdAt') {
    return refuse(
      `compares \`${operand}\` by \`${operator}\`, which compares times: use \`createdAt\`, or \`in\` with all values`,
    );
  }
  const instants = isOrder ? values.map(parseInstant) : [];
  const wrong = operand === 'createdAt' ? values.find((text, at) => !isTime(text, isOrder, instants[at])) : undefined;
  if (wrong !== undefined) {
    const wanted = isOrder
      ? 'seconds since the epoch, a date such as `2026-01-31`, or a duration before the message such as `-7d`'
      : 'seconds since the epoch; to compare with a date, use `lessThan` or `greaterThan`';
    return refuse(`compares \`createdAt\` with \`${wrong.slice(0, 40)}\`; write ${wanted}`);
  }
  if (operand !== 'name' && known.test === 'in' && !takesSeveral.test(operator as string)) {
    const listed = values.find((text) => text.includes(','));
    if (listed !== undefined) {
      const several = known.negated ? (operator === 'notEquals' ? 'notIn' : 'not in') : 'in';
      const text = `\`${listed.slice(0, 40)}\``;
      log.add(
        'doubtful-filter',
        location,
        `compares \`${operand}\` with ${text}, commas included; for several values, use \`${several}\``,
      );
    }
  }
  return { subject, operand, ...known, values, instants: instants as readonly Instant[] };
}

/** Returns the parts between commas, without empty ones. */
function itemsOf(item: string): string[] {
  return item
    .split(',')
    .map((piece) => piece.trim())
    .filter((piece) => piece !== '');
}

/**
 * Reports whether a time can be compared so: by order with an instant, else as the digits in which
 * the platform writes seconds.
 */
function isTime(text: string, isOrder: boolean, instant: Instant | undefined): boolean {
  return isOrder ? instant !== undefined : /^\d+(\.\d+)?$/.test(text);
}

/** Returns advice on an unknown name: the nearest known one, else all of them. */
function nearOrAll(name: unknown, known: readonly string[]): string {
  const [near] = typeof name === 'string' ? nearestNames(name, known) : [];
  return near === undefined ? `; there are ${known.join(', ')}` : `; did you mean \`${near}\`?`;
}

function subjectOf(type: unknown, entity: unknown): FilterSubject | undefined {
  if (entity === 'user' && type === 'sender') return 'sender';
  if (entity === 'user' && type === 'receiver') return 'receiver-user';
  if (entity === 'group' && type === 'receiver') return 'receiver-group';
  return undefined;
}
