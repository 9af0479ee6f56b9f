/**
 * A moderator over files: it follows them however they are replaced, and keeps its rules while they
 * are broken.
 */
import { execFileSync } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readFile, rm, symlink, unlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';
import {
  createFileSource,
  type RefreshEvent,
  type RuleSource,
  UsageError,
  writeRuleSetFolder,
} from '../../src/index.js';
import { switchFolder, waysOfReplacing } from '../support/replaced-files.js';
import { turns, until } from '../support/until.js';
import { platform, workplace } from './platform.js';

const place = workplace();
const { moderatorOf } = place;
const textOf = (...terms: string[]) =>
  JSON.stringify({
    rules: [{ id: 'r', action: ['blockMessage'], conditions: [{ operand: 'text', value: terms }] }],
    lists: [],
  });
const rulesOfFolder = JSON.stringify({
  rules: [
    {
      id: 'r',
      action: ['blockMessage'],
      conditions: [{ operand: 'text', isKeywordsReferencePresent: true, value: ['l'] }],
    },
  ],
  lists: [{ id: 'l' }],
});

const roots: string[] = [];
afterAll(async () => {
  for (const root of roots) await rm(root, { recursive: true });
});
async function newRoot(): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'sluice-follow-'));
  roots.push(root);
  return root;
}

/** A moderator over a file, with its events. */
async function followed(path: string, options: object = {}) {
  const moderator = await moderatorOf({ source: createFileSource(path), guard: 'off', ...options });
  const events: RefreshEvent[] = [];
  moderator.on('refresh', (event) => events.push(event));
  return { moderator, events, outcomes: () => events.map(({ outcome }) => outcome) };
}

describe('new rules decide', () => {
  it('however a file or a list was replaced, one way after the other', async () => {
    // Each way has a folder and a file of its own, and all are followed at once.
    const follow = async (way: (path: string, text: string) => Promise<void>) => {
      const root = await newRoot();
      const [file, folder] = [join(root, 'rules.json'), join(root, 'folder')];
      await writeFile(file, textOf('word0'));
      await mkdir(join(folder, 'lists'), { recursive: true });
      await writeFile(join(folder, 'rules.json'), rulesOfFolder);
      await writeFile(join(folder, 'lists', 'l.txt'), 'word0\n');
      const followers = await Promise.all([followed(file), followed(folder)]);
      for (const round of [1, 2]) {
        await way(file, textOf(`word${round}`));
        await way(join(folder, 'lists', 'l.txt'), `word${round}\n`);
        for (const { moderator } of followers) {
          await until(() => moderator.decide(`word${round}`) === 'blockMessage');
          expect(moderator.decide(`word${round - 1}`)).toBe('allow');
          expect(moderator.status.state).toBe('fresh');
        }
      }
      for (const { outcomes } of followers) {
        expect(outcomes().filter((outcome) => outcome === 'changed')).toHaveLength(2);
      }
    };
    await Promise.all(Object.values(waysOfReplacing).map(follow));
  });

  it('of a folder that is a link to the next version, and one that is written again', async () => {
    const root = await newRoot();
    const link = join(root, 'current');
    const fill = (word: string) => async (folder: string) => {
      await mkdir(join(folder, 'lists'));
      await writeFile(join(folder, 'lists', 'l.txt'), `${word}\n`);
      await writeFile(join(folder, 'rules.json'), rulesOfFolder);
    };
    await switchFolder(link, fill('one'));
    const { moderator } = await followed(link);
    await switchFolder(link, fill('two'));
    await until(() => moderator.decide('two') === 'blockMessage');
    const lists = [{ id: 'l', searchTerms: ['three'] }];
    const { rules } = JSON.parse(rulesOfFolder);
    await writeRuleSetFolder(link, { rules, lists, missing: [], truncated: false, revision: '' });
    await until(() => moderator.decide('three') === 'blockMessage');
  });

  it('when a source says so, once for what it says during one refresh', async () => {
    const { state, source } = platform();
    let onChange = () => {};
    let isAborted = () => false;
    const watch: RuleSource['watch'] = (listener, { signal, since }) => {
      expect(since.rules).toHaveLength(1);
      onChange = listener;
      isAborted = () => signal.aborted;
    };
    const moderator = await moderatorOf({ source: { ...source, watch } });
    let open = () => {};
    state.gate = new Promise((resolve) => {
      open = resolve;
    });
    for (let times = 0; times < 9; times += 1) {
      onChange();
      await turns(1);
    }
    open();
    await until(() => state.loads === 3);
    await turns();
    expect(state.loads).toBe(3);
    await moderator.close();
    expect(isAborted()).toBe(true);
    onChange();
    await turns();
    expect(state.loads).toBe(3);
  });
});

describe('rules stay in use', () => {
  it('while a file is half written; the status names the file and the place, and it is tried again', async () => {
    const path = join(await newRoot(), 'rules.json');
    await writeFile(path, textOf('word0'));
    const { moderator, outcomes } = await followed(path);
    await writeFile(path, textOf('word1').slice(0, 40));
    await until(() => moderator.status.failures >= 2);
    expect(moderator.decide('word0')).toBe('blockMessage');
    const { state, lastError } = moderator.status;
    expect([state, lastError?.code]).toEqual(['stale', 'shape']);
    expect(lastError?.message).toContain(`${path}: `);
    expect(lastError?.message).toMatch(/line 1|column|character/);
    await writeFile(path, textOf('word1'));
    await until(() => moderator.decide('word1') === 'blockMessage');
    expect(moderator.status).toMatchObject({ state: 'fresh', failures: 0 });
    expect(new Set(outcomes())).toEqual(new Set(['failed', 'changed']));
  });

  it('while the file is gone, and while it holds no rules', async () => {
    const path = join(await newRoot(), 'rules.json');
    await writeFile(path, textOf('word0'));
    const { moderator } = await followed(path, { guard: {} });
    await unlink(path);
    await until(() => moderator.status.state === 'stale');
    expect(moderator.status.lastError?.message).toBe(
      `cannot read a rule set from \`${path}\`: no such file or directory`,
    );
    await writeFile(path, JSON.stringify({ rules: [], lists: [] }));
    await until(() => moderator.status.held !== undefined);
    expect(moderator.status.held).toMatchObject({ loss: { rules: ['r'] } });
    expect(moderator.decide('word0')).toBe('blockMessage');
    expect(await moderator.accept(moderator.status.held!.revision)).toBe(true);
    expect(moderator.decide('word0')).toBe('allow');
  });

  it('and are not read again and again where the file says that a list is missing', async () => {
    const path = join(await newRoot(), 'rules.json');
    const missing = [{ listId: 'l', reason: 'http 503', kind: 'unreachable' }];
    await writeFile(path, JSON.stringify({ ...JSON.parse(rulesOfFolder), lists: [], missing }));
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const loads = { count: 0 };
    const { load, watch: _, ...source } = createFileSource(path);
    const counted = async (options?: object) => {
      loads.count += 1;
      return load!(options);
    };
    const moderator = await moderatorOf({ source: { ...source, load: counted, watch: () => {} }, guard: 'off' });
    expect(moderator.status).toMatchObject({ state: 'stale', lastError: { code: 'list-unreachable' } });
    for (let seconds = 0; seconds < 20; seconds += 1) {
      vi.advanceTimersByTime(1_000);
      await turns();
    }
    expect(loads.count).toBe(1);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('of the snapshot at the start, until the file is there', async () => {
    const path = join(await newRoot(), 'rules.json');
    await writeFile(path, textOf('word0'));
    const options = { snapshotFile: place.snapshotFile };
    await (await followed(path, options)).moderator.close();
    const text = await readFile(path, 'utf8');
    await unlink(path);
    await expect(followed(path)).rejects.toThrow(UsageError);
    const { moderator } = await followed(path, options);
    expect(moderator.decide('word0')).toBe('blockMessage');
    expect(moderator.status).toMatchObject({ state: 'stale', origin: 'snapshot' });
    await writeFile(path, text);
    await until(() => moderator.status.state === 'fresh');
    expect(moderator.status.origin).toBe('source');
  });
});

it('without `watch` rules are read when a refresh is asked for', async () => {
  const path = join(await newRoot(), 'rules.json');
  await writeFile(path, textOf('word0'));
  const moderator = await moderatorOf({ source: createFileSource(path, { watch: false }), guard: 'off' });
  await writeFile(path, textOf('word1'));
  expect(moderator.decide('word1')).toBe('allow');
  expect(await moderator.refresh()).toBe(true);
  expect(moderator.decide('word1')).toBe('blockMessage');
});

describe('what is held', () => {
  it('stays held while files are touched, changed in mode, or another list is saved', async () => {
    const folder = join(await newRoot(), 'folder');
    const list = join(folder, 'lists', 'l.txt');
    await mkdir(join(folder, 'lists'), { recursive: true });
    await writeFile(join(folder, 'rules.json'), rulesOfFolder);
    await writeFile(list, 'word0\n');
    const { moderator, outcomes } = await followed(folder, { guard: {} });
    await writeFile(list, 'other\n');
    await until(() => moderator.status.held !== undefined);
    const touches = [
      () => utimes(list, 1, 1),
      () => chmod(list, 0o600),
      () => writeFile(join(folder, 'lists', 'spare.txt'), 'x\n'),
      () => utimes(join(folder, 'rules.json'), 2, 2),
      () => writeFile(list, 'other\n'),
    ];
    for (const touch of touches) {
      const before = outcomes().length;
      await touch();
      await until(() => outcomes().length > before);
      expect([moderator.decide('word0'), moderator.decide('other')]).toEqual(['blockMessage', 'allow']);
    }
    expect(new Set(outcomes())).toEqual(new Set(['held']));
    await writeFile(list, 'word0\n');
    await until(() => moderator.status.state === 'fresh');
  });
});

describe('what does not answer', () => {
  it('is refused at once: pipes and devices, as the rules or as a list', async () => {
    const root = await newRoot();
    const folder = join(root, 'folder');
    const list = join(folder, 'lists', 'l.txt');
    await mkdir(join(folder, 'lists'), { recursive: true });
    await writeFile(join(folder, 'rules.json'), rulesOfFolder);
    execFileSync('mkfifo', [join(root, 'pipe'), list]);
    const load = (path: string) => createFileSource(path).load!();
    await expect(load(join(root, 'pipe'))).rejects.toThrow(/pipe`: it is neither a regular file nor a folder/);
    await expect(load('/dev/zero')).rejects.toThrow(UsageError);
    await expect(load(folder)).rejects.toThrow(/l\.txt`: it is not a regular file/);
    await unlink(list);
    await symlink('/dev/zero', list);
    await expect(load(folder)).rejects.toThrow(/it is not a regular file/);
    await unlink(list);
    await writeFile(join(root, 'aside.txt'), 'word0\n');
    await symlink(join(root, 'aside.txt'), list);
    expect((await load(folder)).lists).toMatchObject([{ searchTerms: ['word0'] }]);
  });

  it('leaves the rules in use, and is tried again', async () => {
    const folder = join(await newRoot(), 'folder');
    const list = join(folder, 'lists', 'l.txt');
    await mkdir(join(folder, 'lists'), { recursive: true });
    await writeFile(join(folder, 'rules.json'), rulesOfFolder);
    await writeFile(list, 'word0\n');
    const { moderator } = await followed(folder);
    await unlink(list);
    execFileSync('mkfifo', [list]);
    await until(() => moderator.status.failures >= 2);
    expect(moderator.decide('word0')).toBe('blockMessage');
    await unlink(list);
    await writeFile(list, 'word0\nword1\n');
    await until(() => moderator.decide('word1') === 'blockMessage');
  });
});
