import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { digest } from '../../src/foundation/digest.js';
import { ShapeError, UsageError } from '../../src/foundation/errors.js';
import type { RuleSet } from '../../src/platform/contract/rule-set.js';
import { writeRuleSetFile } from '../../src/platform/loader/rule-set-file.js';
import { writeRuleSetFolder } from '../../src/platform/loader/rule-set-folder.js';
import { load } from '../../src/platform/service/data-directory.js';
import { temporaryFolder } from '../support/folder.js';
import { inProcess } from './in-process.js';
import { data } from './sample-data.js';

const root = temporaryFolder();

const lines = (rows: readonly object[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join('');

async function directory(files: Readonly<Record<string, string | Uint8Array>>): Promise<string> {
  const path = await mkdtemp(join(root, 'data-'));
  for (const [name, content] of Object.entries(files)) await writeFile(join(path, name), content);
  return path;
}

describe('files of a data directory', () => {
  it('hold lines, and arrays of rules and lists, as they are or in `data`', async () => {
    const expected = await inProcess(data);
    const search = new URLSearchParams('limit=1000&count=true&withTags=true');
    for (const array of [
      (rows: readonly object[]) => JSON.stringify(rows),
      (rows: readonly object[]) => JSON.stringify({ data: rows }),
    ]) {
      const { run, rows } = await inProcess(
        await directory({
          'users.ndjson': lines(data.users),
          'groups.ndjson': lines(data.groups),
          'messages.ndjson': lines(data.messages),
          'rules.json': array(data.rules),
          'lists.json': array(data.lists),
        }),
      );
      expect(run('listMessages', { search }, 'alice')).toEqual(expected.run('listMessages', { search }, 'alice'));
      expect(run('getGroup', { path: { guid: 'team' } })).toEqual(expected.run('getGroup', { path: { guid: 'team' } }));
      expect([rows.rules, rows.lists]).toEqual([data.rules, data.lists]);
    }
  });

  it('may be a rule set as it is pulled, as a file or as a folder, beside messages or alone', async () => {
    const plain = { rules: data.rules, lists: data.lists } as unknown as Pick<RuleSet, 'rules' | 'lists'>;
    const ruleSet: RuleSet = { ...plain, missing: [], truncated: false, revision: digest(plain) };
    const beside = await directory({ 'messages.ndjson': lines(data.messages), 'users.ndjson': lines(data.users) });
    const [file, folder] = [join(await directory({}), 'mine.json'), await directory({})];
    await writeRuleSetFile(file, ruleSet);
    await writeRuleSetFolder(folder, ruleSet);
    await writeRuleSetFolder(beside, ruleSet);
    const byId = (rows: readonly { id: string }[]) => new Map(rows.map((row) => [row.id, row]));
    for (const [path, messages] of [
      [file, 0],
      [folder, 0],
      [beside, data.messages.length],
    ] as const) {
      const rows = await load(path);
      expect([rows.rules, byId(rows.lists), rows.messages.length]).toEqual([data.rules, byId(data.lists), messages]);
    }
    await writeFile(join(folder, 'lists.json'), '[]');
    await expect(load(folder)).rejects.toThrow(
      `the lists of \`${folder}\` stand in lists.json and with rules.json; keep one`,
    );
    await writeFile(join(folder, 'rules.json'), JSON.stringify({ rules: [{ id: 'r' }, {}] }));
    await rm(join(folder, 'lists.json'));
    await expect(load(folder)).rejects.toThrow(`${folder}: rules[1]: \`id\` must`);
  });

  it('are named where a row is wrong, by line or by index', async () => {
    const message = { id: '1', sender: 'a', receiverType: 'user', receiver: 'b', sentAt: 1 };
    for (const [name, content, place] of [
      ['messages.ndjson', lines([message, { ...message, id: '2', sentAt: 'x' }]), 'messages.ndjson:2: `sentAt` '],
      ['rules.json', '[{"id":"a"},{"id":""}]', 'rules.json[1]: `id` '],
      ['users.ndjson', '{"uid":"a"}\n\n{"uid":"a"}', 'users.ndjson:3: `uid` must be unique'],
    ] as const) {
      const fault = await load(await directory({ [name]: content })).catch((error) => error);
      expect(fault).toBeInstanceOf(ShapeError);
      expect(fault.message).toContain(`/${place}`);
    }
  });

  it('may be gzipped lines', async () => {
    const gzipped = gzipSync(lines(data.messages));
    const { rows } = await inProcess(await directory({ 'messages.ndjson.gz': gzipped }));
    expect(rows.messages.map(({ id }) => id)).toEqual(data.messages.map(({ id }) => id));
    const cut = await load(await directory({ 'messages.ndjson.gz': gzipped.subarray(0, -9) })).catch((error) => error);
    expect(cut).toBeInstanceOf(ShapeError);
    expect(cut.message).toMatch(/messages\.ndjson\.gz: the whole stream is gzip that ends too early$/);
  });

  it('may not be there in both forms', async () => {
    const both = await directory({ 'users.ndjson': '', 'users.ndjson.gz': '' });
    const fault = await load(both).catch((error) => error);
    expect(fault).toBeInstanceOf(UsageError);
    expect(fault.message).toMatch(/must hold `users\.ndjson` or `users\.ndjson\.gz`, not both$/);
  });

  it.each(['messages.ndjson', 'messages.ndjson.gz', 'rules.json'])(
    'that are not files are errors, never empty collections: %s',
    async (name) => {
      const faultOf = async (make: (path: string) => Promise<unknown>) => {
        const folder = await directory({ 'lists.json': '[]' });
        await make(join(folder, name));
        const fault = await load(folder).catch((error) => error);
        expect(fault).toBeInstanceOf(UsageError);
        return fault.message.replaceAll(`${folder}/`, '');
      };
      expect(await faultOf((path) => mkdir(path))).toBe(
        `cannot read \`${name}\`: it is a directory; put a file in its place or take it away`,
      );
      expect(await faultOf((path) => symlink('nowhere', path))).toBe(
        `cannot read \`${name}\`: no such file or directory`,
      );
      expect(await faultOf((path) => symlink('/dev/null', path))).toContain('it is not a regular file');
    },
  );

  it('may be links to files', async () => {
    const from = await directory({ 'messages.ndjson': lines(data.messages) });
    const to = await directory({});
    await symlink(join(from, 'messages.ndjson'), join(to, 'messages.ndjson'));
    expect((await load(to)).messages).toHaveLength(data.messages.length);
  });
});

describe('messages given as objects', () => {
  it('are taken as they would go over the wire', async () => {
    const base = { sender: 'a', receiverType: 'user', receiver: 'b', sentAt: 1 } as const;
    const { rows } = await inProcess({
      messages: [
        { ...base, id: '1', data: { metadata: { at: new Date(0) } } },
        { ...base, id: '2', extra: undefined },
      ],
    });
    expect(rows.messages[0]).toMatchObject({ data: { metadata: { at: '1970-01-01T00:00:00.000Z' } } });
    const endless: Record<string, unknown> = {};
    endless.self = endless;
    const odd: readonly (readonly [object, string])[] = [
      [{ ...base, id: '1', extra: endless }, 'data.messages[0]: the whole value must be json'],
      [{ ...base, id: '1', extra: 1n }, 'data.messages[0]: the whole value must be json'],
      [{ ...base, id: '1', sentAt: Number.NaN }, 'data.messages[0]: `sentAt` must be an integer'],
    ];
    for (const [message, words] of odd) {
      await expect(load({ messages: [message as never] })).rejects.toThrow(words);
    }
    await expect(load({ messages: [undefined as never] })).rejects.toThrow('the whole value must be an object');
  });
});
