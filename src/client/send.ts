import {
  type Endpoint,
  endpoints,
  type Operation,
  operationLabel,
  type PathOf,
  type ResponseOf,
} from '../contract/endpoints.js';
import { UsageError } from '../errors.js';
import type { Settings } from './client-options.js';
import type { WireRequest } from './exchange.js';
import { checkActingUser } from './header-value.js';
import { readAnswer } from './read-answer.js';
import { redactor } from './redact.js';
import { observed } from './request-channel.js';
import { createSettle, type Dispatchers, type Trail } from './settle.js';
import type { Surroundings } from './surroundings.js';
import { writePath } from './write-path.js';

/** One call of an operation, in its own terms. */
export interface Call<Name extends Operation> {
  readonly path: PathOf<Name>;
  /** Already written, without the `?`; empty for none. */
  readonly query?: string | undefined;
  /** Sent when the operation's row has a body. */
  readonly body?: Readonly<Record<string, unknown>> | undefined;
  readonly onBehalfOf?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Sends one operation of the table and answers its parsed response. */
export type Send = <Name extends Operation>(name: Name, call: Call<Name>) => Promise<ResponseOf<Name>>;

/**
 * The one way out: every operation goes through it, by its row in the table (§4). Its promise rejects with `UsageError`
 * before anything is sent, `NetworkError`, `TimeoutError`, `HttpError` or `ShapeError` after, or the reason of the
 * caller's own signal.
 */
export function createSend(settings: Settings, dispatchers: Dispatchers, surroundings: Surroundings): Send {
  const redact = redactor(settings.apiKey);
  const settle = createSettle(settings, dispatchers, surroundings, redact);
  return async (name, call) => {
    const request = wireRequest(name, call, settings);
    const trail: Trail = { attempts: 0 };
    return observed(request, trail, surroundings, async () =>
      readAnswer(name, await settle(request, call.signal, trail), settings.base.origin, redact),
    );
  };
}

/** Header names are exact and case-sensitive as §4 writes them. */
function wireRequest<Name extends Operation>(name: Name, call: Call<Name>, settings: Settings): WireRequest {
  const row: Endpoint = endpoints[name];
  const operation = operationLabel(name);
  const acting = actingUser(row, call.onBehalfOf, operation);
  const query = call.query === undefined || call.query === '' ? '' : `?${call.query}`;
  return {
    operation,
    template: row.path,
    repeatable: row.repeatable,
    origin: settings.base.origin,
    method: row.method,
    path: `${settings.base.prefix}${writePath(row.path, call.path)}${query}`,
    headers: {
      accept: 'application/json',
      'accept-encoding': 'identity',
      'user-agent': 'sluice',
      apikey: settings.apiKey,
      ...(acting === undefined ? {} : { onBehalfOf: acting }),
      ...(row.body === undefined ? {} : { 'Content-Type': 'application/json' }),
    },
    body: row.body === undefined ? undefined : JSON.stringify(call.body ?? {}),
  };
}

function actingUser(row: Endpoint, uid: string | undefined, operation: string): string | undefined {
  if (row.onBehalfOf === 'none') return undefined;
  if (uid !== undefined) return checkActingUser(uid, operation);
  if (row.onBehalfOf === 'optional') return undefined;
  throw new UsageError(`${operation} acts for a user: pass that user's uid as \`onBehalfOf\``);
}
