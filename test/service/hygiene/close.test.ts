import { Duplex } from 'node:stream';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { hangUp } from '../../../src/service/hang-up.js';
import type { Service } from '../../../src/service/index.js';
import { until } from '../../support/until.js';
import { answersIn, closingBegun, open, patient, requestBytes, requestsTaken, serve, type Wire } from './raw.js';

/** Begins a PUT, and comes back when the service asks for the rest of it: from then on it is in flight. */
async function beginPut(service: Service, length: number, begun: string): Promise<Wire> {
  const wire = open(service);
  const headers = ['onBehalfOf: alice', 'content-type: application/json', `content-length: ${length}`];
  wire.socket.write(requestBytes(service, 'PUT /v3/users/bob/conversation', [...headers, 'expect: 100-continue']));
  await until(() => wire.text().includes('100 Continue'));
  wire.socket.write(begun);
  return wire;
}

/** An answer that no test lives to see by waiting. */
const slow = {
  limits: patient,
  faults: { faults: [{ kind: 'latency', ms: 3_600_000, path: '/users/{uid}' }] },
} as const;

/** Without an end of its own: whether it is destroyed is up to whoever holds it. */
const stayingOpen = () => new Duplex({ allowHalfOpen: true, read() {}, write: (_chunk, _encoding, done) => done() });

describe('close', () => {
  it('ends connections that are idle, silent or in the middle of a head at once', async () => {
    const service = await serve({ limits: patient });
    const wires = [open(service), open(service), open(service)];
    wires[0]!.socket.write(requestBytes(service, 'GET /v3/users/alice'));
    wires[1]!.socket.write('GET /v3/us');
    await until(() => wires[0]!.text().endsWith('}'));
    expect(answersIn(wires[0]!.text())).toHaveLength(1);
    await Promise.all([service.close(), ...wires.map(({ ended }) => ended)]);
  });

  it('lets a body in flight arrive and be answered, with the end of the connection said', async () => {
    const service = await serve({ limits: patient });
    const wire = await beginPut(service, 14, '{"tags');
    const closing = service.close();
    await closingBegun(service);
    wire.socket.write('":["x"]}');
    await closing;
    await wire.ended;
    const answers = answersIn(wire.text());
    const said = answers.map(({ status, headers }) => [status, headers.connection]);
    expect(said).toEqual([
      [100, undefined],
      [200, 'close'],
    ]);
    wire.socket.destroy();
  });

  it('takes no new connection meanwhile, and no further request on an old one', async () => {
    const service = await serve({ limits: patient });
    const wire = await beginPut(service, 2, '{');
    const closing = service.close();
    await closingBegun(service);
    wire.socket.write(`}${requestBytes(service, 'GET /v3/users/alice')}`);
    await closing;
    await wire.ended;
    expect(answersIn(wire.text()).map(({ status }) => status)).toEqual([100, 200]);
    wire.socket.destroy();
  });

  it('has an upper bound, whatever a client does', async () => {
    const service = await serve({ limits: { ...patient, closeMs: 200 } });
    const wire = await beginPut(service, 14, '{"tags');
    await service.close();
    expect(answersIn(wire.text()).map(({ status }) => status)).toEqual([100]);
  });

  it('can be called while an answer waits for its time, and that answer goes out', async () => {
    const service = await serve(slow);
    const wire = open(service);
    const taken = requestsTaken(1);
    wire.socket.write(requestBytes(service, 'GET /v3/users/alice'));
    await taken;
    await service.close();
    await wire.ended;
    expect(answersIn(wire.text()).map(({ status }) => status)).toEqual([200]);
    wire.socket.destroy();
  });

  it('ends, with a client that leaves half of its connection open', async () => {
    const service = await serve({ limits: patient });
    const wire = open(service);
    const taken = requestsTaken(1);
    wire.socket.write(requestBytes(service, 'GET /v3/nowhere', ['content-length: 9']));
    await taken;
    await service.close();
  });
});

describe('a connection that is hung up', () => {
  it('is gone a second later and not before, whatever its client does', () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const socket = stayingOpen();
    hangUp(socket, 'last words');
    expect(socket.writableEnded).toBe(true);
    vi.advanceTimersByTime(999);
    expect(socket.destroyed).toBe(false);
    vi.advanceTimersByTime(1);
    expect(socket.destroyed).toBe(true);
  });

  it('leaves no timer behind when it closes first', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const socket = stayingOpen();
    hangUp(socket);
    expect(vi.getTimerCount()).toBe(1);
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.destroy();
    await closed;
    expect(vi.getTimerCount()).toBe(0);
  });
});
