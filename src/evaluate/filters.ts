import type { FilterCheck } from '../compile/filter.js';
import { asFields, asString, type Fields, isArray } from '../compile/untrusted.js';
import { read, readItems } from './text-parts.js';

/** What a filter says of a message; `unknown` when the message does not carry what it asks for. */
export type FilterAnswer = 'holds' | 'fails' | 'unknown';

/** Whether all filters hold. One that fails settles it; else one unknown leaves it open. */
export function askFilters(
  filters: readonly FilterCheck[],
  message: Fields,
): { answer: FilterAnswer; lacking?: FilterCheck } {
  let lacking: FilterCheck | undefined;
  for (const filter of filters) {
    const answer = askFilter(filter, message);
    if (answer === 'fails') return { answer };
    if (answer === 'unknown') lacking ??= filter;
  }
  return lacking === undefined ? { answer: 'holds' } : { answer: 'unknown', lacking };
}

/** Asks one filter. Tags hold when any one does; a negated filter holds when its test does not. */
export function askFilter(filter: FilterCheck, message: Fields): FilterAnswer {
  const receiverType = read(message, 'receiverType');
  if (filter.subject === 'receiver-group' && receiverType === 'user') return 'fails';
  if (filter.subject === 'receiver-user' && receiverType === 'group') return 'fails';
  const values = propertyOf(filter, message);
  if (values === undefined) return 'unknown';
  return values.some((value) => passes(filter, value)) === filter.negated ? 'fails' : 'holds';
}

/** The property that a filter asks for, as texts; nothing when the message does not carry it. */
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

/** What can be compared as a text; an object may throw when it is made one. */
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

/** Seconds since the epoch, from a number or a date; NaN compares as neither. */
function instant(value: string): number {
  return /^\d+(\.\d+)?$/.test(value) ? Number(value) : Date.parse(value) / 1000;
}
