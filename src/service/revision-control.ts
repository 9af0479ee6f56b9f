import type { IncomingMessage } from 'node:http';
import { SluiceError } from '../errors.js';
import { acceptsJson } from './accepts-json.js';
import type { KeyGuard } from './api-key.js';
import { Refusal } from './refusal.js';
import { refusals } from './refusals.js';
import { allowReply, type Reply, refusalReply, success } from './reply.js';
import { readBody } from './request-body.js';
import { tellBug } from './request-terms.js';
import type { Revisions } from './revisions.js';
import { pathOf } from './router.js';

/** Where revisions are switched: outside the base path of §9, so no operation can ever have it. */
export const controlPath = '/revisions';

const methods = ['GET', 'HEAD', 'PUT', 'POST', 'OPTIONS'];

/** Whether a request is for the control of revisions. */
export function isRevisionControl({ url = '' }: IncomingMessage): boolean {
  return pathOf(url) === controlPath;
}

/**
 * The control of revisions, with the key and from this machine only: `GET` says which there are, `PUT` with
 * `{ "name": "2026-01-31" }` serves another one, `POST` reads the directory again. All answer
 * `{ "data": { "current", "names" } }`, and `OPTIONS` what there is. Rejects only when the request breaks off.
 */
export async function controlRevisions(
  request: IncomingMessage,
  guard: KeyGuard,
  revisions: Revisions,
): Promise<Reply> {
  try {
    if (!isFromHere(request)) throw refusals.noSuchPath();
    guard(String(request.headers.apikey ?? ''));
    if (request.method === 'OPTIONS') return allowReply(methods);
    if (!acceptsJson(request.headers.accept)) throw refusals.notAcceptable();
    await act(request, revisions);
    const { current, names } = revisions;
    return success({ data: { current, names } });
  } catch (error) {
    if (error instanceof Refusal) return refusalReply(error);
    if (request.destroyed && !request.complete) throw error;
    tellBug(request, error, 'the control of revisions');
    return refusalReply(refusals.ourFault());
  }
}

async function act(request: IncomingMessage, revisions: Revisions): Promise<void> {
  const { method = '' } = request;
  if (method === 'GET' || method === 'HEAD') return;
  if (method !== 'PUT' && method !== 'POST') throw refusals.wrongMethod(method, methods);
  const { name } = await readBody(request);
  if (method === 'PUT' && typeof name !== 'string') throw refusals.badRequest({ name: ['should be a revision'] });
  try {
    if (method === 'PUT') revisions.use(String(name));
    else await revisions.reread();
  } catch (error) {
    if (!(error instanceof SluiceError)) throw error;
    throw method === 'PUT'
      ? new Refusal(404, 'ERR_REVISION_NOT_FOUND', error.message, 'take names from `GET /revisions`')
      : new Refusal(422, 'ERR_REVISION_INVALID', error.message, 'mend it and ask again; nothing has changed');
  }
}

function isFromHere({ socket }: IncomingMessage): boolean {
  const address = socket.remoteAddress ?? '';
  return address === '::1' || /^(?:::ffff:)?127\.\d+\.\d+\.\d+$/.test(address);
}
