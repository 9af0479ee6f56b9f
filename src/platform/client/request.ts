/** Writes the request of an operation: path, query, headers and body. */
import { UsageError } from '../../foundation/errors.js';
import { checkValue, refuseUnknownOptions, validHeader, wholeNumber } from '../../foundation/options.js';
import { type Endpoint, endpoints, type Operation, operationLabel, type PathOf } from '../contract/endpoints.js';
import {
  type MessageParameter,
  type MessageQuery,
  messageParameters,
  repeatedLists,
} from '../contract/message-query.js';
import type { Settings } from './options.js';

type Acting<Mode> = Mode extends 'required'
  ? { readonly onBehalfOf: string }
  : Mode extends 'optional'
    ? { readonly onBehalfOf?: string | undefined }
    : unknown;

/**
 * Options that every call of an operation takes; `onBehalfOf` (a uid, §5) as its row in the table
 * says.
 */
export type CallOptions<Name extends Operation> = Acting<(typeof endpoints)[Name]['onBehalfOf']> & {
  /** Aborts the call, which then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
};

/** The parts of one call. */
export interface Call<Name extends Operation> {
  readonly path: PathOf<Name>;
  /** The encoded query, without the `?`; empty if there is no query. */
  readonly query?: string | undefined;
  /** The body; sent if the row of the operation has one. */
  readonly body?: Readonly<Record<string, unknown>> | undefined;
  /**
   * The options; optional here even if the row requires them, since callers from JavaScript may
   * leave them out.
   */
  readonly options?: CallOptions<Name> | undefined;
  /** Names of options that this operation takes besides those of `CallOptions`. */
  readonly ownOptions?: readonly string[] | undefined;
}

/** A request, ready for the wire. */
export interface WireRequest {
  readonly method: Endpoint['method'];
  readonly origin: string;
  /** Path and query, encoded. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

/** The request of a call. */
export interface CallRequest extends WireRequest {
  /** Method and path template, for errors. */
  readonly operation: string;
  readonly row: Endpoint;
}

/**
 * Writes a call by the row of its operation (§4); header names are exact and case-sensitive as §4
 * writes them. Throws `UsageError` for a path parameter or an acting user that cannot be sent.
 */
export function writeRequest<Name extends Operation>(name: Name, call: Call<Name>, settings: Settings): CallRequest {
  const row: Endpoint = endpoints[name];
  const operation = operationLabel(name);
  const { options: given = {}, ownOptions = [] } = call;
  const options = given as { readonly onBehalfOf?: string };
  const acts = row.onBehalfOf === 'none' ? [] : ['onBehalfOf'];
  refuseUnknownOptions(operation, options, [...ownOptions, ...acts, 'signal']);
  const acting = actingUser(row, options.onBehalfOf, operation);
  const query = call.query === undefined || call.query === '' ? '' : `?${call.query}`;
  return {
    operation,
    row,
    method: row.method,
    origin: settings.base.origin,
    path: `${settings.base.prefix}${writePath(row.path, call.path)}${query}`,
    headers: {
      accept: 'application/json',
      'accept-encoding': 'identity',
      'user-agent': 'sluice',
      apikey: settings.apiKey,
      ...(acting === undefined ? {} : { onBehalfOf: acting }),
      ...(row.body === undefined ? {} : { 'Content-Type': 'application/json' }),
    },
    body: row.body === undefined ? null : JSON.stringify(call.body ?? {}),
  };
}

function actingUser(row: Endpoint, uid: string | undefined, operation: string): string | undefined {
  if (row.onBehalfOf === 'none' || (row.onBehalfOf === 'optional' && uid === undefined)) return undefined;
  if (uid === undefined) throw new UsageError({ fact: `${operation} acts for a user`, advice: 'acting-user' });
  return validHeader(`\`onBehalfOf\` of ${operation}`, uid, 'must be a uid, a string with at least one character');
}

/**
 * Fills the `{name}` parameters of a path template (§4), each id encoded as one segment. Throws
 * `UsageError`.
 */
export function writePath(template: string, ids: Readonly<Record<string, unknown>>): string {
  return template.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(validPathId(name, ids[name])));
}

/**
 * Returns an id in a path: one that cannot address another operation (`..`) and that arrives
 * unchanged.
 */
function validPathId(name: string, id: unknown): string {
  const wrong = (fact: string) => new UsageError(`\`${name}\` ${fact}`);
  if (typeof id !== 'string' || id === '') throw wrong('must be a string with at least one character');
  if (id === '.' || id === '..') throw wrong('is a path step, not an id');
  if (!id.isWellFormed()) throw wrong('holds half of a surrogate pair, which cannot be sent');
  if (/\p{Cc}/u.test(id)) throw wrong('holds a control character: remove it');
  if (id.trim() !== id) throw wrong('has a blank at one of its ends: trim it');
  return id;
}

export const messageParameterNames = Object.keys(messageParameters) as MessageParameter[];

/**
 * Writes the query of list messages (§4.2) by its schema, without the `?`, in the schema's order;
 * `undefined` is left out. Throws `UsageError` for an unknown name or a value that the document
 * does not allow.
 */
export function writeMessageQuery(query: MessageQuery): string {
  refuseUnknownOptions('the query of list messages', query, messageParameterNames);
  return messageParameterNames
    .filter((name) => query[name] !== undefined)
    .flatMap((name) => writeParameter(name, query[name]))
    .join('&');
}

/**
 * Writes the query of list rules: `limit` alone, which the document does not show and live
 * platforms take.
 */
export function writeRuleQuery(limit: unknown): string {
  checkValue('`limit`', limit, wholeNumber(1));
  return limit === undefined ? '' : `limit=${limit}`;
}

function writeParameter(name: MessageParameter, value: unknown): string | string[] {
  const { data, error } = messageParameters[name].safeParse(value);
  if (error !== undefined) throw new UsageError(`\`${name}\` ${error.issues[0]?.message ?? 'has an unexpected shape'}`);
  return Array.isArray(data) ? writeList(name, data) : `${name}=${encode(String(data))}`;
}

/**
 * Writes a list. The schema refuses an empty one: without the filter, more would be listed than was
 * requested.
 */
function writeList(name: MessageParameter, items: readonly string[]): string | string[] {
  if (repeatedLists.has(name)) return items.map((item) => `${name}=${encode(item)}`);
  if (items.some((item) => item.includes(','))) {
    throw new UsageError(`an item of \`${name}\` holds a comma, which separates items: it cannot be asked for`);
  }
  return `${name}=${items.map(encode).join(',')}`;
}

/**
 * Encodes a value, also its apostrophes, which proxies would rewrite if they normalise addresses as
 * browsers do.
 */
function encode(value: string): string {
  return encodeURIComponent(value).replaceAll("'", '%27');
}
