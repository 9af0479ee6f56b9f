import { expect, it } from 'vitest';
import { createClientIn } from '../../src/client/create-client.js';
import { HttpError } from '../../src/errors.js';
import { apiKey, clientIn, clientOf, json, rejection, serve } from '../support/http.js';
import { turns, until } from '../support/until.js';
import { fakeSurroundings, passUntil } from './fake-surroundings.js';

const user = { data: { uid: 'ann' } };

it('after a 429 every call of the client waits for the instant it named', async () => {
  const world = fakeSurroundings();
  const server = await serve((response) => {
    if (server.received.length > 1) json(response, user);
    else response.writeHead(429, { 'retry-after': '1' }).end();
  });
  const client = clientIn(world, server, { retry: { baseMs: 1 } });
  const first = client.users.get('ann');
  await until(() => world.timers() === 2);
  const others = Array.from({ length: 30 }, () => client.users.get('bob'));
  await world.pass(999);
  await turns();
  expect(server.received).toHaveLength(1);
  await passUntil(world, Promise.all([first, ...others]), 1);
  expect(server.received).toHaveLength(32);
});

it('what cannot wait so long fails at once, unsent, and says when to come back', async () => {
  const server = await serve((response) => void response.writeHead(429, { 'retry-after': '60' }).end());
  // The clock stands still: what waited would wait for good.
  const client = clientIn(fakeSurroundings(), server);
  await rejection(client.users.get('ann'));
  const error = await rejection(client.users.get('bob'));
  expect(error).toBeInstanceOf(HttpError);
  expect(error).toMatchObject({ code: 'http', status: 429, attempts: 0 });
  const { message, retryAfterMs } = error as HttpError;
  expect(retryAfterMs).toBe(60_000);
  expect(message).toMatch(
    /^GET \/users\/\{uid\} was not sent: the platform asked for no more requests, come back in 60 s$/,
  );
  expect(server.received).toHaveLength(1);
});

it('also holds for what is never sent again', async () => {
  const server = await serve((response) => void response.writeHead(429, { 'retry-after': '60' }).end());
  const client = clientOf(server);
  const tags = { onBehalfOf: 'ann', tags: ['x'] };
  expect(await rejection(client.users.updateConversation('bob', tags))).toMatchObject({ attempts: 1 });
  expect(await rejection(client.users.updateConversation('bob', tags))).toMatchObject({ attempts: 0, status: 429 });
});

it('with nothing remaining, the next request comes after the reset', async () => {
  const world = fakeSurroundings();
  let answers = 0;
  const server = await serve((response) => {
    answers++;
    const reset = String(world.wallMs() / 1000 + 30);
    const headers = { 'x-rate-limit': '700', 'x-rate-limit-remaining': '0', 'x-rate-limit-reset': reset };
    response.sendDate = false;
    response.writeHead(200, headers).end(JSON.stringify(user));
  });
  const client = createClientIn(world, { baseUrl: server.url, apiKey, timeouts: { totalMs: 60_000 } });
  await client.users.get('ann');
  const second = client.users.get('ann');
  await world.pass(29_999);
  await turns();
  expect(answers).toBe(1);
  await world.pass(1);
  await second;
  expect(answers).toBe(2);
  await client.close();
});
