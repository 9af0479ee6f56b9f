/** P21: every walk over pages ends, and each message comes once. Lists that change meanwhile are in paging.test.ts. */
import { describe, expect, it } from 'vitest';
import { HttpError, ShapeError, UsageError } from '../../src/foundation/errors.js';
import type { Message } from '../../src/platform/contract/message.js';
import type { MessageQuery } from '../../src/platform/contract/message-query.js';
import { clientOf, json, rejection, serve, serveJson } from '../support/http.js';
import { turns, until } from '../support/until.js';

const message = (id: number | string) => ({ id: String(id), sentAt: 1000 });

async function ids(messages: AsyncIterable<Message>): Promise<string[]> {
  const seen: string[] = [];
  for await (const { id } of messages) seen.push(id);
  return seen;
}

/** Serves messages 1..count by cursor. */
function serveMessages(count: number) {
  return serve((response, { target }) => {
    const query = new URL(target, 'http://x').searchParams;
    const limit = Number(query.get('limit') ?? 10);
    const after = Number(query.get('id') ?? 0);
    const size = Math.max(0, Math.min(limit, count - after));
    const data = Array.from({ length: size }, (_, index) => message(after + index + 1));
    const last = after + size;
    const next =
      last < count ? { affix: 'append', sentAt: 1000, id: String(last), url: 'http://evil.example' } : undefined;
    json(response, { data, meta: { current: { limit, count: size }, next } });
  });
}

const next = (id: string) => ({ affix: 'append', sentAt: 1000, id });

interface ServedPage {
  readonly ids: readonly string[];
  readonly next?: unknown;
}

/** Reads pages that are apart by blanks: the ids of messages, apart by commas, and behind `>` the cursor, if any. */
function pagesOf(text: string): ServedPage[] {
  return text.split(' ').map((page) => {
    const [ids = '', cursor] = page.split('>');
    return { ids: ids.split(',').filter((id) => id !== ''), next: cursor === undefined ? undefined : next(cursor) };
  });
}

/** Serves these pages one after the other, the last one again and again. */
function servePages(pages: readonly ServedPage[]) {
  let at = 0;
  return serve((response) => {
    const page = pages[Math.min(at++, pages.length - 1)]!;
    json(response, { data: page.ids.map(message), meta: { next: page.next } });
  });
}

describe('pagination (§2.7)', () => {
  it('follows the cursor to the end, keeps the filters and sends back only the three fields', async () => {
    const server = await serveMessages(7);
    const query = { limit: 3, sender: 'ann', types: ['text'] };
    const walk = clientOf(server).messages.iterate(query, { onBehalfOf: 'bob' });
    expect(await ids(walk)).toEqual(['1', '2', '3', '4', '5', '6', '7']);
    expect(server.received.map(({ target }) => target)).toEqual([
      '/v3/messages?sender=ann&limit=3&types=text',
      '/v3/messages?affix=append&id=3&sender=ann&sentAt=1000&limit=3&types=text',
      '/v3/messages?affix=append&id=6&sender=ann&sentAt=1000&limit=3&types=text',
    ]);
    expect(server.received.every(({ rawHeaders }) => rawHeaders.onBehalfOf === 'bob')).toBe(true);
  });

  it('starts at the cursor of the query, anew for every loop', async () => {
    const server = await serveMessages(5);
    const walk = clientOf(server).messages.iterate({ limit: 2, affix: 'append', id: '2' });
    expect(await ids(walk)).toEqual(['3', '4', '5']);
    expect(await ids(walk)).toEqual(['3', '4', '5']);
  });

  it('calls onPage before the messages of each page', async () => {
    const pages: unknown[] = [];
    await ids(clientOf(await serveMessages(5)).messages.iterate({ limit: 2 }, { onPage: (page) => pages.push(page) }));
    expect(pages).toEqual([
      { count: 2, limit: 2 },
      { count: 2, limit: 2 },
      { count: 1, limit: 2 },
    ]);
  });

  /** Empty pages, each with the cursor of the next one. */
  const emptyPages = (count: number, from: number) =>
    Array.from({ length: count }, (_, index) => `>${from + index}`).join(' ');

  it.each([
    ['an empty page with a cursor, and messages behind', pagesOf('1>1 >2 3'), '1,3'],
    ['an empty first page with a cursor, and messages behind', pagesOf('>1 2'), '2'],
    [
      'twenty empty pages in a row, and messages behind, twice',
      pagesOf(`1>1 ${emptyPages(20, 100)} 2>2 ${emptyPages(20, 200)} 3`),
      '1,2,3',
    ],
    ['no meta.next', pagesOf('1'), '1'],
    ['an empty cursor', [{ ids: ['1'], next: {} }], '1'],
    ['a cursor of affix alone', [{ ids: ['1'], next: { affix: 'append' } }], '1'],
    ['an empty page that leads to itself', pagesOf('1>1 >1'), '1'],
    ['pages that shrink to an empty one that leads to itself', pagesOf('1,2,3>x 2,3>y 3>z >3 >3'), '1,2,3'],
    [
      'two pages of nothing but seen messages, and new ones behind',
      pagesOf('1,2>2 2,1>3 1>4 1,5>5 5,2>6 5>7 6'),
      '1,2,5,6',
    ],
    ['a last page of nothing but seen messages', pagesOf('1>1 1'), '1'],
    ['overlapping pages', pagesOf('1,2>2 2,3,3>3 '), '1,2,3'],
  ])('ends at %s, each message once', async (_, pages, expected) => {
    const server = await servePages(pages);
    expect((await ids(clientOf(server).messages.iterate())).join()).toBe(expected);
    expect(server.received).toHaveLength(pages.length);
  });

  /** What a walk gives before it fails, and how it fails. */
  async function failing(walk: AsyncIterable<Message>): Promise<{ seen: string[]; error: unknown }> {
    const seen: string[] = [];
    const error = await rejection(
      (async () => {
        for await (const { id } of walk) seen.push(id);
      })(),
    );
    return { seen, error };
  }

  it.each([
    ['a cursor that does not move', '1>1 2>1', '1,2', 'meta.next'],
    ['cursors in a circle', '1>1 2>2 3>1', '1,2,3', 'meta.next'],
    ['the page before once more', '1>1 1>1', '1', 'meta.next'],
    ['three pages of nothing but seen messages', '1,2>2 2,1>3 1>4 2>5', '1,2', 'data'],
    ['seen messages and empty pages by turns', '1>1 1>2 >3 1>4 >5 1>6', '1', 'data'],
    ['21 empty pages in a row', `1>1 ${emptyPages(21, 100)}`, '1', 'data'],
    ['an empty page that leads back to another page', '1>1 2>2 >1', '1,2', 'meta.next'],
    ['an empty page that leads to itself, behind no message of that id', '1>2 >2', '1', 'meta.next'],
    ['empty pages under one cursor', '>1 >1', '', 'meta.next'],
  ])('%s: a ShapeError after the messages', async (_, text, expected, path) => {
    const pages = pagesOf(text);
    const server = await servePages(pages);
    const { seen, error } = await failing(clientOf(server).messages.iterate());
    expect(seen.join()).toBe(expected);
    expect(error).toBeInstanceOf(ShapeError);
    expect(error).toMatchObject({ source: 'GET /messages', path });
    expect((error as Error).message).toContain('the list has no end');
    expect(server.received).toHaveLength(pages.length);
  });

  it('an empty page behind the cursor of the query, which leads to itself, is the end', async () => {
    const server = await servePages(pagesOf('>9'));
    expect(await ids(clientOf(server).messages.iterate(next('9') as MessageQuery))).toEqual([]);
    expect(server.received).toHaveLength(1);
  });

  it('a cursor that leads back to the start: a ShapeError', async () => {
    const server = await servePages(pagesOf('1>1'));
    const { seen, error } = await failing(clientOf(server).messages.iterate(next('1') as MessageQuery));
    expect(seen).toEqual(['1']);
    expect(error).toMatchObject({ source: 'GET /messages', path: 'meta.next' });
    expect(server.received).toHaveLength(1);
  });

  it.each<[unknown, string, string]>([
    [{ affix: 'sideways', id: '1' }, 'meta.next.affix', '1'],
    [{ sentAt: 1.5, id: '1' }, 'meta.next.sentAt', '1'],
    [{ sentAt: 2 ** 60, id: '1' }, 'meta.next.sentAt', '1'],
    [{ id: 'a\ud800' }, 'meta.next.id', '1'],
    ['page2', 'meta.next', ''],
    [{ id: 1.5 }, 'meta.next.id', ''],
    [{ sentAt: '1', id: '1' }, 'meta.next.sentAt', ''],
    [{ affix: ['append'], id: '1' }, 'meta.next.affix', ''],
  ])('the cursor %j: a ShapeError, not an early end', async (cursor, path, expected) => {
    const server = await servePages([{ ids: ['1'], next: cursor }]);
    const { seen, error } = await failing(clientOf(server).messages.iterate());
    expect(seen.join()).toBe(expected);
    expect(error).toBeInstanceOf(ShapeError);
    expect(error).toMatchObject({ source: 'GET /messages', path });
    expect(server.received).toHaveLength(1);
  });
});

describe('pagination: prefetch of the next page', () => {
  it('fetches one page ahead of the consumer', async () => {
    const server = await serveMessages(50);
    const walk = clientOf(server).messages.iterate({ limit: 10 })[Symbol.asyncIterator]();
    await walk.next();
    await until(() => server.received.length >= 2);
    await turns();
    expect(server.received).toHaveLength(2);
    for (let i = 0; i < 10; i++) await walk.next();
    await until(() => server.received.length >= 3);
    await turns();
    expect(server.received).toHaveLength(3);
    await walk.return?.();
  });

  it('aborts the page ahead on an early return', async () => {
    let closed = 0;
    const server = await serve((response, { target }) => {
      if (!target.includes('id=')) json(response, { data: [message(1)], meta: { next: { id: '1' } } });
      else response.on('close', () => closed++);
    });
    for await (const _ of clientOf(server).messages.iterate()) {
      await until(() => server.received.length === 2);
      break;
    }
    await until(() => closed === 1);
  });

  it('yields the whole page before the error of the next one', async () => {
    const server = await serve((response, { target }) => {
      if (target.includes('id=')) json(response, {}, 400);
      else json(response, { data: [message(1), message(2)], meta: { next: { id: '2' } } });
    });
    const seen: string[] = [];
    const walk = async () => {
      for await (const { id } of clientOf(server).messages.iterate()) {
        await turns();
        seen.push(id);
      }
    };
    expect(await rejection(walk())).toBeInstanceOf(HttpError);
    expect(seen).toEqual(['1', '2']);
  });
});

describe('pagination: abort and misuse', () => {
  it('an abort in the middle of a page rejects with the reason unchanged', async () => {
    const controller = new AbortController();
    const reason = { why: 'enough' };
    const seen: string[] = [];
    const client = clientOf(await serveMessages(50));
    const walk = async () => {
      for await (const { id } of client.messages.iterate({ limit: 10 }, { signal: controller.signal })) {
        seen.push(id);
        if (id === '3') controller.abort(reason);
      }
    };
    expect(await rejection(walk())).toBe(reason);
    expect(seen).toEqual(['1', '2', '3']);
  });

  it.each([{ limit: 2000 }, null, 7, 'sender'])('the query %j rejects at the first message', async (query) => {
    const server = await serveJson({ data: [] });
    const walk = clientOf(server).messages.iterate(query as MessageQuery);
    expect(await rejection(ids(walk))).toBeInstanceOf(UsageError);
    expect(server.received).toEqual([]);
  });
});
