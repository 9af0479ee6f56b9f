import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runs } from '../support/runs.js';
import { idsOf, type Query, serveSample } from './call.js';
import { select } from './naive-listing.js';

let service: Awaited<ReturnType<typeof serveSample>>;
beforeAll(async () => {
  service = await serveSample();
});
afterAll(() => service.close());

const everything = { limit: 1000 };

/** Every filter of §4.2 with values that select some of the sample and some that select nothing. */
const values = {
  searchKey: ['hello', 'HELLO', 'see', 'οδοσ', '.', 'e('],
  hideMessagesFromBlockedUsers: [true, false],
  hasAttachments: [true, false],
  attachmentTypes: ['image', 'video', 'audio', 'file'],
  hasMentions: [true, false],
  mentionedUids: [['carol'], ['bob', 'alice'], ['nobody']],
  hasReactions: [true, false],
  hasLinks: [true, false],
  receiverType: ['user', 'group'],
  category: ['message', 'action', 'custom'],
  type: ['text', 'image', 'location', 'none'],
  sender: ['alice', 'bob', 'carol', 'dave', 'nobody'],
  hideDeleted: [true, false],
  onlyDeleted: [true, false],
  hideReplies: [true, false],
  conversationId: ['group_team', 'group_open', 'alice_user_bob', 'nowhere'],
  tags: [['urgent'], ['later', 'urgent'], ['other']],
  categories: [['message'], ['custom', 'action']],
  types: [['text'], ['location', 'groupMember']],
  sentAt: [0, 1100, 1205, 9999],
  fromTimestamp: [0, 1100, 1205, 9999],
  toTimestamp: [0, 1200, 1205, 9999],
} as const;

const filters = Object.entries(values) as readonly (readonly [string, readonly Query[string][]])[];
const actors = [undefined, 'alice', 'bob', 'carol', 'dave', 'zoë'];

async function agrees(query: Query, actor: string | undefined): Promise<number> {
  const expected = select(query, actor).map(({ id }) => id);
  expect(idsOf(await service.list({ ...query, ...everything }, actor)), JSON.stringify([query, actor])).toEqual(
    expected,
  );
  return expected.length;
}

describe('filters of list messages (§4.2)', () => {
  it('serves everything in order when nothing is asked', async () => {
    expect(await agrees({}, undefined)).toBe(92);
  });

  it.each(filters)('%s alone selects what a naive listing selects', async (name, all) => {
    const sizes = new Set<number>();
    for (const value of all) for (const actor of actors) sizes.add(await agrees({ [name]: value }, actor));
    expect(sizes.size).toBeGreaterThan(1);
  });

  it('all combinations hold together (AND), for any acting user', async () => {
    const oneOf = ([name, all]: (typeof filters)[number]) =>
      fc.constantFrom(...all).map((value) => ({ [name]: value }));
    const query = fc
      .shuffledSubarray([...filters], { minLength: 2, maxLength: 4 })
      .chain((some) => fc.tuple(...some.map(oneOf)))
      .map((parts): Query => Object.assign({}, ...parts));
    await fc.assert(
      fc.asyncProperty(query, fc.constantFrom(...actors), async (asked, actor) => {
        await agrees(asked, actor);
      }),
      { numRuns: runs(75, 4000) },
    );
  });

  it('reads lists joined, repeated and with brackets', async () => {
    const expected = select({ types: ['text', 'location'] }).map(({ id }) => id);
    for (const query of ['types=text,location', 'types=text&types=location', 'types[]=text&types%5B%5D=location,']) {
      const { body } = await service.call(`/messages?limit=1000&${query}`);
      expect(body).toMatchObject({ data: expected.map((id) => ({ id })) });
    }
  });

  it('reads 1 and 0 as booleans and an empty value as none', async () => {
    const all = idsOf(await service.list(everything));
    for (const query of [
      'hasLinks=0',
      'hasLinks=',
      'sender=&type=&tags=&fromTimestamp=',
      'toTimestamp=1000',
      'unknown=1',
    ]) {
      const { body } = await service.call(`/messages?limit=1000&${query}`);
      expect(body, query).toMatchObject({ data: all.map((id) => ({ id })) });
    }
    const linked = idsOf(await service.list({ ...everything, hasLinks: true }));
    expect(idsOf(await service.list({ ...everything, hasLinks: 1 }))).toEqual(linked);
    expect(linked.length).toBeLessThan(all.length);
  });

  it('searches for the letters and not for a pattern', async () => {
    expect(idsOf(await service.list({ ...everything, searchKey: '.*' }))).toEqual([]);
    expect(idsOf(await service.list({ ...everything, searchKey: '[' }))).toEqual([]);
  });

  it('hides messages of blocked users only from whom blocked them', async () => {
    const hidden = { ...everything, hideMessagesFromBlockedUsers: true };
    const sendersFor = async (query: Query, actor?: string) =>
      new Set((await service.list(query, actor)).data.map(({ sender }) => sender));
    expect(await sendersFor(everything, 'alice')).toContain('dave');
    expect(await sendersFor(hidden, 'alice')).not.toContain('dave');
    expect(await sendersFor(hidden)).toContain('dave');
  });
});
