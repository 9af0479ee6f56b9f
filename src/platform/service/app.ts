/**
 * The service as a Hono app: routes from the endpoint table, and the steps that every request
 * passes before its operation.
 */
import type { IncomingMessage } from 'node:http';
import type { HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { type Context, Hono, type MiddlewareHandler } from 'hono';
import { ShapeError } from '../../foundation/errors.js';
import { canonicalPath, splitTarget } from '../../foundation/listener/target.js';
import { type Answer, byMethod } from '../../foundation/requests/methods.js';
import { Refusal } from '../../foundation/requests/refusal.js';
import { basePath, type Endpoint, endpoints, type Operation, operationLabel } from '../contract/endpoints.js';
import { parse } from '../contract/parse.js';
import { describeBug, jsonResponse, type OnBug, problems, refusedResponse } from './errors.js';
import { getGroup, markAsRead, markAsUnread } from './operations/groups.js';
import { listMessages } from './operations/messages.js';
import { listBlockedMessages, listReviewedMessages } from './operations/moderated-messages.js';
import type { OperationCall, OperationHandlers, ServiceState } from './operations/operation.js';
import { getKeywordList, getRule, listKeywordLists, listRules } from './operations/rules.js';
import { getUser, updateConversation } from './operations/users.js';
import * as writes from './operations/writes.js';
import { demandKey, demandSoundTarget, findActor, readJsonObject } from './request.js';

/** The bindings of handlers: the request and the response of Node. */
interface ServiceEnv {
  Bindings: HttpBindings;
}

/**
 * Answers a request instead of the service, or breaks its connection with `'reset'`. `answer`
 * resolves to the service's own answer, after its operation has taken effect.
 */
export type Intercept = (
  incoming: IncomingMessage,
  answer: () => Promise<Response>,
) => Response | 'reset' | Promise<Response | 'reset'>;

interface AppParts {
  readonly apiKey: string;
  readonly onBug: OnBug;
  readonly state: ServiceState;
  readonly intercept: Intercept | undefined;
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
  listKeywordLists,
  listBlockedMessages,
  listReviewedMessages,
  ...writes,
};

const operationNames = Object.keys(endpoints) as Operation[];

/**
 * The largest number of headers. The parser counts the letters of headers without separators, so
 * many short ones pass its limit.
 */
const mostHeaders = 200;

/**
 * Makes the app. A request passes these checks in this order, and the first that throws decides the
 * status: number of headers, the given hook, key, target, route, acting user, body, operation.
 */
export function createApp({ apiKey, onBug, state, intercept }: AppParts): Hono<ServiceEnv> {
  const app = new Hono<ServiceEnv>({
    getPath: (_request, options) => canonicalPath(options?.env?.incoming ?? {}),
  });
  const fail = (thrown: unknown, { env: { incoming } }: Context<ServiceEnv>, label: string): Response => {
    if (thrown instanceof Refusal) return refusedResponse(thrown);
    const isBrokenOff = incoming.destroyed && !incoming.complete;
    try {
      if (!isBrokenOff) onBug(describeBug(thrown, label));
    } catch {
      // A hook that fails does not affect the request.
    }
    return refusedResponse(problems.ourFault());
  };
  const respond =
    (name: Operation): Answer<ServiceEnv> =>
    async (context) => {
      try {
        return jsonResponse(await answerOperation(name, context, state));
      } catch (thrown) {
        return fail(thrown, context, operationLabel(name));
      }
    };

  app.onError((error, context) => fail(error, context, 'the connection'));
  app.notFound(() => refusedResponse(problems.noSuchPath()));
  app.use(async ({ env }, next) => {
    if (env.incoming.rawHeaders.length > 2 * mostHeaders) throw problems.tooManyHeaders(mostHeaders);
    await next();
  });
  if (intercept !== undefined) app.use(interceptBy(intercept));
  app.use(async ({ env: { incoming } }, next) => {
    demandKey(incoming, apiKey);
    demandSoundTarget(incoming);
    await next();
  });
  for (const path of new Set(operationNames.map(patternOf))) {
    const names = operationNames.filter((name) => patternOf(name) === path);
    const methods = names.map((name) => endpoints[name].method);
    const answers = Object.fromEntries(names.map((name) => [endpoints[name].method, respond(name)]));
    app.all(path, byMethod<ServiceEnv>({ ...answers, OPTIONS: () => optionsOf(methods) }));
  }
  return app;
}

function interceptBy(intercept: Intercept): MiddlewareHandler<ServiceEnv> {
  return async (context, next) => {
    const { incoming } = context.env;
    const answer = async (): Promise<Response> => {
      await next();
      return context.res;
    };
    const given = await intercept(incoming, answer);
    if (given === 'reset') incoming.socket.resetAndDestroy();
    // Hono adds the headers of an earlier response to the one that is assigned over it.
    context.res = undefined;
    context.res = given === 'reset' ? RESPONSE_ALREADY_SENT : given;
  };
}

/**
 * Answers OPTIONS, without headers of CORS: pages in a browser should not hold a full-access key
 * (§5).
 */
function optionsOf(methods: readonly string[]): Response {
  const allow = [...methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])), 'OPTIONS'].join(', ');
  return new Response(null, { status: 204, headers: { allow } });
}

/** Returns the path of an operation as Hono's router has it. */
function patternOf(name: Operation): string {
  return `${basePath}${endpoints[name].path.replace(/\{(\w+)\}/g, ':$1')}`;
}

async function answerOperation<Name extends Operation>(
  name: Name,
  { req, env: { incoming } }: Context<ServiceEnv>,
  state: ServiceState,
): Promise<object> {
  const endpoint: Endpoint = endpoints[name];
  const search = new URLSearchParams(splitTarget(incoming)[1]);
  const actor = findActor(endpoint, incoming, state.store.users);
  const { body: schema } = endpoint;
  const body = schema && checkBody(schema, await readJsonObject(req.raw, incoming));
  // Path, actor and body are as the row of this name says; the cast is needed since types cannot
  // follow the table.
  const call = { path: req.param(), search, actor, body } as unknown as OperationCall<Name>;
  return operations[name](call, state);
}

function checkBody(schema: NonNullable<Endpoint['body']>, value: unknown): unknown {
  try {
    return parse(schema, value, 'body');
  } catch (error) {
    if (!(error instanceof ShapeError)) throw error;
    throw problems.badRequest({ [error.path]: [error.expected] });
  }
}
