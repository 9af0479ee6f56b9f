import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runs } from '../support/runs.js';
import { serveSample } from './call.js';

let service: Awaited<ReturnType<typeof serveSample>>;
beforeAll(async () => {
  service = await serveSample();
});
afterAll(() => service.close());

describe('the api key (§5)', () => {
  it('is asked for everywhere, before anything else is looked at', async () => {
    for (const path of [
      '/users/alice',
      '/messages',
      '/moderation/rules',
      '/moderation/keywords/l1',
      '/nowhere',
      '/users/%',
    ]) {
      const missing = await service.call(path, { apikey: null });
      expect([missing.status, missing.body]).toMatchObject([401, { error: { code: 'AUTH_ERR_EMPTY_APIKEY' } }]);
      const wrong = await service.call(path, { apikey: 'no-such-key' });
      expect([wrong.status, wrong.body]).toMatchObject([401, { error: { code: 'AUTH_ERR_APIKEY_NOT_FOUND' } }]);
    }
  });

  it('must be the whole key and nothing but the key', async () => {
    const { apiKey } = service;
    expect(apiKey).toMatch(/^[0-9a-f]{40}$/);
    for (const apikey of [
      apiKey.slice(1),
      `${apiKey}0`,
      apiKey.toUpperCase().replace(/^/, 'A'),
      `${apiKey}, ${apiKey}`,
    ]) {
      const { status, body } = await service.call('/users/alice', { apikey });
      expect(status).toBe(401);
      expect(JSON.stringify(body)).not.toContain(apikey.slice(2, 30));
    }
  });
});

describe('answers that are not 200 (§7)', () => {
  const shape = {
    message: expect.any(String),
    devMessage: expect.any(String),
    source: 'chat-api',
    code: expect.any(String),
  };
  const cases: readonly (readonly [string, string, number, string])[] = [
    ['GET', '/users/nobody', 404, 'ERR_UID_NOT_FOUND'],
    ['GET', '/groups/nowhere', 404, 'ERR_GUID_NOT_FOUND'],
    ['POST', '/groups/nowhere/conversation/read', 404, 'ERR_GUID_NOT_FOUND'],
    ['DELETE', '/groups/nowhere/conversation/read', 404, 'ERR_GUID_NOT_FOUND'],
    ['GET', '/moderation/rules/none', 404, 'ERR_RULE_NOT_FOUND'],
    ['GET', '/moderation/keywords/r1', 404, 'ERR_KEYWORD_NOT_FOUND'],
    ['GET', '/messages?id=12345', 404, 'ERR_MESSAGE_ID_NOT_FOUND'],
    ['GET', '/', 404, 'ERR_API_NOT_FOUND'],
    ['GET', '/messages/', 404, 'ERR_API_NOT_FOUND'],
    ['GET', '//messages', 404, 'ERR_API_NOT_FOUND'],
    ['GET', '/users/', 404, 'ERR_API_NOT_FOUND'],
    ['GET', '/users/alice/more', 404, 'ERR_API_NOT_FOUND'],
    ['GET', '/Messages', 404, 'ERR_API_NOT_FOUND'],
    ['PATCH', '/nowhere', 404, 'ERR_API_NOT_FOUND'],
    ['GET', '/users/%E0%A4', 400, 'ERR_BAD_REQUEST'],
    ['GET', '/users/%zz', 400, 'ERR_BAD_REQUEST'],
  ];

  it.each(cases)('%s %s is %i %s', async (method, path, status, code) => {
    const answer = await service.call(path, { method, onBehalfOf: 'alice' });
    expect(answer.status).toBe(status);
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(answer.body).toMatchObject({ error: { ...shape, code } });
  });

  it('a path that takes other methods says which', async () => {
    for (const [method, path, allow] of [
      ['POST', '/messages', 'GET, HEAD, OPTIONS'],
      ['DELETE', '/users/alice', 'GET, HEAD, OPTIONS'],
      ['PATCH', '/moderation/rules', 'GET, HEAD, POST, OPTIONS'],
      ['GET', '/users/alice/conversation', 'PUT, OPTIONS'],
      ['GET', '/groups/team/conversation/read', 'POST, DELETE, OPTIONS'],
      ['PATCH', '/groups/nowhere/conversation/read', 'POST, DELETE, OPTIONS'],
    ] as const) {
      const answer = await service.call(path, { method });
      expect([answer.status, answer.headers.get('allow')], `${method} ${path}`).toEqual([405, allow]);
      expect(answer.body).toMatchObject({ error: shape });
    }
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
    ...'limit=0 limit=1001 limit=-1 limit= limit=ten limit=1.5 limit=1e2 limit=5&limit=6 limit=99999999999999999999'.split(
      ' ',
    ),
    ...['affix=after', 'receiverType=channel', 'category=call', 'attachmentTypes=gif', 'attachmentTypes=image,video'],
    ...[
      'hasLinks=yes',
      'count=TRUE',
      'withTags=2',
      'sentAt=now',
      'fromTimestamp=1.0',
      'toTimestamp=%201',
      'sentAt=1&sentAt=2',
    ],
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
    const none = await service.call('/users/bob/conversation', {
      method: 'PUT',
      onBehalfOf: 'alice',
      headers: { 'content-type': 'text/plain' },
    });
    expect(none.status).toBe(200);
  });

  it('over 1 MiB are 413, and just below are not', async () => {
    const filler = (bytes: number) => `{"more":"${'x'.repeat(bytes - 11)}"}`;
    expect((await put(filler(1024 * 1024))).status).toBe(200);
    expect((await put(filler(1024 * 1024 + 1))).status).toBe(413);
    expect((await put(filler(8 * 1024 * 1024))).status).toBe(413);
  });
});

describe('anything at all', () => {
  it('is answered with JSON and never with a 500', async () => {
    const segment = fc.oneof(
      fc.constantFrom(
        'users',
        'groups',
        'messages',
        'moderation',
        'rules',
        'conversation',
        'read',
        'alice',
        'team',
        '..',
        '%2e%2e',
      ),
      fc.string({ unit: 'binary' }).map((text) => encodeURIComponent(text.replace(/\p{Cs}/gu, ''))),
    );
    const query = fc.webQueryParameters();
    const method = fc.constantFrom('GET', 'PUT', 'POST', 'DELETE', 'PATCH', 'OPTIONS');
    await fc.assert(
      fc.asyncProperty(
        method,
        fc.array(segment, { maxLength: 4 }),
        query,
        fc.json(),
        async (verb, path, search, body) => {
          const answer = await service.call(`/${path.join('/')}?${search}`, {
            method: verb,
            onBehalfOf: 'alice',
            ...(verb === 'GET' ? {} : { body }),
          });
          expect(answer.status).toBeLessThan(500);
          if (answer.status === 204) expect(answer.headers.get('allow')).toContain('OPTIONS');
          else expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
        },
      ),
      { numRuns: runs(60, 2500) },
    );
  });

  it('that is a query of known names with odd values is 200, 400 or 404', async () => {
    const name = fc.constantFrom(
      'searchKey',
      'id',
      'sentAt',
      'limit',
      'tags',
      'types[]',
      'sender',
      'affix',
      'conversationId',
      'mentionedUids',
    );
    const value = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('__proto__', 'constructor', '1', 'prepend', '\u0000', '\\'),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(name, value), { maxLength: 4 }), async (pairs) => {
        const search = new URLSearchParams(pairs.map(([key, text]): [string, string] => [key, text]));
        expect([200, 400, 404]).toContain((await service.call(`/messages?${search}`)).status);
      }),
      { numRuns: runs(60, 2500) },
    );
  });
});
