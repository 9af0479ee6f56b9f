/**
 * P21: every walk over pages ends or fails, and each message comes once, also over a list that
 * changes meanwhile.
 */
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { type HttpError, ShapeError, UsageError } from '../../src/foundation/errors.js';
import type { MessageQuery } from '../../src/platform/contract/message-query.js';
import { clientOf, json, serve } from '../support/http.js';
import { runs } from '../support/runs.js';
import { turns, until } from '../support/until.js';
import { failOnStrays } from './rows.js';

failOnStrays();

type Options = Parameters<ReturnType<typeof clientOf>['messages']['iterate']>[1];

/** Walks, and returns the ids that came, apart by commas, and the error at the end, if any. */
async function walk(url: string, query: MessageQuery = {}, options: Options = {}) {
  const client = clientOf({ url }, { retry: { baseMs: 0, budget: 1000 } });
  const seen: string[] = [];
  let error: unknown;
  try {
    for await (const { id } of client.messages.iterate(query, options)) {
      await turns(1);
      seen.push(id);
    }
  } catch (thrown) {
    error = thrown;
  }
  return { seen: seen.join(), error };
}

/**
 * Serves pages that are apart by blanks, one after the other: ids, apart by commas, and after `>`
 * the cursor, an id or JSON. `!` is a refusal.
 */
function servePages(text: string) {
  const pages = text.split(' ').map((page) => page.split('>'));
  return serve((response) => {
    const [ids = '', cursor] = pages[Math.min(server.received.length, pages.length) - 1]!;
    const data = ids.split(',').flatMap((id) => (id === '' ? [] : [{ id, sentAt: 1000 }]));
    const next = cursor?.startsWith('{') ? JSON.parse(cursor) : cursor && { affix: 'append', sentAt: 1000, id: cursor };
    json(response, { data, meta: { current: { limit: 9 }, next } }, ids === '!' ? 400 : 200);
  }).then((started) => (server = started));
}
let server: Awaited<ReturnType<typeof serve>>;

const empty = (count: number, from: number) => Array.from({ length: count }, (_, at) => `>${from + at}`).join(' ');
const noEnd = 'the list has no end';

it.each<[name: string, pages: string, seen: string, path?: string, words?: string]>([
  ['no cursor', '1,2', '1,2'],
  ['an empty cursor', '1>{}', '1'],
  ['a cursor of affix alone', '1>{"affix":"append"}', '1'],
  ['a cursor of nulls', '1>{"id":null,"sentAt":null}', '1'],
  ['a cursor whose id is a number', '1>{"id":1} 2', '1,2'],
  ['an empty first page', '>1 2', '2'],
  ['twenty empty pages in a row, twice', `1>1 ${empty(20, 100)} 2>2 ${empty(20, 200)} 3`, '1,2,3'],
  ['an empty page that leads to itself', '1>1 >1', '1'],
  ['pages that shrink to an empty one that leads to itself', '1,2,3>x 2,3>y 3>z >3 >3', '1,2,3'],
  ['the same after the cursor of the query', '@9 >9', ''],
  ['two pages of seen messages, and new ones', '1,2>2 2,1>3 1>4 1,5>5 5,2>6 5>7 6', '1,2,5,6'],
  ['overlapping pages', '1,2>2 2,3,3>3 3', '1,2,3'],
  ['a cursor that does not move', '1>1 2>1', '1,2', 'meta.next', noEnd],
  ['cursors in a circle', '1>1 2>2 3>1', '1,2,3', 'meta.next', noEnd],
  ['three pages of seen messages', '1,2>2 2,1>3 1>4 2>5', '1,2', 'data', noEnd],
  ['seen messages and empty pages by turns', '1>1 1>2 >3 1>4 >5 1>6', '1', 'data', noEnd],
  ['21 empty pages in a row', `1>1 ${empty(21, 100)}`, '1', 'data', noEnd],
  ['an empty page that leads back', '1>1 2>2 >1', '1,2', 'meta.next', noEnd],
  ['an empty page that leads to itself, not by the last message', '1>2 >2', '1', 'meta.next', noEnd],
  ['a cursor that leads back to the start', '@1 1>1', '1', 'meta.next', noEnd],
  ['an unknown affix', '1>{"affix":"sideways","id":"1"}', '1', 'meta.next.affix', 'must be `append` or `prepend`'],
  ['a fraction of a second', '1>{"sentAt":1.5,"id":"1"}', '1', 'meta.next.sentAt', 'must be a whole number'],
  ['half a letter', '1>{"id":"a\\ud800"}', '1', 'meta.next.id', 'half of a surrogate pair'],
  ['a cursor of another shape', '1>{"id":["1"]}', '', 'meta.next.id', 'must be'],
])('%s', async (_, text, expected, path, words) => {
  // A walk may begin at a cursor.
  const [, id, pages = text] = /^@(\S+) (.*)$/.exec(text) ?? [];
  const { url } = await servePages(pages);
  const { seen, error } = await walk(url, id === undefined ? {} : { affix: 'append', sentAt: 1000, id });
  expect(seen).toBe(expected);
  expect(server.received).toHaveLength(pages.split(' ').length);
  if (path === undefined) return expect(error).toBeUndefined();
  expect(error).toBeInstanceOf(ShapeError);
  expect(error).toMatchObject({ source: 'GET /messages', path, expected: expect.stringContaining(words!) });
});

it('sends the filters and the three fields of the cursor, 1,000 a page by default, anew for each loop', async () => {
  const cursor = '{"affix":"prepend","id":"http://127.0.0.1:1/?apikey=x","sentAt":1000,"url":"http://evil.example"}';
  const { url } = await servePages(`3,2>${cursor} 1`);
  const pages: unknown[] = [];
  const query = { sender: 'ann', types: ['text'] };
  expect(await walk(url, query, { onBehalfOf: 'bob', onPage: (page) => pages.push(page) })).toEqual({
    seen: '3,2,1',
    error: undefined,
  });
  expect((await walk(url, { ...query, limit: 3 })).seen).toBe('1');
  expect(pages).toEqual([
    { count: 2, limit: 9 },
    { count: 1, limit: 9 },
  ]);
  expect(server.received.map(({ target, rawHeaders }) => [target, rawHeaders.onBehalfOf])).toEqual([
    ['/v3/messages?sender=ann&limit=1000&types=text', 'bob'],
    [
      '/v3/messages?affix=prepend&id=http%3A%2F%2F127.0.0.1%3A1%2F%3Fapikey%3Dx&sender=ann&sentAt=1000&limit=1000&types=text',
      'bob',
    ],
    ['/v3/messages?sender=ann&limit=3&types=text', undefined],
  ]);
});

it('fetches one page ahead, and leaves it unread where the walk ends early', async () => {
  let closed = 0;
  const { url } = await serve((response, { target }) => {
    response.on('close', () => closed++);
    if (!target.includes('id=2')) json(response, { data: [{ id: '1' }, { id: '2' }], meta: { next: { id: '2' } } });
  });
  for await (const _ of clientOf({ url }).messages.iterate()) {
    await until(() => closed === 1);
    await turns();
    break;
  }
  await until(() => closed === 2);
});

it('gives what came before an error, a refusal or an abort', async () => {
  const { url } = await servePages('1,2>2 !');
  const { seen, error } = await walk(url);
  expect([seen, (error as HttpError).status]).toEqual(['1,2', 400]);
  const controller = new AbortController();
  const stop = () => controller.abort('enough');
  const stopped = await walk((await servePages('1>1 2>2 3')).url, {}, { signal: controller.signal, onPage: stop });
  expect(stopped).toEqual({ seen: '', error: 'enough' });
  for (const query of [{ limit: 2000 }, null, 7, 'sender']) {
    expect((await walk(url, query as MessageQuery)).error).toBeInstanceOf(UsageError);
  }
});

/**
 * Something that happens to the list, or to the answer, at one request. Even ids are there from the
 * start.
 */
const happening = fc.record({
  kind: fc.constantFrom('nothing', 'nothing', 'nothing', 'a fault', 'an insert', 'a delete', 'an overlap', 'a double'),
  at: fc.nat(60),
});
const world = fc.record({
  ids: fc.uniqueArray(
    fc.integer({ min: 0, max: 60 }).map((half) => half * 2),
    { maxLength: 40 },
  ),
  limit: fc.integer({ min: 1, max: 9 }),
  happenings: fc.array(happening, { maxLength: 25 }),
  cursorAtEnd: fc.boolean(),
});

it('a list that changes, over a peer that fails: what is there throughout comes once, in order', async () => {
  await fc.assert(
    fc.asyncProperty(world, async ({ ids, limit, happenings, cursorAtEnd }) => {
      const [present, ever, deleted] = [new Set(ids), new Set(ids), new Set<number>()];
      let [request, isDown] = [0, false];
      const { url } = await serve((response, { target }) => {
        const { kind, at } = happenings[request++] ?? { kind: 'nothing', at: 0 };
        // No two faults in a row: a call has three attempts.
        isDown = kind === 'a fault' && !isDown;
        if (isDown) return void (at % 2 === 0 ? response.socket?.resetAndDestroy() : json(response, {}, 503));
        if (kind === 'an insert') ever.add(present.add(at * 2 + 1) && at * 2 + 1);
        if (kind === 'a delete' && present.delete(at * 2)) deleted.add(at * 2);
        const after = Number(new URL(target, url).searchParams.get('id') ?? -1);
        const sorted = [...present].sort((a, b) => a - b);
        const page = sorted.filter((id) => id > after).slice(0, limit);
        const last = page.at(-1);
        const more = last !== undefined && (cursorAtEnd || sorted.some((id) => id > last));
        if (kind === 'an overlap' && page.length > 0)
          page.unshift(...sorted.filter((id) => id <= after).slice(-1 - (at % 3)));
        if (kind === 'a double' && page.length > 0) page.push(page[at % page.length]!);
        const data = page.map((id) => ({ id: String(id), sentAt: 1000 }));
        json(response, { data, meta: { next: more ? { affix: 'append', id: String(last) } : undefined } });
      });
      const { seen, error } = await walk(url, { limit });
      expect(error).toBeUndefined();
      const walked = seen
        .split(',')
        .filter((id) => id !== '')
        .map(Number);
      expect(new Set(walked).size).toBe(walked.length);
      const throughout = ids.filter((id) => !deleted.has(id)).sort((a, b) => a - b);
      expect(walked.filter((id) => throughout.includes(id))).toEqual(throughout);
      expect(walked.filter((id) => !ever.has(id))).toEqual([]);
      // Every page but the last brings something, so pages cannot outnumber messages.
      expect(request).toBeLessThanOrEqual(ever.size + happenings.length + 2);
    }),
    { numRuns: runs(40, 2500) },
  );
});
