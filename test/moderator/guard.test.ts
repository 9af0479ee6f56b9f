/** What a refresh, and the first load, may not lose in silence. */
import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it, vi } from 'vitest';
import { createModerator, loadRuleSet, type Rule, RuleSetError, TimeoutError, UsageError } from '../../src/index.js';
import { lists, never, platform, rule, workplace } from './platform.js';

const many = (count: number): Rule[] =>
  Array.from({ length: count }, (_, index) => ({ ...rule, id: `r${index}`, name: `r${index}` }));
const inline = (...value: string[]): Rule[] => [{ ...rule, conditions: [{ operand: 'text', value }] }];
const place = workplace();
const { moderatorOf } = place;

/** A snapshot of the default platform; returns its bytes. */
async function withSnapshot(changes: Parameters<typeof platform>[0] = {}) {
  const { state, source } = platform(changes);
  await (await createModerator({ source, snapshotFile: place.snapshotFile })).close();
  return { state, source, saved: () => readFileSync(place.snapshotFile, 'utf8') };
}

describe('first load with a good snapshot', () => {
  it.each([
    ['keyword lists answer 503', { listStatus: 503 }, 'list-unreachable'],
    ['keyword lists answer 404', { lists: {} }, 'held'],
    ['the list of rules is empty', { rules: [] }, 'held'],
    ['a keyword list is empty', { lists: lists() }, 'held'],
    ['the list of rules is cut off', { rules: many(9), pageLimit: 5 }, 'truncated'],
  ] as const)('%s: answers from the snapshot, is stale, and leaves the file alone', async (_, changes, code) => {
    const { state, source, saved } = await withSnapshot();
    const before = saved();
    Object.assign(state, changes);
    const moderator = await moderatorOf({ source, snapshotFile: place.snapshotFile });
    expect(moderator.decide('oh darn')).toBe('blockMessage');
    expect(moderator.status).toMatchObject({ state: 'stale', origin: 'snapshot', lastError: { code } });
    expect(moderator.status.held === undefined).toBe(code !== 'held');
    expect(saved()).toBe(before);
  });

  it('keyword lists hang: answers from the snapshot after `startMs`', async () => {
    const { state, source, saved } = await withSnapshot();
    const before = saved();
    state.listGate = never;
    const moderator = await moderatorOf({ source, snapshotFile: place.snapshotFile, startMs: 20 });
    expect(moderator.decide('oh darn')).toBe('blockMessage');
    expect(moderator.status).toMatchObject({ state: 'stale', origin: 'snapshot', lastError: { code: 'timeout' } });
    expect(saved()).toBe(before);
  });

  it('takes a rule set that loses little, and saves it', async () => {
    const { state, source, saved } = await withSnapshot({ lists: lists('darn', 'heck', 'gosh') });
    state.lists = lists('darn', 'heck');
    const moderator = await moderatorOf({ source, snapshotFile: place.snapshotFile });
    expect(moderator.status).toMatchObject({ state: 'fresh', origin: 'source' });
    expect(saved()).not.toContain('gosh');
  });
});

describe('first load without a snapshot', () => {
  it('a source that hangs and ignores its signal: rejects after `startMs`', async () => {
    const { source } = platform({ gate: never });
    await expect(createModerator({ source, startMs: 20 })).rejects.toThrow(TimeoutError);
  });

  it('twenty lists that hang count against one deadline', async () => {
    const ids = Array.from({ length: 20 }, (_, index) => `list-${index}`);
    const { source } = platform({
      listGate: never,
      rules: [{ ...rule, conditions: [{ ...rule.conditions[0]!, value: ids }] }],
    });
    vi.useFakeTimers();
    const started = createModerator({ source, startMs: 5_000 });
    const settled = expect(started).rejects.toThrow(/did not finish within 5000 ms/);
    await vi.advanceTimersByTimeAsync(5_000);
    await settled;
  });

  it('a list of rules that stays cut off is refused, and taken with the guard off', async () => {
    const { source } = platform({ rules: many(9), pageLimit: 5 });
    await expect(createModerator({ source })).rejects.toThrow(RuleSetError);
    await expect(createModerator({ source })).rejects.toThrow(/cut off/);
    const moderator = await moderatorOf({ source, guard: 'off' });
    expect(moderator.status.state).toBe('fresh');
  });

  it('a list that cannot be fetched: works without it, is stale, and saves nothing', async () => {
    const { state, source } = platform({ listStatus: 503 });
    const moderator = await moderatorOf({ source, snapshotFile: place.snapshotFile });
    expect(moderator.status).toMatchObject({
      state: 'stale',
      origin: 'source',
      failures: 1,
      lastError: { code: 'list-unreachable', message: expect.stringContaining('`swears`') },
    });
    expect(() => readFileSync(place.snapshotFile)).toThrow();
    await moderator.refresh();
    expect(moderator.status).toMatchObject({ state: 'stale', failures: 1 });
    state.listStatus = 200;
    expect(await moderator.refresh()).toBe(true);
    expect(moderator.status).toMatchObject({ state: 'fresh', failures: 0 });
    expect(moderator.decide('darn')).toBe('blockMessage');
    expect(readFileSync(place.snapshotFile, 'utf8')).toContain('darn');
  });
});

describe('loadRuleSet: a page that comes back full', () => {
  it.each([
    ['is requested again with twice the limit', { rules: many(9) }, 4, 9, false],
    ['stays when the platform ignores larger limits', { rules: many(9), pageLimit: 4 }, 4, 4, true],
    [
      'stays when the platform rejects larger limits',
      { rules: many(9), pageLimit: 4, refusesLimits: true },
      4,
      4,
      true,
    ],
    ['is whole when there are exactly as many rules', { rules: many(4) }, 4, 4, false],
    [
      'is the largest that the platform has, when it rejects the first limit',
      { rules: many(30), pageLimit: 20, refusesLimits: true },
      25,
      20,
      true,
    ],
  ])('%s', async (_, changes, limit, count, truncated) => {
    const { source } = platform(changes);
    expect(await loadRuleSet(source, { limit })).toMatchObject({ rules: { length: count }, truncated });
  });

  it('ends with a platform that has one rule more each time', async () => {
    const { state, source } = platform();
    const endless = {
      ...source,
      rules: {
        ...source.rules,
        list: async ({ limit = 10 } = {}) => {
          state.loads++;
          return { data: many(limit), meta: { current: { limit, count: limit } } };
        },
      },
    };
    expect(await loadRuleSet(endless, { limit: 4 })).toMatchObject({ truncated: true });
    expect(state.loads).toBe(7);
  });
});

describe('refresh that loses much', () => {
  const losses = [
    ['rules', { rules: many(4) }, { rules: many(1) }, { rules: ['r1', 'r2', 'r3'] }],
    ['every rule', { rules: many(4) }, { rules: [] }, { lists: ['swears'] }],
    ['terms', { lists: lists('darn', 'heck', 'gosh') }, { lists: lists('darn') }, { terms: 2 }],
    ['every term of a list', {}, { lists: lists() }, { emptied: ['swears'], terms: 1 }],
    ['a list that answers 404', {}, { lists: {} }, { lists: ['swears'], terms: 1 }],
    [
      'every term of a list, blank ones in their place',
      {},
      { lists: lists('', ' ') },
      { emptied: ['swears'], terms: 1 },
    ],
    ['rules of one id', { rules: Array(4).fill(rule) }, { rules: [rule] }, { rules: ['r', 'r', 'r'] }],
    ['terms in conditions', { rules: inline('darn', 'heck', 'gosh') }, { rules: inline('darn') }, { terms: 2 }],
    ['every condition', { rules: inline('darn') }, { rules: [{ ...rule, conditions: [] }] }, { terms: 1 }],
  ] as const;

  it.each(losses)('%s: is held back, until three later refreshes in a row bring it', async (_, before, after, loss) => {
    const { state, source } = platform({ ...before } as never);
    const moderator = await moderatorOf({ source, snapshotFile: place.snapshotFile });
    const saved = readFileSync(place.snapshotFile, 'utf8');
    const { revision } = moderator;
    Object.assign(state, after);
    for (const remaining of [3, 2, 1]) {
      expect(await moderator.refresh()).toBe(false);
      expect(moderator.status).toMatchObject({
        state: 'stale',
        failures: 0,
        held: { loss, remaining, reason: expect.stringMatching(/would be lost$/) },
        lastError: { code: 'held' },
      });
      expect(moderator.decide('darn')).toBe('blockMessage');
      expect(readFileSync(place.snapshotFile, 'utf8')).toBe(saved);
    }
    expect(await moderator.refresh()).toBe(true);
    expect(moderator.status).toMatchObject({ state: 'fresh', failures: 0 });
    expect(moderator.status.held).toBeUndefined();
    expect(moderator.revision).not.toBe(revision);
    expect(readFileSync(place.snapshotFile, 'utf8')).not.toBe(saved);
  });

  it('is forgotten when the rules come back whole', async () => {
    const { state, source } = platform();
    const moderator = await moderatorOf({ source });
    state.rules = [];
    for (let round = 0; round < 5; round++) {
      state.rules = round % 2 === 0 ? [] : [rule];
      await moderator.refresh();
    }
    expect(moderator.status.held).toMatchObject({ remaining: 3 });
    expect(moderator.decide('darn')).toBe('blockMessage');
  });

  it('begins to count anew when a refresh fails, or when the loss is another', async () => {
    const { state, source } = platform({ rules: many(8) });
    const moderator = await moderatorOf({ source });
    state.rules = many(1);
    await moderator.refresh();
    await moderator.refresh();
    expect(moderator.status.held?.remaining).toBe(2);
    state.down = true;
    await expect(moderator.refresh()).rejects.toThrow();
    state.down = false;
    await moderator.refresh();
    expect(moderator.status.held?.remaining).toBe(2);
    state.rules = many(2);
    await moderator.refresh();
    expect(moderator.status.held?.remaining).toBe(3);
  });

  it('accept: takes what is held, once', async () => {
    const { state, source } = platform();
    const moderator = await moderatorOf({ source, snapshotFile: place.snapshotFile });
    expect(await moderator.accept()).toBe(false);
    state.rules = [];
    await moderator.refresh();
    expect(moderator.decide('darn')).toBe('blockMessage');
    expect(await moderator.accept()).toBe(true);
    expect(moderator.decide('darn')).toBe('allow');
    expect(moderator.status).toMatchObject({ state: 'fresh' });
    expect(JSON.parse(readFileSync(place.snapshotFile, 'utf8'))).toMatchObject({ rules: [] });
    expect(await moderator.accept()).toBe(false);
  });

  it('accept: is an event', async () => {
    const { state, source } = platform();
    const moderator = await moderatorOf({ source });
    const events: string[] = [];
    moderator.on('refresh', ({ outcome, revision }) => events.push(`${outcome} ${revision}`));
    const before = moderator.revision;
    state.rules = [];
    await moderator.refresh();
    await moderator.accept();
    await new Promise(setImmediate);
    expect(events).toEqual([`held ${before}`, `changed ${moderator.revision}`]);
  });

  it('accept: waits for a refresh under way', async () => {
    const { state, source } = platform();
    const moderator = await moderatorOf({ source });
    state.rules = [];
    await moderator.refresh();
    state.rules = [rule];
    const refreshed = moderator.refresh();
    expect(await moderator.accept()).toBe(false);
    expect(await refreshed).toBe(false);
    expect(moderator.decide('darn')).toBe('blockMessage');
  });

  it('guard: `maxLoss` and `acceptAfter` are options, and `off` takes everything', async () => {
    const strict = platform({ rules: many(10) });
    const moderator = await moderatorOf({ source: strict.source, guard: { maxLoss: 0.05, acceptAfter: 1 } });
    strict.state.rules = many(9);
    expect(await moderator.refresh()).toBe(false);
    expect(moderator.status.held?.reason).toBe('1 of 10 rules would be lost');
    expect(await moderator.refresh()).toBe(true);
    const off = platform();
    const unguarded = await moderatorOf({ source: off.source, guard: 'off' });
    off.state.rules = [];
    expect(await unguarded.refresh()).toBe(true);
    expect(unguarded.decide('darn')).toBe('allow');
  });

  it('half of the rules may go', async () => {
    const { state, source } = platform({ rules: many(4) });
    const moderator = await moderatorOf({ source });
    state.rules = many(2);
    expect(await moderator.refresh()).toBe(true);
  });
});

describe('options', () => {
  const { source } = platform();
  it.each([
    [{ refreshMS: 1000 }, /no option .refreshMS.; did you mean .refreshMs.\?/],
    [{ guard: { maxLos: 1 } }, /`guard` has no option .maxLos.; did you mean .maxLoss.\?/],
    [{ guard: { maxLoss: 2 } }, /share from 0 to 1/],
    [{ guard: { maxLoss: null } }, /share from 0 to 1/],
    [{ guard: { acceptAfter: '3' } }, /acceptAfter/],
    [{ guard: [] }, /`guard`/],
    [{ guard: 'on' }, /`guard`/],
    [{ signal: {} }, /`signal`/],
    [{ refreshMs: 2 ** 31 }, /2147483647/],
    [{ refreshMs: Number.POSITIVE_INFINITY }, /refreshMs/],
    [{ startMs: 0 }, /startMs/],
    [{ maxStaleMs: '5' }, /maxStaleMs/],
    [{ maxStaleMs: 5, whenStale: 'panic' }, /whenStale/],
    [{ whenStale: 'block' }, /needs `maxStaleMs`/],
    [{ snapshotFile: '' }, /snapshotFile/],
    [{ source: {} }, /rules\.list/],
  ])('%j is refused by name', async (options, message) => {
    await expect(createModerator({ source, ...options } as never)).rejects.toThrow(UsageError);
    await expect(createModerator({ source, ...options } as never)).rejects.toThrow(message);
  });

  it.each([[undefined], [null], [{}], [5]])('%j in place of options is refused', async (options) => {
    await expect(createModerator(options as never)).rejects.toThrow(UsageError);
  });
});

describe('close', () => {
  it('returns with a source that ignores its signal', async () => {
    const { state, source } = platform();
    const moderator = await createModerator({ source });
    state.gate = never;
    const refresh = moderator.refresh();
    refresh.catch(() => {});
    await moderator.close();
    await expect(refresh).rejects.toThrow();
  });
});

describe('snapshot', () => {
  it('a file of which any byte was changed, added or removed is not used', async () => {
    const { state, source, saved } = await withSnapshot({ rules: [rule, { ...rule, id: 'two' }] });
    const good = Buffer.from(saved());
    state.down = true;
    const isUsed = async (bytes: Buffer): Promise<boolean> => {
      writeFileSync(place.snapshotFile, bytes);
      const moderator = await createModerator({ source, snapshotFile: place.snapshotFile }).catch(() => undefined);
      await moderator?.close();
      return moderator !== undefined;
    };
    expect(await isUsed(good)).toBe(true);
    for (let at = 0; at < good.length; at++) {
      const flipped = Buffer.from(good);
      flipped[at]! ^= 1 << (at % 8);
      expect(await isUsed(flipped), `byte ${at}`).toBe(false);
    }
    for (const extra of ['\n', ' ', '\0', '{}', 'x'])
      expect(await isUsed(Buffer.concat([good, Buffer.from(extra)]))).toBe(false);
    for (const cut of [1, 2, 50, good.length]) expect(await isUsed(good.subarray(0, -cut))).toBe(false);
    expect(await isUsed(Buffer.concat([Buffer.from('\ufeff'), good]))).toBe(false);
  });

  it('`missing` and `truncated` are within its digest', async () => {
    const { state, source, saved } = await withSnapshot();
    state.down = true;
    const good = saved();
    for (const [from, to] of [
      ['"missing": []', '"missing": [{ "listId": "a", "reason": "b" }]'],
      ['"truncated": false', '"truncated": true'],
    ] as const) {
      expect(good).toContain(from);
      writeFileSync(place.snapshotFile, good.replace(from, to));
      await expect(createModerator({ source, snapshotFile: place.snapshotFile })).rejects.toThrow();
    }
  });
});
