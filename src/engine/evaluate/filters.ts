/** Evaluates the filters of rules on the parties of a message. */
import type { MessageDraft } from '../../platform/contract/message-draft.js';
import { compileFilter, type FilterCheck } from '../compile/filter.js';
import { secondsSinceEpoch } from '../compile/instant.js';
import { IssueLog } from '../compile/issue.js';
import { asFields, asString, type Fields, isArray, read, readItems } from '../compile/untrusted.js';
import type { Semantics } from '../semantics.js';

/**
 * Whether a filter holds for a message; `unknown` when the message lacks what the filter tests,
 * `undated` when the filter counts back from the time of the message and it has none in seconds.
 */
type FilterResult = 'holds' | 'fails' | 'unknown' | 'undated';

/** Why filters cannot be evaluated: the filter, and what it lacks. */
export interface Lacking {
  readonly filter: FilterCheck;
  readonly result: 'unknown' | 'undated';
}

/**
 * Three-valued conjunction: `fails` when one filter fails, else `unknown` when one is, `lacking`,
 * else `holds`.
 */
export function evaluateFilters(
  filters: readonly FilterCheck[],
  message: Fields,
): { result: 'holds' | 'fails' | 'unknown'; lacking?: Lacking } {
  let lacking: Lacking | undefined;
  for (const filter of filters) {
    const result = evaluateFilter(filter, message);
    if (result === 'fails') return { result };
    if (result !== 'holds') lacking ??= { filter, result };
  }
  return lacking === undefined ? { result: 'holds' } : { result: 'unknown', lacking };
}

/**
 * Evaluates one filter. Tags hold when any one does; a negated filter holds when its test does not,
 * so also for a profile that is there and lacks the property.
 */
export function evaluateFilter(filter: FilterCheck, message: Fields): FilterResult {
  const receiverType = read(message, 'receiverType');
  if (filter.subject === 'receiver-group' && receiverType === 'user') return 'fails';
  if (filter.subject === 'receiver-user' && receiverType === 'group') return 'fails';
  const values = propertyOf(filter, message);
  if (values === undefined) return 'unknown';
  if (filter.instants.length > 0) return evaluateTimes(filter, values, read(message, 'sentAt'));
  return values.some((value) => passes(filter, value)) === filter.negated ? 'fails' : 'holds';
}

/** Evaluates a test of order. A value that is not a time cannot be compared. */
function evaluateTimes({ test, instants }: FilterCheck, values: readonly string[], sentAt: unknown): FilterResult {
  const times = values.map(secondsSinceEpoch);
  if (times.length === 0 || times.some(Number.isNaN)) return 'unknown';
  // From 10^11 on it counts milliseconds, from which no duration counts back to a second.
  const isDated = typeof sentAt === 'number' && Number.isFinite(sentAt) && sentAt < 1e11;
  const limits = instants.flatMap((instant) => ('at' in instant ? instant.at : isDated ? sentAt - instant.before : []));
  const holds = times.some((time) => limits.some((limit) => (test === 'lessThan' ? time < limit : time > limit)));
  if (holds) return 'holds';
  return limits.length < instants.length ? 'undated' : 'fails';
}

/**
 * Makes the predicate of the reading `exempt`. A list of filters exempts a message for which any
 * one of them holds; a filter whose property the message lacks does not hold. `resolveSemantics`
 * refuses filters that cannot be compiled.
 */
export function createExemption(exempt: Semantics['exempt']): (message: Fields) => boolean {
  if (typeof exempt === 'function') return (message) => exempt(message as MessageDraft) === true;
  const filters = exempt.flatMap((filter, index) => compileFilter(filter, { index }, new IssueLog()) ?? []);
  return (message) => filters.some((filter) => evaluateFilter(filter, message) === 'holds');
}

/**
 * Returns the values of the property that a filter tests, as texts; `undefined` when the message
 * lacks it.
 */
export function propertyOf({ subject, operand, negated }: FilterCheck, message: Fields): readonly string[] | undefined {
  const party = subject === 'sender' ? 'sender' : 'receiver';
  if (operand === 'uid' || operand === 'guid') {
    if (party === 'receiver' && asString(read(message, 'receiverType')) === undefined) return undefined;
    const id = asString(read(message, party));
    return id === undefined ? undefined : [id];
  }
  const entities = asFields(read(asFields(read(message, 'data')), 'entities'));
  const entity = asFields(read(asFields(read(entities, party)), 'entity'));
  const value = read(entity, operand);
  if (value === undefined || value === null) {
    return entity !== undefined && (negated || operand === 'tags') ? [] : undefined;
  }
  if (isArray(value)) return readItems(value).filter(isPlain).map(String);
  return isPlain(value) ? [String(value)] : undefined;
}

/**
 * Reports whether a value can be compared as a text. Objects cannot: their conversion may throw.
 */
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
    default:
      return false;
  }
}
