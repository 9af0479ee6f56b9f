/** Requests that come on one connection without waiting for answers, and clients that take none. Counts decide, and no clock. */
import { describe, expect, it } from 'vitest';
import { readLimits } from '../../../src/platform/service/limits.js';
import { turns, until } from '../../support/until.js';
import { callerOf } from '../call.js';
import { answersIn, ask, errorOf, open, patient, putTags, requestBytes, requestsTaken, serve } from './raw.js';

const close = 'connection: close';
const text = 'word '.repeat(200);
const messages = Array.from({ length: 1_000 }, (_, index) => ({
  id: `${index + 1}`,
  sender: 'alice',
  receiver: 'team',
  receiverType: 'group' as const,
  sentAt: index + 1,
  data: { text },
}));
/** More than a megabyte: a few fill what the kernel holds for a connection. */
const large = 'GET /v3/messages?limit=1000';
/** So much less that 800 answers can be read, and more together than any kernel holds. */
const some = 'GET /v3/messages?limit=40';

describe('pipelined requests', () => {
  it('are answered in order, whatever each of them is', async () => {
    const service = await serve();
    const bytes = [
      requestBytes(service, 'GET /v3/users/alice'),
      putTags(service, ['one']),
      requestBytes(service, 'HEAD /v3/users/bob'),
      requestBytes(service, 'GET /v3/users/nobody'),
      requestBytes(service, 'OPTIONS /v3/messages'),
      requestBytes(service, 'GET /v3/users/carol', [close]),
    ];
    const answers = await ask(service, bytes.join(''), [2]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 404, 204, 200]);
    expect(JSON.parse(answers[5]!.body)).toMatchObject({ data: { uid: 'carol' } });
  });

  it('take effect in order: what is read behind a PUT is what it wrote', async () => {
    const service = await serve();
    const tags = Array.from({ length: 20 }, (_, index) => `tag${index}`);
    // A PUT without tags changes nothing and says how things stand.
    const look = putTags(service, []).replace(/content-length: \d+\r\n\r\n.*$/s, 'content-length: 2\r\n\r\n{}');
    const bytes = tags.map((tag) => putTags(service, [tag]) + look).join('');
    const answers = await ask(service, bytes + requestBytes(service, 'GET /v3/users/bob', [close]));
    const seen = answers.slice(0, -1).map(({ body }) => JSON.parse(body).data[0].tags);
    expect(seen).toEqual(tags.flatMap((tag) => [[tag], [tag]]));
  });

  it('that none reads are not answered: of 800 some, and another client is served meanwhile', async () => {
    let answered = 0;
    const service = await serve({
      data: { messages },
      limits: patient,
      onRequest: ({ path }) => {
        if (path === '/v3/messages') answered += 1;
      },
    });
    const wire = open(service);
    wire.socket.pause();
    const taken = requestsTaken(1);
    wire.socket.write(requestBytes(service, some).repeat(799));
    wire.socket.write(requestBytes(service, some, [close]));
    const socket = await taken;
    // The service goes on until it can write no further, with others between.
    let before = -1;
    while (before < answered) {
      before = answered;
      for (let call = 0; call < 5; call++) expect((await callerOf(service)('/users/alice')).status).toBe(200);
      await turns(50);
    }
    // What the kernel holds was taken, as far as the service can know.
    expect(answered).toBeLessThan(400);
    const held = socket.writableLength;
    wire.socket.resume();
    await wire.ended;
    const answers = answersIn(wire.text());
    expect([answers.length, new Set(answers.map(({ status }) => status))]).toEqual([800, new Set([200])]);
    expect(answered).toBe(800);
    // Of the other answers none was made: one was held.
    expect(held).toBeLessThan(1.5 * answers[0]!.body.length);
    wire.socket.destroy();
  });

  it('are read no further than one piece ahead', async () => {
    const service = await serve({ limits: patient, data: { messages } });
    const wire = open(service);
    wire.socket.pause();
    const taken = requestsTaken(1);
    for (let round = 0; round < 20; round++)
      wire.socket.write(requestBytes(service, large, [`x: ${'y'.repeat(9_000)}`]).repeat(100));
    const socket = await taken;
    let before = -1;
    while (before < socket.bytesRead) {
      before = socket.bytesRead;
      for (let call = 0; call < 5; call++) await callerOf(service)('/users/alice');
      await turns(50);
    }
    // Answers that the kernel took made room for some pieces; of 18 MB nearly all was left unread.
    expect(socket.bytesRead).toBeLessThan(4_000_000);
    wire.socket.destroy();
  });

  it('of which more than a thousand wait end their connection, and nothing else', async () => {
    const service = await serve({ limits: patient, data: { messages } });
    const wire = open(service);
    wire.socket.pause();
    wire.socket.write(requestBytes(service, large));
    wire.socket.write('GET / HTTP/1.1\r\n\r\n'.repeat(10_000));
    await new Promise((resolve) => wire.socket.resume().once('close', resolve).once('error', resolve));
    expect((await callerOf(service)('/users/alice')).status).toBe(200);
    wire.socket.destroy();
  });

  it('wait in bounded number on all connections together: beyond that connections end, and others are served', async () => {
    const service = await serve({
      limits: { ...patient, closeMs: 1 },
      intercept: ({ url }, answer) => (url === '/v3/users/alice' ? new Promise(() => {}) : answer()),
    });
    const wires = Array.from({ length: 30 }, () => open(service));
    for (const { socket } of wires)
      socket.write(requestBytes(service, 'GET /v3/users/alice') + 'GET / HTTP/1.1\r\n\r\n'.repeat(900));
    await until(() => wires.filter((wire) => wire.isEnded()).length === 8);
    expect((await callerOf(service)('/messages')).status).toBe(200);
    for (const { socket } of wires) socket.destroy();
  });

  it('behind the last one that the connection carries are not begun', async () => {
    const service = await serve();
    const answers = await ask(
      service,
      requestBytes(service, 'GET /v3/users/bob', [close]) + putTags(service, ['late']),
    );
    expect(answers).toHaveLength(1);
    const look = putTags(service, [], [close]).replace('{"tags":[]}', '{"tagz":[]}');
    expect(JSON.parse((await ask(service, look))[0]!.body).data[0].tags ?? []).toEqual([]);
  });

  it('come to an end: the last one that a connection carries says so', async () => {
    const service = await serve({ limits: { ...patient, requestsPerConnection: 3 } });
    const answers = await ask(service, requestBytes(service, 'GET /v3/users/alice').repeat(5));
    expect(answers.map(({ headers }) => headers.connection)).toEqual(['keep-alive', 'keep-alive', 'close']);
  });
});

describe('close', () => {
  it('has a grace of less than ten seconds', () => {
    expect(readLimits().closeMs).toBeLessThan(10_000);
  });

  it('ends with clients that take nothing, and begins none of what waits', async () => {
    let answered = 0;
    const service = await serve({
      data: { messages },
      limits: { ...patient, closeMs: 50 },
      onRequest: () => {
        answered += 1;
      },
    });
    const wires = Array.from({ length: 5 }, () => open(service));
    const taken = requestsTaken(5 * 50);
    for (const wire of wires) {
      wire.socket.pause();
      wire.socket.write(requestBytes(service, large).repeat(800));
    }
    await taken;
    await service.close();
    const atClose = answered;
    await turns(100);
    expect(answered).toBe(atClose);
    expect(answered).toBeLessThan(5 * 100);
    for (const wire of wires) wire.socket.destroy();
  });
});

describe('CONNECT', () => {
  it('is 405, in the form of errors, with the methods that there are', async () => {
    const service = await serve({ limits: patient });
    for (const target of ['example.com:443', '/v3/messages']) {
      const answers = await ask(service, `CONNECT ${target} HTTP/1.1\r\nhost: x\r\n\r\nbytes of a tunnel`);
      expect(answers.map(({ status }) => status)).toEqual([405]);
      expect(errorOf(answers[0]!).code).toBe('ERR_METHOD_NOT_ALLOWED');
      expect(answers[0]!.headers).toMatchObject({
        allow: 'PUT, GET, POST, DELETE, HEAD, OPTIONS',
        connection: 'close',
        'content-type': 'application/json; charset=utf-8',
      });
    }
  });

  it('waits for its turn behind other requests', async () => {
    const service = await serve({ limits: patient });
    const bytes = requestBytes(service, 'GET /v3/users/alice').repeat(3);
    const answers = await ask(service, `${bytes}CONNECT example.com:443 HTTP/1.1\r\nhost: x\r\n\r\n`);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 405]);
  });
});

describe('a body without end', () => {
  it('is 413 once enough of it was thrown away, and the connection ends', async () => {
    const service = await serve({ limits: { ...patient, bodyBytes: 64 * 1024 } });
    const headers = ['onBehalfOf: alice', 'content-type: application/json', 'transfer-encoding: chunked'];
    const wire = open(service);
    wire.socket.on('error', () => {});
    wire.socket.write(requestBytes(service, 'PUT /v3/users/bob/conversation', headers, 'ffffffffffffffff\r\n'));
    const more = Buffer.alloc(64 * 1024, ' ');
    let sent = 0;
    while (!wire.isEnded() && !wire.text().includes('413')) {
      sent += more.length;
      await new Promise((resolve) => wire.socket.write(more, resolve));
    }
    expect(wire.text()).toContain('HTTP/1.1 413');
    // Sixteen times the limit, and what the kernel holds.
    expect(sent).toBeLessThan(64 * 1024 * 1024);
    await wire.ended;
    wire.socket.destroy();
  });
});
