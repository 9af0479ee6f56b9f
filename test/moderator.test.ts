import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  createModerator,
  HttpError,
  type KeywordList,
  type Moderator,
  NetworkError,
  type Rule,
  RuleSetError,
  type RuleSource,
  UsageError,
} from '../src/index.js';

const lists = (term: string): Record<string, KeywordList> => ({ swears: { id: 'swears', searchTerms: [term] } });
const rule: Rule = {
  id: 'r',
  action: ['blockMessage'],
  conditions: [{ operand: 'text', category: 'word', isKeywordsReferencePresent: true, value: ['swears'] }],
};

/** A platform whose rules and moods a test sets. */
function platform() {
  const state = {
    rules: [rule],
    lists: lists('darn'),
    down: false,
    listStatus: 200,
    gate: undefined as Promise<void> | undefined,
    loads: 0,
  };
  const source: RuleSource = {
    rules: {
      list: async ({ signal } = {}) => {
        state.loads++;
        await state.gate;
        signal?.throwIfAborted();
        if (state.down) throw new NetworkError('GET /moderation/rules', 'the platform refused the connection');
        return { data: state.rules, meta: {} };
      },
      get: async (id) => {
        const list = state.lists[id];
        if (state.listStatus !== 200)
          throw new HttpError('GET /moderation/rules/{ruleId}', 'failed', { status: state.listStatus });
        if (list === undefined) throw new HttpError('GET /moderation/rules/{ruleId}', 'not found', { status: 404 });
        return list;
      },
    },
  };
  return { state, source };
}

describe('createModerator', () => {
  let folder: string;
  let snapshotFile: string;
  const open: Moderator[] = [];
  const moderatorOf = async (...options: Parameters<typeof createModerator>) => {
    const moderator = await createModerator(...options);
    open.push(moderator);
    return moderator;
  };

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'sluice-moderator-'));
    snapshotFile = join(folder, 'rules.json');
  });
  afterEach(async () => {
    vi.useRealTimers();
    for (const moderator of open.splice(0)) await moderator.close();
    rmSync(folder, { recursive: true });
  });

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
      confirmedAt: expect.any(Number),
    });
  });

  it('refresh: replaces changed rules, and keeps the engine when nothing changed', async () => {
    const { state, source } = platform();
    const moderator = await moderatorOf({ source });
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

  it('refresh: keeps a list whose request fails, and drops one that no longer exists', async () => {
    const { state, source } = platform();
    const moderator = await moderatorOf({ source });
    state.listStatus = 500;
    await expect(moderator.refresh()).rejects.toThrow(/keyword list `swears` could not be fetched again \(http 500\)/);
    expect(moderator.decide('darn')).toBe('blockMessage');
    state.listStatus = 200;
    state.lists = {};
    expect(await moderator.refresh()).toBe(true);
    expect(moderator.explain('darn')).toMatchObject({ verdict: 'allow', unevaluated: [{ why: 'not-compiled' }] });
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
    const moderator = await moderatorOf({ source });
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
    const moderator = await moderatorOf({ source, refreshMs: 1000 });
    state.down = true;
    await vi.advanceTimersByTimeAsync(2500);
    expect(moderator.status).toMatchObject({ state: 'stale', failures: 2 });
    state.down = false;
    state.lists = lists('heck');
    await vi.advanceTimersByTimeAsync(1000);
    expect(moderator.decide('heck')).toBe('blockMessage');
    await moderator.close();
    const { loads } = state;
    await vi.advanceTimersByTimeAsync(5000);
    expect(state.loads).toBe(loads);
  });

  it('snapshotFile: is read when the source is down', async () => {
    const { state, source } = platform();
    await (await createModerator({ source, snapshotFile })).close();
    state.down = true;
    const moderator = await moderatorOf({ source, snapshotFile });
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
    await (await createModerator({ source, snapshotFile })).close();
    writeFileSync(snapshotFile, readFileSync(snapshotFile, 'utf8').replace('darn', 'dern'));
    state.down = true;
    await expect(createModerator({ source, snapshotFile })).rejects.toThrow(NetworkError);
    await expect(createModerator({ source })).rejects.toThrow(NetworkError);
  });

  it('snapshotFile: a failed write is reported, and the status is fresh', async () => {
    const { source } = platform();
    const moderator = await moderatorOf({ source, snapshotFile: join(folder, 'missing', 'rules.json') });
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
