/**
 * Clients that send slowly, too much or no HTTP, and clients that read nothing, of a handler behind
 * the listener.
 */
import { describe, expect, it, onTestFinished } from 'vitest';
import { type ListenerTimes, listen } from '../../src/foundation/listener/listen.js';
import { createEngine } from '../../src/index.js';
import { createAnswering } from '../../src/live/http/answering.js';
import type { MessageJudge } from '../../src/live/http/judging.js';
import { answersIn, exchange, open, type Wire } from '../service/hygiene/raw.js';
import { until } from '../support/until.js';
import { ruleSet } from './call.js';

/**
 * Times that no test reaches: what ends all the same is ended by something else, and what does not
 * end hangs.
 */
const ms = 2_400_000;
const patient = { headMs: ms, bodyMs: ms, idleMs: ms, sendMs: ms, closeMs: 1 } satisfies Partial<ListenerTimes>;

async function moderation(times: Partial<ListenerTimes> = {}, judge: MessageJudge = createEngine(ruleSet)) {
  const listener = await listen({
    host: '127.0.0.1',
    port: 0,
    times: { ...patient, ...times },
    fetch: createAnswering(judge),
  });
  onTestFinished(listener.close);
  return { url: `http://${listener.authority}`, close: listener.close };
}

const post = (body: string, path = '/decide', headers: readonly string[] = []) =>
  [`POST ${path} HTTP/1.1`, 'host: x', `content-length: ${Buffer.byteLength(body)}`, ...headers, '', body].join('\r\n');
const metric = async ({ url }: { readonly url: string }, name: string) => {
  const lines = (await (await fetch(`${url}/metrics`)).text()).split('\n');
  return Number(lines.find((line) => line.startsWith(`${name} `))?.slice(name.length));
};
const inFlight = (at: { readonly url: string }) => metric(at, 'sluice_requests_in_flight');
/**
 * Batches whose answers are some megabytes each: one may be what sockets hold, all of them are
 * more.
 */
const batches = 5;
const large = post(JSON.stringify(Array(600).fill('moron '.repeat(100))), '/decide/batch');

describe('clients that send', () => {
  it('slowly are cut off with a 408, whether head or body does not come', async () => {
    const at = await moderation({ headMs: 50, bodyMs: 50 });
    const body = 'POST /decide HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\n\r\n"mor';
    for (const bytes of ['POST /decide HT', body]) expect(await exchange(at, bytes)).toMatch(/^HTTP\/1\.1 408 /);
    // On a busy machine this request may be too slow as well.
    await expect.poll(() => inFlight(at), { timeout: 600_000 }).toBe(0);
  });

  it('too much, or what is not HTTP or no target, are answered and served no further', async () => {
    const at = await moderation();
    const close = 'connection: close\r\n\r\n';
    const statuses = await Promise.all(
      [
        `GET / HTTP/1.1\r\nhost: x\r\na: ${'a'.repeat(20_000)}\r\n${close}`,
        'nonsense\r\n\r\n',
        `GET /%ff\\ HTTP/1.1\r\nhost: a b\r\n${close}`,
        'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
        'POST /x HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\ncontent-length: 5\r\n\r\n0\r\n\r\n',
        'POST /x HTTP/1.1\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n',
        'GET /x HTTP/1.1\r\nhost: x\r\nexpect: a-miracle\r\nconnection: close\r\n\r\n',
        'POST /decide HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{"\r\nzz\r\n',
        `POST /decide HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n2;${'x'.repeat(20_000)}\r\n{}\r\n`,
        post('x'.repeat(2_000_000)),
        `POST /decide HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n1e8480\r\n${'x'.repeat(2_000_000)}\r\n0\r\n\r\n`,
        'POST /decide HTTP/1.1\r\nhost: x\r\ncontent-length: 99999999999\r\n\r\nx',
      ].map(async (bytes) => Number((await exchange(at, bytes)).slice(9, 12))),
    );
    expect(statuses).toEqual([431, 400, 400, 400, 400, 400, 417, 400, 413, 413, 413, 413]);
    expect(await exchange(at, 'CONNECT x:1 HTTP/1.1\r\nhost: x\r\n\r\n')).toBe('');
    expect(await inFlight(at)).toBe(0);
  });

  it('requests one after the other get their answers in order', async () => {
    const at = await moderation();
    const bytes = post('"moron"') + post('7') + post('"hello"', '/decide', ['connection: close']);
    const answers = answersIn(await exchange(at, bytes));
    expect(answers.map(({ status, body }) => [status, JSON.parse(body).verdict])).toEqual([
      [200, 'blockMessage'],
      [400, undefined],
      [200, 'allow'],
    ]);
  });

  it('more than sixteen of them at once are cut off, and others are served', async () => {
    const at = await moderation();
    const wire = open(at);
    wire.socket.write('GET / HTTP/1.1\r\n\r\n'.repeat(10_000));
    await wire.ended;
    expect(answersIn(wire.text()).length).toBeLessThanOrEqual(16);
    expect(await inFlight(at)).toBe(0);
    wire.socket.destroy();
  });

  it('and go away leave nothing behind', async () => {
    const at = await moderation();
    for (let times = 0; times < 20; times++) {
      const wire = open(at);
      wire.socket.write(`${post('"moron"')}POST /decide HTTP/1.1\r\nhost: x\r\ncontent-length: 900\r\n\r\n"mor`);
      wire.socket.resetAndDestroy();
      await wire.ended;
    }
    await expect.poll(() => inFlight(at), { timeout: 600_000 }).toBe(0);
  });

  it('and do not wait for the scores of their message give their places free', async () => {
    const engine = createEngine(ruleSet);
    let asked = 0;
    const explainAsync: MessageJudge['explainAsync'] = (_message, _scores, { signal } = {}) => {
      asked += 1;
      return new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));
    };
    const at = await moderation({}, { ...engine, explainAsync, scoreRequests: () => [{}] as never });
    const wires = Array.from({ length: 3 }, () => open(at));
    for (const { socket } of wires) socket.write(post('"moron"'));
    await until(() => asked === 3);
    expect(await inFlight(at)).toBe(3);
    for (const { socket } of wires) socket.destroy();
    await expect.poll(() => inFlight(at), { timeout: 600_000 }).toBe(0);
  });
});

describe('close', () => {
  it('answers what waits for its scores, in part sent or not at all begun, with a 503 after its grace', async () => {
    let asked = 0;
    const explainAsync = () => {
      asked += 1;
      return new Promise<never>(() => {});
    };
    const at = await moderation(
      { closeMs: 50 },
      { ...createEngine(ruleSet), explainAsync, scoreRequests: () => [{}] as never },
    );
    const wires = [post('"moron"'), post('["moron"]', '/decide/batch'), post('"moron"').slice(0, -3)].map((bytes) => {
      const wire = open(at);
      wire.socket.write(bytes);
      return wire;
    });
    await until(() => asked === 2);
    await expect.poll(() => inFlight(at), { timeout: 600_000 }).toBe(3);
    await at.close();
    for (const wire of wires) {
      await wire.ended;
      const [answer, ...others] = answersIn(wire.text());
      expect([answer?.status, answer?.headers.connection, others]).toEqual([503, 'close', []]);
      expect(JSON.parse(answer!.body).error).toContain('send the request again');
      wire.socket.destroy();
    }
  });
});

describe('clients that read nothing', () => {
  it('hold bytes until they are gone: others are refused meanwhile, and the platform is answered', async () => {
    const at = await moderation();
    const wires: Wire[] = [];
    const status = async (path: string, body: unknown) => {
      const response = await fetch(`${at.url}${path}`, { method: 'POST', body: JSON.stringify(body) });
      await response.text();
      return response.status;
    };
    const whole = Array(600).fill('moron '.repeat(100));
    // Each of them takes what the kernel does not.
    while ((await status('/decide/batch', whole)) !== 429) {
      const wire = open(at);
      wire.socket.pause().write(large.repeat(batches));
      wires.push(wire);
    }
    expect(await status('/custom-api', { contextMessages: [{ ana: 'moron' }] })).toBe(200);
    for (const { socket } of wires) socket.destroy();
    await expect.poll(() => status('/decide/batch', whole), { timeout: 600_000 }).toBe(200);
    await expect.poll(() => inFlight(at), { timeout: 600_000 }).toBe(0);
  });

  it('keep their places until they are gone: their answers are as many as places are', async () => {
    const at = await moderation();
    const wires = Array.from({ length: 3 }, () => open(at));
    for (const { socket } of wires) socket.pause().write(large.repeat(batches));
    await expect.poll(() => inFlight(at), { timeout: 600_000 }).toBe(3);
    for (const { socket } of wires) socket.destroy();
    await expect.poll(() => inFlight(at), { timeout: 600_000 }).toBe(0);
  });

  it('are cut off once their answer has waited long enough', async () => {
    const at = await moderation({ sendMs: 50 });
    const wire = open(at);
    wire.socket.pause().write(large.repeat(batches));
    const answered = () => metric(at, 'sluice_request_duration_seconds_count{route="/decide/batch"}');
    await expect.poll(answered, { timeout: 600_000 }).toBeGreaterThan(0);
    await expect.poll(() => inFlight(at), { timeout: 600_000 }).toBe(0);
    wire.socket.resume();
    await until(() => wire.isEnded());
    const heads = wire.text().match(/^HTTP\/1\.1 200 /gm)?.length ?? 0;
    expect(heads).toBeLessThan(batches);
  });
});
