import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ShapeError, UsageError } from '../../src/foundation/errors.js';
import { type ServiceData, startService } from '../../src/platform/service/index.js';
import { callerOf, idsOf, listerOf, serveSample } from './call.js';
import { data } from './sample-data.js';

let root: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'sluice-service-'));
});
afterAll(() => rm(root, { recursive: true }));

async function directory(files: Readonly<Record<string, string | Uint8Array>>): Promise<string> {
  const path = await mkdtemp(join(root, 'data-'));
  for (const [name, content] of Object.entries(files)) await writeFile(join(path, name), content);
  return path;
}

const rows = (all: readonly object[], end = '\n') => all.map((row) => JSON.stringify(row) + end).join('');

/** The error that starting on this data ends with; a service that starts after all is closed. */
async function faultOf(given: string | ServiceData): Promise<Error> {
  try {
    await (await startService({ data: given })).close();
  } catch (error) {
    return error as Error;
  }
  throw new Error('the service started');
}

describe('a data directory', () => {
  it('is served as the same content given as objects is', async () => {
    const path = await directory({
      'users.ndjson': `\ufeff${rows(data.users, '\r\n')}`,
      'groups.ndjson': `\n\n${rows(data.groups)}  \n`,
      'messages.ndjson': rows(data.messages).trimEnd(),
      'rules.json': JSON.stringify(data.rules, null, 2),
      'lists.json': JSON.stringify({ data: data.lists }),
      'scores.json': '{}',
    });
    const [fromFiles, fromObjects] = [await serveSample({ data: path }), await serveSample()];
    for (const call of ['/users/zo%C3%AB', '/groups/team', '/messages?limit=1000&count=1', '/moderation/rules']) {
      const [one, other] = await Promise.all([fromFiles.call(call), fromObjects.call(call)]);
      expect(one.body).toEqual(other.body);
    }
    await Promise.all([fromFiles.close(), fromObjects.close()]);
  });

  it('may lack files, but not all of them', async () => {
    const service = await serveSample({ data: await directory({ 'rules.json': '[]' }) });
    expect((await service.call('/messages')).body).toEqual({ data: [], meta: { current: { limit: 10, count: 0 } } });
    expect((await service.call('/users/alice')).status).toBe(404);
    await service.close();
    for (const path of [await directory({ 'other.txt': '' }), join(root, 'nowhere')]) {
      const fault = await faultOf(path);
      expect(fault).toBeInstanceOf(UsageError);
      expect(fault.message).toContain(path);
      expect(fault.message).toContain('messages.ndjson');
    }
  });

  it('keeps U+2028 inside a text and reads rows over the seams of chunks', async () => {
    const text = `a\u2028b${'é'.repeat(700_000)}`;
    const many = Array.from({ length: 5 }, (_, i) => ({
      id: String(i),
      sender: 'a',
      receiverType: 'user',
      receiver: 'b',
      sentAt: i,
      data: { text: `${i}${text}` },
    }));
    const raw = many.map((row) => JSON.stringify(row)).join('\n');
    expect(raw).toContain('\u2028');
    const service = await startService({ data: await directory({ 'messages.ndjson': raw }) });
    const page = await listerOf(callerOf(service))({});
    expect(page.data.map((message) => message.data!.text)).toEqual(many.map((row) => row.data.text));
    await service.close();
  });
});

describe('rows that are not in their stored form', () => {
  const message = { id: '1', sender: 'a', receiverType: 'user', receiver: 'b', sentAt: 5 };
  const group = { guid: 'g', members: [{ uid: 'a' }] };
  const cases: readonly (readonly [string, string, readonly object[], string])[] = [
    ['users.ndjson', 'a uid that is empty', [{ uid: 'a' }, { uid: '' }], ':2: `uid` must not be empty'],
    ['users.ndjson', 'a uid twice', [{ uid: 'a' }, { uid: 'b' }, { uid: 'a' }], ':3: `uid` must be unique'],
    [
      'users.ndjson',
      'blocked that is not a list',
      [{ uid: 'a', blocked: 'b' }],
      ':1: `blocked` must be an array of strings',
    ],
    ['users.ndjson', 'no object', [[]], ':1: the whole value must be an object'],
    ['groups.ndjson', 'no guid', [{ name: 'g' }], ':1: `guid` must be a string'],
    [
      'groups.ndjson',
      'a member without uid',
      [{ guid: 'g', members: [{}] }],
      ':1: `members[0].uid` must be a non-empty string',
    ],
    [
      'groups.ndjson',
      'a marker at no message',
      [{ ...group, members: [{ uid: 'a', readUpTo: '7' }] }],
      ':1: `members[0].readUpTo` must be the id of a message of the conversation',
    ],
    [
      'messages.ndjson',
      'an id that is not a number',
      [message, { ...message, id: 'x2' }],
      ':2: `id` must be a decimal message id',
    ],
    ['messages.ndjson', 'an id twice', [message, { ...message, id: 1 }], ':2: `id` must be unique'],
    ['messages.ndjson', 'no sender', [{ ...message, sender: null }], ':1: `sender` must be a non-empty string'],
    [
      'messages.ndjson',
      'a receiver type of its own',
      [{ ...message, receiverType: 'channel' }],
      ':1: `receiverType` must be `user` or `group`',
    ],
    ['messages.ndjson', 'a time with a fraction', [{ ...message, sentAt: 1.5 }], ':1: `sentAt` must be an integer'],
    ['messages.ndjson', 'a text that is none', [{ ...message, data: { text: 5 } }], ':1: `data.text` must be a string'],
    [
      'messages.ndjson',
      'a conversation of others',
      [message, { ...message, id: '2', receiver: 'c', conversationId: 'a_user_b' }],
      ':2: `conversationId` names a conversation of other parties, `a_user_b`',
    ],
    [
      'messages.ndjson',
      'a second conversation of a group',
      [
        { ...message, receiverType: 'group' },
        { ...message, receiverType: 'group', id: '2', conversationId: 'x' },
      ],
      ':2: `conversationId` must be `group_b`, the one of its group',
    ],
  ];

  it.each(cases)('%s with %s', async (file, _, content, words) => {
    const path = await directory({ [file]: rows(content) });
    const fault = await faultOf(path);
    expect(fault).toBeInstanceOf(ShapeError);
    expect(fault.message).toBe(join(path, file) + words);
    const collection = file.split('.')[0]!;
    const plain = await faultOf({ [collection]: content });
    expect(plain.message).toMatch(new RegExp(`^data\\.${collection}\\[\\d\\]: `));
  });

  it('that are not JSON or no UTF-8 are named without being quoted', async () => {
    const broken = await faultOf(await directory({ 'messages.ndjson': `${rows([message])}\n{"secret": ` }));
    expect(broken.message).toMatch(/messages\.ndjson:3: the whole line must be json; at column \d+, .+ expected$/);
    const latin = await faultOf(await directory({ 'users.ndjson': Buffer.from('{"uid":"\xe9"}', 'latin1') }));
    expect(latin.message).toMatch(/users\.ndjson:1: the whole line must be utf-8$/);
    const rules = await faultOf(await directory({ 'rules.json': '{"secret"' }));
    expect(rules.message).toMatch(/rules\.json: the whole value must be json; at line \d+, column \d+, .+ expected$/);
    const noArray = await faultOf(await directory({ 'lists.json': '{"lists":[]}' }));
    expect(noArray.message).toMatch(/lists\.json: the whole value must be an array$/);
    const noId = await faultOf(await directory({ 'rules.json': '[{"id":"a"},{"name":"b"}]' }));
    expect(noId.message).toMatch(/rules\.json\[1\]: `id` must be a non-empty string$/);
  });
});

describe('conversations and members without rows', () => {
  it('follow from the messages', async () => {
    const write = (id: string, more: object) => ({
      id,
      receiver: 'g',
      receiverType: 'group' as const,
      sentAt: Number(id),
      sender: 'a',
      ...more,
    });
    const service = await serveSample({
      data: {
        groups: [{ guid: 'g', conversationId: 'odd' }],
        messages: [
          write('1', {}),
          write('2', { sender: 'system', category: 'action' }),
          write('3', { receiver: 'a', receiverType: 'user', sender: 'z', conversationId: 'z_user_a' }),
          write('4', { receiver: 'z', receiverType: 'user', conversationId: 'z_user_a' }),
        ],
      },
    });
    const conversations = (await service.list({})).data.map(({ conversationId }) => conversationId);
    expect(conversations).toEqual(['odd', 'odd', 'z_user_a', 'z_user_a']);
    expect(idsOf(await service.list({}, 'a'))).toEqual(['1', '2', '3', '4']);
    expect(idsOf(await service.list({}, 'system'))).toEqual([]);
    expect((await service.call('/groups/g')).body).toMatchObject({ data: { membersCount: 1, conversationId: 'odd' } });
    const put = await service.call('/users/z/conversation', { method: 'PUT', onBehalfOf: 'a' });
    expect(put.body).toMatchObject({ data: [{ conversationId: 'z_user_a' }] });
    await service.close();
  });

  it('of two users under two ids, the one last written in counts as theirs', async () => {
    const between = { sender: 'a', receiver: 'z', receiverType: 'user' as const };
    const [one, other] = ['a_user_z', 'z_user_a'];
    for (const ids of [
      [one, other, one, other],
      [one, other, other, one],
    ]) {
      const messages = ids.map((conversationId, i) => ({ ...between, id: `${i}`, sentAt: i, conversationId }));
      const service = await serveSample({ data: { messages } });
      const { body } = await service.call('/users/z/conversation', { method: 'PUT', onBehalfOf: 'a' });
      expect(body).toMatchObject({ data: [{ conversationId: ids[3], updatedAt: 3 }] });
      await service.close();
    }
  });
});
