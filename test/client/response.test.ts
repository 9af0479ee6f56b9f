import { describe, expect, it } from 'vitest';
import { HttpError, ShapeError } from '../../src/foundation/errors.js';
import type { Client } from '../../src/platform/client/client.js';
import type { ClientOptions } from '../../src/platform/client/options.js';
import { apiKey, clientOf as clientWith, rejection, serve, serveJson } from '../support/http.js';

/** A client without retries. */
function clientOf(server: { readonly url: string }, options: Partial<ClientOptions> = {}): Client {
  return clientWith(server, { retry: false, ...options });
}

describe('HttpError: a status other than 200 (§7)', () => {
  it('carries status, platform code and details, and no text of the body', async () => {
    const error = {
      message: 'The secret text is wrong.',
      code: 'ERR_BAD_REQUEST',
      details: { 'tags.0': ['too long'], odd: 'text', mixed: ['a', 1], nested: { a: [] } },
    };
    const failure = await rejection(clientOf(await serveJson({ error }, 400)).users.get('ann'));
    expect(failure).toBeInstanceOf(HttpError);
    expect(failure).toMatchObject({
      code: 'http',
      operation: 'GET /users/{uid}',
      status: 400,
      platformCode: 'ERR_BAD_REQUEST',
      details: { 'tags.0': ['too long'] },
      message: 'GET /users/{uid} was answered with status 400 (ERR_BAD_REQUEST)',
    });
    expect((failure as HttpError).details).not.toHaveProperty('odd');
  });

  it.each([
    ['a page for people', 502, '<html>secret</html>'],
    ['another shape', 404, '{"error":"secret"}'],
    ['a code that is not a code', 404, '{"error":{"code":"the secret text"}}'],
    ['no content', 204, ''],
    ['invalid UTF-8', 500, Buffer.from([0x7b, 0xff, 0x7d])],
  ])('carries the status alone with %s', async (_, status, body) => {
    const server = await serve((response) => void response.writeHead(status).end(body));
    const failure = (await rejection(clientOf(server).users.get('ann'))) as HttpError;
    expect(failure).toBeInstanceOf(HttpError);
    expect(failure.message).toBe(`GET /users/{uid} was answered with status ${status}`);
    expect(failure.platformCode).toBeUndefined();
    expect(failure.details).toBeUndefined();
  });

  it('of a redirect shows the origin of the target, and no path', async () => {
    const status = 302;
    const other = await serveJson({ data: { uid: 'ann' } });
    const location = `${other.origin}/private/path?x=1`;
    const server = await serve((response) => void response.writeHead(status, { location }).end());
    const failure = (await rejection(clientOf(server).users.get('ann'))) as HttpError;
    expect(failure).toBeInstanceOf(HttpError);
    expect(failure.status).toBe(status);
    expect(failure.message).toContain(other.origin);
    expect(failure.message).not.toContain('private');
    expect(other.received).toEqual([]);
    expect(server.received).toHaveLength(1);
  });
});

describe('ShapeError: a body that is not what §2 gives', () => {
  it.each([
    ['an empty body', '', 'is empty'],
    ['invalid UTF-8', Buffer.from('{"data":{"uid":"\xff"}}', 'latin1'), 'not valid UTF-8'],
    ['half a document', '{"data":{"uid":"private', 'must be JSON, and is not'],
  ])('%s', async (_, body, words) => {
    const server = await serve((response) => void response.writeHead(200).end(body));
    const error = (await rejection(clientOf(server).users.get('ann'))) as ShapeError;
    expect(error).toBeInstanceOf(ShapeError);
    expect(error.message).toContain('GET /users/{uid}');
    expect(error.message).toContain(words);
    expect(error.message).not.toContain('private');
    expect(error.cause).toBeUndefined();
  });

  it.each([
    [{ error: { code: 'X' } }, 'data'],
    [{ data: null }, 'data'],
    [{ data: [] }, 'data'],
    [{ data: { uid: 7 } }, 'data.uid'],
    [{ data: { uid: 'a', tags: ['x', 1] } }, 'data.tags[1]'],
    [[], 'the whole value'],
    ['private', 'the whole value'],
  ])('%j: path `%s`', async (body, path) => {
    const error = (await rejection(clientOf(await serveJson(body)).users.get('ann'))) as ShapeError;
    expect(error).toBeInstanceOf(ShapeError);
    expect(error).toMatchObject({ source: 'GET /users/{uid}', path });
  });

  it('path of a field inside a list', async () => {
    const rules = ['x', 7].map((value) => ({ id: 'a', conditions: [{ value: [value] }] }));
    const error = await rejection(clientOf(await serveJson({ data: rules })).rules.list());
    expect(error).toMatchObject({ source: 'GET /moderation/rules', path: 'data[1].conditions[0].value[0]' });
  });

  it.each([
    ['sender', 'data[0].data.entities.sender.entityType'],
    ['for', 'data[0].data.entities.for.entityType'],
    ['secret', 'data[0].data.entities[…].entityType'],
    ['on$secret', 'data[0].data.entities[…].entityType'],
    ['a secret "text"].x', 'data[0].data.entities[…].entityType'],
    ['x'.repeat(500), 'data[0].data.entities[…].entityType'],
  ])('a name that the body chose is not in the path: %j', async (name, path) => {
    const message = { id: '1', data: { entities: { [name]: { entityType: 7 } } } };
    const error = (await rejection(clientOf(await serveJson({ data: [message] })).messages.list())) as ShapeError;
    expect(error).toBeInstanceOf(ShapeError);
    expect(error.path).toBe(path);
    expect(error.message).toBe(`GET /messages: \`${path}\` must be a string`);
  });
});

describe('content type of a response', () => {
  const body = '{"data":{"uid":"ann"}}';
  const serveAs = (type: string) =>
    serve((response) => void response.writeHead(200, { 'content-type': type }).end(body));

  it.each([
    ...['application/json', 'application/json; charset=utf-8', 'Application/JSON;charset="UTF-8"', 'text/json'],
    ...['application/vnd.platform.v3+json', ''],
  ])('%j is read', async (type) => {
    expect(await clientOf(await serveAs(type)).users.get('ann')).toEqual({ uid: 'ann' });
  });

  it.each([
    ['text/html; charset=utf-8', 'came as `text/html`'],
    ['application/jsonp', 'came as `application/jsonp`'],
    [`text/${apiKey}`, 'came as `text/[redacted]`'],
    ['no type at all', 'came as another type'],
  ])('%j is refused by its name', async (type, words) => {
    const server = await serveAs(type);
    const error = await rejection(clientOf(server).users.get('ann'));
    expect(error).toBeInstanceOf(ShapeError);
    expect(String(error)).toContain(words);
    expect(String(error)).not.toContain(apiKey);
    expect(server.received).toHaveLength(1);
  });
});
