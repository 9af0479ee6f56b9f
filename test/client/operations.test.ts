import { describe, expect, it } from 'vitest';
import { HttpError, UsageError } from '../../src/foundation/errors.js';
import type { Client } from '../../src/platform/client/client.js';
import { apiKey, clientOf, json, rejection, serve, serveJson } from '../support/http.js';

const user = { uid: 'ann', name: 'Ann', role: 'default', extra: { kept: true } };
const group = { guid: 'g1', name: 'One', membersCount: 3 };
const rule = { id: 'r1', conditions: [{ id: 1, operand: 'text', value: ['l1'] }], action: ['blockMessage'] };
const list = { id: 'l1', searchTerms: ['spam'], revisionId: 'x_l1_1' };

describe('operations: request', () => {
  it('spells header names exactly as §4', async () => {
    const server = await serveJson({ data: { success: true, message: 'done' } });
    await clientOf(server).groups.markAsRead('g1', { onBehalfOf: 'ann', messageId: '340' });
    const [request] = server.received;
    const target = '/v3/groups/g1/conversation/read';
    expect(request).toMatchObject({ method: 'POST', target, body: '{"messageId":340}' });
    expect(request?.rawHeaders).toMatchObject({
      apikey: apiKey,
      onBehalfOf: 'ann',
      'Content-Type': 'application/json',
      'accept-encoding': 'identity',
    });
  });

  it('has no body, no content type and no acting user where the row has none', async () => {
    const server = await serveJson({ data: [], meta: {} });
    await clientOf(server).rules.list();
    const [request] = server.received;
    expect(request).toMatchObject({ method: 'GET', target: '/v3/moderation/rules', body: '' });
    const names = Object.keys(request?.rawHeaders ?? {}).map((name) => name.toLowerCase());
    expect(names).not.toContain('onbehalfof');
    expect(names).not.toContain('content-type');
    expect(names).toContain('apikey');
  });

  it.each<[method: string, target: string, body: string, call: (client: Client) => Promise<unknown>]>([
    ['GET', '/v3/users/ann', '', ({ users }) => users.get('ann')],
    [
      'PUT',
      '/v3/users/ann/conversation',
      '{"tags":["a","b"]}',
      ({ users }) => users.updateConversation('ann', { onBehalfOf: 'ann', tags: ['a', 'b'] }),
    ],
    ['GET', '/v3/groups/g1', '', ({ groups }) => groups.get('g1')],
    [
      'DELETE',
      '/v3/groups/g1/conversation/read',
      '{"messageId":9}',
      ({ groups }) => groups.markAsUnread('g1', { messageId: 9 }),
    ],
    ['GET', '/v3/messages?limit=5', '', ({ messages }) => messages.list({ limit: 5 })],
    ['GET', '/v3/moderation/rules?limit=50', '', ({ rules }) => rules.list({ limit: 50 })],
    ['GET', '/v3/moderation/rules/r1', '', ({ rules }) => rules.get('r1')],
    ['POST', '/v3/moderation/rules', JSON.stringify(rule), ({ rules }) => rules.create(rule)],
    ['PUT', '/v3/moderation/rules/r1', JSON.stringify(rule), ({ rules }) => rules.replace('r1', rule)],
    ['DELETE', '/v3/moderation/rules/r1', '', ({ rules }) => rules.delete('r1')],
    ['GET', '/v3/moderation/keywords?limit=7', '', ({ lists }) => lists.list({ limit: 7 })],
    ['GET', '/v3/moderation/keywords/l1', '', ({ lists }) => lists.get('l1')],
    ['GET', '/v3/moderation/keywords/l1', '', ({ keywords }) => keywords.get('l1')],
    ['POST', '/v3/moderation/keywords', JSON.stringify(list), ({ lists }) => lists.create(list)],
    ['PUT', '/v3/moderation/keywords/l1', JSON.stringify(list), ({ lists }) => lists.replace('l1', list)],
    ['DELETE', '/v3/moderation/keywords/l1', '', ({ lists }) => lists.delete('l1')],
    ['GET', '/v3/moderation/blocked-messages?limit=7', '', (client) => client.blockedMessages.list({ limit: 7 })],
    ['GET', '/v3/moderation/reviewed-messages', '', (client) => client.reviewedMessages.list()],
  ])('is %s %s', async (method, target, body, call) => {
    const server = await serveJson({}, 400);
    expect(await rejection(call(clientOf(server)))).toBeInstanceOf(HttpError);
    expect(server.received).toMatchObject([{ method, target, body }]);
  });

  it('accepts a base url with a trailing slash and one without a prefix', async () => {
    const server = await serveJson({ data: user });
    await clientOf({ url: `${server.origin}/v3/` }).users.get('ann');
    await clientOf({ url: server.origin }).users.get('ann');
    expect(server.received.map(({ target }) => target)).toEqual(['/v3/users/ann', '/users/ann']);
  });

  it('has an empty object as body where the row has a body and nothing was passed', async () => {
    const server = await serveJson({ data: { success: true } });
    await clientOf(server).groups.markAsUnread('g1');
    expect(server.received[0]?.body).toBe('{}');
  });
});

describe('operations: result', () => {
  it('is `data`, unknown fields included', async () => {
    expect(await clientOf(await serveJson({ data: user })).users.get('ann')).toEqual(user);
    expect(await clientOf(await serveJson({ data: group })).groups.get('g1')).toEqual(group);
    expect(await clientOf(await serveJson({ data: list })).keywords.get('l1')).toEqual(list);
  });

  it('of a list is its page with `meta`', async () => {
    const meta = { current: { limit: 10, count: 1 } };
    const rules = { data: [rule], meta };
    expect(await clientOf(await serveJson({ ...rules, more: 1 })).rules.list()).toEqual(rules);
    const next = { affix: 'append', id: '1' };
    const messages = { data: [{ id: '1', data: { text: 'hi' } }], meta: { ...meta, next } };
    expect(await clientOf(await serveJson(messages)).messages.list()).toEqual(messages);
    for (const empty of [{ data: [] }, { data: [], meta: null }, { data: [], meta: {} }]) {
      const client = clientOf(await serveJson(empty));
      expect(await client.messages.list()).toEqual({ data: [], meta: {} });
      expect(await client.rules.list()).toEqual({ data: [], meta: {} });
    }
  });

  it('of rules.get is a rule or a keyword list by its fields', async () => {
    const server = await serve((response, { target }) => json(response, { data: target.endsWith('r1') ? rule : list }));
    const client = clientOf(server);
    expect(await client.rules.get('r1')).toEqual(rule);
    expect(await client.rules.get('l1')).toEqual(list);
  });

  it('of updateConversation is an array, also for one object', async () => {
    const conversation = { conversationId: 'ann_user_bob', unreadMessageCount: '0' };
    for (const data of [[conversation], conversation]) {
      const client = clientOf(await serveJson({ data }));
      expect(await client.users.updateConversation('bob', { onBehalfOf: 'ann' })).toEqual([conversation]);
    }
  });
});

describe('operations: acting user (§5)', () => {
  it('is required before sending where the row requires one', async () => {
    const server = await serveJson({});
    const client = clientOf(server);
    const nothing = undefined as unknown as { onBehalfOf: string };
    const empty = {} as { onBehalfOf: string };
    const refusals = [
      client.users.updateConversation('ann', nothing),
      client.users.updateConversation('ann', empty),
      client.groups.markAsRead('g1', nothing),
    ];
    for (const refusal of refusals) {
      const error = await rejection(refusal);
      expect(error).toBeInstanceOf(UsageError);
      expect(String(error)).toContain('`onBehalfOf`');
    }
    expect(server.received).toEqual([]);
  });

  it.each(['', ' ann', 'ann ', 'a\nb', 'a\u0000', 'é', '日本', '😀', 'a\u007f'])(
    '%j is refused',
    async (onBehalfOf) => {
      const server = await serveJson({});
      const error = await rejection(clientOf(server).users.get('bob', { onBehalfOf }));
      expect(error).toBeInstanceOf(UsageError);
      expect(server.received).toEqual([]);
    },
  );

  it('keeps inner blanks', async () => {
    const server = await serveJson({ data: user });
    await clientOf(server).users.get('bob', { onBehalfOf: 'ann of york~' });
    expect(server.received[0]?.rawHeaders.onBehalfOf).toBe('ann of york~');
  });
});

describe('operations: writes', () => {
  it('of anything but an object are refused, and none is sent twice', async () => {
    const server = await serveJson({}, 503);
    const client = clientOf(server);
    for (const value of [undefined, null, 'r1', [rule]] as never[]) {
      expect(await rejection(client.rules.create(value))).toBeInstanceOf(UsageError);
      expect(await rejection(client.lists.replace('l1', value))).toBeInstanceOf(UsageError);
    }
    expect(server.received).toEqual([]);
    const writes = [
      client.rules.create(rule),
      client.rules.replace('r1', rule),
      client.rules.delete('r1'),
      client.lists.create(list),
      client.lists.replace('l1', list),
      client.lists.delete('l1'),
    ];
    for (const write of writes) expect(await rejection(write)).toMatchObject({ status: 503, attempts: 1 });
    expect(server.received).toHaveLength(writes.length);
  });
});

describe('operations: body (§4.1)', () => {
  it('tags that are not a list of strings are refused', async () => {
    const server = await serveJson({});
    for (const tags of ['a', [1], { 0: 'a' }]) {
      const options = { onBehalfOf: 'ann', tags: tags as unknown as string[] };
      expect(await rejection(clientOf(server).users.updateConversation('ann', options))).toBeInstanceOf(UsageError);
    }
    expect(server.received).toEqual([]);
  });
});
