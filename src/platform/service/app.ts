/** The service as a Hono app: routes from the endpoint table, and what every request goes through before its operation. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import type { HttpBindings } from '@hono/node-server';
import { type Context, Hono, type MiddlewareHandler } from 'hono';
import { matchedRoutes } from 'hono/route';
import { ShapeError } from '../../foundation/errors.js';
import { canonicalPath, splitTarget } from '../../foundation/listener/target.js';
import { type Endpoint, endpoints, type Operation, operationLabel } from '../contract/endpoints.js';
import { parse } from '../contract/parse.js';
import { findActor, type KeyGuard } from './auth.js';
import { describeBug, jsonResponse, type OnBug, Problem, problems } from './errors.js';
import { basePath, openApiDocument } from './openapi.js';
import { getGroup, markAsRead, markAsUnread } from './operations/groups.js';
import { listMessages } from './operations/messages.js';
import type { OperationCall, OperationHandlers, Portions, ServiceState } from './operations/operation.js';
import { getKeywordList, getRule, listRules } from './operations/rules.js';
import { getUser, updateConversation } from './operations/users.js';
import { demandJsonAccepted, demandSoundTarget, readBody } from './request.js';

/** What handlers have at hand: the request and the response of Node. */
export interface ServiceEnv {
  Bindings: HttpBindings;
}

/** What an app is made of. */
export interface AppParts {
  readonly guard: KeyGuard;
  /** The largest body. */
  readonly bodyBytes: number;
  readonly onBug: OnBug;
  readonly state: ServiceState;
  /** What stands in front of the key: simulated faults and a rate limit. */
  readonly middleware: readonly MiddlewareHandler<ServiceEnv>[];
}

/** The operations by name; one without a handler does not type-check. */
export const operations: OperationHandlers = {
  updateConversation,
  listMessages,
  getGroup,
  getUser,
  markAsRead,
  markAsUnread,
  listRules,
  getRule,
  getKeywordList,
};

/** The parser counts the letters of headers and not what divides them, so many short ones slip through its limit. */
const mostHeaders = 200;

/**
 * Makes the app. What a request goes through, in this order, and the first that throws decides the status: number of headers,
 * `/openapi.json` (without a key: it is the same for every service), the given middleware, key, target, route,
 * `accept`, acting user, body, operation.
 */
export function createApp({ guard, bodyBytes, onBug, state, middleware }: AppParts): Hono<ServiceEnv> {
  const app = new Hono<ServiceEnv>({
    getPath: (_request, options) => canonicalPath(options?.env?.incoming ?? {}),
  });
  const fail = ({ env: { incoming } }: Context<ServiceEnv>, thrown: unknown, label: string): Response => {
    if (thrown instanceof Problem) return thrown.response;
    const isBrokenOff = incoming.destroyed && !incoming.complete;
    try {
      if (!isBrokenOff) onBug(describeBug(thrown, label));
    } catch {
      // A hook that fails is not the concern of the request.
    }
    return problems.ourFault().response;
  };
  /** Answers with a document; bugs are reported under the label. */
  const respond = (label: string, documentOf: (context: Context<ServiceEnv>) => object | Promise<object>) => {
    return async (context: Context<ServiceEnv>): Promise<Response> => {
      try {
        demandJsonAccepted(context.env.incoming);
        return jsonResponse(await documentOf(context));
      } catch (thrown) {
        return fail(context, thrown, label);
      }
    };
  };
  /** Refuses every other method than these at a path, and answers OPTIONS. */
  const limitMethods = (path: string, methods: readonly string[]) =>
    app.all(path, ({ env }, next) => chooseMethod(env.incoming, methods) ?? next());

  app.onError((error, context) => fail(context, error, 'the connection'));
  app.notFound(() => problems.noSuchPath().response);
  app.use(async ({ env }, next) => {
    if (env.incoming.rawHeaders.length > 2 * mostHeaders) throw problems.tooManyHeaders(mostHeaders);
    await next();
  });
  limitMethods('/openapi.json', ['GET']);
  // Made once, when it is first asked for: it is the same for everybody, who need no key.
  let document: object | undefined;
  app.all(
    '/openapi.json',
    respond('GET /openapi.json', () => (document ??= openApiDocument())),
  );
  for (const handler of middleware) app.use(handler);
  app.use(async ({ env: { incoming } }, next) => {
    guard(incoming);
    demandSoundTarget(incoming);
    await next();
  });
  const names = Object.keys(endpoints) as Operation[];
  for (const name of names) {
    const answer = (context: Context<ServiceEnv>) => answerOperation(name, context, state, bodyBytes);
    app.on(endpoints[name].method, patternOf(name), respond(operationLabel(name), answer));
  }
  for (const pattern of new Set(names.map(patternOf))) {
    limitMethods(
      pattern,
      names.filter((name) => patternOf(name) === pattern).map((name) => endpoints[name].method),
    );
  }
  return app;
}

/** The row of the operation that a request is for. */
export function endpointOf(context: Context<ServiceEnv>): Endpoint | undefined {
  const route = matchedRoutes(context).find(({ method }) => method !== 'ALL');
  const names = Object.keys(endpoints) as Operation[];
  const name = names.find((one) => endpoints[one].method === route?.method && patternOf(one) === route.path);
  return name && endpoints[name];
}

/** The path of an operation as Hono's router has it. */
function patternOf(name: Operation): string {
  return `${basePath}${endpoints[name].path.replace(/\{(\w+)\}/g, ':$1')}`;
}

async function answerOperation<Name extends Operation>(
  name: Name,
  { req, env: { incoming, outgoing } }: Context<ServiceEnv>,
  state: ServiceState,
  bodyBytes: number,
): Promise<object> {
  const endpoint: Endpoint = endpoints[name];
  const search = new URLSearchParams(splitTarget(incoming)[1]);
  const actor = findActor(endpoint, incoming, state.store.users);
  const body = endpoint.body === undefined ? undefined : parseBody(endpoint.body, await readBody(incoming, bodyBytes));
  // Path, actor and body are what the row of this name says: the cast says so, where types cannot follow the table.
  const call = { path: req.param(), search, actor, body } as unknown as OperationCall<Name>;
  const answer = operations[name](call, state);
  return Symbol.iterator in answer ? completed(answer as Portions<object>, outgoing) : answer;
}

/** Does work to its end, other requests between its portions. It is given up when its client has gone. */
async function completed(work: Portions<object>, outgoing: ServerResponse): Promise<object> {
  for (;;) {
    const { done, value } = work.next();
    if (done === true) return value;
    await setImmediate();
    if (!outgoing.destroyed) continue;
    work.return({});
    throw problems.clientGone();
  }
}

function parseBody(schema: NonNullable<Endpoint['body']>, value: unknown): unknown {
  try {
    return parse(schema, value, 'body');
  } catch (error) {
    if (!(error instanceof ShapeError)) throw error;
    throw problems.badRequest({ [error.path]: [error.expected] });
  }
}

/**
 * Compares the method of a request with those that its path has: GET brings HEAD, and every path takes OPTIONS, which is answered
 * here, with nothing of CORS: no page in a browser should hold a full-access key (§5). Throws a `Problem` (405) for any other.
 */
function chooseMethod({ method = '' }: IncomingMessage, methods: readonly string[]): Response | undefined {
  const allowed = [...methods.flatMap((one) => (one === 'GET' ? ['GET', 'HEAD'] : [one])), 'OPTIONS'];
  if (method === 'OPTIONS') return new Response(null, { status: 204, headers: { allow: allowed.join(', ') } });
  if (allowed.includes(method)) return undefined;
  throw problems.wrongMethod(method, allowed);
}
