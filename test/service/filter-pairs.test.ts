import { beforeAll, describe, expect, it } from 'vitest';
import { startService } from '../../src/platform/service/index.js';
import { callerOf, idsOf, listerOf, type Query } from './call.js';
import { type InProcess, inProcess } from './in-process.js';
import { select } from './naive-listing.js';
import { data } from './sample-data.js';

let service: InProcess;
beforeAll(async () => {
  service = await inProcess(data);
});

/** Every filter of §4.2, each with values of which some select something. */
const filters: Readonly<Record<string, readonly Query[string][]>> = {
  searchKey: ['hello', 'οδοσ', 'e('],
  hideMessagesFromBlockedUsers: [true],
  hasAttachments: [true],
  attachmentTypes: ['image', 'video', 'audio', 'file'],
  hasMentions: [true],
  mentionedUids: [['carol'], ['bob', 'alice']],
  hasReactions: [true],
  hasLinks: [true],
  receiverType: ['user', 'group'],
  category: ['message', 'action', 'custom'],
  type: ['text', 'location'],
  sender: ['alice', 'bob', 'dave'],
  hideDeleted: [true],
  onlyDeleted: [true],
  hideReplies: [true],
  conversationId: ['group_team', 'group_open', 'alice_user_bob'],
  tags: [['urgent'], ['later', 'other']],
  categories: [['message', 'action'], ['custom']],
  types: [['text', 'location'], ['groupMember']],
  sentAt: [1100],
  fromTimestamp: [1205],
  toTimestamp: [1205],
};
const actors = [undefined, 'alice', 'bob', 'dave'];
const pairs = Object.entries(filters).flatMap(([one, ones], index) =>
  Object.entries(filters)
    .slice(index + 1)
    .map(([other, others]): [string, string, Query[]] => [
      one,
      other,
      ones.flatMap((value) => others.map((with_): Query => ({ [one]: value, [other]: with_ }))),
    ]),
);

describe('two filters of list messages (§4.2)', () => {
  it('select what a naive listing selects, whichever two they are, for every acting user', () => {
    let found = 0;
    for (const [, , queries] of pairs) {
      for (const query of queries) {
        for (const actor of actors) {
          const expected = select(query, actor).map(({ id }) => id);
          expect(service.ids(query, actor), JSON.stringify([query, actor])).toEqual(expected);
          found += expected.length > 0 ? 1 : 0;
        }
      }
    }
    expect(pairs).toHaveLength((22 * 21) / 2);
    expect(found).toBeGreaterThan(1_500);
  });

  it('of which one is `unread` select the unread among what the other selects', () => {
    for (const actor of actors) {
      const unread = new Set(service.ids({ unread: true, count: true }, actor));
      expect(unread.size).toBeGreaterThan(0);
      for (const [name, values] of Object.entries(filters)) {
        for (const value of values) {
          const all = select({ [name]: value }, actor).map(({ id }) => id);
          const asked = service.ids({ [name]: value, unread: true, count: true }, actor);
          expect(asked, JSON.stringify([name, value, actor])).toEqual(all.filter((id) => unread.has(id)));
        }
      }
    }
  });

  it('and a page of them begins behind the cursor, whatever they are', () => {
    for (const [, , queries] of pairs) {
      const [query = {}] = queries;
      if ('sentAt' in query) continue;
      const expected = select(query).map(({ id }) => id);
      const middle = expected[expected.length >> 1];
      if (middle === undefined) continue;
      const at = expected.indexOf(middle);
      expect(service.ids({ ...query, id: middle })).toEqual(expected.slice(at + 1));
      expect(service.ids({ ...query, id: middle, affix: 'prepend' })).toEqual(expected.slice(0, at));
    }
  });
});

describe('lists in a query (§4.2)', () => {
  it('may be joined, repeated, with brackets, or all of it', async () => {
    const served = await startService({ data });
    const call = callerOf(served);
    for (const [name, one, other] of [
      ['types', 'text', 'location'],
      ['categories', 'action', 'custom'],
      ['tags', 'later', 'other'],
      ['mentionedUids', 'carol', 'dave'],
    ] as const) {
      const expected = idsOf(await listerOf(call)({ [name]: [one, other], limit: 1000 }));
      expect(expected).toEqual(select({ [name]: [one, other] }).map(({ id }) => id));
      expect(expected.length).toBeGreaterThan(0);
      for (const query of [
        `${name}=${one}&${name}=${other}`,
        `${name}[]=${one}&${name}[]=${other}`,
        `${name}%5B%5D=${one},${other}`,
        `${name}=${other}&${name}[]=${one},`,
      ]) {
        const { body } = await call(`/messages?limit=1000&${query}`);
        expect(body, query).toMatchObject({ data: expected.map((id) => ({ id })) });
      }
    }
    await served.close();
  });
});
