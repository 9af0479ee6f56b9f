import { channel, subscribe, unsubscribe } from 'node:diagnostics_channel';
import { inspect } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import type { RequestEvent } from '../../src/client/request-channel.js';
import { apiKey, clientIn, clientOf, json, rejection, serve, serveJson } from '../support/http.js';
import { fakeSurroundings, passUntil } from './fake-surroundings.js';

/** Everything that a channel publishes until the test ends. */
function listen<T>(name: string): T[] {
  const heard: T[] = [];
  const note = (message: unknown): void => void heard.push(message as T);
  subscribe(name, note);
  onTestFinished(() => void unsubscribe(name, note));
  return heard;
}

const quick = { retry: { baseMs: 1 } };

it('tells of every call once, with its template and nothing of its content', async () => {
  const heard = listen<RequestEvent>('sluice:client:request');
  let at = 0;
  const server = await serve((response) => json(response, { data: { uid: 'someone-private' } }, at++ < 2 ? 503 : 200));
  await clientOf(server, quick).users.get('someone-private', { onBehalfOf: 'actor-private' });
  expect(heard).toEqual([
    { method: 'GET', path: '/users/{uid}', status: 200, attempts: 3, durationMs: expect.any(Number), outcome: 'ok' },
  ]);
  expect(heard[0]!.durationMs).toBeGreaterThan(0);
  const shown = inspect(heard, { depth: Number.POSITIVE_INFINITY, showHidden: true });
  expect(shown).not.toMatch(/private/);
  expect(shown).not.toContain(apiKey);
});

it.each<[string, () => Promise<{ readonly url: string }>, Partial<RequestEvent>]>([
  ['http', () => serveJson({}, 404), { status: 404, attempts: 1 }],
  ['http', () => serveJson({}, 503), { status: 503, attempts: 3 }],
  ['shape', () => serveJson({ data: 7 }), { status: 200, attempts: 1 }],
  ['network', async () => ({ url: 'http://127.0.0.1:1/v3' }), { status: undefined, attempts: 3 }],
  ['timeout', () => serve(() => {}), { status: undefined, attempts: 1 }],
])('names the end: %s', async (outcome, open, more) => {
  const heard = listen<RequestEvent>('sluice:client:request');
  const world = fakeSurroundings();
  const client = clientIn(world, await open(), quick);
  // Only a call that nobody answers comes to its deadline, 30 s of a clock that moves a millisecond for 30 turns of the loop.
  await passUntil(world, rejection(client.groups.markAsUnread('g1')), outcome === 'timeout' ? 1_000 : 1);
  expect(heard).toMatchObject([{ method: 'DELETE', path: '/groups/{guid}/conversation/read', outcome, ...more }]);
});

it('tells aborts from failures, and is silent about misuse', async () => {
  const heard = listen<RequestEvent>('sluice:client:request');
  const client = clientOf(await serve(() => {}));
  const controller = new AbortController();
  const call = rejection(client.users.get('ann', { signal: controller.signal }));
  controller.abort(new Error('enough'));
  await call;
  await rejection(client.users.get('..'));
  expect(heard).toMatchObject([{ outcome: 'aborted' }]);
});

it('is no hindrance when nobody listens', async () => {
  expect(channel('sluice:client:request').hasSubscribers).toBe(false);
  expect(await clientOf(await serveJson({ data: { uid: 'ann' } })).users.get('ann')).toEqual({ uid: 'ann' });
});

it("leaves undici's own channels as they are: one event for every attempt", async () => {
  const heard = listen<{ request: { path: string } }>('undici:request:create');
  const server = await serveJson({}, 503);
  await rejection(clientOf(server, quick).users.get('ann'));
  expect(heard.filter(({ request }) => request.path === '/v3/users/ann')).toHaveLength(3);
});
