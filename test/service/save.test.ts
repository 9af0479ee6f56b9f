import { chmod, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ShapeError, UsageError } from '../../src/foundation/errors.js';
import { type ServiceData, startService } from '../../src/platform/service/index.js';
import { save } from '../../src/platform/service/save.js';
import { runs } from '../support/runs.js';
import { callerOf } from './call.js';
import { type InProcess, inProcess } from './in-process.js';
import { data, groups, messages } from './sample-data.js';

let root: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'sluice-save-'));
});
afterAll(() => rm(root, { recursive: true }));
const fresh = () => mkdtemp(join(root, 'data-'));

const uids = ['alice', 'bob', 'carol', 'dave', 'zoë'];
const guids = ['team', 'open', 'quiet'];

/** What a service answers to everything that could differ: resources, pages, what is unread for whom, conversations. */
function answersOf({ run, ids, rows }: InProcess): unknown {
  const search = (query: string) => ({ search: new URLSearchParams(query) });
  return [
    ...[undefined, ...uids].map((uid) => [
      run('listMessages', search('limit=1000&withTags=true&mentionsWithTagInfo=true&count=true'), uid),
      ids({ unread: true, count: true }, uid),
      guids.map((guid) => attempt(() => run('getGroup', { path: { guid } }, uid))),
    ]),
    uids.map((uid) => run('getUser', { path: { uid } })),
    uids.map((uid) => uids.map((other) => attempt(() => run('updateConversation', { path: { uid } }, other)))),
    run('listRules', search('')),
    rows.lists,
  ];
}

function attempt(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return String(error);
  }
}

const teamIds = messages.filter(({ receiver }) => receiver === 'team').map(({ id }) => Number(id));
const openIds = messages.filter(({ receiver }) => receiver === 'open').map(({ id }) => Number(id));
const mark = fc.record({
  name: fc.constantFrom('markAsRead' as const, 'markAsUnread' as const),
  group: fc.constantFrom({ guid: 'team', all: teamIds }, { guid: 'open', all: openIds }, { guid: 'quiet', all: [] }),
  uid: fc.option(fc.constantFrom(...uids), { nil: undefined }),
  which: fc.option(fc.nat(), { nil: undefined }),
});
const tag = fc.record({
  name: fc.constant('updateConversation' as const),
  pair: fc.constantFrom(['alice', 'bob'], ['carol', 'bob'], ['dave', 'alice']),
  tags: fc.array(fc.constantFrom('a', 'ü', '"\n\u2028', '__proto__'), { maxLength: 2 }),
});

type Step =
  typeof mark extends fc.Arbitrary<infer One>
    ? typeof tag extends fc.Arbitrary<infer Other>
      ? One | Other
      : never
    : never;

function take({ run }: InProcess, step: Step): void {
  attempt(() => {
    if (step.name === 'updateConversation') {
      const [uid, other] = step.pair;
      return run(step.name, { path: { uid }, body: { tags: step.tags } }, other);
    }
    const { guid, all } = step.group;
    const messageId = step.which === undefined || all.length === 0 ? undefined : all[step.which % all.length];
    return run(step.name, { path: { guid }, body: { messageId } }, step.uid);
  });
}

describe('a saved service', () => {
  const long = { sender: 'alice', receiverType: 'user', receiver: 'bob', sentAt: 1_000 } as const;
  const odd: ServiceData = {
    ...data,
    groups: [
      { guid: 'quiet', members: [{ uid: 'alice' }, { uid: 'zoë' }] },
      { guid: 'open', conversationId: 'odd' },
    ],
    messages: [
      ...messages.filter(({ receiver }) => receiver !== 'team'),
      { ...long, id: '36893488147419103232' },
      { ...long, id: '9007199254740993', data: { text: 'U+2028 \u2028, a quote " and half a pair \ud83d' } },
      { ...long, id: '36893488147419103231', conversationId: 'another', data: undefined },
    ],
  };

  it('answers every request as it did, whatever was changed before, and so does one saved again', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('sample' as const, 'odd' as const),
        fc.array(fc.oneof(mark, tag), { maxLength: 6 }),
        fc.array(fc.oneof(mark, tag), { maxLength: 3 }),
        async (which, steps, more) => {
          const directory = await fresh();
          const first = await inProcess(which === 'odd' ? odd : data);
          for (const step of steps) take(first, step);
          await save(directory, first.rows, first.state);
          const second = await inProcess(directory);
          expect(answersOf(second)).toEqual(answersOf(first));
          for (const step of more) take(second, step);
          await save(directory, second.rows, second.state);
          expect(answersOf(await inProcess(directory))).toEqual(answersOf(second));
          expect((await readdir(directory)).filter((name) => name.startsWith('.'))).toEqual([]);
        },
      ),
      { numRuns: runs(8, 60) },
    );
  });

  it('keeps fields that nobody knows, and the scores beside the data', async () => {
    const [from, to] = [await fresh(), await fresh()];
    const rows = [
      { id: '1', sender: 'a', receiverType: 'user', receiver: 'b', sentAt: 1, x: { y: [1.5, null] } },
      {
        id: '2',
        conversationId: 'a_user_b',
        sender: 'b',
        receiverType: 'user',
        receiver: 'a',
        sentAt: 2,
        'é\u2028': '',
      },
    ];
    await writeFile(
      join(from, 'messages.ndjson'),
      rows
        .map((row) => `${JSON.stringify(row)}\n`)
        .toReversed()
        .join(''),
    );
    await writeFile(join(from, 'scores.json'), '{"https://a.test/1.png":{"gore":5}}');
    const { rows: loaded, state } = await inProcess(from);
    await save(to, loaded, state);
    const lines = (await readFile(join(to, 'messages.ndjson'), 'utf8')).trim().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toEqual(rows.map((row) => ({ conversationId: 'a_user_b', ...row })));
    expect(await readFile(join(to, 'scores.json'), 'utf8')).toBe('{"https://a.test/1.png":{"gore":5}}');
  });

  it('replaces the files that it was read from, in their form', async () => {
    const directory = await fresh();
    const names = ['groups.json', 'lists.ndjson', 'messages.json', 'rules.ndjson', 'users.ndjson'];
    for (const name of names) {
      const [collection = '', form] = name.split('.');
      const rows: readonly object[] = data[collection as keyof typeof data];
      const content = form === 'json' ? JSON.stringify(rows) : rows.map((row) => `${JSON.stringify(row)}\n`).join('');
      await writeFile(join(directory, name), content);
    }
    const first = await inProcess(directory);
    take(first, { name: 'updateConversation', pair: ['alice', 'bob'], tags: ['ü'] });
    await save(directory, first.rows, first.state);
    expect((await readdir(directory)).sort()).toEqual(['conversations.ndjson', ...names]);
    expect(answersOf(await inProcess(directory))).toEqual(answersOf(first));
  });

  it('leaves files of another origin alone: one that would stand beside its own is an error before it starts', async () => {
    const [from, link] = [await fresh(), join(root, 'link-to-data')];
    await writeFile(join(from, 'messages.json'), JSON.stringify(messages));
    await symlink(from, link);
    for (const name of ['messages.json', 'users.json', 'rules.ndjson']) {
      const directory = await fresh();
      await writeFile(join(directory, name), 'precious');
      for (const source of [data, from]) {
        const starting = startService({ data: source, save: directory });
        await expect(starting).rejects.toThrow(UsageError);
        await expect(starting).rejects.toThrow(`cannot save into \`${directory}\`, which holds \`${name}\``);
      }
      expect(await readdir(directory)).toEqual([name]);
      expect(await readFile(join(directory, name), 'utf8')).toBe('precious');
    }
    const occupied = await fresh();
    await mkdir(join(occupied, 'rules.json'));
    await expect(startService({ data, save: occupied })).rejects.toThrow(
      `cannot save into \`${occupied}\`, where \`rules.json\` is a directory`,
    );
    await (await startService({ data: from, save: link })).close();
    expect(await readdir(from)).toEqual(expect.arrayContaining(['messages.json', 'users.ndjson']));
    expect(await readdir(from)).not.toContain('messages.ndjson');
  });
});

describe('startService with `save`', () => {
  it('saves when it closes, once, into a directory that it makes', async () => {
    const directory = join(await fresh(), 'made', 'here');
    const service = await startService({ data, save: directory });
    expect(await readdir(directory)).toEqual(['.sluice.lock']);
    const put = await callerOf(service)('/users/bob/conversation', {
      method: 'PUT',
      onBehalfOf: 'alice',
      body: { tags: ['kept'] },
    });
    await Promise.all([service.close(), service.close()]);
    const again = await startService({ data: directory, save: directory });
    const answer = await callerOf(again)('/users/bob/conversation', { method: 'PUT', onBehalfOf: 'alice' });
    expect(answer.body).toEqual(put.body);
    await again.close();
    expect(await readFile(join(directory, 'conversations.ndjson'), 'utf8')).toContain('"tags":["kept"]');
  });

  it('refuses at once what cannot be written, and says so when that turns out later', async () => {
    const file = join(await fresh(), 'file');
    await writeFile(file, '');
    for (const directory of ['', file, join(file, 'below')]) {
      const fault = await startService({ data, save: directory }).catch((error) => error);
      expect(fault, directory).toBeInstanceOf(UsageError);
    }
    const directory = join(await fresh(), 'gone');
    const service = await startService({ data, save: directory });
    await rm(directory, { recursive: true });
    await expect(service.close()).rejects.toThrow(`cannot save into \`${directory}\`: no such file or directory`);
  });

  it('of a directory that may not be written leaves it as it is', async ({ skip }) => {
    if (process.getuid?.() === 0) skip('root may write everywhere');
    const directory = await fresh();
    await chmod(directory, 0o500);
    await expect(startService({ data, save: directory })).rejects.toThrow('permission denied');
  });
});

describe('rows of conversations', () => {
  const faultOf = async (row: object): Promise<unknown> => {
    const directory = await fresh();
    for (const [name, rows] of Object.entries({ groups, messages })) {
      await writeFile(join(directory, `${name}.json`), JSON.stringify(rows));
    }
    await mkdir(directory, { recursive: true });
    await writeFile(join(directory, 'conversations.ndjson'), `\n${JSON.stringify(row)}\n`);
    return inProcess(directory).then(
      () => undefined,
      (error) => (error instanceof ShapeError ? error.message.slice(directory.length + 1) : error),
    );
  };

  it('are checked, with their line', async () => {
    const at = (words: string) => `conversations.ndjson:2: ${words}`;
    const id = 'group_team';
    expect(await faultOf({ conversationId: id, tags: null, readUpTo: { alice: '9', bob: null } })).toBeUndefined();
    expect(await faultOf({})).toBe(at('`conversationId` must be a non-empty string'));
    expect(await faultOf({ conversationId: 'nowhere' })).toBe(at('`conversationId` must be the id of a conversation'));
    expect(await faultOf({ conversationId: id, tags: 'a' })).toBe(at('`tags` must be an array of strings'));
    expect(await faultOf({ conversationId: id, readUpTo: { alice: 9 } })).toBe(at('`readUpTo.alice` must be a string'));
    const other = messages.find(({ receiver }) => receiver !== 'team')!;
    expect(await faultOf({ conversationId: id, readUpTo: { alice: other.id } })).toBe(
      at('`readUpTo.alice` must be the id of a message of the conversation'),
    );
  });
});
