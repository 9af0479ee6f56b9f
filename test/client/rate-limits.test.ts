import { expect, it } from 'vitest';
import { createClientIn } from '../../src/client/create-client.js';
import { HttpError } from '../../src/errors.js';
import { apiKey, clientOf, json, rejection, serve } from '../support/http.js';
import { fakeSurroundings } from './fake-surroundings.js';

const user = { data: { uid: 'ann' } };

it('after a 429 every call of the client waits for the instant it named', async () => {
  const times: number[] = [];
  const server = await serve((response) => {
    times.push(performance.now());
    if (times.length > 1) json(response, user);
    else response.writeHead(429, { 'retry-after': '1' }).end();
  });
  const client = clientOf(server, { retry: { baseMs: 1 } });
  const first = client.users.get('ann');
  while (times.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  await new Promise((resolve) => setTimeout(resolve, 100));
  const others = Array.from({ length: 30 }, () => client.users.get('bob'));
  await Promise.all([first, ...others]);
  expect(times).toHaveLength(32);
  expect(Math.min(...times.slice(1)) - times[0]!).toBeGreaterThanOrEqual(1000);
});

it('what cannot wait so long fails at once, unsent, and says when to come back', async () => {
  const server = await serve((response) => void response.writeHead(429, { 'retry-after': '60' }).end());
  const client = clientOf(server);
  await rejection(client.users.get('ann'));
  const started = performance.now();
  const error = await rejection(client.users.get('bob'));
  expect(performance.now() - started).toBeLessThan(500);
  expect(error).toBeInstanceOf(HttpError);
  expect(error).toMatchObject({ code: 'http', status: 429, attempts: 0 });
  const { message, retryAfterMs } = error as HttpError;
  expect(retryAfterMs).toBeGreaterThan(58_000);
  expect(retryAfterMs).toBeLessThanOrEqual(60_000);
  expect(message).toMatch(
    /^GET \/users\/\{uid\} was not sent: the platform asked for no more requests, come back in \d+ s$/,
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
  await new Promise((resolve) => setTimeout(resolve, 30));
  expect(answers).toBe(1);
  await world.pass(1);
  await second;
  expect(answers).toBe(2);
  await client.close();
});
