import { describe, expect, it } from 'vitest';
import { endpoints } from '../../../src/platform/contract/endpoints.js';
import { messageParameters } from '../../../src/platform/contract/message-query.js';
import { demandJsonAccepted, demandKey } from '../../../src/platform/service/request.js';
import { until } from '../../support/until.js';
import { answersIn, ask, errorOf, open, putTags, requestBytes, serve } from './raw.js';

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

  it('an unknown one is 400 and ends the connection', async () => {
    const service = await serve();
    const answers = await ask(service, requestBytes(service, 'BREW /v3/messages'));
    expect(answers.map(({ status, headers }) => [status, headers.connection])).toEqual([[400, 'close']]);
  });
});

describe('targets', () => {
  it.each([
    ['/v3/users/%zz', 400],
    ['/v3/users/%', 400],
    ['/v3/users/%c3%28', 400],
    ['/v3/users/%C0%AE%C0%AE', 400],
    ['/v3/messages?searchKey=%', 400],
    ['/v3/messages?unknown=%ff', 400],
    ['//v3/messages', 404],
    ['/v3//messages', 404],
    ['//evil.test/v3/messages', 404],
    ['/v3/messages/', 404],
    ['/v3/users/../messages', 404],
    ['/v3/users/%2e%2e/messages', 404],
    ['/v3/../v3/messages', 404],
    ['/v3/messages;x=1', 404],
    ['/v3/messages%3flimit=1', 404],
    ['/v3/messages#top', 404],
    ['/v3\\messages', 400],
    ['/v3/users/a%2fb', 404],
    ['/v3/users/..%2f..%2fmessages', 404],
    ['/v3/users/we%2Fird%20id%25%3F', 200],
    ['http://elsewhere.test/v3/users/alice', 200],
    ['https://elsewhere.test:99/v3/users/alice', 200],
    ['http://elsewhere.test', 404],
    ['ftp://elsewhere.test/v3/users/alice', 400],
    ['elsewhere.test:80', 400],
    ['/v3/users/\u0001', 400],
    ['', 400],
  ])('%s is %i', async (target, status) => {
    const service = await serve();
    const [answer] = await ask(service, requestBytes(service, `GET ${target}`, [close]));
    expect(answer?.status).toBe(status);
    // What is not HTTP is answered by Node, without a body.
    if (answer!.body !== '') JSON.parse(answer!.body);
    if (status === 404) errorOf(answer!);
  });

  it('with values as long as a head can be, or as many, are answered as short ones', async () => {
    const service = await serve();
    const statusOf = async (query: string) =>
      (await ask(service, requestBytes(service, `GET /v3/messages?${query}`, [close])))[0]?.status;
    for (const unit of ['9', 'a', '.*', '%F0%9F%98%80']) {
      for (const name of Object.keys(messageParameters)) {
        const [short, long] = [
          await statusOf(`${name}=${unit.repeat(20)}`),
          await statusOf(`${name}=${unit.repeat(1_200)}`),
        ];
        expect(long, `${name} of ${unit}`).toBe(short);
      }
      expect(await statusOf(`searchKey=${unit.repeat(15_000 / unit.length)}`), unit).toBe(200);
    }
    for (const many of ['tags=a&', 'types=,&', '&', '=&', 'a[b]=c&']) {
      expect(await statusOf(many.repeat(15_000 / many.length)), many).toBe(200);
    }
  });

  it('with raw bytes beyond ASCII are no 5xx', async () => {
    const service = await serve();
    const [answer] = await ask(service, requestBytes(service, 'GET /v3/users/zo\xc3\xab?x=\xff', [close]));
    expect([200, 400, 404]).toContain(answer?.status);
  });
});

describe('versions and protocols', () => {
  it('HTTP/1.0 is answered and the connection ends, unless it asks to keep it', async () => {
    const service = await serve();
    const [plain] = await ask(service, requestBytes(service, 'GET /v3/users/alice', [], '', 'HTTP/1.0'));
    expect([plain?.status, plain?.headers.connection]).toEqual([200, 'close']);
    const kept = requestBytes(service, 'GET /v3/users/alice', ['connection: keep-alive'], '', 'HTTP/1.0');
    const last = requestBytes(service, 'GET /v3/users/bob', [], '', 'HTTP/1.0');
    expect((await ask(service, kept + last)).map(({ status }) => status)).toEqual([200, 200]);
  });

  it.each(['HTTP/1.15', 'HTTQ/1.1', 'http/1.1', ''])('version %j is 400', async (version) => {
    const service = await serve();
    expect((await ask(service, requestBytes(service, 'GET /v3/users/alice', [], '', version)))[0]?.status).toBe(400);
  });

  it('the preface of HTTP/2 and the first bytes of TLS are 400', async () => {
    const service = await serve();
    expect((await ask(service, 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'))[0]?.status).toBe(400);
    expect((await ask(service, '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'))[0]?.status).toBe(400);
  });

  it('an offer of another protocol is left alone: the answer is that of HTTP/1.1', async () => {
    const service = await serve();
    for (const offer of [
      ['connection: upgrade, close', 'upgrade: websocket', 'sec-websocket-version: 13'],
      ['connection: upgrade, http2-settings, close', 'upgrade: h2c', 'http2-settings: AAMAAABk'],
    ]) {
      expect((await ask(service, requestBytes(service, 'GET /v3/users/alice', offer)))[0]?.status).toBe(200);
    }
  });
});

describe('accept and content-type', () => {
  it.each([
    [undefined, true],
    ['', true],
    ['*/*', true],
    ['application/json', true],
    ['Application/*;q=0.1', true],
    ['text/html, application/xhtml+xml, */*;q=0.8', true],
    ['text/plain', false],
    ['application/xml, text/*', false],
    ['*/*;q=0', false],
    ['*/*, application/json;q=0', false],
    ['*/*;q=0, application/json', true],
    ['application/json; charset=utf-8; q=0.5', true],
    ['application/json;q=nonsense', true],
    [',;,', false],
    ['__proto__, constructor', false],
  ])('%j takes JSON: %s', (accept, expected) => {
    const demand = () => demandJsonAccepted({ headers: accept === undefined ? {} : { accept } });
    if (expected) expect(demand).not.toThrow();
    else expect(demand).toThrow('the answer is json');
  });

  it('that leaves JSON out is 406, behind key and route', async () => {
    const service = await serve();
    const [answer] = await ask(service, requestBytes(service, 'GET /v3/messages', ['accept: text/html', close]));
    expect([answer?.status, errorOf(answer!).code]).toEqual([406, 'ERR_NOT_ACCEPTABLE']);
    expect((await ask(service, requestBytes(service, 'GET /nowhere', ['accept: text/html', close])))[0]?.status).toBe(
      404,
    );
    expect((await ask(service, `GET /v3/messages HTTP/1.1\r\naccept: text/html\r\n${close}\r\n\r\n`))[0]?.status).toBe(
      401,
    );
  });

  it('that declares a body as something else is 415', async () => {
    const service = await serve();
    const headers = ['onBehalfOf: alice', 'content-type: text/xml', 'content-length: 2', close];
    const [answer] = await ask(service, requestBytes(service, 'PUT /v3/users/bob/conversation', headers, '{}'));
    expect(answer?.status).toBe(415);
  });
});

describe('expect: 100-continue', () => {
  const expecting = (length: number, ...more: readonly string[]) => [
    'onBehalfOf: alice',
    'content-type: application/json',
    `content-length: ${length}`,
    'expect: 100-continue',
    ...more,
  ];

  it('is answered with a 100 when the body is wanted, and the body is taken', async () => {
    const service = await serve();
    const wire = open(service);
    wire.socket.write(requestBytes(service, 'PUT /v3/users/bob/conversation', expecting(14, close)));
    await until(() => wire.text().includes('\r\n\r\n'));
    expect(wire.text()).toBe('HTTP/1.1 100 Continue\r\n\r\n');
    wire.socket.write('{"tags":["x"]}');
    await wire.ended;
    expect(answersIn(wire.text()).map(({ status }) => status)).toEqual([100, 200]);
    wire.socket.destroy();
  });
});

describe('the key', () => {
  it('is compared in a time that depends on the given key alone, whatever its length and prefix', () => {
    const guard = (apikey: string) => demandKey({ headers: { apikey } }, 'k'.repeat(40));
    for (const wrong of ['k', 'k'.repeat(39), 'k'.repeat(41), 'x'.repeat(40), 'k'.repeat(100_000), '\xff']) {
      expect(() => guard(wrong)).toThrow('the api key is not known');
    }
    expect(() => guard('k'.repeat(40))).not.toThrow();
  });

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
    ['the same length twice', ['content-length: 2', 'content-length: 2'], '{}'],
    ['a list of lengths', ['content-length: 2, 2'], '{}'],
    ['a signed length', ['content-length: +2'], '{}'],
    ['a negative length', ['content-length: -2'], '{}'],
    ['a hexadecimal length', ['content-length: 0x2'], '{}'],
    ['a length of 30 digits', [`content-length: ${'9'.repeat(30)}`], '{}'],
    ['no digits', ['content-length: two'], '{}'],
    ['length and chunks', ['content-length: 2', 'transfer-encoding: chunked'], '2\r\n{}\r\n0\r\n\r\n'],
    ['chunks and length', ['transfer-encoding: chunked', 'content-length: 2'], '2\r\n{}\r\n0\r\n\r\n'],
    ['chunks that are not last', ['transfer-encoding: chunked, gzip'], '2\r\n{}\r\n0\r\n\r\n'],
    ['an unknown coding alone', ['transfer-encoding: gzip'], '{}'],
    ['a chunk size that is none', ['transfer-encoding: chunked'], 'zz\r\n{}\r\n0\r\n\r\n'],
    ['a chunk longer than it says', ['transfer-encoding: chunked'], '1\r\n{}\r\n0\r\n\r\n'],
    ['a chunk size of 20 digits', ['transfer-encoding: chunked'], `${'f'.repeat(20)}\r\n{}\r\n0\r\n\r\n`],
    ['a blank before the colon', ['content-length : 2'], '{}'],
    ['a folded header', ['x: y', ' z', 'content-length: 2'], '{}'],
    ['a header without a name', [': y', 'content-length: 2'], '{}'],
    ['a NUL in a header', ['x: a\0b', 'content-length: 2'], '{}'],
    ['a bare CR in a header', ['x: a\rcontent-length: 2'], '{}'],
  ])('%s is refused once, and the connection ends', async (_, headers, body) => {
    const service = await serve();
    const line = `PUT /v3/users/bob/conversation HTTP/1.1\r\nhost: x\r\napikey: ${service.apiKey}\r\n`;
    const answers = await ask(service, line + put(headers, body) + requestBytes(service, 'GET /v3/users/alice'));
    expect(answers).toHaveLength(1);
    expect(answers[0]!.status).toBe(400);
    expect(answers[0]!.headers.connection).toBe('close');
  });

  it.each(['gzip, chunked', 'identity, chunked'])('coding %s is read as far as it is chunks', async (coding) => {
    const service = await serve();
    const headers = ['onBehalfOf: alice', 'content-type: application/json', `transfer-encoding: ${coding}`, close];
    const bytes = requestBytes(service, 'PUT /v3/users/bob/conversation', headers, '2\r\n{]\r\n0\r\n\r\n');
    expect((await ask(service, bytes)).map(({ status }) => status)).toEqual([400]);
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
