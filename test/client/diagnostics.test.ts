import { channel, subscribe, unsubscribe } from 'node:diagnostics_channel';
import { inspect } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { RequestEvent } from '../../src/platform/client/diagnostics.js';
import { apiKey, clientIn, clientOf, json, rejection, serve, serveJson } from '../support/http.js';
import { fakeEnvironment, passUntil } from './fake-environment.js';

/** Everything that a channel publishes until the test ends. */
function eventsOf<T>(name: string): T[] {
  const events: T[] = [];
  const note = (message: unknown): void => void events.push(message as T);
  subscribe(name, note);
  onTestFinished(() => void unsubscribe(name, note));
  return events;
}

describe('request events', () => {
  const quick = { retry: { baseMs: 1 } };

  it('one for each call, with the path template and no content', async () => {
    const events = eventsOf<RequestEvent>('sluice:client:request');
    let at = 0;
    const server = await serve((response) =>
      json(response, { data: { uid: 'someone-private' } }, at++ < 2 ? 503 : 200),
    );
    await clientOf(server, quick).users.get('someone-private', { onBehalfOf: 'actor-private' });
    expect(events).toEqual([
      { method: 'GET', path: '/users/{uid}', status: 200, attempts: 3, durationMs: expect.any(Number), outcome: 'ok' },
    ]);
    expect(events[0]!.durationMs).toBeGreaterThan(0);
    const shown = inspect(events, { depth: Number.POSITIVE_INFINITY, showHidden: true });
    expect(shown).not.toMatch(/private/);
    expect(shown).not.toContain(apiKey);
  });

  it.each<[string, () => Promise<{ readonly url: string }>, Partial<RequestEvent>]>([
    ['http', () => serveJson({}, 404), { status: 404, attempts: 1 }],
    ['http', () => serveJson({}, 503), { status: 503, attempts: 3 }],
    ['shape', () => serveJson({ data: 7 }), { status: 200, attempts: 1 }],
    ['network', async () => ({ url: 'http://127.0.0.1:1/v3' }), { status: undefined, attempts: 3 }],
    ['timeout', () => serve(() => {}), { status: undefined, attempts: 1 }],
  ])('outcome of a call that fails: %s', async (outcome, open, more) => {
    const events = eventsOf<RequestEvent>('sluice:client:request');
    const world = fakeEnvironment();
    const client = clientIn(world, await open(), quick);
    // Only a call without a response reaches its deadline: 30 s of a clock that otherwise moves 1 ms for 30 turns of the event loop.
    await passUntil(world, rejection(client.groups.markAsUnread('g1')), outcome === 'timeout' ? 1_000 : 1);
    expect(events).toMatchObject([{ method: 'DELETE', path: '/groups/{guid}/conversation/read', outcome, ...more }]);
  });

  it('outcome of an abort; no event for misuse', async () => {
    const events = eventsOf<RequestEvent>('sluice:client:request');
    const client = clientOf(await serve(() => {}));
    const controller = new AbortController();
    const call = rejection(client.users.get('ann', { signal: controller.signal }));
    controller.abort(new Error('enough'));
    await call;
    await rejection(client.users.get('..'));
    expect(events).toMatchObject([{ outcome: 'aborted' }]);
  });

  it('calls work without subscribers', async () => {
    expect(channel('sluice:client:request').hasSubscribers).toBe(false);
    expect(await clientOf(await serveJson({ data: { uid: 'ann' } })).users.get('ann')).toEqual({ uid: 'ann' });
  });

  it("undici's own channel has one event for each attempt", async () => {
    const events = eventsOf<{ request: { path: string } }>('undici:request:create');
    const server = await serveJson({}, 503);
    await rejection(clientOf(server, quick).users.get('ann'));
    expect(events.filter(({ request }) => request.path === '/v3/users/ann')).toHaveLength(3);
  });
});
