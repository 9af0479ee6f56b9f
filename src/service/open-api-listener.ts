import type { IncomingMessage, RequestListener } from 'node:http';
import { acceptsJson } from './accepts-json.js';
import { openApiDocument } from './open-api.js';
import { Refusal } from './refusal.js';
import { refusals } from './refusals.js';
import { allowReply, type Reply, refusalReply, send, success } from './reply.js';
import { tellBug } from './request-terms.js';
import { pathOf } from './router.js';

/** Where the document stands: beside the base path of §9, so that no operation can ever have the place. */
export const openApiPath = '/openapi.json';

const methods = ['GET', 'HEAD', 'OPTIONS'];

/**
 * Serves the OpenAPI document in front of everything else. It asks for no key: it is the same for every service, holds nothing
 * of what is served, and the tools that read it have no key yet.
 */
export function withOpenApi(listener: RequestListener): RequestListener {
  return (request, response) => {
    if (pathOf(request.url ?? '') === openApiPath) send(response, answerOpenApi(request));
    else listener(request, response);
  };
}

function answerOpenApi(request: IncomingMessage): Reply {
  const { method = '', headers } = request;
  try {
    if (method === 'OPTIONS') return allowReply(methods);
    if (!methods.includes(method)) throw refusals.wrongMethod(method, methods);
    if (!acceptsJson(headers.accept)) throw refusals.notAcceptable();
    return success(openApiDocument());
  } catch (error) {
    if (error instanceof Refusal) return refusalReply(error);
    tellBug(request, error, `GET ${openApiPath}`);
    return refusalReply(refusals.ourFault());
  }
}
