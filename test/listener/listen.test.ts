/** Connections: pipelined requests, clients that are slow or take nothing, and the end. */
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { answersIn, ask, closingBegun, exchange, open, type RawAnswer, requestsTaken } from '../service/hygiene/raw.js';
import { turns, until } from '../support/until.js';
import { get, listening, post } from './listening.js';

/** More than a kernel holds for a connection. */
const large = () => new Response('x'.repeat(16 * 1024 * 1024));

describe('requests of one connection', () => {
  it('take turns: each begins when the one before it was answered', async () => {
    const seen: string[] = [];
    const at = await listening({
      answer: async ({ url }) => {
        seen.push(`begin ${url.at(-1)}`);
        await turns(3);
        seen.push(`end ${url.at(-1)}`);
        return new Response(url.at(-1));
      },
    });
    const answers = await ask(at, get('/1') + get('/2') + get('/3', 'connection: close'));
    expect(answers.map(({ body }) => body)).toEqual(['1', '2', '3']);
    expect(seen).toEqual(['begin 1', 'end 1', 'begin 2', 'end 2', 'begin 3', 'end 3']);
  });

  it('that none reads are not answered: one answer is held, and others are served meanwhile', async () => {
    let answered = 0;
    const at = await listening({
      answer: ({ url }) => {
        if (url.endsWith('/small')) return new Response('small');
        answered += 1;
        return large();
      },
    });
    const wire = open(at);
    wire.socket.pause();
    wire.socket.write(get('/large').repeat(3) + get('/large', 'connection: close'));
    await until(() => answered === 1);
    for (let call = 0; call < 5; call++) expect(await (await fetch(`${at.url}/small`)).text()).toBe('small');
    await turns(50);
    expect(answered).toBe(1);
    wire.socket.resume();
    await wire.ended;
    expect(answersIn(wire.text()).map(({ status }) => status)).toEqual(Array(4).fill(200));
    wire.socket.destroy();
  });

  it('are kept between them, and say how long', async () => {
    const at = await listening({ times: { idleMs: 600_000 } });
    const answers = await ask(at, get() + get('/', 'connection: close'));
    expect(answers.map(({ headers }) => [headers.connection, headers['keep-alive']])).toEqual([
      ['keep-alive', 'timeout=600'],
      ['close', undefined],
    ]);
  });
});

/**
 * Answers under a limit of time that a first request must keep and what follows must not: it is
 * doubled until this machine, however slow, brings the first request in.
 */
async function withinFirst(answers: (ms: number) => Promise<readonly RawAnswer[]>): Promise<readonly RawAnswer[]> {
  for (let ms = 100; ; ms *= 2) {
    const its = await answers(ms);
    if (its[0]?.status !== 408) return its;
  }
}

describe.concurrent('time', () => {
  it.for([
    ['nothing at all', ''],
    ['half a request line', 'GET /'],
    ['half a header', 'GET / HTTP/1.1\r\nhost: x\r\nap'],
  ] as const)('for a head is bounded: %s is 408', async ([, bytes], context) => {
    const at = await listening({ times: { headMs: 150 } }, context);
    const [answer] = await ask(at, bytes);
    expect([answer?.status, answer?.headers.connection]).toEqual([408, 'close']);
  });

  it.for([
    ['a head', 'GET / HTTP/1.1\r\nx: '],
    ['a body', 'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 5000\r\n\r\n'],
  ] as const)('for %s is the time for all of it: a byte now and then does not buy more', async ([, bytes], context) => {
    const at = await listening({ times: { headMs: 200, bodyMs: 100 } }, context);
    const wire = open(at);
    wire.socket.write(bytes);
    while (!wire.isEnded()) {
      wire.socket.write('y');
      await pause(20);
    }
    expect(answersIn(wire.text())[0]?.status).toBe(408);
    wire.socket.destroy();
  });

  it('for a head holds for the second request of a connection too', async (context) => {
    const answers = await withinFirst(async (headMs) =>
      ask(await listening({ times: { headMs } }, context), `${get()}GE`),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 408]);
  });

  it('for taking an answer is bounded', async (context) => {
    const at = await listening({ times: { sendMs: 200 }, answer: large }, context);
    const wire = open(at);
    wire.socket.pause();
    wire.socket.write(get('/', 'connection: close'));
    await pause(1_000);
    wire.socket.resume();
    await wire.ended;
    expect(() => answersIn(wire.text())).toThrow('cut off');
  });

  it('between two requests is bounded', async (context) => {
    const at = await listening({ times: { idleMs: 200 } }, context);
    expect(await exchange(at, get())).toContain(' 200 ');
  });

  it('of a connection ends when its client never closes its side', async (context) => {
    const at = await listening({ times: { headMs: 100 } }, context);
    const wire = open(at);
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

describe('close', () => {
  it('ends connections that are idle, silent or in the middle of a head at once, and takes no new one', async () => {
    const at = await listening();
    const wires = [open(at), open(at), open(at)];
    wires[0]!.socket.write(get());
    wires[1]!.socket.write('GET /v3/us');
    await until(() => wires[0]!.text().endsWith('0'));
    await Promise.all([at.close(), ...wires.map(({ ended }) => ended)]);
    await expect(fetch(at.url)).rejects.toThrow();
  });

  it('lets a body in flight arrive and be answered, and takes no further request on its connection', async () => {
    const at = await listening();
    const wire = open(at);
    const taken = requestsTaken(1);
    wire.socket.write(post(9, '1234'));
    await taken;
    const closing = at.close();
    await closingBegun(at);
    wire.socket.write(`56789${get()}`);
    await closing;
    await wire.ended;
    const answers = answersIn(wire.text());
    expect(answers.map(({ status, headers, body }) => [status, headers.connection, body])).toEqual([
      [200, 'close', '9'],
    ]);
    wire.socket.destroy();
  });

  it('has an upper bound, whatever a client does: what has no answer then is 503', async () => {
    const at = await listening({ times: { closeMs: 200 } });
    const wire = open(at);
    const taken = requestsTaken(1);
    wire.socket.write(post(9, '1234'));
    await taken;
    await at.close();
    const answers = answersIn(wire.text());
    expect(answers.map(({ status, headers }) => [status, headers.connection])).toEqual([[503, 'close']]);
    expect(answers[0]!.body).toContain('send the request again');
    wire.socket.destroy();
  });

  it('ends with clients that take nothing, and begins none of what waits', async () => {
    let answered = 0;
    const answer = () => {
      answered += 1;
      return large();
    };
    const at = await listening({ times: { closeMs: 50 }, answer });
    const wires = Array.from({ length: 5 }, () => open(at));
    for (const { socket } of wires) socket.pause().write(get().repeat(10));
    await until(() => answered === 5);
    await at.close();
    expect(answered).toBe(5);
    for (const wire of wires) wire.socket.destroy();
  });

  it('returns when a client ended its side in the middle of a body', async () => {
    const at = await listening();
    const wire = open(at);
    const taken = requestsTaken(1);
    wire.socket.end(post(9, '1234'));
    await taken;
    await at.close();
    await wire.ended;
    wire.socket.destroy();
  });

  it('answers all requests that have come before it, also those that were not read yet', async () => {
    const at = await listening();
    const wires = Array.from({ length: 50 }, () => open(at));
    for (const { socket } of wires) socket.write(get());
    await until(() => wires.every((wire) => wire.text().endsWith('0')));
    await Promise.all(wires.map(({ socket }) => new Promise<void>((resolve) => socket.write(get(), () => resolve()))));
    await at.close();
    for (const wire of wires) {
      await wire.ended;
      expect(answersIn(wire.text()).map(({ status }) => status)).toEqual([200, 200]);
      wire.socket.destroy();
    }
  });
});
