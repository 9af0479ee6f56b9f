/** What a refresh, and the first load, may not lose in silence. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it, vi } from 'vitest';
import {
  createModerator,
  HttpError,
  type KeywordList,
  loadRuleSet,
  type Rule,
  RuleSetError,
  TimeoutError,
  UsageError,
} from '../../src/index.js';
import { acceptanceRevision } from '../../src/review/compare/acceptance-revision.js';
import { isFull } from '../support/runs.js';
import { lists, never, platform, rule, workplace } from './platform.js';

const many = (count: number): Rule[] =>
  Array.from({ length: count }, (_, index) => ({ ...rule, id: `r${index}`, name: `r${index}` }));
const inline = (...value: string[]): Rule[] => [{ ...rule, conditions: [{ operand: 'text', value }] }];
const scored = (above: number): Rule => ({
  ...rule,
  conditions: [{ operand: 'image', value: [`violence_greaterThan_${above}`] }],
});
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
    const { state, source } = platform({ listStatus: 503, rules: [rule, ...inline('heck')] });
    const moderator = await moderatorOf({ source, snapshotFile: place.snapshotFile });
    const stale = {
      state: 'stale',
      origin: 'source',
      failures: 1,
      lastError: { code: 'list-unreachable', message: expect.stringContaining('`swears`') },
    };
    expect(moderator.status).toMatchObject(stale);
    expect([moderator.decide('heck'), existsSync(place.snapshotFile)]).toEqual(['blockMessage', false]);
    await moderator.refresh();
    expect(moderator.status).toMatchObject(stale);
    state.listStatus = 200;
    expect(await moderator.refresh()).toBe(true);
    expect(moderator.status).toMatchObject({ state: 'fresh', failures: 0 });
    expect(moderator.decide('darn')).toBe('blockMessage');
    expect(readFileSync(place.snapshotFile, 'utf8')).toContain('darn');
  });
});

describe('first rules that cannot stop anything', () => {
  const useless: readonly [string, Parameters<typeof platform>[0]][] = [
    ['no rules', { rules: [] }],
    ['a list without terms', { lists: lists(' ') }],
    ['a rule that is switched off', { rules: [{ ...rule, enabled: false }] }],
    ['a rule without a stopping action', { rules: [{ ...rule, action: ['flagMessage'] }] }],
    ['a rule in shadow', { semantics: { shadow: ['r'] } }],
    [
      'an operand that is not known',
      { rules: [{ ...rule, conditions: [{ ...rule.conditions[0]!, operand: 'txt' }] }] },
    ],
    ['a filter that is broken', { rules: [{ ...rule, filters: [{ operand: 'nothing' }] }] }],
    [
      'a pattern that is rejected',
      { rules: [{ ...rule, conditions: [{ operand: 'text', category: 'pattern', value: ['('] }] }] },
    ],
    ['terms that are all excepted', { semantics: { exceptions: ['DARN'] } }],
  ];

  it.each(useless)('%s: are not ready, until other ones come', async (_, changes) => {
    const { state, source } = platform(changes);
    const moderator = await moderatorOf({ source, snapshotFile: place.snapshotFile });
    for (const isAgain of [false, true]) {
      if (isAgain) expect(await moderator.refresh()).toBe(false);
      const { status } = moderator;
      expect(status).toMatchObject({
        state: 'no-rules',
        held: { reason: 'nothing in it can stop a message' },
        lastError: { code: 'no-rules' },
      });
      expect(() => moderator.decide('darn')).toThrow(expect.objectContaining({ code: 'no-rules' }));
      await expect(moderator.explainAsync('darn')).rejects.toThrow(RuleSetError);
    }
    expect(existsSync(place.snapshotFile)).toBe(false);
    Object.assign(state, platform().state);
    expect(await moderator.refresh()).toBe(true);
    expect([moderator.decide('darn'), moderator.status.state]).toEqual(['blockMessage', 'fresh']);
  });

  it('are accepted: by `accept`, beforehand, or with the guard off', async () => {
    const { source } = platform({ rules: [] });
    const first = await moderatorOf({ source, snapshotFile: place.snapshotFile });
    const { revision } = first.status.held!;
    expect(await first.accept(revision)).toBe(true);
    const ahead = await moderatorOf({ source, accept: revision });
    const off = await moderatorOf({ source, guard: 'off' });
    for (const moderator of [first, ahead, off]) {
      expect([moderator.decide('darn'), moderator.status.state]).toEqual(['allow', 'fresh']);
    }
    await first.close();
    const restarted = await moderatorOf({ source, snapshotFile: place.snapshotFile });
    expect(restarted.status.state).toBe('fresh');
  });

  it('since a list cannot be fetched: nothing is held, and they come with the list', async () => {
    const { state, source } = platform({ listStatus: 503 });
    const moderator = await moderatorOf({ source });
    expect(moderator.status).toMatchObject({ state: 'no-rules', failures: 1, lastError: { code: 'list-unreachable' } });
    expect(moderator.status.held).toBeUndefined();
    state.listStatus = 200;
    expect(await moderator.refresh()).toBe(true);
    expect(moderator.decide('darn')).toBe('blockMessage');
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
});

describe('a rule set that has every term, and stops none of them any more', () => {
  const naming = (...value: string[]): Rule[] => [
    { ...rule, conditions: [{ operand: 'text', isKeywordsReferencePresent: true, value }] },
  ];
  const named = (searchTerms: readonly string[]) => ({
    open: { id: 'open', searchTerms },
    closed: { id: 'closed', searchTerms },
    ours: { id: 'ours', searchTerms: ['nothing'] },
  });
  const terms = ['darn', 'heck', 'buy now'];
  const substring = { words: { lists: { open: 'substring' } } } as const;
  const excepting = (words = {}) => ({ exceptions: [{ lists: ['ours'] }], ...words }) as const;
  const links = { words: { lists: { closed: 'links', ours: 'links' } } } as const;
  const cases: readonly [string, object, Parameters<typeof platform>[0], Parameters<typeof platform>[0]][] = [
    [
      'its rule names another list, which is read as words and not as parts of words',
      substring,
      { rules: naming('open'), lists: named(terms) },
      { rules: naming('closed') },
    ],
    [
      'they moved to such a list',
      substring,
      { rules: naming('open', 'closed'), lists: { ...named([]), open: { id: 'open', searchTerms: terms } } },
      { lists: { ...named([]), closed: { id: 'closed', searchTerms: terms } } },
    ],
    ['they are in capitals under `exact`', { folding: 'exact' }, { lists: lists('darn') }, { lists: lists('DARN') }],
    [
      'an exception has more blanks than its term',
      excepting(),
      { rules: naming('closed'), lists: named(['buy now']) },
      { lists: { ...named(['buy now']), ours: { id: 'ours', searchTerms: ['buy  now'] } } },
    ],
    [
      'an exception is the domain above',
      excepting(links),
      {
        rules: naming('closed'),
        lists: { ...named(['bad.example.com']), ours: { id: 'ours', searchTerms: ['b.example'] } },
      },
      { lists: { ...named(['bad.example.com']), ours: { id: 'ours', searchTerms: ['example.com'] } } },
    ],
    [
      'an exception ends in an asterisk',
      excepting({ wildcards: 'asterisk' }),
      { rules: naming('closed'), lists: named(['kill']) },
      { lists: { ...named(['kill']), ours: { id: 'ours', searchTerms: ['kill*'] } } },
    ],
    [
      'its condition compares whole texts',
      {},
      { rules: inline('darn') },
      { rules: [{ ...rule, conditions: [{ operand: 'text', operator: 'equals', value: ['darn'] }] }] },
    ],
    [
      'its condition is about custom data',
      {},
      { rules: inline('darn') },
      { rules: [{ ...rule, conditions: [{ operand: 'custom', value: ['darn'] }] }] },
    ],
  ];

  it.each(cases)('%s: is held', async (_, semantics, before, after) => {
    const { state, source } = platform({ ...before });
    const moderator = await moderatorOf({ source, semantics });
    expect(moderator.status.state).toBe('fresh');
    Object.assign(state, after);
    expect(await moderator.refresh()).toBe(false);
    const { held } = moderator.status;
    expect(held?.loss.terms).toBe(held?.loss.of.terms);
    expect(held?.reason).toContain('would be lost');
  });

  const harmless: typeof cases = [
    ['a shorter term covers them', {}, { lists: lists('buy now', 'buy it') }, { lists: lists('buy') }],
    [
      'a list of another name has them',
      {},
      { rules: naming('open'), lists: named(terms) },
      { rules: naming('closed') },
    ],
    ['they are in capitals under `case`', {}, { lists: lists('darn') }, { lists: lists('DARN') }],
    [
      'a pattern finds them',
      {},
      { lists: lists('darn') },
      { rules: [{ ...rule, conditions: [{ operand: 'text', category: 'pattern', value: ['(?i)d[a4]rn'] }] }] },
    ],
    [
      'an exception covers one harmless use',
      excepting(),
      { rules: naming('closed'), lists: named(['darn']) },
      { lists: { ...named(['darn']), ours: { id: 'ours', searchTerms: ['darn good'] } } },
    ],
  ];

  it.each(harmless)('%s: is taken', async (_, semantics, before, after) => {
    const { state, source } = platform({ ...before });
    const moderator = await moderatorOf({ source, semantics });
    Object.assign(state, after);
    expect(await moderator.refresh()).toBe(true);
    expect(moderator.status).toMatchObject({ state: 'fresh' });
  });
});

describe('a refresh that is held', () => {
  const three = lists('darn', 'heck', 'gosh');
  const losses: readonly [string, Parameters<typeof platform>[0], Parameters<typeof platform>[0], object][] = [
    ['rules', { rules: many(4) }, { rules: many(1) }, { loss: { rules: ['r1', 'r2', 'r3'] } }],
    ['every rule', { rules: many(4) }, { rules: [] }, { loss: { lists: ['swears'] } }],
    ['terms', { lists: three }, { lists: lists('darn') }, { loss: { terms: 2 } }],
    ['terms that are replaced', { lists: three }, { lists: lists('darn', 'a', 'b') }, { loss: { terms: 2 } }],
    ['every term of a list', {}, { lists: lists() }, { loss: { emptied: ['swears'], terms: 1 } }],
    [
      'every term of a list, blank ones in their place',
      {},
      { lists: lists('', ' ') },
      { loss: { emptied: ['swears'] } },
    ],
    ['every term of a list, others in their place', {}, { lists: lists('a', 'b') }, { loss: { emptied: ['swears'] } }],
    ['a list that answers 404', {}, { lists: {} }, { loss: { lists: ['swears'], terms: 1 } }],
    [
      'terms in conditions',
      { rules: inline('darn', 'heck', 'gosh') },
      { rules: inline('darn') },
      { loss: { terms: 2 } },
    ],
    ['every condition', { rules: inline('darn') }, { rules: [{ ...rule, conditions: [] }] }, { loss: { terms: 1 } }],
    [
      'a rule that is switched off',
      {},
      { rules: [{ ...rule, enabled: false }] },
      { loss: { rules: ['r'], lists: ['swears'] } },
    ],
    ['a stopping action', {}, { rules: [{ ...rule, action: ['flagMessage'] }] }, { loss: { rules: ['r'] } }],
    [
      'messages that a new filter leaves out',
      {},
      {
        rules: [
          { ...rule, filters: [{ type: 'sender', entity: 'user', operand: 'role', operator: 'equals', value: 'x' }] },
        ],
      },
      { loss: { rules: ['r'], terms: 1 } },
    ],
    [
      'messages that another condition leaves out',
      { semantics: { conditions: 'all' } },
      {
        rules: [{ ...rule, conditions: [...rule.conditions, { operand: 'text', category: 'pattern', value: ['x'] }] }],
      },
      { loss: { rules: ['r'], terms: 1 } },
    ],
    [
      'scores below a higher threshold',
      { rules: [scored(50)] },
      { rules: [scored(60)] },
      { loss: { terms: 1, rules: [] } },
    ],
    [
      'an operand that is no longer known',
      { rules: [...many(3), { ...inline('heck')[0]!, id: 'last' }] },
      { rules: [...many(3), { ...inline('heck')[0]!, id: 'last', conditions: [{ operand: 'txt', value: ['heck'] }] }] },
      {
        loss: { terms: 0 },
        unevaluated: [{ ruleId: 'last', conditionId: 1, detail: expect.stringContaining('`txt`') }],
      },
    ],
    [
      'a part of a condition',
      { rules: [{ ...rule, conditions: [{ operand: 'text', category: 'pattern', value: ['darn'] }] }] },
      { rules: [{ ...rule, conditions: [{ operand: 'text', category: 'pattern', value: ['darn', '('] }] }] },
      { loss: { terms: 0 }, unevaluated: [{ ruleId: 'r', conditionId: 1 }] },
    ],
  ];

  it.each(losses)(
    '%s: stays held however often it comes, and the source counts as confirmed',
    async (_, before, after, held) => {
      vi.useFakeTimers();
      const { state, source } = platform({ ...before });
      const moderator = await moderatorOf({
        source,
        snapshotFile: place.snapshotFile,
        maxStaleMs: 90_000,
        whenStale: 'throw',
      });
      const saved = readFileSync(place.snapshotFile, 'utf8');
      const { revision } = moderator;
      Object.assign(state, after);
      for (let minutes = 0; minutes < 60; minutes++) {
        vi.advanceTimersByTime(60_000);
        expect(await moderator.refresh()).toBe(false);
        expect(moderator.status).toMatchObject({
          state: 'stale',
          failures: 0,
          ageMs: 0,
          held,
          lastError: { code: 'held' },
        });
      }
      expect(moderator.revision).toBe(revision);
      expect(readFileSync(place.snapshotFile, 'utf8')).toBe(saved);
      expect(await moderator.accept(moderator.status.held!.revision)).toBe(true);
      expect(moderator.status).toMatchObject({ state: 'fresh', failures: 0 });
      expect(moderator.status.held).toBeUndefined();
      expect(moderator.revision).not.toBe(revision);
      expect(readFileSync(place.snapshotFile, 'utf8')).not.toBe(saved);
      expect(readFileSync(`${place.snapshotFile}.previous`, 'utf8')).toBe(saved);
    },
  );

  const gains: readonly [string, Parameters<typeof platform>[0], Parameters<typeof platform>[0]][] = [
    ['more terms', {}, { lists: lists('heck', 'darn') }],
    [
      'a filter that is gone',
      {
        rules: [
          { ...rule, filters: [{ type: 'sender', entity: 'user', operand: 'uid', operator: 'equals', value: 'x' }] },
        ],
      },
      {},
    ],
    ['a lower threshold', { rules: [scored(50)] }, { rules: [scored(40)] }],
    ['another rule for the same list', {}, { rules: [rule, { ...rule, id: 'two' }] }],
    ['half of the rules', { rules: many(4) }, { rules: many(2) }],
    ['half of the terms', { lists: lists('a', 'b', 'c', 'd') }, { lists: lists('a', 'b') }],
    ['another revision and time', {}, { rules: [{ ...rule, revisionId: 'r_2', updatedAt: 9, name: 'R' }] }],
    [
      'a new rule that cannot be evaluated',
      {},
      { rules: [rule, { ...rule, id: 'new', conditions: [{ operand: 'txt', value: ['x'] }] }] },
    ],
  ];
  it.each(gains)('%s: is taken', async (_, before, after) => {
    const { state, source } = platform({ ...before });
    const moderator = await moderatorOf({ source });
    Object.assign(state, { ...platform().state, ...after });
    expect(await moderator.refresh()).toBe(true);
    expect(moderator.status.held).toBeUndefined();
  });

  it('is forgotten when the rules come back whole, and held when it comes again', async () => {
    const { state, source } = platform();
    const moderator = await moderatorOf({ source });
    for (let round = 0; round < 100; round++) {
      state.rules = round % 2 === 0 ? [] : [rule];
      await moderator.refresh();
      expect(moderator.status.held !== undefined).toBe(round % 2 === 0);
      expect(moderator.decide('darn')).toBe('blockMessage');
    }
  });

  it('accept: takes exactly the revision that is held', async () => {
    const { state, source } = platform();
    const moderator = await moderatorOf({ source, snapshotFile: place.snapshotFile });
    expect(await moderator.accept(moderator.revision)).toBe(false);
    state.rules = [];
    await moderator.refresh();
    const { revision } = moderator.status.held!;
    state.rules = [{ ...rule, enabled: false }];
    await moderator.refresh();
    expect(moderator.status.held?.revision).not.toBe(revision);
    expect(await moderator.accept(revision)).toBe(false);
    await expect(moderator.accept(undefined as never)).rejects.toThrow(UsageError);
    expect(moderator.decide('darn')).toBe('blockMessage');
    state.rules = [];
    await moderator.refresh();
    expect(await moderator.accept(revision)).toBe(true);
    expect(moderator.decide('darn')).toBe('allow');
    expect(moderator.status).toMatchObject({ state: 'fresh' });
    expect(JSON.parse(readFileSync(place.snapshotFile, 'utf8'))).toMatchObject({ rules: [] });
    expect(await moderator.accept(revision)).toBe(false);
  });

  it('its revision leaves out what the platform adds', async () => {
    const { state, source } = platform({ lists: lists('darn', 'heck', 'gosh') });
    const moderator = await moderatorOf({ source });
    const heldAs = async (rules: Rule[], itsLists: Record<string, KeywordList>, semantics?: object) => {
      Object.assign(state, { rules, lists: itsLists, semantics });
      await moderator.refresh();
      return moderator.status.held?.revision;
    };
    const revision = await heldAs([rule], lists('darn'));
    expect(revision).toMatch(/^[0-9a-f]{32}$/);
    const served = {
      ...rule,
      enabled: true,
      active: true,
      revisionId: 'x_2',
      createdAt: 1,
      updatedAt: 2,
      default: false,
    };
    const list = { ...lists('darn').swears!, isCSV: false, revisionId: 'y_7', updatedAt: 3, name: 'Swears' };
    expect(await heldAs([served], { swears: list })).toBe(revision);
    expect(await acceptanceRevision({ rules: [rule], lists: [list] })).toBe(revision);
    expect(await heldAs([{ ...rule, action: 'dropMessage' }], lists('darn'))).not.toBe(revision);
    expect(await heldAs([rule], lists('heck'))).not.toBe(revision);
    expect(await heldAs([rule], lists('darn'), { words: 'prefix' })).not.toBe(revision);
  });

  it('accept: beforehand, by the option, whatever it loses, at the start and at a refresh', async () => {
    const { state, source } = platform();
    const accept = await acceptanceRevision({ rules: [], lists: [] });
    const moderator = await moderatorOf({ source, accept, snapshotFile: place.snapshotFile });
    state.rules = [{ ...rule, enabled: false }];
    expect(await moderator.refresh()).toBe(false);
    await moderator.close();
    state.rules = [];
    const again = await moderatorOf({ source, accept, snapshotFile: place.snapshotFile });
    expect([again.status.state, again.decide('darn')]).toEqual(['fresh', 'allow']);
    state.rules = [rule];
    expect(await again.refresh()).toBe(true);
    state.rules = [];
    expect(await again.refresh()).toBe(true);
  });

  it('accept: is an event', async () => {
    const { state, source } = platform();
    const moderator = await moderatorOf({ source });
    const events: string[] = [];
    moderator.on('refresh', ({ outcome, revision }) => events.push(`${outcome} ${revision}`));
    const before = moderator.revision;
    state.rules = [];
    await moderator.refresh();
    await moderator.accept(moderator.status.held!.revision);
    await new Promise(setImmediate);
    expect(events).toEqual([`held ${before}`, `changed ${moderator.revision}`]);
  });

  it('accept: waits for a refresh under way', async () => {
    const { state, source } = platform();
    const moderator = await moderatorOf({ source });
    state.rules = [];
    await moderator.refresh();
    const { revision } = moderator.status.held!;
    state.rules = [rule];
    const refreshed = moderator.refresh();
    expect(await moderator.accept(revision)).toBe(false);
    expect(await refreshed).toBe(false);
    expect(moderator.decide('darn')).toBe('blockMessage');
  });

  it('guard: `maxLoss` is an option, and `off` takes everything', async () => {
    const strict = platform({ rules: many(10) });
    const moderator = await moderatorOf({ source: strict.source, guard: { maxLoss: 0.05 } });
    strict.state.rules = many(9);
    expect(await moderator.refresh()).toBe(false);
    expect(moderator.status.held?.reason).toBe('1 of 10 rules would be lost');
    const off = platform();
    const unguarded = await moderatorOf({ source: off.source, guard: 'off' });
    off.state.rules = [];
    expect(await unguarded.refresh()).toBe(true);
    expect(unguarded.decide('darn')).toBe('allow');
  });

  it('all of something is held whatever `maxLoss` is', async () => {
    const { state, source } = platform({ rules: many(4), lists: lists('a', 'b') });
    const moderator = await moderatorOf({ source, guard: { maxLoss: 1 } });
    for (const changes of [{ rules: [] }, { rules: many(4), lists: lists('c', 'd') }]) {
      Object.assign(state, changes);
      expect(await moderator.refresh()).toBe(false);
      expect(moderator.status.held).toBeDefined();
    }
    state.lists = lists('b');
    expect(await moderator.refresh()).toBe(true);
  });
});

describe('what is not a whole answer fails, and the rules age', () => {
  it.each([
    ['a list of rules that is cut off', { rules: many(9), pageLimit: 5 }, 'truncated'],
    ['a list that fails', { listStatus: 503 }, 'list-unreachable'],
    [
      'a list that is new and fails',
      { rules: [rule, { ...rule, id: 'two', conditions: [{ ...rule.conditions[0]!, value: ['late'] }] }], late: true },
      'list-unreachable',
    ],
    ['no answer', { down: true }, 'network'],
  ] as const)('%s', async (_, changes, code) => {
    vi.useFakeTimers();
    const { state, source } = platform();
    const get = source.rules.get;
    const failing = {
      ...source,
      rules: {
        ...source.rules,
        get: async (id: string) => {
          if (id === 'late') throw new HttpError('GET', 'failed', { status: 503 });
          return get(id);
        },
      },
    };
    const moderator = await moderatorOf({ source: failing });
    Object.assign(state, changes);
    vi.advanceTimersByTime(60_000);
    await expect(moderator.refresh()).rejects.toThrow();
    expect(moderator.status).toMatchObject({ state: 'stale', ageMs: 60_000, failures: 1, lastError: { code } });
    expect(moderator.status.held).toBeUndefined();
  });
});

describe('a load that does not end', () => {
  it('is the only one: no refresh begins another before it has ended', async () => {
    const { state, source } = platform();
    const moderator = await moderatorOf({ source, startMs: 20 });
    let open = () => {};
    state.gate = new Promise((resolve) => {
      open = resolve;
    });
    for (let times = 0; times < 5; times++) await expect(moderator.refresh()).rejects.toThrow(TimeoutError);
    expect(state.loads).toBe(2);
    open();
    state.gate = undefined;
    await moderator.refresh();
    expect([state.loads, moderator.status.state]).toEqual([3, 'fresh']);
  });
});

describe('options', () => {
  const { source } = platform();
  it.each([
    [{ refreshMS: 1000 }, /no option .refreshMS.; did you mean .refreshMs.\?/],
    [{ guard: { maxLos: 1 } }, /`guard` has no option .maxLos.; did you mean .maxLoss.\?/],
    [{ guard: { maxLoss: 2 } }, /share from 0 to 1/],
    [{ guard: { maxLoss: null } }, /share from 0 to 1/],
    [{ guard: { acceptAfter: 3 } }, /`guard` has no option .acceptAfter./],
    [{ accept: 'abc' }, /`accept` must be a revision/],
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
    for (let at = 0; at < good.length; at += isFull ? 1 : 7) {
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

it('a platform that has one rule more each time ends the load after seven pages', async () => {
  const { state, source } = platform();
  const list = async ({ limit = 10 } = {}) => {
    state.loads++;
    return { data: many(limit), meta: { current: { limit, count: limit } } };
  };
  const endless = { ...source, rules: { ...source.rules, list } };
  expect(await loadRuleSet(endless, { limit: 4 })).toMatchObject({ truncated: true });
  expect(state.loads).toBe(7);
});

it('the status counts the issues of the rules in use, and has the first ten, errors before warnings', async () => {
  const { state, source } = platform();
  const moderator = await moderatorOf({ source });
  const conditions = [{ operand: 'txt', value: ['x'] }];
  const broken = Array.from({ length: 20 }, (_, at) => ({ id: `b${at}`, action: ['blockMessage'], conditions }));
  state.rules = [rule, { ...rule, id: 'odd', action: ['blockMessage', 'explode'] }, ...broken];
  await moderator.refresh();
  const { issues } = moderator.status;
  expect([issues.error, issues.warning, issues.first.length]).toEqual([20, 1, 10]);
  expect(issues.first[0]).toMatchObject({ code: 'unknown-operand', severity: 'error', ruleId: 'b0' });
});
