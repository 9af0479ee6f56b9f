/** P24: odd JSON is read right or refused, and changes nothing but its own value. */
import { describe, expect, it } from 'vitest';
import { ShapeError } from '../../../src/foundation/errors.js';
import { startFaultPeer } from '../../support/fault-peer.js';
import { answering } from '../../support/fault-peer-answers.js';
import { clientOf, rejection } from '../../support/http.js';
import { failOnStrays, quickOptions } from './play-faults.js';
import { changedData, rows } from './rows.js';
import { watchCall } from './watch-call.js';

failOnStrays();

/** Texts that JSON (RFC 8259) allows, with what they mean: one of each kind, since JSON.parse reads them. */
const right: readonly (readonly [string, unknown])[] = [
  ['{"a":"b","a":"c"}', { a: 'c' }],
  ['{"":0,"a\\u0000b":[null, 1, "1", {}]}', { '': 0, 'a\0b': [null, 1, '1', {}] }],
  ['"\\uD834\\uDd1e 😀 é \u2028\u007f\ufeff"', '\u{1d11e} 😀 é \u2028\u007f\ufeff'],
  ['"\\"\\\\\\/\\b\\f\\n\\r\\t"', '"\\/\b\f\n\r\t'],
  ['-0', -0],
  ['123.456e78', 123.456e78],
  [' \t\r\n[ \t\r\n1 ] \t', [1]],
];

/** Texts that are not JSON, nor become JSON inside an object. */
const refused: readonly string[] = [
  ...['[1,]', '{"a":1,}', '{a:1}', '{"a":1}}', '{"a":1', '["a', '"\\u12"', '"\\x41"', '"\n"', '"\0"', "'a'", ''],
  ...['01', '.5', '1e', '0x10', '1_000', 'NaN', 'Infinity', 'undefined', 'True', '\u00a0 1', '\ufeff1', '//a\n1', '1;'],
];

/** What the standard leaves open: an answer or a refusal, as long as it is one of them. */
const open: readonly string[] = [
  ...['1e999', '9007199254740993', '"\\ud800"', '{"a":1,"a":{"a":2,"a":3}}'],
  ...[`${'['.repeat(500)}${']'.repeat(500)}`, `${'{"a":'.repeat(500)}1${'}'.repeat(500)}`],
];

const embedded = (text: string) => `{"data":{"uid":"ann","odd":${text}}}`;
const served = (bodies: readonly (string | Uint8Array)[]) =>
  startFaultPeer({ scripts: bodies.map((body) => answering(body)) });

it(`${right.length} right texts mean what they mean`, async () => {
  const client = clientOf(await served(right.map(([text]) => embedded(text))), quickOptions);
  for (const [, value] of right) expect(await client.users.get('ann')).toEqual({ uid: 'ann', odd: value });
});

it(`${refused.length} broken texts are refused, and not shown`, async () => {
  const client = clientOf(await served(refused.map(embedded)), quickOptions);
  for (const text of refused) {
    const error = await rejection(client.users.get('ann'));
    expect([text, error]).toEqual([text, expect.any(ShapeError)]);
    expect(String(error)).toBe(
      'ShapeError: GET /users/{uid}: the whole value must be JSON, and is not; the base url should end in `/v3`',
    );
  }
});

it(`${open.length} texts that the standard leaves open end one way or the other`, async () => {
  const client = clientOf(await served(open.map(embedded)), quickOptions);
  for (const text of open) {
    const outcome = await client.users.get('ann').catch((error: unknown) => error);
    if (!(outcome instanceof ShapeError))
      expect([text, outcome]).toEqual([text, expect.objectContaining({ uid: 'ann' })]);
  }
});

it.each<[string, Uint8Array]>([
  ['UTF-16 without a mark', Buffer.from('{"data":{"uid":"ann"}}', 'utf16le')],
  ['UTF-32', Buffer.from([...'{"data":{"uid":"ann"}}'].flatMap((letter) => [letter.charCodeAt(0), 0, 0, 0]))],
  ['Latin-1', Buffer.from('{"data":{"uid":"é"}}', 'latin1')],
  ['a NUL behind the text', Buffer.from('{"data":{"uid":"ann"}}\0')],
  ['a lone mark', Buffer.from([0xef, 0xbb, 0xbf])],
  ['half a mark', Buffer.from([0xef, 0xbb])],
])('%s is refused', async (_, body) => {
  expect(await rejection(clientOf(await served([body]), quickOptions).users.get('ann'))).toBeInstanceOf(ShapeError);
});

describe('names that objects have already', () => {
  const names = Object.getOwnPropertyNames(Object.prototype);
  const before = names.map((name) => Object.getOwnPropertyDescriptor(Object.prototype, name));
  const polluted = '{"polluted":true,"conditions":[],"searchTerms":[],"next":{"id":"1"},"uid":"evil"}';

  it.each(rows.map((row) => [row.operation, row] as const))(
    '%s: `__proto__` and `constructor` stay data',
    async (_, row) => {
      const change = changedData(row, { constructor: { prototype: { polluted: true } }, '@': 1, metadata: { '@': 1 } });
      const body = JSON.stringify({ ...JSON.parse(row.body), data: change }).replaceAll(
        '"@":1',
        `"__proto__":${polluted}`,
      );
      const client = clientOf(await served([body.replace(/\}$/, `,"__proto__":${polluted}}`)]), quickOptions);
      const answer = (await row.call(client)) as { readonly data?: unknown };
      const page = Array.isArray(answer.data) ? answer.data : answer;
      const [resource] = (Array.isArray(page) ? page : [page]) as Record<string, unknown>[];
      for (const value of [answer, page, resource]) expect((value as Record<string, unknown>).polluted).toBeUndefined();
      expect(Object.getPrototypeOf(resource)).toBe(Object.prototype);
      expect(({} as Record<string, unknown>).polluted).toBeUndefined();
      expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(names);
      expect(names.map((name) => Object.getOwnPropertyDescriptor(Object.prototype, name))).toEqual(before);
    },
  );

  it.each(rows.map((row) => [row.operation, row] as const))(
    '%s: what a resource would inherit is not its own',
    async (_, row) => {
      const inherited = Array.isArray(row.data) ? row.data[0] : row.data;
      const hollow = `{"__proto__":${JSON.stringify(inherited)}}`;
      const data = Array.isArray(row.data) ? `[${hollow}]` : hollow;
      for (const body of [`{"data":${data}}`, `{"__proto__":${row.body}}`]) {
        const client = clientOf(await served([body]), quickOptions);
        const ending = await watchCall(() => row.call(client), row.right);
        expect(ending.outcome).toBe('shape');
      }
    },
  );

  it('names of methods are fields like any other', async () => {
    const odd = {
      toString: 1,
      valueOf: null,
      hasOwnProperty: 'x',
      toJSON: 1,
      length: -1,
      __defineGetter__: 0,
    };
    const data = { uid: 'ann', ...odd };
    const client = clientOf(await served([JSON.stringify({ data })]), quickOptions);
    const user = await client.users.get('ann');
    expect(Object.entries(user)).toEqual(expect.arrayContaining(Object.entries(odd)));
  });

  it('an error whose details are named so stays an error', async () => {
    const body = '{"error":{"code":"X","details":{"__proto__":["a"],"constructor":["b"],"toString":["c"]}}}';
    const peer = await startFaultPeer({ scripts: [answering(body, 400)] });
    const error = (await rejection(clientOf(peer, quickOptions).users.get('ann'))) as { readonly details: object };
    expect(error).toMatchObject({ code: 'http', status: 400, platformCode: 'X' });
    expect(Object.getPrototypeOf(error.details)).toBe(Object.prototype);
    expect(Object.keys(error.details).sort()).toEqual(['__proto__', 'constructor', 'toString']);
  });
});

it('ids keep all of their digits, or are refused', async () => {
  const bodies = ['"9007199254740993"', '9007199254740991', '9007199254740993', '1e3', '1.5', '-0'].map(
    (id) => `{"data":[{"id":${id}}]}`,
  );
  const client = clientOf(await served(bodies), quickOptions);
  const idOf = async () => (await client.messages.list()).data[0]?.id;
  expect(await idOf()).toBe('9007199254740993');
  expect(await idOf()).toBe('9007199254740991');
  expect(await rejection(idOf())).toBeInstanceOf(ShapeError);
  expect(await idOf()).toBe('1000');
  expect(await rejection(idOf())).toBeInstanceOf(ShapeError);
  expect(await idOf()).toBe('0');
});
