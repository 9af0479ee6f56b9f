import {
  type MessageParameter,
  type MessageQuery,
  messageParameters,
  repeatedLists,
} from '../contract/message-query.js';
import { UsageError } from '../errors.js';
import { nearestNames } from '../nearest-names.js';

const names = Object.keys(messageParameters) as MessageParameter[];

/**
 * Writes the query of list messages (§4.2) by its schema, without the `?`, in the schema's order.
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
  if (limit === undefined) return '';
  if (!Number.isSafeInteger(limit) || Number(limit) < 1) {
    throw new UsageError('`limit` should be a whole number from 1');
  }
  return `limit=${limit}`;
}

function writeParameter(name: MessageParameter, value: unknown): string | string[] {
  const { data, error } = messageParameters[name].safeParse(value);
  if (error !== undefined) throw new UsageError(`\`${name}\` ${error.issues[0]?.message ?? 'has an unexpected shape'}`);
  return Array.isArray(data) ? writeList(name, data) : `${name}=${encode(String(data))}`;
}

/** An empty list is refused by the schema: leaving the filter out would answer with more than was asked for. */
function writeList(name: MessageParameter, items: readonly string[]): string | string[] {
  if (repeatedLists.has(name)) return items.map((item) => `${name}=${encode(item)}`);
  if (items.some((item) => item.includes(','))) {
    throw new UsageError(`an item of \`${name}\` holds a comma, which separates items: it cannot be asked for`);
  }
  return `${name}=${items.map(encode).join(',')}`;
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
