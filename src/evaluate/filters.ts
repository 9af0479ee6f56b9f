import { compileFilter, type FilterCheck } from '../compile/filter.js';
import { IssueLog } from '../compile/issue.js';
import { asFields, asString, type Fields, isArray, read, readItems } from '../compile/untrusted.js';
import type { MessageDraft } from '../contract/message-draft.js';
import { UsageError } from '../errors.js';
import type { Semantics } from '../semantics.js';

/** Whether a filter holds for a message; `unknown` when the message lacks the property. */
export type FilterResult = 'holds' | 'fails' | 'unknown';

/** Three-valued conjunction: `fails` when one filter fails, else `unknown` when one is, `lacking`, else `holds`. */
export function evaluateFilters(
  filters: readonly FilterCheck[],
  message: Fields,
): { result: FilterResult; lacking?: FilterCheck } {
  let lacking: FilterCheck | undefined;
  for (const filter of filters) {
    const result = evaluateFilter(filter, message);
    if (result === 'fails') return { result };
    if (result === 'unknown') lacking ??= filter;
  }
  return lacking === undefined ? { result: 'holds' } : { result: 'unknown', lacking };
}

/** Evaluates one filter. Tags hold when any one does; a negated filter holds when its test does not. */
export function evaluateFilter(filter: FilterCheck, message: Fields): FilterResult {
  const receiverType = read(message, 'receiverType');
  if (filter.subject === 'receiver-group' && receiverType === 'user') return 'fails';
  if (filter.subject === 'receiver-user' && receiverType === 'group') return 'fails';
  const values = propertyOf(filter, message);
  if (values === undefined) return 'unknown';
  return values.some((value) => passes(filter, value)) === filter.negated ? 'fails' : 'holds';
}

/**
 * Makes the predicate of the reading `exempt`. A list of filters exempts a message for which any one of them holds; a filter
 * whose property the message lacks does not hold. Throws `UsageError` for a filter that cannot be compiled.
 */
export function createExemption(exempt: Semantics['exempt']): (message: Fields) => boolean {
  if (typeof exempt === 'function') return (message) => exempt(message as MessageDraft) === true;
  const filters = exempt.map((filter, index) => {
    const log = new IssueLog();
    const check = compileFilter(filter, { index }, log);
    if (check === undefined) throw new UsageError(`reading \`exempt\`: filter ${index + 1} ${log.issues[0]?.detail}`);
    return check;
  });
  return (message) => filters.some((filter) => evaluateFilter(filter, message) === 'holds');
}

/** The values of the property that a filter tests, as texts; `undefined` when the message lacks it. */
function propertyOf({ subject, operand }: FilterCheck, message: Fields): readonly string[] | undefined {
  const party = subject === 'sender' ? 'sender' : 'receiver';
  if (operand === 'uid' || operand === 'guid') {
    if (party === 'receiver' && asString(read(message, 'receiverType')) === undefined) return undefined;
    const id = asString(read(message, party));
    return id === undefined ? undefined : [id];
  }
  const entities = asFields(read(asFields(read(message, 'data')), 'entities'));
  const entity = asFields(read(asFields(read(entities, party)), 'entity'));
  const value = read(entity, operand);
  if (value === undefined || value === null) return entity !== undefined && operand === 'tags' ? [] : undefined;
  if (isArray(value)) return readItems(value).filter(isPlain).map(String);
  return isPlain(value) ? [String(value)] : undefined;
}

/** Whether a value can be compared as a text. Objects cannot: their conversion may throw. */
function isPlain(value: unknown): value is string | number | boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

function passes({ test, values }: FilterCheck, value: string): boolean {
  switch (test) {
    case 'in':
      return values.includes(value);
    case 'startsWith':
      return values.some((prefix) => value.startsWith(prefix));
    case 'endsWith':
      return values.some((suffix) => value.endsWith(suffix));
    case 'lessThan':
      return values.some((limit) => instant(value) < instant(limit));
    case 'greaterThan':
      return values.some((limit) => instant(value) > instant(limit));
  }
}

/** Seconds since the epoch, from a number or a date; NaN, for which both comparisons are false, for anything else. */
function instant(value: string): number {
  return /^\d+(\.\d+)?$/.test(value) ? Number(value) : Date.parse(value) / 1000;
}
