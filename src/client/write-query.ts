import { type MessageParameter, type MessageQuery, messageParameters, pageLimit } from '../contract/message-query.js';
import { UsageError } from '../errors.js';
import { nearestNames } from '../nearest-names.js';

const names = Object.keys(messageParameters) as MessageParameter[];

/**
 * Writes the query of list messages (§4.2) by its table, without the `?`, in the table's order.
 * Throws `UsageError` for an unknown name or a value that the document does not allow; `undefined` is left out.
 */
export function writeMessageQuery(query: MessageQuery): string {
  if (typeof query !== 'object' || query === null) throw new UsageError('the query of messages should be an object');
  for (const name of Object.keys(query)) {
    if (!Object.hasOwn(messageParameters, name)) throw unknownName(name);
  }
  return names
    .filter((name) => query[name] !== undefined)
    .flatMap((name) => writeParameter(name, query[name]))
    .join('&');
}

/** Writes the query of list rules: `limit` alone, which the document does not show and live platforms take. */
export function writeRuleQuery(limit: unknown): string {
  return limit === undefined ? '' : `limit=${integer('limit', limit, 1)}`;
}

function writeParameter(name: MessageParameter, value: unknown): string | string[] {
  const parameter = messageParameters[name];
  switch (parameter.kind) {
    case 'boolean':
      if (typeof value !== 'boolean') throw new UsageError(`\`${name}\` should be true or false`);
      return `${name}=${value}`;
    case 'integer':
      if (name === 'limit') return `${name}=${integer(name, value, pageLimit.min, pageLimit.max)}`;
      return `${name}=${integer(name, value)}`;
    case 'enum':
      if (!(parameter.values as readonly unknown[]).includes(value)) {
        throw new UsageError(`\`${name}\` should be one of ${quoted(parameter.values)}`);
      }
      return `${name}=${value}`;
    case 'list':
      return writeList(name, value, parameter.style);
    case 'string':
      return `${name}=${encode(text(name, value))}`;
  }
}

/** An empty list is refused: leaving the filter out would answer with more than was asked for. */
function writeList(name: string, value: unknown, style: 'comma' | 'repeat'): string | string[] {
  if (!Array.isArray(value) || value.length === 0) {
    throw new UsageError(`\`${name}\` should be a list of strings with at least one item; leave it out for no filter`);
  }
  const items = value.map((item) => text(name, item));
  if (style === 'repeat') return items.map((item) => `${name}=${encode(item)}`);
  if (items.some((item) => item.includes(','))) {
    throw new UsageError(`an item of \`${name}\` holds a comma, which separates items: it cannot be asked for`);
  }
  return `${name}=${items.map(encode).join(',')}`;
}

function integer(name: string, value: unknown, min = Number.MIN_SAFE_INTEGER, max = Number.MAX_SAFE_INTEGER): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= min && value <= max) return value;
  const range =
    min === Number.MIN_SAFE_INTEGER ? '' : ` from ${min}${max === Number.MAX_SAFE_INTEGER ? '' : ` to ${max}`}`;
  throw new UsageError(`\`${name}\` should be a whole number${range}`);
}

function text(name: string, value: unknown): string {
  if (typeof value !== 'string' || value === '') {
    throw new UsageError(`\`${name}\` should be a string with at least one character; leave it out for no filter`);
  }
  if (!value.isWellFormed()) throw new UsageError(`\`${name}\` holds half of a surrogate pair, which cannot be sent`);
  return value;
}

/** With the apostrophe, which proxies that read addresses as browsers do would rewrite. */
function encode(value: string): string {
  return encodeURIComponent(value).replaceAll("'", '%27');
}

function unknownName(name: string): UsageError {
  const near = nearestNames(name, names);
  const hint = near.length > 0 ? `did you mean ${quoted(near)}` : `known are ${quoted(names)}`;
  return new UsageError(`\`${name.slice(0, 40)}\` is no parameter of list messages: ${hint}`);
}

function quoted(values: readonly string[]): string {
  return values.map((value) => `\`${value}\``).join(', ');
}
