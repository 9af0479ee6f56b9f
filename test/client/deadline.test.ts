import { getEventListeners, once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import { describe, expect, it, onTestFinished } from 'vitest';
import { SluiceError, TimeoutError } from '../../src/foundation/errors.js';
import { createClientIn } from '../../src/platform/client/client.js';
import { onAbort, startDeadline } from '../../src/platform/client/deadline.js';
import type { ClientOptions } from '../../src/platform/client/options.js';
import { apiKey, clientOf, json, rejection, serve, serveJson } from '../support/http.js';
import { turns, until } from '../support/until.js';
import { fakeEnvironment } from './fake-environment.js';

describe('timeouts', () => {
  it('headersMs and bodyMs are named by the error', async () => {
    const server = await serve((response, { target }) => {
      if (target.endsWith('body')) response.writeHead(200, { 'content-length': '10' }).write(' ');
    });
    const clientWithin = (timeouts: ClientOptions['timeouts']) =>
      clientOf(server, {
        retry: false,
        timeouts: { totalMs: 1_800_000, headersMs: 1_800_000, bodyMs: 1_800_000, ...timeouts },
      });
    const [headers, body] = await Promise.all([
      rejection(clientWithin({ headersMs: 100 }).users.get('headers')),
      rejection(clientWithin({ bodyMs: 200 }).users.get('body')),
    ]);
    expect(headers).toMatchObject({ code: 'timeout', phase: 'headers', afterMs: 100 });
    expect(body).toMatchObject({ code: 'timeout', afterMs: 200 });
  });

  it('totalMs ends a call whose response is parsed too late, though no timer has fired', async () => {
    const world = fakeEnvironment();
    let late = 0;
    // The body ends with the clock moved on and the event loop not run: as after a long parse.
    const body = Readable.from(
      (async function* () {
        yield Buffer.from('{"data":{"uid":"ann"}}');
        late = 150;
      })(),
    );
    const request = async () => ({ statusCode: 200, headers: {}, body });
    const client = createClientIn(
      { ...world, elapsedMs: () => world.elapsedMs() + late },
      {
        baseUrl: 'http://127.0.0.1:1/v3',
        apiKey,
        dispatcher: { request } as unknown as Dispatcher,
        timeouts: { totalMs: 150 },
      },
    );
    const error = await rejection(client.users.get('ann'));
    expect(late).toBe(150);
    expect(error).toBeInstanceOf(TimeoutError);
    expect(error).toMatchObject({ phase: 'total', afterMs: 150, attempts: 1 });
  });

  it('no timer is left after a call', async () => {
    const server = await serveJson({ data: { uid: 'ann' } });
    const before = process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
    const client = clientOf(server, { retry: false, timeouts: { totalMs: 60_000 } });
    await Promise.all(Array.from({ length: 20 }, () => client.users.get('ann')));
    const after = process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
    // The pool keeps one of its own; twenty would be one for each call.
    expect(after - before).toBeLessThan(20);
  });
});

describe('signal of the caller', () => {
  const reasons: [string, unknown][] = [
    ['an error', new Error('enough')],
    ['a string', 'enough'],
    ['null', null],
  ];

  it.each(reasons)('rejects with its reason unchanged: %s', async (_, reason) => {
    const server = await serve(() => {});
    const controller = new AbortController();
    const call = rejection(clientOf(server, { retry: false }).users.get('ann', { signal: controller.signal }));
    await until(() => server.received.length === 1);
    controller.abort(reason);
    expect(await call).toBe(reason);
  });

  it('an abort without a reason stays an AbortError', async () => {
    const server = await serve((response) => void response.writeHead(200).write('{'));
    const controller = new AbortController();
    const call = rejection(clientOf(server, { retry: false }).users.get('ann', { signal: controller.signal }));
    await until(() => server.received.length === 1);
    await turns();
    controller.abort();
    const error = await call;
    expect(error).toMatchObject({ name: 'AbortError' });
    expect(error).not.toBeInstanceOf(SluiceError);
  });

  it('opens no connection when aborted already', async () => {
    let connections = 0;
    const server = createServer((socket) => {
      connections++;
      socket.destroy();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const client = clientOf({ url: `http://127.0.0.1:${port}/v3` });
    expect(await rejection(client.users.get('ann', { signal: AbortSignal.abort('late') }))).toBe('late');
    // A connection of ours comes after one that the client had begun.
    await once(connect(port, '127.0.0.1'), 'close');
    expect(connections).toBe(1);
  });

  it('rejects with its reason in the middle of a failure', async () => {
    const server = await serve((response) => void response.writeHead(500).write('{"error":'));
    const controller = new AbortController();
    const call = rejection(clientOf(server, { retry: false }).users.get('ann', { signal: controller.signal }));
    await until(() => server.received.length === 1);
    await turns();
    controller.abort('enough');
    expect(await call).toBe('enough');
  });

  it('or the deadline: the first of them ends the call', async () => {
    const world = fakeEnvironment();
    const late = new AbortController();
    const deadline = startDeadline(1, late.signal, world);
    expect(deadline.endedBy()).toBeUndefined();
    await world.pass(10);
    late.abort();
    expect(deadline.endedBy()).toBe('deadline');
    const early = startDeadline(1, AbortSignal.abort('early'), world);
    await world.pass(10);
    expect(early.endedBy()).toBe('caller');
    expect(early.signal.reason).toBe('early');
  });

  it('has one listener for all that wait for it, so that Node warns of none, and each of them hears of it once', () => {
    const controller = new AbortController();
    const { signal } = controller;
    const heard: string[] = [];
    const unlink = Array.from({ length: 30 }, (_, at) => onAbort(signal, (reason) => heard.push(`${at} ${reason}`)));
    expect(getEventListeners(signal, 'abort').length).toBe(1);
    for (const remove of unlink.slice(2)) remove();
    unlink[2]!();
    expect(getEventListeners(signal, 'abort').length).toBe(1);
    controller.abort('late');
    expect(heard).toEqual(['0 late', '1 late']);
    for (const remove of unlink) remove();
    expect(getEventListeners(signal, 'abort')).toEqual([]);
    onAbort(signal, (reason) => heard.push(`behind ${reason}`));
    expect(heard.slice(2)).toEqual(['behind late']);
  });

  it('is that of many calls at once, without a warning, and none listens after they end', async () => {
    const warnings: Error[] = [];
    const note = (warning: Error) => warnings.push(warning);
    process.on('warning', note);
    onTestFinished(() => void process.off('warning', note));
    const server = await serve((response, { target }) =>
      json(response, { data: { uid: 'ann' } }, target.endsWith('ann') ? 200 : 500),
    );
    const { signal } = new AbortController();
    const client = clientOf(server, { retry: false });
    const calls = Array.from({ length: 40 }, (_, at) => client.users.get(at % 2 === 0 ? 'ann' : 'bob', { signal }));
    await Promise.allSettled(calls);
    expect([warnings, getEventListeners(signal, 'abort')]).toEqual([[], []]);
  });
});
