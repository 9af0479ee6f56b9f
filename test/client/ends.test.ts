/**
 * P11 to P17: how calls end. One row for each class of end, over every operation of the table: with
 * a peer that always behaves so, and with one that does so once.
 */
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import type { ClientOptions } from '../../src/platform/client/options.js';
import { type Line, type Script, startFaultPeer } from '../support/fault-peer.js';
import { answering, chunk, errorBody, type Fields, failing, head } from '../support/fault-peer-answers.js';
import { clientOf } from '../support/http.js';
import { until } from '../support/until.js';
import {
  canaryKey,
  changedData,
  endOf,
  failOnStrays,
  fewRows,
  isRepeatable,
  type Outcome,
  type Row,
  rows,
} from './rows.js';

failOnStrays();

/** Short waits, so that faults end soon, and time limits that no machine comes to. */
const quick = { apiKey: canaryKey, timeouts: { totalMs: 600_000 }, retry: { baseMs: 2 } };

type Words = (row: Row) => string;
type End = readonly [outcome: Outcome, name: string, script: (row: Row) => Script, options?: Partial<ClientOptions>];

const sized: (row: Row) => Fields = ({ body }) => ({ 'content-length': Buffer.byteLength(body) });
const chunked = { 'transfer-encoding': 'chunked' };
const whole: Words = ({ body }) => body;
const half: Words = ({ body }) => body.slice(0, body.length / 2);

/** A 200 with these fields and these bytes; then the connection stays open, or ends. */
const sending =
  (fields: (row: Row) => Fields, body: Words, end: 'stay' | 'finish' | 'reset' = 'stay') =>
  (row: Row): Script =>
  async (line) => {
    await line.send(head(line, 200, fields(row)) + body(row));
    if (end === 'finish') line.finish();
    if (end === 'reset') await line.pause(5).then(line.reset);
  };
/** Nothing but these bytes, then the end of the connection. */
const saying = (words: string) => () => async (line: Line) =>
  line.send(words.replace('KEY', line.request.headers.apikey ?? '')).then(line.finish);
/** A 200 with this body, whole. */
const body =
  (text: (row: Row) => string | Uint8Array, fields: Fields = {}) =>
  (row: Row) =>
    answering(text(row), 200, fields);
const data = (change: (row: Row) => unknown) =>
  body((row) => JSON.stringify({ ...JSON.parse(row.body), data: change(row) }));
const status = (code: number, fields: Fields = {}) => [`${code}`, () => failing(code, fields)] as const;
/** Bytes that come again and again until the peer's client goes. */
const endless =
  (code: number, fields: Fields, piece: string, everyMs = 0) =>
  () =>
  async (line: Line) => {
    await line.send(head(line, code, fields));
    while (line.isOpen()) {
      await line.send(piece);
      if (everyMs > 0) await line.pause(everyMs);
    }
  };

/** These may end otherwise at the next attempt, so operations that are repeatable get two more. */
const transient: readonly End[] = [
  ['network', 'RST before the head', () => (line) => line.reset()],
  ['network', 'FIN before the head', () => (line) => line.finish()],
  ['network', 'FIN in the head', saying('HTTP/1.1 200 OK\r\ncontent-ty')],
  ['network', 'RST in the body', sending(sized, half, 'reset')],
  ['network', 'FIN one byte before the promised length', sending(sized, (row) => row.body.slice(0, -1), 'finish')],
  [
    'network',
    'FIN in a chunk',
    sending(
      () => chunked,
      (row) => chunk(row.body).slice(0, -40),
      'finish',
    ),
  ],
  [
    'network',
    'FIN before the last chunk',
    sending(
      () => chunked,
      (row) => chunk(row.body),
      'finish',
    ),
  ],
  [
    'network',
    'a connection that closes before the promised length',
    sending((row) => ({ ...sized(row), connection: 'close' }), half, 'finish'),
  ],
  ['network', '100 Continue that nobody asked for', saying('HTTP/1.1 100 Continue\r\n\r\n')],
  ['network', 'another protocol', saying('HTTP/1.1 101 Switching\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n')],
  ...[408, 429, 500, 502, 503, 504, 507, 520, 599].map((code): End => ['http', ...status(code)]),
  ['http', '503 with a page for people', () => answering('<html>', 503, { 'content-type': 'text/html' })],
  ['http', '503 with a right body', (row) => answering(row.body, 503)],
  [
    'http',
    '500 that breaks off',
    () => async (line) => {
      await line.send(`${head(line, 500, { 'content-length': 1000 })}{"error":`);
      line.reset();
    },
  ],
  ['http', '429 with a delay that is none', () => failing(429, { 'retry-after': 'soon' })],
  ['http', '429 with a delay that is past', () => failing(429, { 'retry-after': 'Fri, 31 Dec 1999 23:59:59 GMT' })],
];

const invalidHttp: readonly (readonly [name: string, words: string])[] = [
  ['no HTTP at all', 'KEY is not HTTP\r\n\r\n'],
  ['an alert of TLS', '\x15\x03\x01\0\x02\x02\x46'],
  ['a status of three zeros', 'HTTP/1.1 000 OK\r\ncontent-length: 0\r\n\r\n'],
  ['a header with a NUL', 'HTTP/1.1 200 OK\r\nx: KEY\0\r\ncontent-length: 2\r\n\r\n{}'],
  ['a header of 70 kB', `HTTP/1.1 200 OK\r\nx-long: KEY${'x'.repeat(70_000)}\r\ncontent-length: 2\r\n\r\n{}`],
  ['lines that end in a bare LF', 'HTTP/1.1 200 OK\ncontent-length: 0\n\n'],
];

/** These would end so again. */
const lasting: readonly End[] = [
  ...invalidHttp.map(([name, words]): End => ['network', name, saying(words)]),
  [
    'network',
    'a chunk longer than its size',
    sending(
      () => chunked,
      (row) => `5\r\n${row.body}\r\n${chunk('')}`,
    ),
  ],
  ...[201, 202, 203, 204, 206, 300, 304, 400, 401, 403, 404, 405, 409, 410, 413, 418, 422, 425, 451, 501].map(
    (code): End => ['http', ...status(code)],
  ),
  ['http', '201 with a right body', (row) => answering(row.body, 201)],
  ['http', '206 with a right body', (row) => answering(row.body, 206, { 'content-range': 'bytes 0-9/10' })],
  ['http', '999 with a right body', (row) => answering(row.body, 999)],
  ['http', '404 with 100 kB', () => answering(errorBody('x'.repeat(100_000)), 404)],
  ['http', 'a failure without end', endless(400, chunked, chunk(' '.repeat(50_000)))],
  [
    'http',
    '503 that demands more time than there is',
    () => failing(503, { 'retry-after': '86400' }),
    { timeouts: { totalMs: 60_000 } },
  ],
  ['shape', 'a page for people', body(() => '<!doctype html>', { 'content-type': 'text/html' })],
  ['shape', 'an empty body', body(() => '')],
  ['shape', 'an error', body(() => errorBody('ERR_FAULT'))],
  ['shape', 'no data', body(() => '{"meta":{}}')],
  ['shape', 'data null', data(() => null)],
  ['shape', 'data of another kind', data((row) => (Array.isArray(row.data) ? {} : [row.data]))],
  ['shape', 'the bare data', body((row) => JSON.stringify(row.data))],
  ...Array.from({ length: 9 }, (_, at): End => {
    return ['shape', `a wrong field (${at})`, data((row) => changedData(row, row.wrong[at % row.wrong.length]!))];
  }),
  ['shape', 'invalid UTF-8', body((row) => Buffer.from(row.body.replace('{', '{"note":"\xe2\x82",'), 'latin1'))],
  ['shape', 'two documents', body((row) => row.body + row.body)],
  [
    'shape',
    'a field that is infinite',
    body(({ body: text }) =>
      text
        .replace(/"data":(\[?)\{/, '"data":$1{"createdAt":1e999,"success":1e999,"sentAt":1e999,')
        .replace(/"success":true,|"sentAt":1700000000,/g, ''),
    ),
  ],
  ['shape', 'lists nested 100,000 deep', body(() => `{"data":${'['.repeat(1e5)}${']'.repeat(1e5)}}`)],
  ['shape', 'gzip that nobody asked for', body((row) => gzipSync(row.body), { 'content-encoding': 'gzip' })],
  ['shape', 'an encoding by name only', body(whole, { 'content-encoding': 'gzip, br' })],
  ['shape', 'a length that is too short', sending((row) => ({ 'content-length': half(row).length }), whole)],
  ['shape', 'a body without length, cut', sending(() => ({ connection: 'close' }), half, 'finish')],
  [
    'shape',
    'a length over the cap',
    sending(
      () => ({ 'content-length': 200_000_000 }),
      () => '',
    ),
  ],
  ['shape', 'chunks without end', endless(200, chunked, chunk('['.repeat(5000))), { maxResponseBytes: 20_000 }],
  ['right', 'right', body(whole)],
  ['right', 'a byte order mark', body((row) => `\ufeff${row.body}`)],
  ['right', '`identity`, which is no encoding', body(whole, { 'content-encoding': 'Identity' })],
  ['right', 'JSON of another name', body(whole, { 'content-type': 'Application/vnd.platform.v3+JSON; charset=utf-8' })],
  ['right', 'a body without length, whole', sending(() => ({ connection: 'close' }), whole, 'finish')],
  ['right', 'a body twice', sending(sized, (row) => row.body + row.body)],
  ['right', 'rate headers that allow nothing', body(whole, { 'x-rate-limit-remaining': 0, 'retry-after': 3600 })],
  [
    'right',
    '103 Early Hints before it',
    (row) => async (line) => {
      await line.send('HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'.repeat(20));
      await answering(row.body)(line);
    },
  ],
  [
    'right',
    'chunks of a byte, with extensions and a trailer',
    (row) => async (line) => {
      await line.send(head(line, 200, chunked));
      for (const byte of row.body) await line.send(`1;name="value"\r\n${byte}\r\n`);
      await line.send('0\r\nx-trailer: kept out\r\n\r\n');
    },
  ],
];

/** A deadline that each of these reaches, whatever the machine: the peer never comes to an end. */
const soon = { timeouts: { totalMs: 50, headersMs: 600_000, bodyMs: 600_000 } };
const late: readonly End[] = [
  ['timeout', 'never answers', () => () => {}, soon],
  ['timeout', 'a head that drips', endless(103, {}, 'HTTP/1.1 103 Early Hints\r\n\r\n', 5), soon],
  ['timeout', 'a body that drips', endless(200, chunked, chunk(' '), 5), soon],
  ['timeout', 'a failure that drips', endless(400, { 'content-length': 1000 }, ' ', 5), soon],
  ['timeout', 'silence before the last byte', sending(sized, (row) => row.body.slice(0, -1)), soon],
];

async function play([, , script, options]: End, row: Row, then?: Script) {
  const peer = await startFaultPeer({ scripts: [script(row), ...(then === undefined ? [] : [then])] });
  const { outcome } = await endOf(row.call(clientOf(peer, { ...quick, ...options })), row.right);
  await peer.close();
  return [row.operation, outcome, peer.requests.length];
}

const named = (ends: readonly End[]) => ends.map((end) => [`${end[0]}: ${end[1]}`, end] as const);
const played = (end: End, all: readonly Row[], then?: (row: Row) => Script) =>
  Promise.all(all.map((row) => play(end, row, then?.(row))));

it.each(named(lasting))('%s, at once', async (_, end) => {
  expect(await played(end, rows)).toEqual(rows.map(({ operation }) => [operation, end[0], 1]));
});

it.each(named(late))('%s', async (_, end) => {
  const ends = await played(end, fewRows);
  expect(ends.map(([, outcome]) => outcome)).toEqual(fewRows.map(() => end[0]));
});

it.each(named(transient))('%s: after three attempts, or one; right where it happens once', async (_, end) => {
  const [outcome] = end;
  const always = rows.map((row) => [row.operation, outcome, isRepeatable(row) ? 3 : 1]);
  expect(await played(end, rows)).toEqual(always);
  const once = fewRows.map((row) => (isRepeatable(row) ? [row.operation, 'right', 2] : [row.operation, outcome, 1]));
  expect(await played(end, fewRows, (row) => answering(row.body))).toEqual(once);
});

it('abort: the reason of the caller, whatever it is, in the head or in the body, and no further request', async () => {
  for (const script of [() => {}, (line: Line) => line.send(head(line, 200, { 'content-length': 9 }))]) {
    const reasons = await Promise.all(
      rows.map(async (row, at) => {
        const peer = await startFaultPeer({ scripts: [script] });
        const controller = new AbortController();
        const ending = row.call(clientOf(peer, quick), controller.signal).catch((error: unknown) => error);
        await until(() => peer.requests.length === 1);
        controller.abort(at === 0 ? null : at);
        const reason = await ending;
        await until(() => peer.openConnections() === 0);
        return [reason, peer.requests.length];
      }),
    );
    expect(reasons).toEqual(rows.map((_row, at) => [at === 0 ? null : at, 1]));
  }
});

it('size: an endless body is left at the limit, in memory and on the wire', async () => {
  let sent = 0;
  const block = Buffer.alloc(256 * 1024, '[');
  const script: Script = async (line) => {
    await line.send(head(line, line.request.target.includes('users') ? 400 : 200, {}));
    for (; line.isOpen() && sent < 1e9; sent += block.length) await line.send(block);
  };
  const peer = await startFaultPeer({ scripts: [script] });
  const client = clientOf(peer, quick);
  expect(await endOf(client.messages.list(), undefined)).toMatchObject({
    outcome: 'shape',
    error: { message: 'GET /messages: the whole value is larger than 16777216 bytes', attempts: 1 },
  });
  await until(() => peer.openConnections() === 0);
  expect(sent).toBeLessThan(40_000_000);
  sent = 0;
  expect(await endOf(client.users.get('ann'), undefined)).toMatchObject({ outcome: 'http', error: { status: 400 } });
  await until(() => peer.openConnections() === 0);
  // The kernel's two buffers take some megabytes.
  expect(sent).toBeLessThan(20_000_000);
});

const targets: readonly (readonly [name: string, location: string | readonly string[]])[] = [
  ['another port', 'http://127.0.0.1:THERE/v3/users/ann'],
  ['another host', 'http://localhost:THERE/v3'],
  ['another scheme', 'https://127.0.0.1:HERE/v3'],
  ['no scheme', '//127.0.0.1:THERE/v3'],
  ['backslashes', '\\\\127.0.0.1:THERE\\v3'],
  ['user info with the key', `http://${canaryKey}:${canaryKey}@127.0.0.1:THERE/`],
  ['a host with the key', `https://${canaryKey}.example/${canaryKey}`],
  ['this origin', 'http://127.0.0.1:HERE/v3/moved'],
  ['a path', '/v3/moved'],
  ['no http', 'file:///etc/passwd'],
  ['two places', ['/a', '/b']],
  ['nothing', ''],
];

it.each([301, 302, 303, 307, 308])('redirect: %i is followed nowhere, and no path of it is shown', async (code) => {
  for (const [name, location] of targets) {
    const there = await startFaultPeer({ scripts: [answering('{"data":{}}')] });
    const ports = (text: string, here: number) => text.replace('THERE', `${there.port}`).replace('HERE', `${here}`);
    const here = await startFaultPeer({
      scripts: [
        (line) => answering('', code, { location: [location].flat().map((each) => ports(each, here.port)) })(line),
      ],
    });
    const client = clientOf(here, quick);
    const ends = await Promise.all(rows.map((row) => endOf(row.call(client), row.right)));
    expect([name, ...new Set(ends.map(({ outcome }) => outcome))]).toEqual([name, 'http']);
    for (const { error } of ends) {
      expect(error).toMatchObject({ status: code });
      expect(String(error)).not.toMatch(/moved|passwd|\/v3\b/);
    }
    expect([there.connections(), here.requests.length]).toEqual([0, rows.length]);
  }
});
