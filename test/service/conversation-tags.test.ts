import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { endpoints } from '../../src/platform/contract/endpoints.js';
import { serveSample } from './call.js';
import { conversationOf, ordered } from './naive-listing.js';

let service: Awaited<ReturnType<typeof serveSample>>;
beforeEach(async () => {
  service = await serveSample();
});
afterEach(() => service.close());

const theirs = ordered.filter((message) => conversationOf(message) === 'alice_user_bob');

async function put(uid: string, onBehalfOf: string | undefined, body?: unknown) {
  const answer = await service.call(`/users/${uid}/conversation`, { method: 'PUT', onBehalfOf, body });
  const { status } = answer;
  return { ...answer, data: status === 200 ? endpoints.updateConversation.response.parse(answer.body).data : [] };
}

describe('update user conversation (§4.1)', () => {
  it('answers with the one conversation of both, from either side', async () => {
    const { data } = await put('bob', 'alice');
    expect(data).toMatchObject([
      {
        conversationId: 'alice_user_bob',
        conversationType: 'user',
        unreadMessageCount: expect.stringMatching(/^\d+$/),
        createdAt: theirs[0]!.sentAt,
        updatedAt: theirs.at(-1)!.sentAt,
        lastMessage: { id: theirs.at(-1)!.id },
        conversationWith: { uid: 'bob', name: 'Bob' },
        tags: [],
      },
    ]);
    expect((await put('alice', 'bob')).data).toMatchObject([
      { conversationId: 'alice_user_bob', conversationWith: { uid: 'alice' } },
    ]);
  });

  it('replaces the tags, keeps them, and shows them to both', async () => {
    const begun = Math.floor(Date.now() / 1000);
    const [first] = (await put('bob', 'alice', { tags: ['a', 'b'] })).data;
    expect(first).toMatchObject({ tags: ['a', 'b'], createdAt: theirs[0]!.sentAt });
    expect(first!.updatedAt).toBeGreaterThanOrEqual(begun);
    expect((await put('alice', 'bob', {})).data).toMatchObject([{ tags: ['a', 'b'] }]);
    expect((await put('alice', 'bob', { tags: null })).data).toMatchObject([{ tags: ['a', 'b'] }]);
    expect((await put('alice', 'bob', { tags: ['c'] })).data).toMatchObject([{ tags: ['c'] }]);
    expect((await put('bob', 'alice')).data).toMatchObject([{ tags: ['c'] }]);
    expect((await put('bob', 'alice', { tags: [] })).data).toMatchObject([{ tags: [] }]);
    expect((await put('bob', 'carol')).data).toMatchObject([{ tags: [] }]);
  });

  it('counts what the acting user has not read there', async () => {
    for (const [uid, actor] of [
      ['bob', 'alice'],
      ['alice', 'bob'],
    ] as const) {
      const { meta } = await service.list({ conversationId: 'alice_user_bob', count: true }, actor);
      expect((await put(uid, actor)).data).toMatchObject([{ unreadMessageCount: meta.unreadMessageCount }]);
    }
  });

  it('refuses what is not there, oneself, and tags that are not strings', async () => {
    expect((await put('bob', undefined, { tags: [] })).status).toBe(400);
    expect((await put('bob', '', { tags: [] })).status).toBe(400);
    expect((await put('alice', 'alice')).status).toBe(400);
    expect((await put('nobody', 'alice')).body).toMatchObject({ error: { code: 'ERR_UID_NOT_FOUND' } });
    expect((await put('bob', 'nobody')).status).toBe(404);
    const none = await put(encodeURIComponent('zoë'), 'alice');
    expect([none.status, none.body]).toMatchObject([404, { error: { code: 'ERR_CONVERSATION_NOT_FOUND' } }]);
    for (const tags of ['a', [1], {}, [['a']]]) {
      const { status, body } = await put('bob', 'alice', { tags });
      expect(status, JSON.stringify(tags)).toBe(400);
      expect(body).toMatchObject({ error: { code: 'ERR_BAD_REQUEST', details: expect.anything() } });
    }
    expect((await put('bob', 'alice')).data).toMatchObject([{ tags: [] }]);
  });
});
