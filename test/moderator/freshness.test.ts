/**
 * How old the rules are, what decisions say of it, and when refreshes and snapshots are tried
 * again.
 */
import { mkdirSync, readFileSync, rmSync, statSync, truncateSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { createModerator, RuleSetError } from '../../src/index.js';
import { lists, platform, rule, workplace } from './platform.js';

const place = workplace();
const { moderatorOf } = place;
const hour = 3_600_000;

/** A moderator of another process keeps its rules in the same file. */
async function snapshotOf(itsLists: ReturnType<typeof lists>): Promise<void> {
  rmSync(place.snapshotFile);
  const { source } = platform({ lists: itsLists });
  await (await createModerator({ source, snapshotFile: place.snapshotFile })).close();
}

describe('age of the rules', () => {
  it('grows from the last confirmation, and stands in each decision with the revision', async () => {
    vi.useFakeTimers();
    const { state, source } = platform();
    const moderator = await moderatorOf({ source });
    vi.advanceTimersByTime(5_000);
    expect(moderator.status.ageMs).toBe(5_000);
    expect(moderator.explain('darn')).toMatchObject({ ageMs: 5_000, revision: moderator.revision });
    await moderator.refresh();
    expect(moderator.status.ageMs).toBe(0);
    state.down = true;
    vi.advanceTimersByTime(7_000);
    await moderator.refresh().catch(() => {});
    expect(moderator.explain('fine').ageMs).toBe(7_000);
  });

  it('does not shrink when the wall clock is set back, and grows when a machine slept', async () => {
    vi.useFakeTimers();
    const { source } = platform();
    const moderator = await moderatorOf({ source });
    vi.advanceTimersByTime(5_000);
    vi.setSystemTime(Date.now() - hour);
    expect(moderator.status.ageMs).toBe(5_000);
    vi.setSystemTime(Date.now() + 3 * hour);
    expect(moderator.status.ageMs).toBe(2 * hour + 5_000);
  });

  it('of a snapshot is counted from the time at which it was kept, also by a refresh that changed nothing', async () => {
    const { state, source } = platform();
    const first = await createModerator({ source, snapshotFile: place.snapshotFile });
    const kept = new Date(Date.now() - 10 * hour);
    utimesSync(place.snapshotFile, kept, kept);
    state.down = true;
    const old = await moderatorOf({ source, snapshotFile: place.snapshotFile });
    expect(old.status.ageMs).toBeGreaterThanOrEqual(10 * hour);
    state.down = false;
    await first.refresh();
    await first.close();
    expect(statSync(place.snapshotFile).mtimeMs).toBeGreaterThan(kept.getTime());
  });
});

it('a snapshot from the future is of unknown age, and stale', async () => {
  const { state, source } = platform();
  await (await createModerator({ source, snapshotFile: place.snapshotFile })).close();
  const ahead = new Date(Date.now() + hour);
  utimesSync(place.snapshotFile, ahead, ahead);
  state.down = true;
  const options = { source, snapshotFile: place.snapshotFile, maxStaleMs: 24 * hour, whenStale: 'block' } as const;
  const moderator = await moderatorOf(options);
  expect(moderator.decide('fine')).toBe('blockMessage');
});

describe('maxStaleMs', () => {
  const aged = async (whenStale: 'keep' | 'block' | 'throw', semantics = {}) => {
    vi.useFakeTimers();
    const { state, source } = platform();
    state.rules = [rule, { id: 'log', action: ['flagMessage'], conditions: [{ operand: 'text', value: ['hm'] }] }];
    const moderator = await moderatorOf({ source, maxStaleMs: 1_000, whenStale, semantics });
    vi.advanceTimersByTime(1_000);
    expect(moderator.decide('fine')).toBe('allow');
    expect(moderator.status.state).toBe('fresh');
    vi.advanceTimersByTime(1);
    expect(moderator.status.state).toBe('stale');
    return { moderator, state };
  };

  it('keep: the last good rules decide', async () => {
    const { moderator } = await aged('keep');
    expect([moderator.decide('fine'), moderator.decide('darn')]).toEqual(['allow', 'blockMessage']);
  });

  it('block: what they would allow is blocked, by `decide` and `explain` alike, until they are confirmed', async () => {
    const { moderator } = await aged('block');
    expect(moderator.decide('fine')).toBe('blockMessage');
    expect(moderator.explain('hm')).toMatchObject({
      verdict: 'blockMessage',
      actions: ['flagMessage', 'blockMessage'],
      matched: [{ ruleId: 'log' }],
      ageMs: 1_001,
      reason: 'the rules are too old, and what they allow is blocked until they are confirmed',
    });
    expect(moderator.explain('darn')).not.toHaveProperty('reason');
    await moderator.refresh();
    expect(moderator.decide('fine')).toBe('allow');
  });

  it('block: an exempt message stays allowed', async () => {
    const exempt = [{ type: 'sender', entity: 'user', operand: 'uid', operator: 'equals', value: 'ann' }];
    const { moderator } = await aged('block', { exempt });
    expect(moderator.decide({ sender: 'ann', data: { text: 'fine' } })).toBe('allow');
    expect(moderator.decide({ sender: 'bob', data: { text: 'fine' } })).toBe('blockMessage');
  });

  it('throw: an error of code `stale`', async () => {
    const { moderator } = await aged('throw');
    for (const call of [() => moderator.decide('fine'), () => moderator.explain('darn')]) {
      expect(call).toThrow(RuleSetError);
      expect(call).toThrow(expect.objectContaining({ code: 'stale' }));
    }
  });
});

describe('refreshMs', () => {
  /** Times of the loads within a span, in units of the interval. */
  const loadsWithin = async (spanMs: number, down: boolean) => {
    vi.useFakeTimers();
    const { state, source } = platform();
    await moderatorOf({ source, refreshMs: 1_000 });
    state.down = down;
    const times: number[] = [];
    for (let now = 0; now < spanMs; now += 10) {
      const before = state.loads;
      await vi.advanceTimersByTimeAsync(10);
      if (state.loads > before) times.push(now);
    }
    return times;
  };

  it('differs from refresh to refresh by up to a tenth', async () => {
    const times = await loadsWithin(60_000, false);
    const gaps = times.map((time, index) => time - (times[index - 1] ?? 0));
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(880);
    expect(Math.max(...gaps)).toBeLessThanOrEqual(1_120);
    expect(new Set(gaps).size).toBeGreaterThan(3);
  });

  it('grows up to eightfold while refreshes fail', async () => {
    const times = await loadsWithin(100_000, true);
    const gaps = times.map((time, index) => Math.round((time - (times[index - 1] ?? 0)) / 1_000));
    expect(gaps.slice(0, 3)).toEqual([1, 1, 2]);
    expect(Math.max(...gaps)).toBeLessThanOrEqual(9);
    expect(times.length).toBeLessThan(18);
  });
});

describe('snapshot that cannot be written', () => {
  it('is remembered, retried at each refresh, and reported until it holds', async () => {
    const { state, source } = platform();
    const folder = join(place.folder, 'later');
    const snapshotFile = join(folder, 'rules.json');
    const moderator = await moderatorOf({ source, snapshotFile });
    const isReported = () => expect(moderator.status).toMatchObject({ snapshotError: { code: 'usage' } });
    isReported();
    expect(moderator.status).toMatchObject({ state: 'fresh', lastError: { code: 'usage' } });
    await moderator.refresh();
    isReported();
    state.down = true;
    await expect(moderator.refresh()).rejects.toThrow();
    isReported();
    expect(moderator.status.lastError?.code).toBe('network');
    mkdirSync(folder);
    await expect(moderator.refresh()).rejects.toThrow();
    expect(moderator.status.snapshotError).toBeUndefined();
    expect(readFileSync(snapshotFile, 'utf8')).toContain('darn');
  });

  it('a file that was removed is written again by the next refresh', async () => {
    const { source } = platform();
    const moderator = await moderatorOf({ source, snapshotFile: place.snapshotFile });
    rmSync(place.snapshotFile);
    await moderator.refresh();
    expect(readFileSync(place.snapshotFile, 'utf8')).toContain('darn');
    expect(moderator.status.snapshotError).toBeUndefined();
  });

  it.each([
    ['replaced by another process', () => snapshotOf(lists('heck'))],
    ['cut off', async () => truncateSync(place.snapshotFile, 10)],
    ['emptied', async () => truncateSync(place.snapshotFile, 0)],
  ])('a file that was %s is written again by the next refresh', async (_, change) => {
    const { source } = platform();
    const moderator = await moderatorOf({ source, snapshotFile: place.snapshotFile });
    const saved = readFileSync(place.snapshotFile, 'utf8');
    await change();
    await moderator.refresh();
    expect(readFileSync(place.snapshotFile, 'utf8')).toBe(saved);
  });

  it('what is not a regular file is neither read nor written, and that is reported', async () => {
    const { source } = platform();
    // Reading it would not end.
    const moderator = await moderatorOf({ source, snapshotFile: '/dev/zero' });
    expect(moderator.status).toMatchObject({ state: 'fresh', snapshotError: { code: 'usage' } });
  });

  it('holds the rules in use, not older ones, after later changes', async () => {
    const { state, source } = platform();
    const moderator = await moderatorOf({ source, snapshotFile: place.snapshotFile });
    rmSync(place.folder, { recursive: true });
    state.lists = lists('darn', 'heck');
    await moderator.refresh();
    expect(moderator.status.snapshotError).toBeDefined();
    mkdirSync(place.folder);
    await moderator.refresh();
    expect(readFileSync(place.snapshotFile, 'utf8')).toContain('heck');
  });
});
