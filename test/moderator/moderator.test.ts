import { truncateSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import {
  createModerator,
  NetworkError,
  RuleSetError,
  type SluiceError,
  TimeoutError,
  UsageError,
} from '../../src/index.js';
import { lists, platform, rule, workplace } from './platform.js';

const failureOf = (starting: Promise<unknown>): Promise<SluiceError> =>
  starting.then(
    () => Promise.reject(new Error('it started')),
    (error) => error,
  );

describe('createModerator', () => {
  const place = workplace();
  const { moderatorOf } = place;

  it('evaluates with the rules of the source and reports their status', async () => {
    const { source } = platform();
    const moderator = await moderatorOf({ source });
    expect(moderator.decide('oh darn')).toBe('blockMessage');
    expect(moderator.explain('fine')).toMatchObject({ verdict: 'allow', revision: moderator.revision });
    expect(moderator.issues).toEqual([]);
    expect(moderator.status).toEqual({
      state: 'fresh',
      origin: 'source',
      failures: 0,
      ageMs: expect.any(Number),
      confirmedAt: expect.any(Number),
      issues: { error: 0, warning: 0, first: [] },
    });
  });

  it('refresh: replaces changed rules, and keeps the engine when nothing changed', async () => {
    const { state, source } = platform();
    const moderator = await moderatorOf({ source, guard: 'off' });
    const before = moderator.revision;
    expect(await moderator.refresh()).toBe(false);
    expect(moderator.revision).toBe(before);
    state.lists = lists('heck');
    expect(await moderator.refresh()).toBe(true);
    expect(moderator.revision).not.toBe(before);
    expect([moderator.decide('darn'), moderator.decide('heck')]).toEqual(['allow', 'blockMessage']);
  });

  it('refresh: keeps the last good rules on a failure, reports it, and recovers', async () => {
    const { state, source } = platform();
    const moderator = await moderatorOf({ source });
    state.down = true;
    await expect(moderator.refresh()).rejects.toThrow(NetworkError);
    await expect(moderator.refresh()).rejects.toThrow(NetworkError);
    expect(moderator.decide('darn')).toBe('blockMessage');
    expect(moderator.status).toMatchObject({ state: 'stale', failures: 2, lastError: { code: 'network' } });
    state.down = false;
    await moderator.refresh();
    expect(moderator.status).toMatchObject({ state: 'fresh', failures: 0 });
    expect(moderator.status.lastError).toBeUndefined();
  });

  it('refresh: keeps the rules when the request of a list fails', async () => {
    const { state, source } = platform();
    const moderator = await moderatorOf({ source });
    state.listStatus = 500;
    await expect(moderator.refresh()).rejects.toThrow(/keyword list `swears` could not be fetched again \(http 500\)/);
    expect(moderator.decide('darn')).toBe('blockMessage');
  });

  it('refresh: rejects rules that do not compile under `broken: "fail"`', async () => {
    const { state, source } = platform();
    const moderator = await moderatorOf({ source, semantics: { broken: 'fail' } });
    state.rules = [rule, { id: 'bad', action: ['blockMessage'], conditions: [{ operand: 'audio', value: ['x'] }] }];
    await expect(moderator.refresh()).rejects.toThrow(RuleSetError);
    expect(moderator.decide('darn')).toBe('blockMessage');
  });

  it('refresh: overlapping calls share one; a decision uses one rule set', async () => {
    const { state, source } = platform();
    const moderator = await moderatorOf({ source, guard: 'off' });
    state.lists = lists('heck');
    let release = () => {};
    state.gate = new Promise((resolve) => {
      release = resolve;
    });
    const refreshes = [moderator.refresh(), moderator.refresh()];
    expect(moderator.decide('darn')).toBe('blockMessage');
    release();
    expect(await Promise.all(refreshes)).toEqual([true, true]);
    expect(state.loads).toBe(2);
    expect(moderator.decide('darn')).toBe('allow');
  });

  it('refreshMs: refreshes on an interval, also after failures', async () => {
    vi.useFakeTimers();
    const { state, source } = platform();
    const moderator = await moderatorOf({ source, guard: 'off', refreshMs: 1000 });
    state.down = true;
    await vi.advanceTimersByTimeAsync(2500);
    expect(moderator.status).toMatchObject({ state: 'stale', failures: 2 });
    state.down = false;
    state.lists = lists('heck');
    // After two failures in a row the next refresh is due after twice the interval, give or take a
    // tenth.
    await vi.advanceTimersByTimeAsync(2500);
    expect(moderator.decide('heck')).toBe('blockMessage');
    await moderator.close();
    const { loads } = state;
    await vi.advanceTimersByTimeAsync(5000);
    expect(state.loads).toBe(loads);
  });

  it('snapshotFile: is read when the source is down', async () => {
    const { state, source } = platform();
    await (await createModerator({ source, snapshotFile: place.snapshotFile })).close();
    state.down = true;
    const moderator = await moderatorOf({ source, snapshotFile: place.snapshotFile });
    expect(moderator.decide('darn')).toBe('blockMessage');
    expect(moderator.status).toMatchObject({
      state: 'stale',
      origin: 'snapshot',
      failures: 1,
      lastError: { code: 'network' },
    });
    expect(moderator.status.confirmedAt).toBeUndefined();
    state.down = false;
    expect(await moderator.refresh()).toBe(false);
    expect(moderator.status).toMatchObject({ state: 'fresh', origin: 'source' });
  });

  it('snapshotFile: a damaged one is rejected with the error of the source', async () => {
    const { state, source } = platform();
    await (await createModerator({ source, snapshotFile: place.snapshotFile })).close();
    truncateSync(place.snapshotFile, 100);
    state.down = true;
    const failed = await failureOf(createModerator({ source, snapshotFile: place.snapshotFile }));
    const alone = await failureOf(createModerator({ source }));
    expect([failed, alone]).toEqual([expect.any(NetworkError), expect.any(NetworkError)]);
    const words = `${alone.message}; the snapshot \`${place.snapshotFile}\` is empty or damaged`;
    expect([failed.message, failed.stack?.includes(words)]).toEqual([words, true]);
  });

  it('snapshotFile: what is not a file is named when the source does not answer in time, and where a list is missing', async () => {
    const { state, source } = platform();
    state.gate = new Promise(() => {});
    const given = { source, snapshotFile: place.folder };
    const words = `; the snapshot \`${place.folder}\` is not a regular file`;
    const late = await failureOf(createModerator({ ...given, startMs: 20 }));
    expect([late, late.message]).toEqual([
      expect.any(TimeoutError),
      `loading the rules did not finish within 20 ms${words}`,
    ]);
    const cut = await failureOf(createModerator({ ...given, source: platform({ pageLimit: 1 }).source }));
    expect([cut, cut.message]).toEqual([expect.any(RuleSetError), expect.stringContaining(words)]);
    const lacking = await moderatorOf({ ...given, source: platform({ listStatus: 503 }).source });
    expect(lacking.status.lastError).toMatchObject({
      code: 'list-unreachable',
      message: expect.stringContaining(words),
    });
  });

  it('snapshotFile: a failed write is reported, and the status is fresh', async () => {
    const { source } = platform();
    const moderator = await moderatorOf({ source, snapshotFile: join(place.folder, 'missing', 'rules.json') });
    expect(moderator.decide('darn')).toBe('blockMessage');
    expect(moderator.status).toMatchObject({ state: 'fresh', lastError: { code: 'usage' } });
  });

  it('close: later calls throw, and a refresh under way is aborted', async () => {
    const { state, source } = platform();
    const moderator = await createModerator({ source });
    let release = () => {};
    state.gate = new Promise((resolve) => {
      release = resolve;
    });
    const refresh = moderator.refresh();
    refresh.catch(() => {});
    const closed = moderator.close();
    release();
    await closed;
    await expect(refresh).rejects.toThrow();
    expect(moderator.status.state).toBe('closed');
    expect(() => moderator.decide('x')).toThrow(UsageError);
    expect(() => moderator.explain('x')).toThrow(UsageError);
    await expect(moderator.refresh()).rejects.toThrow(UsageError);
    await moderator.close();
  });

  it.each([[0], [-5], [Number.NaN]])('refreshMs: %s is rejected', async (refreshMs) => {
    await expect(createModerator({ source: platform().source, refreshMs })).rejects.toThrow(UsageError);
  });
});
