import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { UsageError } from '../../../src/foundation/errors.js';
import { readBody } from '../../../src/foundation/requests/body.js';
import { startService } from '../../../src/platform/service/index.js';
import { until } from '../../support/until.js';
import { data } from '../sample-data.js';
import {
  answersIn,
  ask,
  errorOf,
  exchange,
  open,
  patient,
  putTags,
  type RawAnswer,
  requestBytes,
  serve,
} from './raw.js';

/**
 * Answers under a limit of time that a first request must keep and what follows must not: it is doubled until this machine, however
 * slow, brings the first request in.
 */
async function withinFirst(answers: (ms: number) => Promise<readonly RawAnswer[]>): Promise<readonly RawAnswer[]> {
  for (let ms = 100; ; ms *= 2) {
    const its = await answers(ms);
    if (its[0]?.status !== 408) return its;
  }
}

describe('bytes', () => {
  it('of a head are bounded: 431, whether it is one header, many, or the target', async () => {
    const service = await serve({ limits: { headBytes: 4_096 } });
    for (const head of [
      requestBytes(service, 'GET /v3/users/alice', [`x: ${'y'.repeat(5_000)}`]),
      requestBytes(service, 'GET /v3/users/alice', Array(1_000).fill('a: b')),
      requestBytes(service, `GET /v3/users/${'y'.repeat(5_000)}`),
    ]) {
      const [answer] = await ask(service, head);
      expect([answer?.status, answer?.headers.connection]).toEqual([431, 'close']);
    }
    const fits = requestBytes(service, 'GET /v3/users/alice', [`x: ${'y'.repeat(3_500)}`, 'connection: close']);
    expect((await ask(service, fits))[0]?.status).toBe(200);
  });

  it('of headers are bounded by number too: none is dropped without a word', async () => {
    const service = await serve({ limits: { headBytes: 64 * 1024 } });
    const headers = (count: number) => [...Array(count).fill('a: b'), 'connection: close'];
    const ask200 = requestBytes(service, 'GET /v3/users/alice', headers(197));
    expect((await ask(service, ask200))[0]?.status).toBe(200);
    for (const count of [198, 3_000]) {
      const answers = await ask(service, requestBytes(service, 'GET /v3/users/alice', headers(count)));
      expect(answers.map(({ status }) => status)).toEqual([431]);
    }
  });

  it('of a body are bounded: 413, with a length or in chunks', async () => {
    const service = await serve({ limits: { bodyBytes: 64 } });
    const chunked = `50\r\n${'x'.repeat(0x50)}\r\n0\r\n\r\n`;
    const headers = ['onBehalfOf: alice', 'content-type: application/json'];
    for (const bytes of [
      putTags(service, ['y'.repeat(80)]),
      requestBytes(service, 'PUT /v3/users/bob/conversation', [...headers, 'transfer-encoding: chunked'], chunked),
      requestBytes(
        service,
        'PUT /v3/users/bob/conversation',
        [...headers, 'content-length: 99999999'],
        'y'.repeat(9_999),
      ),
    ]) {
      const [answer] = await ask(service, bytes);
      expect([answer?.status, answer?.headers.connection]).toEqual([413, 'close']);
      expect(errorOf(answer!).code).toBe('ERR_PAYLOAD_TOO_LARGE');
    }
    expect((await ask(service, putTags(service, ['fits'], ['connection: close'])))[0]?.status).toBe(200);
  });

  it('of chunk extensions are bounded as well', async () => {
    const service = await serve();
    const headers = ['onBehalfOf: alice', 'content-type: application/json', 'transfer-encoding: chunked'];
    const body = `2;${'x'.repeat(20_000)}\r\n{}\r\n0\r\n\r\n`;
    const [answer] = await ask(service, requestBytes(service, 'PUT /v3/users/bob/conversation', headers, body));
    expect(answer?.status).toBe(413);
  });
});

describe.concurrent('time', () => {
  it.for([
    ['nothing at all', ''],
    ['half a request line', 'GET /v3/us'],
    ['half a header', 'GET /v3/users/alice HTTP/1.1\r\nhost: x\r\nap'],
  ] as const)('for a head is bounded: %s is 408', async ([, bytes], context) => {
    const service = await serve({ limits: { ...patient, headMs: 150 } }, context);
    const [answer] = await ask(service, bytes);
    expect([answer?.status, answer?.headers.connection]).toEqual([408, 'close']);
  });

  it('for a head is the time for all of it: a byte now and then does not buy more', async (context) => {
    const service = await serve({ limits: { ...patient, headMs: 200 } }, context);
    const wire = open(service);
    wire.socket.write('GET /v3/users/alice HTTP/1.1\r\nx: ');
    while (!wire.isEnded()) {
      wire.socket.write('y');
      await pause(20);
    }
    expect(answersIn(wire.text())[0]?.status).toBe(408);
    wire.socket.destroy();
  });

  it('for a head holds for the second request of a connection too', async (context) => {
    const answers = await withinFirst(async (headMs) => {
      const service = await serve({ limits: { ...patient, headMs } }, context);
      return ask(service, `${requestBytes(service, 'GET /v3/users/alice')}GET /v3/mess`);
    });
    expect(answers.map(({ status }) => status)).toEqual([200, 408]);
  });

  it('for a body is bounded, and a drip does not buy more', async (context) => {
    const service = await serve({ limits: { ...patient, headMs: 100, bodyMs: 100 } }, context);
    const wire = open(service);
    const headers = ['onBehalfOf: alice', 'content-type: application/json', 'content-length: 5000'];
    wire.socket.write(requestBytes(service, 'PUT /v3/users/bob/conversation', headers));
    while (!wire.isEnded()) {
      wire.socket.write(' ');
      await pause(20);
    }
    const [answer] = answersIn(wire.text());
    expect([answer?.status, answer?.headers.connection]).toEqual([408, 'close']);
    wire.socket.destroy();
  });

  it('for a body that nobody reads is bounded: the answer comes at once, and then the end', async (context) => {
    const answers = await withinFirst(async (ms) => {
      const service = await serve({ limits: { ...patient, headMs: ms, bodyMs: ms } }, context);
      return ask(service, requestBytes(service, 'GET /v3/users/alice', ['content-length: 5000'], 'drip'));
    });
    // The request is not whole, so Node says that it took too long, and ends the connection.
    expect(answers.map(({ status }) => status)).toEqual([200, 408]);
  });

  it('for taking an answer is bounded', async (context) => {
    const service = await serve({ limits: { ...patient, sendMs: 200 } }, context);
    const accepted: Socket[] = [];
    const onAccept = (message: unknown): void => void accepted.push((message as { readonly socket: Socket }).socket);
    subscribe('net.server.socket', onAccept);
    context.onTestFinished(() => void unsubscribe('net.server.socket', onAccept));
    const wire = open(service);
    wire.socket.pause();
    const many = 400;
    wire.socket.write(requestBytes(service, 'GET /v3/messages?limit=1000').repeat(many));
    const theirs = () => accepted.find(({ remotePort }) => remotePort === wire.socket.localPort);
    await until(() => theirs() !== undefined);
    await once(theirs()!, 'close');
    wire.socket.resume();
    await wire.ended;
    expect(() => expect(answersIn(wire.text()).length).toBe(many)).toThrow();
  });

  it('of a connection ends when its client never closes its side', async (context) => {
    const service = await serve({ limits: { ...patient, headMs: 100 } }, context);
    const wire = open(service);
    await wire.ended;
    await new Promise<void>((resolve) => {
      wire.socket.on('error', () => resolve());
      const poke = setInterval(() => wire.socket.write('x'), 100);
      wire.socket.on('close', () => {
        clearInterval(poke);
        resolve();
      });
    });
  });
});

describe('a body whose request broke off', () => {
  it('before anybody read it is not waited for', async () => {
    const request = new IncomingMessage(new Socket());
    request.destroy();
    await new Promise((resolve) => request.once('close', resolve));
    await expect(readBody(new Request('http://x'), request, 100)).rejects.toThrow();
  });
});

describe('connections', () => {
  it('are kept between requests, and say how long', async () => {
    const service = await serve({ limits: { ...patient, idleMs: 600_000 } });
    const wire = open(service);
    for (const count of [1, 2, 3]) {
      wire.socket.write(requestBytes(service, 'GET /v3/users/alice'));
      await until(() => wire.text().split('"uid":"alice"').length > count && wire.text().endsWith('}'));
      const answers = answersIn(wire.text());
      expect(answers).toHaveLength(count);
      expect(answers.at(-1)?.headers).toMatchObject({ connection: 'keep-alive', 'keep-alive': 'timeout=600' });
    }
    wire.socket.destroy();
  });

  it('are kept only so long when idle', async () => {
    const service = await serve({ limits: { ...patient, idleMs: 200 } });
    expect(await exchange(service, requestBytes(service, 'GET /v3/users/alice'))).toContain(' 200 ');
  });

  it('carry only so many requests', async () => {
    const service = await serve({ limits: { requestsPerConnection: 3 } });
    const answers = await ask(service, requestBytes(service, 'GET /v3/users/alice').repeat(5));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(answers.map(({ headers }) => headers.connection)).toEqual(['keep-alive', 'keep-alive', 'close']);
  });
});

describe('limits that cannot work', () => {
  it.each([
    [{ headBytes: 0 }, 'limits: `headBytes` must be a whole number from 1 to 1048576'],
    [{ bodyMs: 1.5 }, 'limits: `bodyMs` must be'],
    [{ closeMs: Number.POSITIVE_INFINITY }, 'limits: `closeMs` must be'],
    [{ bodyBites: 5 }, 'limits: `bodyBites` is not a known field'],
    [{ toString: 5 }, 'limits: `toString` is not a known field'],
    [null, 'limits: `the whole value` must be an object of limits'],
  ])('%j', async (limits, words) => {
    const starting = startService({ data, limits: limits as never });
    await expect(starting).rejects.toThrow(UsageError);
    await expect(starting).rejects.toThrow(words);
  });
});
