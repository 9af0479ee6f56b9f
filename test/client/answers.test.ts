/**
 * What comes back: results and errors by what an answer says (§2, §7), and the key in none of them
 * (P16, P24).
 */
import { Dispatcher, errors } from 'undici';
import { describe, expect, it } from 'vitest';
import { type HttpError, NetworkError, ShapeError } from '../../src/foundation/errors.js';
import { redactor } from '../../src/platform/client/answer.js';
import { startFaultPeer } from '../support/fault-peer.js';
import { answering } from '../support/fault-peer-answers.js';
import { apiKey, clientOf, rejection, serve, serveJson } from '../support/http.js';
import { changedData, endOf, everythingOf, expectNoKey, failOnStrays, rows } from './rows.js';

failOnStrays();

/** A client without retries whose peer gives these bodies, one after the other. */
async function clientBy(bodies: readonly (string | Uint8Array)[], status = 200, headers: Record<string, string> = {}) {
  return clientOf(await startFaultPeer({ scripts: bodies.map((body) => answering(body, status, headers)) }), {
    retry: false,
  });
}

describe('results', () => {
  it.each(rows.map((row) => [row.operation, row] as const))(
    '%s: unknown fields are kept, and names of objects are fields like others',
    async (_, row) => {
      const change = changedData(row, { future: { deep: [1, null] }, constructor: 'x', toString: 1, '@': 1 });
      const polluted = '{"polluted":true,"conditions":[],"searchTerms":[],"uid":"evil"}';
      const body = JSON.stringify({ ...JSON.parse(row.body), data: change }).replaceAll(
        '"@":1',
        `"__proto__":${polluted}`,
      );
      const result = (await row.call(await clientBy([body]))) as { readonly data?: unknown };
      const page = row.right === row.data ? result : result.data;
      const [resource] = [page].flat() as Record<string, unknown>[];
      expect(resource).toMatchObject({ future: { deep: [1, null] }, constructor: 'x', toString: 1 });
      expect([resource?.polluted, Object.getPrototypeOf(resource), ({} as Record<string, unknown>).polluted]).toEqual([
        undefined,
        Object.prototype,
        undefined,
      ]);
      // Inherited fields are not the resource's.
      const inherited = JSON.stringify([row.data].flat()[0]);
      const hollow = `{"__proto__":${inherited}}`;
      const client = await clientBy([`{"data":${Array.isArray(row.data) ? `[${hollow}]` : hollow}}`]);
      expect((await endOf(row.call(client), row.right)).outcome).toBe('shape');
    },
  );

  it('values of JSON are what they mean', async () => {
    const texts = [
      '{"a":"b","a":"c"}',
      '"\\uD834\\uDd1e 😀 \u2028\ufeff\\/\\b"',
      '-0',
      '123.456e78',
      ' \t\r\n[ 1 ] ',
      '"\\ud800"',
    ];
    const client = await clientBy(texts.map((text) => `{"data":{"uid":"ann","odd":${text}}}`));
    for (const text of texts) expect(await client.users.get('ann')).toEqual({ uid: 'ann', odd: JSON.parse(text) });
  });

  it('ids keep all of their digits, or are refused', async () => {
    const ids = ['"9007199254740993"', '9007199254740991', '9007199254740993', '1e3', '1.5'];
    const client = await clientBy(ids.map((id) => `{"data":[{"id":${id}}]}`));
    const read: unknown[] = [];
    for (const _ of ids)
      read.push(
        await client.messages.list().then(
          ({ data }) => data[0]?.id,
          (error) => error.code,
        ),
      );
    expect(read).toEqual(['9007199254740993', '9007199254740991', 'shape', '1000', 'shape']);
  });

  it('variants of live platforms are read', async () => {
    const { groups, users, rules, messages } = await clientBy([
      ...[
        '{"success":true,"Message":"done"}',
        '{"success":false,"message":null}',
        '{"conversationId":"c"}',
        '{"id":"l1","searchTerms":["a"]}',
      ].map((text) => `{"data":${text}}`),
      '{"data":[],"meta":null,"more":1}',
    ]);
    expect(await groups.markAsRead('g1', { onBehalfOf: 'ann' })).toEqual({ success: true, message: 'done' });
    expect(await groups.markAsUnread('g1')).toEqual({ success: false, message: '' });
    expect(await users.updateConversation('a', { onBehalfOf: 'a' })).toEqual([{ conversationId: 'c' }]);
    expect(await rules.get('l1')).toEqual({ id: 'l1', searchTerms: ['a'] });
    expect(await messages.list()).toEqual({ data: [], meta: {} });
  });
});

describe('ShapeError', () => {
  const notJson = 'must be JSON, and is not; the base url should end in `/v3`';
  it.each<[string | Uint8Array, string, string, Record<string, string>?]>([
    ...['[1,]', '{a:1}', '{"a', "'secret'", '01', 'NaN', '\u00a01', '{}\0', '\ufeff\ufeff{}'].map(
      (text): [string, string, string] => [text, 'the whole value', notJson],
    ),
    ['', 'the whole value', 'must be JSON, and is empty; the base url should end in `/v3`'],
    [
      Buffer.from('{"data":{"uid":"\xff"}}', 'latin1'),
      'the whole value',
      'must be JSON, and is not valid UTF-8; the base url should end in `/v3`',
    ],
    [Buffer.from('{"data":{}}', 'utf16le'), 'the whole value', notJson],
    [
      '{}',
      'the whole value',
      'must be JSON, and came as `text/html`; the base url should end in `/v3`',
      { 'content-type': 'text/html; charset=utf-8' },
    ],
    [
      '{}',
      'the whole value',
      'must be JSON, and came as `text/[redacted]`; the base url should end in `/v3`',
      { 'content-type': `text/${apiKey}` },
    ],
    [
      '{}',
      'the whole value',
      'must be JSON, and came as another type; the base url should end in `/v3`',
      { 'content-type': 'no type' },
    ],
    ['{}', 'the whole value', 'came compressed, though `identity` was requested', { 'content-encoding': 'gzip' }],
    ['"secret"', 'the whole value', 'must be an object'],
    ['{"data":{}}', 'data', 'must be an array'],
    ['{"data":[{"id":{"secret":1}}]}', 'data[0].id', 'must be a string or a number'],
    ...['sender', 'for'].map((name): [string, string, string] => [
      `{"data":[{"id":"1","data":{"entities":{"${name}":{"entityType":7}}}}]}`,
      `data[0].data.entities.${name}.entityType`,
      'must be a string',
    ]),
    ...['secret', 'on$secret', 'a secret.x', 'secret'.repeat(99_999)].map((name): [string, string, string] => [
      `{"data":[{"id":"1","data":{"entities":{"${name}":{"entityType":7}}}}]}`,
      'data[0].data.entities[…].entityType',
      'must be a string',
    ]),
  ])('%.40s', async (body, path, words, headers = {}) => {
    const error = (await rejection(
      (await clientBy([body], 200, { 'x-request-id': 'r7', ...headers })).messages.list(),
    )) as ShapeError;
    expect(error).toBeInstanceOf(ShapeError);
    const shown = path === 'the whole value' ? path : `\`${path}\``;
    expect(error.message).toBe(`GET /messages: ${shown} ${words}`);
    expect(error).toMatchObject({ source: 'GET /messages', path, code: 'shape', attempts: 1, requestId: 'r7' });
    expect(everythingOf(error)).not.toMatch(/secret|canary/);
  });
});

describe('HttpError', () => {
  it.each<[string | Uint8Array, string | undefined, object | undefined]>([
    [
      '{"error":{"code":"ERR_X","message":"secret","details":{"tags.0":["long"],"odd":"text","mixed":["a",1]}}}',
      'ERR_X',
      { 'tags.0': ['long'] },
    ],
    [
      '{"error":{"code":"X","details":{"__proto__":["a"],"constructor":["b"]}}}',
      'X',
      JSON.parse('{"__proto__":["a"],"constructor":["b"]}'),
    ],
    ['{"error":{"code":"the secret text"}}', undefined, undefined],
    ['{"error":"secret"}', undefined, undefined],
    ['<html>secret</html>', undefined, undefined],
    [Buffer.from([0x7b, 0xff, 0x7d]), undefined, undefined],
  ])('%s', async (body, platformCode, details) => {
    const error = (await rejection((await clientBy([body], 404)).users.get('ann'))) as HttpError;
    expect({ ...error }).toMatchObject({
      code: 'http',
      operation: 'GET /users/{uid}',
      status: 404,
      platformCode,
      details,
      attempts: 1,
    });
    expect(error.message).toBe(
      `GET /users/{uid} was answered with status 404${platformCode === undefined ? '' : ` (${platformCode})`}`,
    );
    expect(everythingOf(error)).not.toContain('secret');
  });

  it.each([
    ['x-request-id', 'a-b.c:1', 'a-b.c:1'],
    ['request-id', 'abc', 'abc'],
    ['x-request-id', 'a b', undefined],
    ['x-request-id', 'x'.repeat(200), undefined],
    ['x-other', 'abc', undefined],
  ])('request id of %s: %s', async (name, value, requestId) => {
    expect(
      ((await rejection((await clientBy(['{}'], 404, { [name]: value })).users.get('ann'))) as HttpError).requestId,
    ).toBe(requestId);
  });
});

const failing = (thrown: unknown) =>
  clientOf(
    { url: 'http://127.0.0.1:1/v3' },
    { dispatcher: { request: () => Promise.reject(thrown) } as unknown as Dispatcher, retry: false },
  );
const coded = (code: string) => Object.assign(new Error('private'), { code });

it.each<[unknown, string, string?]>([
  [new errors.SocketError('private'), 'the connection ended before the answer did, UND_ERR_SOCKET'],
  [new errors.HeadersOverflowError('private'), 'its headers are too large, UND_ERR_HEADERS_OVERFLOW'],
  [new errors.ClientClosedError('private'), 'the dispatcher is closed, UND_ERR_CLOSED'],
  [new errors.HTTPParserError('private'), 'invalid HTTP'],
  [coded('HPE_SOME_FUTURE_CODE'), 'invalid HTTP, HPE_SOME_FUTURE_CODE'],
  [new AggregateError([coded('ECONNREFUSED')]), 'ECONNREFUSED', 'could not connect to'],
  [coded('toString'), 'unknown fault'],
  ['private', 'unknown fault'],
  [null, 'unknown fault'],
])('NetworkError: %s', async (thrown, words, fact = 'got no whole answer from') => {
  const error = (await rejection(failing(thrown).users.get('ann'))) as NetworkError;
  expect(error).toBeInstanceOf(NetworkError);
  expect(error.message).toBe(`GET /users/{uid} ${fact} http://127.0.0.1:1 (${words})`);
});

describe('the key', () => {
  it('is in no error of a peer that echoes it', async () => {
    const bodies = [
      apiKey,
      JSON.stringify({ data: [{ id: [apiKey] }] }),
      JSON.stringify({ data: [{ id: '1', data: { entities: { [apiKey]: { entityType: 7 } } } }] }),
    ];
    const failure = JSON.stringify({ error: { code: apiKey, message: apiKey, details: { [apiKey]: [apiKey] } } });
    const peers = [...bodies.map((body) => [200, body] as const), [401, failure] as const];
    for (const [status, body] of peers) {
      const server = await serve((response) => void response.writeHead(status, { 'x-request-id': apiKey }).end(body));
      const error = await rejection(clientOf(server).messages.list());
      expect(error).toHaveProperty('code');
      expect(everythingOf(error).toLowerCase()).not.toContain(apiKey);
    }
  });

  it('is in no error of a dispatcher that quotes its request', async () => {
    class Loud extends Dispatcher {
      override request(options: unknown): Promise<never> {
        const fault = Object.assign(new Error(`could not send ${JSON.stringify(options)}`), { options, name: apiKey });
        return Promise.reject(fault);
      }
    }
    const error = await rejection(clientOf(await serveJson({}), { dispatcher: new Loud() }).users.get('ann'));
    expect(everythingOf(error)).toContain('[redacted]');
    expect(everythingOf(error)).not.toContain(apiKey);
    expectNoKey(error);
  });

  it('is redacted whatever its characters and spelling, in any case', () => {
    const key = 'a/b+"C\\d=.*(e)';
    for (const text of [key, key.toUpperCase(), encodeURIComponent(key), JSON.stringify(key).slice(1, -1)])
      expect(redactor(key)(`x ${text} y`)).toBe('x [redacted] y');
    expect(redactor('a.b.c.d')('aXbXcXd')).toBe('aXbXcXd');
  });
});
