import type { IncomingMessage } from 'node:http';
import { type Endpoint, endpoints, type Operation, operationLabel } from '../contract/endpoints.js';
import { parse } from '../contract/parse.js';
import { ShapeError } from '../errors.js';
import { acceptsJson } from './accepts-json.js';
import type { KeyGuard } from './api-key.js';
import { handlers } from './handlers.js';
import type { OperationCall, ServiceState } from './operation-call.js';
import type { UserRecord } from './parties.js';
import { Refusal } from './refusal.js';
import { refusals } from './refusals.js';
import { allowReply, type Reply, refusalReply, success } from './reply.js';
import { readBody } from './request-body.js';
import { tellBug } from './request-terms.js';
import { findMethods, findRoute } from './router.js';
import type { Store } from './store.js';

/**
 * Answers one request: framing, key, route, what the client accepts, acting user, body, operation, in this order, and the first
 * that refuses decides the status. `OPTIONS` gets as far as the route: 204 with `allow`, and nothing of CORS, since no page in a
 * browser should hold a full-access key (§5). Never throws for what a request holds; rejects only when the request breaks off.
 */
export async function answer(request: IncomingMessage, guard: KeyGuard, state: ServiceState): Promise<Reply> {
  const { method = '', url = '' } = request;
  let name: Operation | undefined;
  try {
    demandPlainHttp(request);
    guard(singleHeader(request, 'apikey'));
    if (method === 'OPTIONS') return allowReply(findMethods(url));
    const route = findRoute(method, url);
    name = route.name;
    if (!acceptsJson(request.headers.accept)) throw refusals.notAcceptable();
    const { path, search } = route;
    const endpoint: Endpoint = endpoints[name];
    const actor = findActor(endpoint, singleHeader(request, 'onbehalfof'), state.store);
    const body = endpoint.body === undefined ? undefined : await readParsedBody(request, endpoint.body);
    // Path, actor and body are what the row of this name says: the casts say so, where types cannot follow the table.
    const call = { path, search, actor, body } as unknown as OperationCall<typeof name>;
    return success(run(name, call, state));
  } catch (error) {
    if (error instanceof Refusal) return refusalReply(error);
    if (request.destroyed && !request.complete) throw error;
    tellBug(request, error, name === undefined ? undefined : operationLabel(name));
    return refusalReply(refusals.ourFault());
  }
}

/**
 * Refuses bodies in a coding that nobody here decodes, which RFC 9112 (6.1) wants to be 501, and other versions and protocols;
 * node takes the line of `HTTP/2.0` for one of its own. An offer of `h2c` is left alone: clients put one on ordinary requests.
 */
function demandPlainHttp({ headers, httpVersion }: IncomingMessage): void {
  if (httpVersion !== '1.1' && httpVersion !== '1.0') throw refusals.otherVersion();
  const coding = headers['transfer-encoding'];
  if (coding !== undefined && coding.trim().toLowerCase() !== 'chunked') throw refusals.unknownCoding();
  const protocols = headers.upgrade?.split(',').map((protocol) => protocol.trim().toLowerCase()) ?? [];
  if (protocols.some((protocol) => protocol !== 'h2c')) throw refusals.otherProtocol();
}

function run<Name extends Operation>(name: Name, call: OperationCall<Name>, state: ServiceState): object {
  return handlers[name](call, state);
}

/** Custom headers sent twice reach us joined by a comma, so they match no key and no uid. */
function singleHeader(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}

/** The user of `onBehalfOf` (§5), where the operation has one: 400 when it is required and missing, 404 when unknown. */
function findActor({ onBehalfOf }: Endpoint, header: string | undefined, store: Store): UserRecord | undefined {
  if (onBehalfOf === 'none') return undefined;
  const uid = fromHeader(header ?? '');
  if (uid === '') {
    if (onBehalfOf === 'required')
      throw refusals.badRequest({ onBehalfOf: ['should be a header with the uid of the acting user'] });
    return undefined;
  }
  const user = store.users.get(uid);
  if (user === undefined) throw refusals.noSuchUser(uid);
  return user;
}

/** Header bytes as UTF-8, as curl sends them, or else as the Latin-1 that `fetch` sends. */
function fromHeader(value: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(value, 'latin1'));
  } catch {
    return value;
  }
}

async function readParsedBody(request: IncomingMessage, schema: NonNullable<Endpoint['body']>): Promise<unknown> {
  const value = await readBody(request);
  try {
    return parse(schema, value, 'body');
  } catch (error) {
    if (error instanceof ShapeError)
      throw refusals.badRequest({ [error.path]: [error.message.slice(error.message.indexOf('` ') + 2)] });
    throw error;
  }
}
