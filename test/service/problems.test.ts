import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serveSample } from './call.js';

let service: Awaited<ReturnType<typeof serveSample>>;
beforeAll(async () => {
  service = await serveSample();
});
afterAll(() => service.close());

describe('the api key (§5)', () => {
  it('is asked for everywhere, before anything else is looked at', async () => {
    for (const path of ['/users/alice', '/messages', '/moderation/keywords/l1', '/nowhere', '/users/%']) {
      const missing = await service.call(path, { apikey: null });
      expect([missing.status, missing.body]).toMatchObject([401, { error: { code: 'AUTH_ERR_EMPTY_APIKEY' } }]);
      const wrong = await service.call(path, { apikey: 'no-such-key' });
      expect([wrong.status, wrong.body]).toMatchObject([401, { error: { code: 'AUTH_ERR_APIKEY_NOT_FOUND' } }]);
    }
  });

  it('must be the whole key and nothing but the key', async () => {
    const { apiKey } = service;
    expect(apiKey).toMatch(/^[0-9a-f]{40}$/);
    for (const apikey of [apiKey.slice(1), apiKey.slice(0, -1), `${apiKey}0`, `${apiKey}, ${apiKey}`]) {
      const { status, body } = await service.call('/users/alice', { apikey });
      expect(status).toBe(401);
      expect(JSON.stringify(body)).not.toContain(apikey.slice(2, 30));
    }
  });
});

describe('answers that are not 200 (§7)', () => {
  const text = expect.any(String);
  const shape = { message: text, devMessage: text, source: 'chat-api', code: text };
  const cases: readonly (readonly [string, string, number, string])[] = [
    ['GET', '/users/nobody', 404, 'ERR_UID_NOT_FOUND'],
    ['GET', '/groups/nowhere', 404, 'ERR_GUID_NOT_FOUND'],
    ['POST', '/groups/nowhere/conversation/read', 404, 'ERR_GUID_NOT_FOUND'],
    ['GET', '/moderation/rules/none', 404, 'ERR_RULE_NOT_FOUND'],
    ['GET', '/moderation/keywords/r1', 404, 'ERR_KEYWORD_NOT_FOUND'],
    ['GET', '/messages?id=12345', 404, 'ERR_MESSAGE_ID_NOT_FOUND'],
    ['GET', '/', 404, 'ERR_API_NOT_FOUND'],
    ['GET', '/users/', 404, 'ERR_API_NOT_FOUND'],
    ['GET', '/users/alice/more', 404, 'ERR_API_NOT_FOUND'],
    ['GET', '/Messages', 404, 'ERR_API_NOT_FOUND'],
    ['PATCH', '/nowhere', 404, 'ERR_API_NOT_FOUND'],
    ['GET', '/users/%zz', 400, 'ERR_BAD_REQUEST'],
  ];

  it.each(cases)('%s %s is %i %s', async (method, path, status, code) => {
    const answer = await service.call(path, { method, onBehalfOf: 'alice' });
    expect(answer.status).toBe(status);
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(answer.body).toMatchObject({ error: { ...shape, code } });
  });

  it('an unknown acting user is 404 wherever one applies, and ignored where none does', async () => {
    for (const path of ['/users/alice', '/groups/team', '/messages']) {
      const { status, body } = await service.call(path, { onBehalfOf: 'nobody' });
      expect([status, body]).toMatchObject([404, { error: { code: 'ERR_UID_NOT_FOUND' } }]);
      expect((await service.call(path, { onBehalfOf: '' })).status).toBe(200);
    }
    expect((await service.call('/moderation/rules', { onBehalfOf: 'nobody' })).status).toBe(200);
  });

  it.each([
    ...['limit=0', 'limit=1001', 'limit=', 'limit=ten', 'limit=1.5', 'limit=1e2', 'limit=5&limit=6', 'sentAt=now'],
    ...['affix=after', 'receiverType=channel', 'category=call', 'attachmentTypes=image,video', 'hasLinks=yes'],
    ...['count=TRUE', 'withTags=2', 'fromTimestamp=1.0', 'toTimestamp=%201', 'sentAt=1&sentAt=2'],
  ])('GET /messages?%s is 400 and names the parameter', async (query) => {
    const { status, body } = await service.call(`/messages?${query}`);
    expect(status).toBe(400);
    const name = query.split('=', 1)[0]!;
    expect(body).toMatchObject({
      error: { ...shape, code: 'ERR_BAD_REQUEST', details: { [name]: [expect.any(String)] } },
    });
  });

  it('names every wrong parameter at once', async () => {
    const { body } = await service.call('/messages?limit=0&affix=x&count=y');
    expect(body).toMatchObject({
      error: { details: { limit: [expect.any(String)], affix: [expect.any(String)], count: [expect.any(String)] } },
    });
  });

  it.each(['limit=0', 'limit=1001', 'limit=', 'limit=x'])('GET /moderation/rules?%s is 400', async (query) => {
    expect((await service.call(`/moderation/rules?${query}`)).status).toBe(400);
  });
});

describe('bodies', () => {
  const put = (body: string, headers: Record<string, string> = {}) =>
    service.call('/users/bob/conversation', { method: 'PUT', onBehalfOf: 'alice', body, headers });

  it.each(['{', '[]', 'null', '"tags"', '7', ' ', '{"tags":["a"]}x'])('%j is 400', async (body) => {
    const { status, body: answer } = await put(body);
    expect([status, answer]).toMatchObject([
      400,
      { error: { code: 'ERR_BAD_REQUEST', details: { body: [expect.any(String)] } } },
    ]);
  });

  it('that are not declared as JSON are 415, however good', async () => {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/jsonp']) {
      expect((await put('{}', { 'content-type': type })).status).toBe(415);
    }
    expect((await put('{}', { 'content-encoding': 'gzip' })).status).toBe(415);
    expect((await put('{}', { 'content-type': 'Application/JSON; charset=UTF-8' })).status).toBe(200);
    const none = { method: 'PUT', onBehalfOf: 'alice', headers: { 'content-type': 'text/plain' } };
    expect((await service.call('/users/bob/conversation', none)).status).toBe(200);
  });
});
