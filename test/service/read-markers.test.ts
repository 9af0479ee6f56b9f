import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { MessageRow } from '../../src/platform/service/index.js';
import { runs } from '../support/runs.js';
import { idsOf, serveSample } from './call.js';
import { inProcess } from './in-process.js';
import { conversationOf, ordered, participantsOf } from './naive-listing.js';
import { data, groups } from './sample-data.js';

let service: Awaited<ReturnType<typeof serveSample>>;
beforeEach(async () => {
  service = await serveSample();
});
afterEach(() => service.close());

const uids = ['alice', 'bob', 'carol', 'dave'];
const inTeam = ordered.filter((message) => conversationOf(message) === 'group_team');

/**
 * Who has read what, as one set of message ids for each reader: the readings written without
 * markers.
 */
class NaiveReadings {
  readonly #read = new Map<string, Set<string>>();

  constructor() {
    for (const uid of uids) {
      const read = new Set<string>();
      for (const conversation of new Set(ordered.map(conversationOf))) {
        const theirs = ordered.filter((message) => conversationOf(message) === conversation);
        const stored = groups
          .find(({ guid }) => `group_${guid}` === conversation)
          ?.members?.find((member) => member.uid === uid)?.readUpTo;
        const upTo = theirs.findLastIndex(({ id, sender }) => (stored === undefined ? sender === uid : id === stored));
        for (const { id } of theirs.slice(0, upTo + 1)) read.add(id);
      }
      this.#read.set(uid, read);
    }
  }

  markRead(uid: string, messageId: string | undefined): void {
    const upTo = messageId === undefined ? inTeam.length - 1 : inTeam.findIndex(({ id }) => id === messageId);
    for (const { id } of inTeam.slice(0, upTo + 1)) this.#read.get(uid)!.add(id);
  }

  markUnread(readers: readonly string[], messageId: string | undefined): void {
    const after = inTeam.findIndex(({ id }) => id === messageId);
    for (const uid of readers) for (const { id } of inTeam.slice(after + 1)) this.#read.get(uid)!.delete(id);
  }

  unread(messages: readonly MessageRow[], reader: string | undefined): readonly string[] {
    return messages
      .filter((message) => {
        if (message.category === 'action' || message.deletedAt !== undefined) return false;
        const recipients = participantsOf(message).filter((uid) => uid !== message.sender);
        const asked = reader === undefined ? recipients : recipients.filter((uid) => uid === reader);
        return asked.some((uid) => this.#read.get(uid)?.has(message.id) !== true);
      })
      .map(({ id }) => id);
  }
}

async function unreadOf(reader: string | undefined, query = {}) {
  const page = await service.list({ ...query, unread: true, count: true, limit: 1000 }, reader);
  return { ids: idsOf(page), count: page.meta.unreadMessageCount };
}

const read = (onBehalfOf: string, body?: object) =>
  service.call('/groups/team/conversation/read', { method: 'POST', onBehalfOf, body });
const unread = (onBehalfOf: string | undefined, body?: object) =>
  service.call('/groups/team/conversation/read', { method: 'DELETE', onBehalfOf, body });

describe('read markers (§4.5, §4.6)', () => {
  it('start where members were, or where they last wrote', async () => {
    const model = new NaiveReadings();
    const sizes = new Set<number>();
    for (const reader of [...uids, undefined]) {
      const expected = model.unread(ordered, reader);
      expect(await unreadOf(reader)).toEqual({ ids: expected, count: String(expected.length) });
      sizes.add(expected.length);
    }
    expect(sizes.size).toBeGreaterThan(3);
  });

  it('follow any sequence of marking, for every reader', async () => {
    const uid = fc.constantFrom('alice', 'bob', 'carol');
    const messageId = fc.option(fc.constantFrom(...inTeam.map(({ id }) => id)), { nil: undefined });
    const step = fc.oneof(
      fc.record({ kind: fc.constant('read' as const), uid, messageId }),
      fc.record({ kind: fc.constant('unread' as const), uid: fc.option(uid, { nil: undefined }), messageId }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 8 }), async (steps) => {
        const { run } = await inProcess(data);
        const unreadHere = (reader: string | undefined) => {
          const search = new URLSearchParams('unread=true&count=true&limit=1000');
          const page = run('listMessages', { search }, reader) as unknown as Awaited<ReturnType<typeof service.list>>;
          return { ids: idsOf(page), count: page.meta.unreadMessageCount };
        };
        const model = new NaiveReadings();
        for (const { kind, uid: who, messageId: upTo } of steps) {
          const call = { path: { guid: 'team' }, body: upTo === undefined ? {} : { messageId: Number(upTo) } };
          const answer = run(kind === 'read' ? 'markAsRead' : 'markAsUnread', call, who);
          expect(answer).toEqual({ data: { success: true, message: expect.any(String) } });
          if (kind === 'read') model.markRead(who!, upTo);
          else model.markUnread(who === undefined ? ['alice', 'bob', 'carol'] : [who], upTo);
          expect(unreadHere(undefined).ids).toEqual(model.unread(ordered, undefined));
        }
        for (const reader of [...uids, undefined]) {
          const expected = model.unread(ordered, reader);
          expect(unreadHere(reader)).toEqual({ ids: expected, count: String(expected.length) });
        }
      }),
      { numRuns: runs(20, 400) },
    );
  });

  it('count the unread among what the other filters select, on every page alike', async () => {
    await unread('carol');
    const all = await unreadOf('carol', { conversationId: 'group_team' });
    expect(all.ids.length).toBeGreaterThan(12);
    const page = await service.list({ conversationId: 'group_team', count: true, limit: 5 }, 'carol');
    expect(page.data).toHaveLength(5);
    expect(page.meta.unreadMessageCount).toBe(String(all.ids.length));
    const { sentAt, id } = page.meta.next!;
    const next = await service.list(
      { conversationId: 'group_team', count: true, limit: 5, id: id!, sentAt: sentAt! },
      'carol',
    );
    expect(next.meta.unreadMessageCount).toBe(String(all.ids.length));
    const linked = await unreadOf('carol', { conversationId: 'group_team', hasLinks: true });
    expect(linked.ids.length).toBeLessThan(all.ids.length);
    expect(linked.count).toBe(String(linked.ids.length));
    expect((await service.list({}, 'carol')).meta).not.toHaveProperty('unreadMessageCount');
  });

  it('leave other members, other groups and a group without messages alone', async () => {
    const before = await unreadOf('bob');
    await unread('carol');
    await read('alice');
    expect(await unreadOf('bob')).toEqual(before);
    for (const method of ['POST', 'DELETE']) {
      const { status } = await service.call('/groups/quiet/conversation/read', { method, onBehalfOf: 'alice' });
      expect(status).toBe(200);
    }
  });

  it('refuse an unread filter without a count', async () => {
    for (const query of ['unread=true', 'unread=1&count=false', 'unread=true&count=']) {
      const { status, body } = await service.call(`/messages?${query}`);
      expect(status, query).toBe(400);
      expect(body).toMatchObject({ error: { code: 'ERR_BAD_REQUEST', details: { unread: [expect.any(String)] } } });
    }
    expect((await service.call('/messages?unread=false')).status).toBe(200);
  });

  it('refuse who is not a member, what is not a message of the group, and ids that are not integers', async () => {
    const other = ordered.find((message) => conversationOf(message) !== 'group_team')!;
    for (const mark of [read, unread]) {
      expect((await mark('dave')).status).toBe(403);
      expect((await mark('dave')).body).toMatchObject({ error: { code: 'ERR_NOT_A_MEMBER' } });
      for (const messageId of [Number(other.id), 424_242, -1, 0]) {
        expect((await mark('alice', { messageId })).status, String(messageId)).toBe(404);
      }
      for (const messageId of ['9', 1.5, {}, [9], true]) {
        expect((await mark('alice', { messageId })).status, JSON.stringify(messageId)).toBe(400);
      }
      expect((await mark('alice', { messageId: null, more: 1 })).status).toBe(200);
    }
    expect((await service.call('/groups/team/conversation/read', { method: 'POST' })).status).toBe(400);
    expect((await read('')).status).toBe(400);
    expect((await read('nobody')).body).toMatchObject({ error: { code: 'ERR_UID_NOT_FOUND' } });
    expect((await unread('nobody')).status).toBe(404);
  });
});
