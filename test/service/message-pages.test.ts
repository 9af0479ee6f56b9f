import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runs } from '../support/runs.js';
import { idsOf, type Query, serveSample } from './call.js';
import { ordered, select } from './naive-listing.js';

let service: Awaited<ReturnType<typeof serveSample>>;
beforeAll(async () => {
  service = await serveSample();
});
afterAll(() => service.close());

const all = ordered.map(({ id }) => id);

/** Follows `meta.next` as a client does: its three fields go into the next query, nothing else. */
async function walk(query: Query, actor: string | undefined): Promise<readonly (readonly string[])[]> {
  const pages: (readonly string[])[] = [];
  let cursor: Query = {};
  for (;;) {
    const page = await service.list({ ...query, ...cursor }, actor);
    pages.push(idsOf(page));
    expect(page.meta.current).toEqual({ limit: query.limit ?? 10, count: page.data.length });
    const next = page.meta.next;
    if (next === undefined) return pages;
    expect(Object.keys(next).sort()).toEqual(['affix', 'id', 'sentAt']);
    cursor = { affix: next.affix!, sentAt: next.sentAt!, id: next.id! };
    expect(pages.length).toBeLessThan(100);
  }
}

describe('pages of list messages (§4.2, §2.7)', () => {
  it('serves ten from the start by default, and says where the next page starts', async () => {
    const { data, meta } = await service.list({});
    expect(data.map(({ id }) => id)).toEqual(all.slice(0, 10));
    const last = ordered[9]!;
    expect(meta).toEqual({
      current: { limit: 10, count: 10 },
      next: { affix: 'append', sentAt: last.sentAt, id: last.id },
    });
  });

  it('serves up to a thousand, and no next page after the last message', async () => {
    const { data, meta } = await service.list({ limit: 1000 });
    expect(data).toHaveLength(92);
    expect(meta).toEqual({ current: { limit: 1000, count: 92 } });
    expect((await service.list({ limit: 92 })).meta.next).toBeUndefined();
    expect((await service.list({ limit: 91 })).meta.next).toBeDefined();
  });

  it('walks in both directions over each selected message exactly once, in order', async () => {
    const query = fc.record(
      {
        limit: fc.integer({ min: 1, max: 40 }),
        sender: fc.constantFrom('alice', 'bob', 'carol'),
        conversationId: fc.constantFrom('group_team', 'group_open', 'nowhere'),
        hasLinks: fc.boolean(),
        tags: fc.constant(['urgent']),
        fromTimestamp: fc.constantFrom(1000, 1205),
        toTimestamp: fc.constantFrom(1205, 1300),
      },
      { requiredKeys: ['limit'] },
    );
    const affix = fc.constantFrom('append' as const, 'prepend' as const);
    const actor = fc.constantFrom(undefined, 'alice', 'dave');
    await fc.assert(
      fc.asyncProperty(query, affix, actor, async (asked, way, who) => {
        const pages = await walk({ ...asked, affix: way }, who);
        const expected = select(asked, who).map(({ id }) => id);
        expect((way === 'append' ? pages : pages.toReversed()).flat()).toEqual(expected);
        for (const page of pages.slice(0, -1)) expect(page).toHaveLength(asked.limit);
      }),
      { numRuns: runs(30, 1500) },
    );
  });

  it('prepends the newest page when there is no reference, ascending', async () => {
    const { data, meta } = await service.list({ affix: 'prepend', limit: 3 });
    expect(data.map(({ id }) => id)).toEqual(all.slice(-3));
    const { id, sentAt } = ordered.at(-3)!;
    expect(meta.next).toEqual({ affix: 'prepend', sentAt, id });
  });

  it('a known id says by itself where it is, whatever time comes with it', async () => {
    const { id } = ordered[50]!;
    for (const more of [{}, { sentAt: 0 }, { sentAt: 99_999 }]) {
      const after = await service.list({ id, affix: 'append', limit: 3, ...more });
      expect(idsOf(after)).toEqual(all.slice(51, 54));
      const before = await service.list({ id, affix: 'prepend', limit: 3, ...more });
      expect(idsOf(before)).toEqual(all.slice(47, 50));
    }
    expect(idsOf(await service.list({ id, limit: 3 }))).toEqual(all.slice(51, 54));
  });

  it('an id that is gone stands where its time and number put it', async () => {
    const twin = ordered.findIndex(({ sentAt }, index) => sentAt === ordered[index + 1]?.sentAt);
    const { sentAt } = ordered[twin]!;
    for (const [id, gap] of [
      ['0', twin],
      ['99999999999999999999', twin + 2],
    ] as const) {
      expect(idsOf(await service.list({ id, sentAt, limit: 2 }))).toEqual(all.slice(gap, gap + 2));
      const before = await service.list({ id, sentAt, affix: 'prepend', limit: 1000 });
      expect(idsOf(before)).toEqual(all.slice(0, gap));
    }
  });

  it('refuses an unknown id that nothing places', async () => {
    for (const query of ['id=77777', 'id=abc', 'id=abc&sentAt=1000']) {
      const { status, body } = await service.call(`/messages?${query}`);
      expect(status, query).toBe(404);
      expect(body).toMatchObject({ error: { code: 'ERR_MESSAGE_ID_NOT_FOUND' } });
    }
  });
});
