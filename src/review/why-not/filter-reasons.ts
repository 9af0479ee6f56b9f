/** Evaluates the filters of a rule one by one, and describes those that do not hold. */
import { compileFilter } from '../../engine/compile/filter.js';
import { IssueLog } from '../../engine/compile/issue.js';
import { asFields, asList, type Fields, read } from '../../engine/compile/untrusted.js';
import { evaluateFilter, propertyOf } from '../../engine/evaluate/filters.js';
import type { FilterMiss } from './answer.js';

/** The filters of a rule that do not hold for a message, or why a filter is broken. */
interface FilterReasons {
  readonly broken?: string;
  readonly misses: readonly FilterMiss[];
}

/** Evaluates the filters of a rule one by one. */
export function filterReasons(ruleId: string, filters: unknown, message: Fields): FilterReasons {
  const misses: FilterMiss[] = [];
  for (const [index, filter] of asList(filters).entries()) {
    const log = new IssueLog();
    const check = compileFilter(filter, { ruleId, index }, log);
    const fault = log.issues.find(({ severity }) => severity === 'error');
    if (check === undefined) return { broken: `filter ${index + 1} ${fault?.detail}`, misses: [] };
    const result = evaluateFilter(check, message);
    if (result === 'holds') continue;
    const has = propertyOf(check, message);
    const { type, operand, operator, value } = asFields(filter) ?? {};
    misses.push({
      index,
      party: type === 'sender' ? 'sender' : 'receiver',
      property: String(operand),
      operator: String(operator),
      value: asList(value).map(String),
      result,
      ...(has !== undefined && { has }),
    });
  }
  return { misses };
}

/**
 * Describes a filter that does not hold, with the value in the message: `sender role equals member,
 * the message has manager`.
 */
export function missWords(miss: FilterMiss, message: Fields): string {
  const { party, property, operator, value } = miss;
  return `${oneLine(`${party} ${property} ${operator} ${value.join(', ')}`)}, ${foundWords(miss, message)}`;
}

function foundWords({ result, property, has }: FilterMiss, message: Fields): string {
  if (result === 'undated') return 'and the message has no `sentAt` in seconds to count back from';
  if (has === undefined && result === 'fails') return `and the receiver is a ${read(message, 'receiverType')}`;
  if (has === undefined) return 'the message lacks it';
  if (has.length === 0) return 'and the profile has none';
  const values = property === 'createdAt' ? has.map(withDate) : has;
  return oneLine(`the message has ${values.join(', ')}`);
}

/** Returns seconds since the epoch with their date. */
function withDate(seconds: string): string {
  const date = new Date(Number(seconds) * 1000);
  return Number.isNaN(date.getTime()) ? seconds : `${seconds} (${date.toISOString().slice(0, 10)})`;
}

/** Number of characters that are quoted of a value. */
const longest = 120;

/** Returns a text from rules or messages as one line of bounded length. */
export function oneLine(text: string): string {
  const line = text.slice(0, longest + 1).replace(/[\s\p{Cc}]+/gu, ' ');
  return (line.length > longest ? `${line.slice(0, longest)}…` : line).toWellFormed();
}
