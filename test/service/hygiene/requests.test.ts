import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { readBody } from '../../../src/foundation/requests/body.js';
import { endpoints } from '../../../src/platform/contract/endpoints.js';
import { ask, errorOf, putTags, requestBytes, serve } from './raw.js';

const close = 'connection: close';

describe('methods', () => {
  it('HEAD is answered as GET is, without the body', async () => {
    const service = await serve();
    for (const target of ['/v3/users/alice', '/v3/messages?limit=2', '/v3/moderation/rules', '/v3/users/nobody']) {
      const [get] = await ask(service, requestBytes(service, `GET ${target}`, [close]));
      const [head] = await ask(service, requestBytes(service, `HEAD ${target}`, [close]), [0]);
      expect({ ...head!.headers, date: '' }, target).toEqual({ ...get!.headers, date: '' });
      expect([head!.status, head!.body]).toEqual([get!.status, '']);
      expect(Number(get!.headers['content-length'])).toBe(get!.body.length);
    }
  });

  it('OPTIONS is 204 with what the path takes, and nothing of CORS', async () => {
    const service = await serve();
    for (const [target, allow] of [
      ['/v3/users/nobody', 'GET, HEAD, OPTIONS'],
      ['/v3/users/alice/conversation', 'PUT, OPTIONS'],
      ['/v3/groups/team/conversation/read', 'POST, DELETE, OPTIONS'],
    ]) {
      const preflight = ['origin: https://example.com', 'access-control-request-method: GET', close];
      const [answer] = await ask(service, requestBytes(service, `OPTIONS ${target}`, preflight));
      expect([answer?.status, answer?.headers.allow, answer?.body], target).toEqual([204, allow, '']);
      expect(Object.keys(answer!.headers).filter((name) => /access-control|content/.test(name))).toEqual([]);
    }
    expect((await ask(service, requestBytes(service, 'OPTIONS /v3/nowhere', [close])))[0]?.status).toBe(404);
    expect((await ask(service, `OPTIONS /v3/messages HTTP/1.1\r\n${close}\r\n\r\n`))[0]?.status).toBe(401);
  });

  it('any other one that a path does not take is 405, with those that it takes', async () => {
    const service = await serve();
    for (const { method, path } of Object.values(endpoints)) {
      const taken = Object.values(endpoints).flatMap((row) => (row.path === path ? [row.method as string] : []));
      const others = taken.includes('GET') ? ['PATCH', 'TRACE'] : ['PATCH', 'TRACE', 'GET', 'HEAD'];
      for (const other of others) {
        const target = `/v3${path.replace(/\{\w+\}/g, 'x')}`;
        const [answer] = await ask(
          service,
          requestBytes(service, `${other} ${target}`, [close]),
          other === 'HEAD' ? [0] : [],
        );
        expect([answer?.status, answer?.headers.allow?.split(', ')], `${other} ${target}`).toEqual([
          405,
          expect.arrayContaining([method, 'OPTIONS']),
        ]);
      }
    }
  });
});

describe('targets', () => {
  const get = async (target: string) => {
    const service = await serve();
    return (await ask(service, requestBytes(service, `GET ${target}`, [close])))[0]!;
  };

  it.each([
    ...[
      '/v3/users/%zz',
      '/v3/users/%C0%AE%C0%AE',
      '/v3/messages?searchKey=%',
      '/v3/messages?unknown=%ff',
      '/v3\\messages',
    ],
    ...['ftp://elsewhere.test/v3/users/alice', 'elsewhere.test:80', '/v3/users/\u0001', ''],
  ])('%j is 400', async (target) => {
    expect((await get(target)).status).toBe(400);
  });

  it.each([
    ...['/', '/v3', '/v2/messages', '//v3/messages', '/v3//messages', '/v3/messages/', '/v3/users/../messages'],
    ...['/v3/users/%2e%2e/messages', '/v3/../v3/messages', '/v3/messages;x=1', '/v3/messages%3flimit=1'],
    ...['/v3/messages#top', 'http://elsewhere.test'],
  ])('%s is not an address of the service', async (target) => {
    const answer = await get(target);
    expect([answer.status, errorOf(answer).code]).toEqual([404, 'ERR_API_NOT_FOUND']);
  });

  it('hold ids that are never more than their segment', async () => {
    for (const id of ['..', '%2e%2e', '..%2f..%2fmessages', 'alice%00', 'alice%2F..']) {
      const answer = await get(`/v3/users/${id}`);
      expect([answer.status, errorOf(answer).code], id).toEqual([404, 'ERR_UID_NOT_FOUND']);
    }
    for (const target of [
      '/v3/users/we%2Fird%20id%25%3F',
      'https://elsewhere.test:99/v3/users/alice',
      '/v3/%75sers/al%69ce',
    ]) {
      expect((await get(target)).status, target).toBe(200);
    }
  });
});

describe('the key', () => {
  it('sent twice is not a key', async () => {
    const service = await serve();
    const [answer] = await ask(
      service,
      requestBytes(service, 'GET /v3/messages', [`apikey: ${service.apiKey}`, close]),
    );
    expect(answer?.status).toBe(401);
    expect(answer?.body).not.toContain(service.apiKey);
  });
});

describe('framing', () => {
  const put = (headers: readonly string[], body: string) =>
    ['onBehalfOf: alice', 'content-type: application/json', ...headers, '', body].join('\r\n');

  it.each([
    ['two lengths', ['content-length: 2', 'content-length: 3'], '{}}'],
    ['length and chunks', ['content-length: 2', 'transfer-encoding: chunked'], '2\r\n{}\r\n0\r\n\r\n'],
  ])('%s is refused once, and the connection ends', async (_, headers, body) => {
    const service = await serve();
    const line = `PUT /v3/users/bob/conversation HTTP/1.1\r\nhost: x\r\napikey: ${service.apiKey}\r\n`;
    const answers = await ask(service, line + put(headers, body) + requestBytes(service, 'GET /v3/users/alice'));
    expect(answers.map(({ status, headers: sent }) => [status, sent.connection])).toEqual([[400, 'close']]);
  });

  it('in chunks is a body like any other, with trailers that say nothing', async () => {
    const service = await serve();
    const headers = ['onBehalfOf: alice', 'content-type: application/json', 'transfer-encoding: Chunked', close];
    const body = '5;a=b\r\n{"tag\r\n9\r\ns":["é"]}\r\n0\r\napikey: other\r\n\r\n';
    const line = 'PUT /v3/users/bob/conversation';
    const bytes = requestBytes(service, line, headers, Buffer.from(body.replace('9\r', 'a\r')).toString('latin1'));
    expect((await ask(service, bytes))[0]?.status).toBe(200);
  });

  it('of one good request leaves the connection in order for the next', async () => {
    const service = await serve();
    const answers = await ask(service, putTags(service, ['a']) + putTags(service, ['b'], [close]));
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  });
});

describe('bytes', () => {
  it('of a head are bounded, and headers by number too: none is dropped without a word', async () => {
    const service = await serve();
    const headers = (count: number) => [...Array(count).fill('a: b'), close];
    const statuses = [['x: '.padEnd(20_000, 'y')], headers(197), headers(198), headers(2_500)].map(async (its) =>
      (await ask(service, requestBytes(service, 'GET /v3/users/alice', its))).map(({ status }) => status),
    );
    expect(await Promise.all(statuses)).toEqual([[431], [200], [431], [431]]);
  });

  it('of a body are bounded: 413, with a length or in chunks', async () => {
    const service = await serve();
    const body = ' '.repeat(2 ** 20 + 1);
    const headers = ['onBehalfOf: alice', 'content-type: application/json'];
    const put = (framing: string, bytes: string) =>
      requestBytes(service, 'PUT /v3/users/bob/conversation', [...headers, framing], bytes);
    for (const bytes of [
      put(`content-length: ${body.length}`, body),
      put('content-length: 99999999', body),
      put('transfer-encoding: chunked', `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`),
    ]) {
      const [answer] = await ask(service, bytes);
      expect([answer?.status, answer?.headers.connection]).toEqual([413, 'close']);
      expect(errorOf(answer!).code).toBe('ERR_PAYLOAD_TOO_LARGE');
    }
    const [fits] = await ask(service, put(`content-length: ${2 ** 20}\r\n${close}`, `{}${body.slice(3)}`));
    expect(fits?.status).toBe(200);
  });

  it('of a body whose request broke off before anybody read it are not waited for', async () => {
    const request = new IncomingMessage(new Socket());
    request.destroy();
    await new Promise((resolve) => request.once('close', resolve));
    await expect(readBody(new Request('http://x'), request, 100)).rejects.toThrow();
  });
});
