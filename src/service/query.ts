import { type MessageQuery, messageParameters, pageLimit } from '../contract/message-query.js';
import { refusals } from './refusals.js';

type Parameter =
  | { readonly kind: 'boolean' | 'integer' | 'string' }
  | { readonly kind: 'enum'; readonly values: readonly string[] }
  | { readonly kind: 'list' };

/** A query of list messages as the service answers it: with its page size. */
export type PagedMessageQuery = MessageQuery & { readonly limit: number };

/** The page of list moderation rules. The document shows a 50 and states no bounds (§8); so those of §8 hold here as well. */
export const ruleLimit = { default: 50, min: 1, max: 1000 } as const;

/** Reads the query of list messages (§4.2) by the contract's table. Refuses with 400 and every wrong parameter. */
export function readMessageQuery(search: URLSearchParams): PagedMessageQuery {
  const wrong: Record<string, string[]> = {};
  // The table gives each value its type: the cast says so, where types cannot follow the loop.
  const query = readAll(messageParameters, search, wrong) as MessageQuery;
  const limit = readLimit(search, pageLimit, wrong);
  if (query.unread === true && query.count !== true) wrong.unread = ['should come with `count=true`'];
  if (Object.keys(wrong).length > 0) throw refusals.badRequest(wrong);
  return { ...query, limit };
}

/** Reads `limit` of list moderation rules. Refuses with 400. */
export function readRuleLimit(search: URLSearchParams): number {
  const wrong: Record<string, string[]> = {};
  const limit = readLimit(search, ruleLimit, wrong);
  if (wrong.limit !== undefined) throw refusals.badRequest(wrong);
  return limit;
}

function readAll(
  table: Readonly<Record<string, Parameter>>,
  search: URLSearchParams,
  wrong: Record<string, string[]>,
): Readonly<Record<string, unknown>> {
  const values: Record<string, unknown> = {};
  for (const [name, parameter] of Object.entries(table)) {
    if (name === 'limit') continue;
    const given = (
      parameter.kind === 'list' ? [...search.getAll(name), ...search.getAll(`${name}[]`)] : search.getAll(name)
    ).filter((value) => value !== '');
    if (given.length === 0) continue;
    const read = parameter.kind === 'list' ? readList(given) : readOne(parameter, given);
    if ('wrong' in read) wrong[name] = [read.wrong];
    else values[name] = read.value;
  }
  return values;
}

/** An empty `limit` is no way to ask for the default. */
function readLimit(
  search: URLSearchParams,
  { default: fallback, min, max }: { readonly default: number; readonly min: number; readonly max: number },
  wrong: Record<string, string[]>,
): number {
  const given = search.getAll('limit');
  if (given.length === 0) return fallback;
  const read = readOne({ kind: 'integer' }, given);
  const value = 'value' in read ? Number(read.value) : Number.NaN;
  if (value >= min && value <= max) return value;
  wrong.limit = [`should be an integer from ${min} to ${max}`];
  return fallback;
}

type Read = { readonly value: unknown } | { readonly wrong: string };

function readOne(parameter: Exclude<Parameter, { readonly kind: 'list' }>, given: readonly string[]): Read {
  const [value = ''] = given;
  if (given.length > 1) return { wrong: 'should be given once' };
  switch (parameter.kind) {
    case 'string':
      return { value };
    case 'boolean':
      if (value === 'true' || value === '1') return { value: true };
      return value === 'false' || value === '0' ? { value: false } : { wrong: 'should be `true` or `false`' };
    case 'integer': {
      const number = /^-?\d+$/.test(value) ? Number(value) : Number.NaN;
      return Number.isSafeInteger(number) ? { value: number } : { wrong: 'should be an integer' };
    }
    case 'enum':
      if (parameter.values.includes(value)) return { value };
      return { wrong: `should be one of ${parameter.values.map((allowed) => `\`${allowed}\``).join(', ')}` };
  }
}

/** Lists come comma-joined, repeated, or both; a list of nothing is no list. */
function readList(given: readonly string[]): Read {
  const items = given.flatMap((value) => value.split(',')).filter((item) => item !== '');
  return { value: items.length === 0 ? undefined : items };
}
