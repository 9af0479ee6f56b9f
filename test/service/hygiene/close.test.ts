import { describe, expect, it } from 'vitest';
import type { Service } from '../../../src/platform/service/index.js';
import { until } from '../../support/until.js';
import {
  answersIn,
  closingBegun,
  errorOf,
  exchange,
  open,
  patient,
  requestBytes,
  requestsTaken,
  serve,
  type Wire,
} from './raw.js';

/** Begins a PUT, and comes back when the service asks for the rest of it: from then on it is in flight. */
async function beginPut(service: Service, length: number, begun: string): Promise<Wire> {
  const wire = open(service);
  const headers = ['onBehalfOf: alice', 'content-type: application/json', `content-length: ${length}`];
  wire.socket.write(requestBytes(service, 'PUT /v3/users/bob/conversation', [...headers, 'expect: 100-continue']));
  await until(() => wire.text().includes('100 Continue'));
  wire.socket.write(begun);
  return wire;
}

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

  it('has an upper bound, whatever a client does: what has no answer then is 503', async () => {
    const service = await serve({ limits: { ...patient, closeMs: 200 } });
    const wire = await beginPut(service, 14, '{"tags');
    await service.close();
    const answers = answersIn(wire.text());
    expect(answers.map(({ status, headers }) => [status, headers.connection])).toEqual([
      [100, undefined],
      [503, 'close'],
    ]);
    expect(errorOf(answers[1]!).message).toContain('send the request again');
    wire.socket.destroy();
  });

  it('returns when a client ended its side in the middle of a body', async () => {
    const service = await serve({ limits: patient });
    const wire = await beginPut(service, 14, '{"tags');
    wire.socket.end();
    await service.close();
    await wire.ended;
    wire.socket.destroy();
  });

  it('returns when a client ended its side in the middle of a body before it was read', async () => {
    const service = await serve({ limits: patient });
    const wire = open(service);
    const taken = requestsTaken(1);
    wire.socket.end(
      requestBytes(service, 'PUT /v3/users/bob/conversation', ['content-length: 99', 'onBehalfOf: alice'], '{"tags'),
    );
    await taken;
    await service.close();
    await wire.ended;
    wire.socket.destroy();
  });

  it.each([
    ['half a head', 'GET /v3/users/al'],
    ['a head and half a body of an unknown path', 'PUT /nowhere HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\n\r\n{"t'],
    ['half a chunk', 'PUT /nowhere HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n5\r\n{"'],
  ])('returns within its grace while a client holds its connection open with %s', async (_, begun) => {
    const service = await serve({ limits: { ...patient, closeMs: 50 } });
    const wire = open(service);
    const connected = new Promise((resolve) => wire.socket.once('connect', resolve));
    await connected;
    wire.socket.write(begun);
    // Another request of another connection is answered: the first bytes have come by then.
    expect(
      answersIn(await exchange(service, requestBytes(service, 'GET /v3/users/alice', ['connection: close']))),
    ).toHaveLength(1);
    await service.close();
    await wire.ended;
    wire.socket.destroy();
  });

  it('answers all requests that have come before it, also those that were not read yet', async () => {
    const service = await serve({ limits: patient });
    const wires = Array.from({ length: 50 }, () => open(service));
    for (const { socket } of wires) socket.write(requestBytes(service, 'GET /v3/users/alice'));
    await until(() => wires.every((wire) => wire.text().endsWith('}')));
    const written = wires.map(
      ({ socket }) =>
        new Promise<void>((resolve) => socket.write(requestBytes(service, 'GET /v3/users/bob'), () => resolve())),
    );
    await Promise.all(written);
    await service.close();
    for (const wire of wires) {
      await wire.ended;
      expect(answersIn(wire.text()).map(({ status }) => status)).toEqual([200, 200]);
      wire.socket.destroy();
    }
  });

  it('can be called while an answer waits for its time, and that answer goes out', async () => {
    let go = (): void => {};
    const gate = new Promise<void>((resolve) => {
      go = resolve;
    });
    const service = await serve({ limits: patient, intercept: (_, answer) => gate.then(answer) });
    const wire = open(service);
    const taken = requestsTaken(1);
    wire.socket.write(requestBytes(service, 'GET /v3/users/alice'));
    await taken;
    const closing = service.close();
    await closingBegun(service);
    go();
    await closing;
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
