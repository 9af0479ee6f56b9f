import { mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ShapeError, UsageError } from '../../src/foundation/errors.js';
import { type ServiceData, startService } from '../../src/platform/service/index.js';
import { temporaryFolder } from '../support/folder.js';
import { idsOf, serveSample } from './call.js';

const root = temporaryFolder();

async function directory(files: Readonly<Record<string, string | Uint8Array>>): Promise<string> {
  const path = await mkdtemp(join(root, 'data-'));
  for (const [name, content] of Object.entries(files)) await writeFile(join(path, name), content);
  return path;
}

const rows = (all: readonly object[]) => all.map((row) => `${JSON.stringify(row)}\n`).join('');

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
});

describe('rows that are not in their stored form', () => {
  const message = { id: '1', sender: 'a', receiverType: 'user', receiver: 'b', sentAt: 5 };
  const group = { guid: 'g', members: [{ uid: 'a' }] };
  const inGroup = { ...message, receiverType: 'group' };
  const elsewhere = { ...message, id: '2', receiver: 'c', conversationId: 'a_user_b' };
  const marked = { ...group, members: [{ uid: 'a', readUpTo: '7' }] };
  const cases: readonly (readonly [string, readonly object[], string])[] = [
    ['users', [{ uid: 'a' }, { uid: '' }], ':2: `uid` must not be empty'],
    ['users', [{ uid: 'a' }, { uid: 'b' }, { uid: 'a' }], ':3: `uid` must be unique'],
    ['users', [{ uid: 'a', blocked: 'b' }], ':1: `blocked` must be an array of strings'],
    ['users', [[]], ':1: the whole value must be an object'],
    ['groups', [{ name: 'g' }], ':1: `guid` must be a string'],
    ['groups', [{ guid: 'g', members: [{}] }], ':1: `members[0].uid` must be a non-empty string'],
    ['groups', [marked], ':1: `members[0].readUpTo` must be the id of a message of the conversation'],
    ['messages', [message, { ...message, id: 'x2' }], ':2: `id` must be a decimal message id'],
    ['messages', [message, { ...message, id: 1 }], ':2: `id` must be unique'],
    ['messages', [{ ...message, sender: null }], ':1: `sender` must be a non-empty string'],
    ['messages', [{ ...message, receiverType: 'channel' }], ':1: `receiverType` must be `user` or `group`'],
    ['messages', [{ ...message, sentAt: 1.5 }], ':1: `sentAt` must be an integer'],
    ['messages', [{ ...message, data: { text: 5 } }], ':1: `data.text` must be a string'],
    ['messages', [message, elsewhere], ':2: `conversationId` names a conversation of other parties, `a_user_b`'],
    [
      'messages',
      [inGroup, { ...inGroup, id: '2', conversationId: 'x' }],
      ':2: `conversationId` must be `group_b`, the one of its group',
    ],
  ];

  it.each(cases)('%s: %j', async (collection, content, words) => {
    const file = `${collection}.ndjson`;
    const path = await directory({ [file]: rows(content) });
    const fault = await faultOf(path);
    expect(fault).toBeInstanceOf(ShapeError);
    expect(fault.message).toBe(join(path, file) + words);
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
});
