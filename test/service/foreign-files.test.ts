import { chmod, cp, mkdir, mkdtemp, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { UsageError } from '../../src/foundation/errors.js';
import { lockName } from '../../src/foundation/files/directory-lock.js';
import { startService } from '../../src/platform/service/index.js';
import { treeOf } from '../support/file-tree.js';
import { data } from './sample-data.js';

/** What stands in a directory that a service saves into and is not its own (P32). */

let root: string;
let saved: string;
let outside: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'sluice-foreign-saves-'));
  saved = join(root, 'saved');
  outside = join(root, 'outside');
  await (await startService({ data, save: saved })).close();
});
afterAll(() => rm(root, { recursive: true }));

const dead = `999999999-00000000-0000-4000-8000-000000000000`;
const kinds: Readonly<Record<string, (path: string) => Promise<unknown>>> = {
  'a link to a file': (path) => symlink(join(outside, 'users.ndjson'), path),
  'a link to a folder': (path) => symlink(outside, path),
  'a link to nothing': (path) => symlink(join(outside, 'new'), path),
  'a folder': async (path) => {
    await mkdir(path);
    await writeFile(join(path, 'notes.txt'), 'precious');
  },
  'a file': (path) => writeFile(path, 'precious'),
};
const cases = [
  ...['users.ndjson', 'rules.json'].map((name) => ({ name, own: 'a file' })),
  ...['.sluice-saving', '.sluice-saved', lockName].map((name) => ({ name, own: '' })),
  ...['.sluice-saving/users.ndjson', '.sluice-saved/rules.json'].map((name) => ({ name, own: 'a file' })),
  { name: join(lockName, dead), own: '' },
].flatMap(({ name, own }) =>
  Object.keys(kinds)
    .filter((kind) => kind !== own)
    .map((kind) => ({ name, kind })),
);

/** A copy of a saved directory, with something in it, and what must stay as it is. */
async function withEntry(name: string, put: (path: string) => Promise<unknown>) {
  const directory = await mkdtemp(join(root, 'data-'));
  await cp(saved, directory, { recursive: true });
  await rm(outside, { recursive: true, force: true });
  await mkdir(join(outside, dead), { recursive: true });
  for (const own of ['users.ndjson', 'rules.json', 'notes.txt']) await writeFile(join(outside, own), 'precious');
  await mkdir(dirname(join(directory, name)), { recursive: true });
  await rm(join(directory, name), { recursive: true, force: true });
  await put(join(directory, name));
  const look = async () => [[...(await treeOf(outside))], [...(await treeOf(directory))]];
  return { directory, look };
}

describe('a directory that a service saves into', () => {
  it.each(cases)(
    'keeps $kind called $name, and what it leads to: that is refused by its name',
    async ({ name, kind }) => {
      const { directory, look } = await withEntry(name, kinds[kind]!);
      const before = await look();
      const starting = startService({ data, save: directory });
      await expect(starting).rejects.toThrow(UsageError);
      await expect(starting).rejects.toThrow(name.split('/').at(-1)!);
      expect(await look()).toEqual(before);
    },
  );

  it('keeps what came into the folder of its files meanwhile, and what it should have replaced', async () => {
    const { directory, look } = await withEntry('.sluice-saved', async (path) => {
      await mkdir(path);
      for (const name of ['users.ndjson', 'notes.txt']) await writeFile(join(path, name), 'precious');
    });
    const before = await look();
    await expect(startService({ data, save: directory })).rejects.toThrow(
      '.sluice-saved` holds `notes.txt`, which no service wrote there; move it away',
    );
    expect(await look()).toEqual(before);
  });

  it('is not read through a link in the place of the folder of its files', async () => {
    const { directory } = await withEntry('.sluice-saved', kinds['a link to a folder']!);
    await expect(startService({ data: directory })).rejects.toThrow(
      '.sluice-saved` is a link, in the place of a folder',
    );
  });

  it('has links refused that came while it ran, and what was saved is read when they are gone', async () => {
    const { directory } = await withEntry('notes.txt', kinds['a file']!);
    const service = await startService({ data, save: directory });
    await rm(join(directory, 'users.ndjson'));
    await symlink(join(outside, 'users.ndjson'), join(directory, 'users.ndjson'));
    const before = await treeOf(outside);
    await expect(service.close()).rejects.toThrow('users.ndjson` is a link, in the place of a file');
    expect(await treeOf(outside)).toEqual(before);
    await rm(join(directory, 'users.ndjson'));
    await (await startService({ data: directory, save: directory })).close();
    const now = await treeOf(directory);
    expect([...now.keys()].filter((name) => name !== 'notes.txt')).toEqual([...(await treeOf(saved)).keys()]);
    for (const { id } of data.messages) expect(now.get('messages.ndjson')).toContain(`{"id":"${id}"`);
  });

  it('keeps the permissions of its files, and takes those of the files that were read for new ones', async () => {
    const directory = join(root, 'modes');
    await cp(saved, directory, { recursive: true });
    const modes = { 'users.ndjson': 0o600, 'messages.ndjson': 0o640, 'rules.json': 0o664 };
    for (const [name, mode] of Object.entries(modes)) await chmod(join(directory, name), mode);
    const modeOf = async (folder: string, name: string) => (await stat(join(folder, name))).mode & 0o777;
    await (await startService({ data: directory, save: directory })).close();
    for (const [name, mode] of Object.entries(modes)) expect(await modeOf(directory, name), name).toBe(mode);
    const other = join(root, 'modes-of-others');
    await (await startService({ data: directory, save: other })).close();
    expect(await modeOf(other, 'users.ndjson')).toBe(0o600);
  });
});
