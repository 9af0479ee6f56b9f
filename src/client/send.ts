import type { Dispatcher } from 'undici';
import {
  type Endpoint,
  endpoints,
  type Operation,
  operationLabel,
  type PathOf,
  type ResponseOf,
} from '../contract/endpoints.js';
import { TimeoutError, UsageError } from '../errors.js';
import type { Settings } from './client-options.js';
import { startDeadline } from './deadline.js';
import { type Answer, exchange, type WireRequest } from './exchange.js';
import { faultOf } from './fault.js';
import { checkActingUser } from './header-value.js';
import { readAnswer } from './read-answer.js';
import { redactor } from './redact.js';
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
export function createSend(settings: Settings, dispatcher: Dispatcher): Send {
  const { base, apiKey, totalMs } = settings;
  const redact = redactor(apiKey);

  async function answerTo(request: WireRequest, caller: AbortSignal | undefined): Promise<Answer> {
    caller?.throwIfAborted();
    const deadline = startDeadline(totalMs, caller);
    try {
      return await exchange(dispatcher, request, settings, deadline.signal);
    } catch (error) {
      if (deadline.endedBy() === 'caller') throw caller?.reason;
      if (deadline.endedBy() === 'deadline') throw new TimeoutError(request.operation, totalMs);
      throw faultOf(error, { ...settings, operation: request.operation, origin: base.origin, redact });
    } finally {
      deadline.clear();
    }
  }

  return async (name, call) => {
    const request = wireRequest(name, call, settings);
    return readAnswer(name, await answerTo(request, call.signal), base.origin, redact);
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
