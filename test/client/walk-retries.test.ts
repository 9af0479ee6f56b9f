import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import type { ClientOptions } from '../../src/client/options.js';
import { HttpError } from '../../src/errors.js';
import { clientOf, json, rejection, serve } from '../support/http.js';

const full = process.env.SLUICE_FULL === '1';

const retry: ClientOptions['retry'] = { baseMs: 0, budget: 1_000_000 };

/** What the platform does with one request. */
const weather = fc.constantFrom('well', 'well', 'well', '503', 'reset', 'cut');
const row = fc.record({
  id: fc.uniqueArray(fc.nat({ max: 10_000 }), { maxLength: 40 }),
  step: fc.integer({ min: 1, max: 9 }),
});

it('pages that are fetched again lose nothing and double nothing', async () => {
  let ids: readonly number[] = [];
  let moods: readonly string[] = [];
  let at = 0;
  const server = await serve((response, { target }) => {
    const query = new URL(target, 'http://x').searchParams;
    const start = query.has('id') ? ids.indexOf(Number(query.get('id'))) + 1 : 0;
    const page = ids.slice(start, start + Number(query.get('limit')));
    const isLast = start + page.length >= ids.length;
    // Equal times, so that only the id tells where a page begins.
    const next = isLast ? undefined : { affix: 'append', sentAt: 7, id: String(page.at(-1)) };
    const body = { data: page.map((id) => ({ id: String(id), sentAt: 7 })), meta: { next } };
    // At most two bad answers in a row: a third ends the call, which is another test.
    const mood = at % 3 === 2 ? 'well' : (moods[at % Math.max(1, moods.length)] ?? 'well');
    at = mood === 'well' ? 0 : at + 1;
    if (mood === '503') response.writeHead(503).end();
    else if (mood === 'reset') response.socket?.resetAndDestroy();
    else if (mood === 'cut') {
      const text = JSON.stringify(body);
      response.writeHead(200, { 'content-length': text.length }).write(text.slice(0, -2));
      setImmediate(() => response.socket?.end());
    } else json(response, body);
  });
  const client = clientOf(server, { retry });
  await fc.assert(
    fc.asyncProperty(row, fc.array(weather, { minLength: 1, maxLength: 9 }), async ({ id, step }, given) => {
      ids = id;
      moods = given;
      at = 0;
      const walked: number[] = [];
      for await (const message of client.messages.iterate({ limit: step })) walked.push(Number(message.id));
      expect(walked).toEqual(ids);
    }),
    { numRuns: full ? 1000 : 25 },
  );
});

it('a page that stays away ends the walk after what came before it', async () => {
  const server = await serve((response, { target }) => {
    if (target.includes('id=')) response.writeHead(503).end();
    else json(response, { data: [{ id: '1' }, { id: '2' }], meta: { next: { affix: 'append', id: '2' } } });
  });
  const seen: string[] = [];
  const walk = async () => {
    for await (const { id } of clientOf(server, { retry }).messages.iterate()) seen.push(id);
  };
  const error = await rejection(walk());
  expect(error).toBeInstanceOf(HttpError);
  expect(error).toMatchObject({ status: 503, attempts: 3 });
  expect(seen).toEqual(['1', '2']);
  expect(server.received).toHaveLength(4);
});
