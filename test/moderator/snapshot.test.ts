/** Which files a moderator takes for its snapshot, and which it leaves to whom they belong. */
import { chmodSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  createClient,
  createEngine,
  createModerator,
  readRuleSetFile,
  UsageError,
  writeRuleSetFile,
} from '../../src/index.js';
import { lists, platform, rule, workplace } from './platform.js';

const place = workplace();
const { moderatorOf } = place;
const text = () => readFileSync(place.snapshotFile, 'utf8');
const refusal = async (options: Parameters<typeof createModerator>[0]): Promise<UsageError> => {
  const error = await createModerator(options).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(UsageError);
  return error as UsageError;
};
const withId = (id: string | undefined, changes: Parameters<typeof platform>[0] = {}) => {
  const { state, source } = platform(changes);
  return { state, source: { ...source, id } };
};
const own = { rules: [rule], lists: Object.values(lists('mine')) };

describe('a file that somebody else wrote is not a snapshot', () => {
  const files: readonly (readonly [string, () => string | Promise<string>])[] = [
    ['rules by hand', () => JSON.stringify(own)],
    ['rules by hand, after a byte order mark', () => `\ufeff${JSON.stringify(own)}`],
    ['rules without lists', () => '{ "rules": [] }'],
    ['a list of rules', () => JSON.stringify(own.rules)],
    ['settings of another program', () => '{ "name": "app" }'],
    [
      'rules that were pulled',
      async () => {
        await writeRuleSetFile(place.snapshotFile, { ...own, missing: [], truncated: false, revision: '' });
        return text();
      },
    ],
    ['a snapshot in which a term was edited', async () => (await snapshot()).replace('darn', 'dern')],
    ['a snapshot that was laid out anew', async () => JSON.stringify(JSON.parse(await snapshot()))],
    [
      'a snapshot with rules of somebody else',
      async () => JSON.stringify({ ...JSON.parse(await snapshot()), ...own }, null, 2),
    ],
  ];
  const snapshot = async (): Promise<string> => {
    await (await createModerator({ source: platform().source, snapshotFile: place.snapshotFile })).close();
    return text();
  };

  it.each(files)('at the start: %s: a usage error that names the option, and the file stays', async (_, make) => {
    const content = await make();
    writeFileSync(place.snapshotFile, content);
    for (const down of [false, true]) {
      const { source, state } = platform({ down });
      const { message } = await refusal({ source, snapshotFile: place.snapshotFile });
      expect(message).toContain('`snapshotFile`');
      expect(message).toContain(place.snapshotFile);
      expect(message).toContain('`rules.snapshot.json`');
      expect(text()).toBe(content);
      // Refused before the platform is asked.
      expect(state.loads).toBe(0);
    }
  });

  it.each(files)('while a moderator runs: %s: it is told, and the file stays', async (_, make) => {
    const content = await make();
    writeFileSync(place.snapshotFile, '');
    const { source, state } = platform();
    const moderator = await moderatorOf({ source, snapshotFile: place.snapshotFile });
    expect(moderator.status.snapshotError).toBeUndefined();
    writeFileSync(place.snapshotFile, content);
    for (const terms of [['darn'], ['darn', 'heck']]) {
      state.lists = lists(...terms);
      await moderator.refresh();
      expect(text()).toBe(content);
      expect(moderator.status).toMatchObject({ state: 'fresh', snapshotError: { code: 'usage' } });
    }
    writeFileSync(place.snapshotFile, '');
    await moderator.refresh();
    expect(text()).toContain('heck');
    expect(moderator.status.snapshotError).toBeUndefined();
  });

  it('while a moderator runs: an edit that leaves size, inode and time alone but for a moment is seen too', async () => {
    const { source } = platform();
    const moderator = await moderatorOf({ source, snapshotFile: place.snapshotFile });
    const edited = text().replace('darn', 'dern');
    writeFileSync(place.snapshotFile, edited);
    utimesSync(place.snapshotFile, new Date(), new Date(Date.now() + 1_000));
    await moderator.refresh();
    expect(text()).toBe(edited);
    expect(moderator.status.snapshotError?.code).toBe('usage');
  });

  it.skipIf(process.getuid?.() === 0)('a file that cannot be read is left alone', async () => {
    writeFileSync(place.snapshotFile, JSON.stringify(own));
    chmodSync(place.snapshotFile, 0o200);
    const moderator = await moderatorOf({ source: platform().source, snapshotFile: place.snapshotFile });
    expect(moderator.status.snapshotError?.code).toBe('usage');
    expect(statSync(place.snapshotFile).size).toBe(JSON.stringify(own).length);
  });
});

describe('a file that holds nothing any more is replaced', () => {
  it.each([
    ['empty', ''],
    ['blank', ' \n'],
    ['an empty object', '{}\n'],
    ['zeros', '\0'.repeat(4096)],
    ['no text', Buffer.from([0xff, 0xfe, 0x7b, 0x00])],
    ['cut off', '{\n  "snapshot": {\n    "largest": {\n      "rules": ['],
    ['garbled', '{ "rules": [}, "lists": [] }'],
  ])('%s', async (_, content) => {
    writeFileSync(place.snapshotFile, content);
    const moderator = await moderatorOf({ source: platform().source, snapshotFile: place.snapshotFile });
    expect(moderator.status).toMatchObject({ state: 'fresh' });
    expect(moderator.status.snapshotError).toBeUndefined();
    expect(text()).toContain('darn');
  });
});

it('a snapshot is a rule set file: it can be judged by', async () => {
  const { source } = platform();
  const moderator = await moderatorOf({ source, snapshotFile: place.snapshotFile });
  const engine = createEngine(await readRuleSetFile(place.snapshotFile));
  expect(engine.revision).toBe(moderator.revision);
});

it('is not written again, nor by another start, while it says the same', async () => {
  const { source } = withId('https://a.example/v3');
  const identity = () => statSync(place.snapshotFile).ino;
  const first = await createModerator({ source, snapshotFile: place.snapshotFile });
  const before = identity();
  await first.refresh();
  await first.close();
  const second = await moderatorOf({ source, snapshotFile: place.snapshotFile });
  await second.refresh();
  expect(identity()).toBe(before);
});

describe('a snapshot belongs to its source', () => {
  const [one, other] = ['https://one.example/v3', 'https://other.example/v3'];

  it('another one is refused with both names, whether the source answers or not, and the file stays', async () => {
    await (await createModerator({ source: withId(one).source, snapshotFile: place.snapshotFile })).close();
    const content = text();
    for (const down of [false, true]) {
      const { source } = withId(other, { down });
      const { message } = await refusal({ source, snapshotFile: place.snapshotFile });
      expect(message).toContain('`snapshotFile`');
      expect(message).toContain(`has the rules of ${one}, and \`source\` is ${other}`);
      expect(text()).toBe(content);
    }
    const { source, state } = withId(one);
    state.down = true;
    const moderator = await moderatorOf({ source, snapshotFile: place.snapshotFile });
    expect(moderator.status.origin).toBe('snapshot');
  });

  it('one that comes in its place while a moderator runs stays, and the moderator tells', async () => {
    const moderator = await moderatorOf({ source: withId(one).source, snapshotFile: place.snapshotFile });
    writeFileSync(place.snapshotFile, '');
    await moderatorOf({ source: withId(other).source, snapshotFile: place.snapshotFile });
    const content = text();
    await moderator.refresh();
    expect(text()).toBe(content);
    expect(moderator.status.snapshotError?.message).toContain(`has the rules of ${other}`);
  });

  it('one without a name is taken by any source, and named from then on', async () => {
    for (const id of [undefined, undefined, one]) {
      await (await createModerator({ source: withId(id).source, snapshotFile: place.snapshotFile })).close();
    }
    expect(text()).toContain(one);
    await refusal({ source: withId(other).source, snapshotFile: place.snapshotFile });
  });

  it('clients name the address of their app, and never the key', () => {
    const idOf = (baseUrl: string) => createClient({ baseUrl, apiKey: 'secret-key' }).id;
    expect(idOf('https://app.api-eu.example/v3')).toBe('https://app.api-eu.example/v3');
    expect(idOf('HTTPS://App.api-eu.example:443/v3/')).toBe('https://app.api-eu.example/v3');
    expect(idOf('https://proxy.example/tenant-a/v3')).not.toBe(idOf('https://proxy.example/tenant-b/v3'));
  });
});

describe('the snapshot before', () => {
  it('stands beside the newest, and is used when that is damaged, with its age and what was lost before it', async () => {
    const { state, source } = platform({ lists: lists('a', 'b', 'c', 'd', 'e', 'f') });
    const first = await moderatorOf({ source, snapshotFile: place.snapshotFile });
    state.lists = lists('a', 'b', 'c', 'd');
    await first.refresh();
    const before = text();
    state.lists = lists('a', 'b', 'c', 'd', 'g');
    await first.refresh();
    await first.refresh();
    const previous = `${place.snapshotFile}.previous`;
    expect(readFileSync(previous, 'utf8')).toBe(before);
    await first.close();
    const kept = new Date(Date.now() - 7_200_000);
    utimesSync(previous, kept, kept);
    state.down = true;
    for (const damaged of ['', '{ "snapshot": {', '\0'.repeat(100)]) {
      writeFileSync(place.snapshotFile, damaged);
      const moderator = await moderatorOf({ source, snapshotFile: place.snapshotFile });
      expect([moderator.decide('d'), moderator.decide('g')]).toEqual(['blockMessage', 'allow']);
      expect(moderator.status).toMatchObject({ state: 'stale', origin: 'snapshot', lastError: { code: 'network' } });
      expect(moderator.status.lastError?.message).toContain('is empty or damaged');
      expect(moderator.status.ageMs).toBeGreaterThanOrEqual(7_200_000);
      expect([text(), readFileSync(previous, 'utf8')]).toEqual([damaged, before]);
    }
    Object.assign(state, { down: false, lists: lists('a', 'b') });
    const moderator = await moderatorOf({ source, snapshotFile: place.snapshotFile });
    expect(moderator.status.held?.loss).toMatchObject({ terms: 4, of: { terms: 6 } });
    expect(text()).toBe(before);
  });

  it('is not used where the newest was removed, and is left alone where it is not a snapshot', async () => {
    const { state, source } = platform();
    const first = await moderatorOf({ source, snapshotFile: place.snapshotFile });
    const previous = `${place.snapshotFile}.previous`;
    writeFileSync(previous, JSON.stringify(own));
    state.lists = lists('darn', 'heck');
    await first.refresh();
    expect(first.status.snapshotError?.message).toContain(previous);
    expect(readFileSync(previous, 'utf8')).toBe(JSON.stringify(own));
    rmSync(previous);
    await first.refresh();
    expect([text(), readFileSync(previous, 'utf8')]).toEqual([
      expect.stringContaining('heck'),
      expect.stringContaining('darn'),
    ]);
    await first.close();
    rmSync(place.snapshotFile);
    state.down = true;
    await expect(createModerator({ source, snapshotFile: place.snapshotFile })).rejects.toThrow(
      /refused the connection/,
    );
  });
});

it.each([[''], [5], [null]])('a source with the id %j is refused', async (id) => {
  const { source } = withId(id as never);
  await expect(createModerator({ source })).rejects.toThrow('`source.id` must be a string');
});
