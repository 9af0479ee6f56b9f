import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { endpoints } from '../../src/platform/contract/endpoints.js';
import { serveSample } from './call.js';
import { lists, messages, rules } from './sample-data.js';

let service: Awaited<ReturnType<typeof serveSample>>;
beforeAll(async () => {
  service = await serveSample();
});
afterAll(() => service.close());

const get = async (path: string, onBehalfOf?: string) => (await service.call(path, { onBehalfOf })).body;

describe('users and groups (§4.3, §4.4)', () => {
  it('serves a user with tags and without whom they blocked', async () => {
    const body = await get('/users/alice');
    expect(body).toEqual({
      data: { uid: 'alice', name: 'Alice', status: 'offline', role: 'default', createdAt: 900, tags: ['staff'] },
    });
    expect(endpoints.getUser.response.parse(body)).toEqual(body);
  });

  it('finds ids that need percent-encoding, in paths and in headers', async () => {
    expect(await get('/users/we%2Fird%20id%25%3F')).toMatchObject({ data: { uid: 'we/ird id%?' } });
    expect(await get('/users/zo%C3%AB')).toMatchObject({ data: { uid: 'zoë' } });
    expect(await get('/groups/team', 'zoë')).toMatchObject({ data: { hasJoined: false } });
    const asUtf8 = Buffer.from('zoë').toString('latin1');
    expect(await get('/groups/team', asUtf8)).toMatchObject({ data: { hasJoined: false } });
    expect(await get('/groups/team', 'we/ird id%?')).toMatchObject({ data: { hasJoined: false } });
  });

  it('serves a group without its members, and what derives from them', async () => {
    const team = { guid: 'team', name: 'Team', type: 'private', owner: 'alice', createdAt: 950, tags: ['work'] };
    const derived = { membersCount: 3, conversationId: 'group_team' };
    expect(await get('/groups/team')).toEqual({ data: { ...team, ...derived } });
    expect(await get('/groups/team', 'alice')).toEqual({
      data: { ...team, ...derived, scope: 'admin', joinedAt: 951, hasJoined: true },
    });
    expect(await get('/groups/team', 'dave')).toEqual({ data: { ...team, ...derived, hasJoined: false } });
  });

  it('serves parties that only messages name', async () => {
    const first = messages.filter(({ receiver }) => receiver === 'open').sort((a, b) => a.sentAt - b.sentAt)[0]!;
    expect(await get('/groups/open', 'dave')).toMatchObject({
      data: {
        guid: 'open',
        name: 'open',
        createdAt: first.sentAt,
        membersCount: 4,
        scope: 'participant',
        hasJoined: true,
      },
    });
    const lonely = await serveSample({
      data: {
        messages: [
          { id: '2', sender: 'x', receiverType: 'user', receiver: 'y', sentAt: 20 },
          { id: '1', sender: 'y', receiverType: 'user', receiver: 'x', sentAt: 10 },
        ],
      },
    });
    for (const uid of ['x', 'y']) {
      const { body } = await lonely.call(`/users/${uid}`);
      expect(body).toEqual({ data: { uid, name: uid, status: 'offline', role: 'default', createdAt: 10 } });
    }
    await lonely.close();
  });
});

describe('moderation (§4.7, §4.8)', () => {
  it('serves rules as they stand in the file, broken ones too', async () => {
    expect(await get('/moderation/rules')).toEqual({ data: rules, meta: { current: { limit: 50, count: 3 } } });
    expect(await get('/moderation/rules?limit=2')).toEqual({
      data: rules.slice(0, 2),
      meta: { current: { limit: 2, count: 2 } },
    });
  });

  it('serves a list, or the rule when no list has the id', async () => {
    expect(await get('/moderation/rules/l1')).toEqual({ data: lists[0] });
    expect(await get('/moderation/rules/both')).toEqual({ data: lists[1] });
    expect(await get('/moderation/rules/r1')).toEqual({ data: rules[0] });
    expect(await get('/moderation/keywords/l1')).toEqual({ data: lists[0] });
    expect(await get('/moderation/keywords/both')).toEqual({ data: lists[1] });
  });
});

describe('messages that rules stopped', () => {
  const stoppedBy = (id: string) => ({ status: 'disapproved', rule: { id, name: id.toUpperCase() } });
  const texts = Array.from({ length: 400 }, (_, at) => ({
    ...{ id: String(at + 1), sender: 'alice', receiverType: 'user', receiver: 'bob', sentAt: 1_000 + at },
    ...{ category: 'message', type: 'text' },
    data: { text: 'x', moderation: at % 2 === 0 ? stoppedBy(at % 4 === 0 ? 'r' : 'gone') : { status: 'approved' } },
  }));
  const condition = (id: number, operand: string) => ({ id, operand, value: ['x'] });
  const rule = {
    id: 'r',
    conditions: [condition(1, 'image'), condition(2, 'text')],
    action: ['blockMessage'],
    revisionId: 'r_4',
  };
  const entriesOf = async (path: string, data = { messages: texts, rules: [rule] }) => {
    const own = await serveSample({ data: data as never });
    const { body, status } = await own.call(`/moderation/${path}`);
    await own.close();
    expect(status).toBe(200);
    return endpoints.listReviewedMessages.response.parse(body);
  };

  it('are listed newest first, with the rule as it is now, and the parties', async () => {
    const { data, meta } = await entriesOf('blocked-messages?limit=3');
    expect(meta.current).toEqual({ limit: 3, count: 3 });
    expect(data.map(({ message, ruleId, revisionId }) => [message.id, ruleId, revisionId])).toEqual([
      ['399', 'gone', undefined],
      ['397', 'r', 'r_4'],
      ['395', 'gone', undefined],
    ]);
    expect(data[1]).toMatchObject({
      ...{ ruleName: 'R', condition: { id: 2, operand: 'text' }, action: ['blockMessage'], createdAt: 1_397 },
      message: { data: { entities: { sender: { entity: { uid: 'alice' } } } } },
    });
    expect((await entriesOf('blocked-messages')).data).toHaveLength(50);
    expect(
      (await entriesOf('blocked-messages', { messages: texts, rules: [{ id: 'r', conditions: 7 }] } as never)).data,
    ).toHaveLength(50);
  });

  it('are decided by a reviewer, the same in every run, some of each rule rightly', async () => {
    const { data } = await entriesOf('reviewed-messages?limit=1000');
    expect(await entriesOf('reviewed-messages?limit=1000')).toEqual({ data, meta: expect.anything() });
    expect(data.length).toBeGreaterThan(110);
    expect(data.length).toBeLessThan(155);
    for (const id of ['r', 'gone']) {
      const approved = data.filter(({ ruleId, status }) => ruleId === id && status === 'approved').length;
      expect(approved).toBeGreaterThan(2);
      expect(approved).toBeLessThan(45);
    }
    expect(data.every((entry) => entry.updatedAt! >= entry.createdAt! && entry.reviewed === true)).toBe(true);
  });

  it('have a page of 1 to 1,000', async () => {
    for (const limit of ['0', '1001', 'x'])
      expect((await service.call(`/moderation/blocked-messages?limit=${limit}`)).status).toBe(400);
  });
});

describe('messages as served (§2.4)', () => {
  const served = async (id: string, query = {}, onBehalfOf?: string) =>
    (await service.list({ limit: 1000, ...query }, onBehalfOf)).data.find((message) => message.id === id)!;

  it('embeds sender and receiver', async () => {
    const toUser = messages.find(({ receiverType, data }) => receiverType === 'user' && data !== undefined)!;
    const { sender, receiver } = toUser;
    const conversationId = [sender, receiver].sort().join('_user_');
    const user = await served(toUser.id);
    expect(user).toMatchObject({ conversationId, sender, receiver, data: { text: toUser.data!.text } });
    expect(user.data!.entities).toMatchObject({
      sender: { entity: { uid: sender, role: expect.any(String) }, entityType: 'user' },
      receiver: { entity: { uid: receiver, conversationId }, entityType: 'user' },
    });
    expect(JSON.stringify(user)).not.toContain('blocked');

    const toGroup = messages.find(({ receiver: guid, data }) => guid === 'team' && data !== undefined)!;
    const group = await served(toGroup.id, {}, 'alice');
    expect(group.data!.entities).toMatchObject({
      receiver: { entity: { guid: 'team', membersCount: 3, scope: 'admin' }, entityType: 'group' },
    });
    expect(JSON.stringify(group)).not.toContain('"members"');
  });

  it('expands the parties of actions', async () => {
    expect((await served('500')).data).toMatchObject({
      action: 'unbanned',
      entities: {
        by: { entity: { uid: 'alice' }, entityType: 'user' },
        on: { entity: { uid: 'carol' }, entityType: 'user' },
        for: { entity: { guid: 'team' }, entityType: 'group' },
      },
    });
    expect((await served('501')).data!.entities).toMatchObject({
      by: { entity: { uid: 'bob' }, entityType: 'user' },
      on: { entity: { id: '9', conversationId: 'group_team', deletedAt: 5008 }, entityType: 'message' },
      for: { entity: { guid: 'team' }, entityType: 'group' },
    });
  });

  it('serves a deleted message without data without data', async () => {
    const emptied = messages.filter(({ deletedAt, data }) => deletedAt !== undefined && data === undefined);
    expect(emptied.length).toBeGreaterThan(0);
    for (const { id } of emptied) expect(await served(id)).not.toHaveProperty('data');
  });

  it('serves tags only when asked', async () => {
    const tagged = messages.find(({ tags }) => tags !== undefined)!;
    expect(await served(tagged.id)).not.toHaveProperty('tags');
    expect(await served(tagged.id, { withTags: false })).not.toHaveProperty('tags');
    expect(await served(tagged.id, { withTags: true })).toMatchObject({ tags: tagged.tags });
  });

  it('adds to mentions what is asked of them', async () => {
    const mentioning = messages.find(({ data }) => Object.hasOwn(data?.mentions ?? {}, 'dave'))!;
    const { bob, dave } = mentioning.data!.mentions as Record<string, object>;
    const mentions = async (query: object, actor?: string) =>
      (await served(mentioning.id, query, actor)).data!.mentions;
    expect(await mentions({})).toEqual({ bob, dave });
    expect(await mentions({ mentionsWithTagInfo: true })).toEqual({
      bob: { ...bob, tags: [] },
      dave: { ...dave, tags: [] },
    });
    expect(await mentions({ mentionsWithBlockedInfo: true })).toEqual({ bob, dave });
    const alices = messages.find(
      ({ data, sender, receiver }) =>
        Object.hasOwn(data?.mentions ?? {}, 'dave') && [sender, receiver].includes('alice'),
    )!;
    expect((await served(alices.id, { mentionsWithBlockedInfo: true }, 'alice')).data!.mentions).toEqual({
      bob: { ...bob, blockedByMe: false, hasBlockedMe: true },
      dave: { ...dave, blockedByMe: true, hasBlockedMe: false },
    });
  });
});
