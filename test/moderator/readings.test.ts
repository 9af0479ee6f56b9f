/**
 * The readings of a source: swapped in with its rules, kept with them, and held back where they are
 * others.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createEngine, createModerator, loadRuleSet, RuleSetError, readRuleSetFile } from '../../src/index.js';
import { serializeRuleSet } from '../../src/platform/loader/rule-set-file.js';
import { lists, platform, rule, workplace } from './platform.js';

const place = workplace();
const { moderatorOf } = place;
const saved = () => readFileSync(place.snapshotFile, 'utf8');
const substring = { words: 'substring' };
const ruleSet = { rules: [rule], lists: Object.values(lists('darn')) };
const nothing = { rules: [], lists: [], emptied: [], terms: 0, of: { rules: 1, lists: 1, terms: 1 } };

describe('loadRuleSet', () => {
  it('has the readings of a source that has some, as plain data of its own', async () => {
    const { state, source } = platform({ semantics: { words: { lists: { swears: 'prefix' } }, folding: undefined } });
    const loaded = await loadRuleSet(source);
    expect(loaded).toStrictEqual({
      ...(await loadRuleSet(platform().source)),
      semantics: { words: { lists: { swears: 'prefix' } } },
    });
    expect(loaded.semantics?.words).not.toBe(state.semantics?.words);
    expect(await loadRuleSet({ ...source, semantics: undefined })).not.toHaveProperty('semantics');
    expect(await loadRuleSet({ ...source, semantics: async () => null as never })).not.toHaveProperty('semantics');
  });

  it.each<[object, string]>([
    [{ words: 'sub' }, '`source.semantics`: reading `words` must be one of'],
    [{ runs: () => true }, '`source.semantics`: reading `runs` must be plain data'],
    [[], '`source.semantics`: must be an object'],
  ])('refuses %j', async (semantics, words) => {
    const { source } = platform({ semantics: semantics as never });
    await expect(loadRuleSet(source)).rejects.toThrow(RuleSetError);
    await expect(loadRuleSet(source)).rejects.toThrow(words);
  });
});

describe('a moderator', () => {
  it('decides by the readings of its source, under those that it is given, and keeps them in the snapshot', async () => {
    const { source } = platform({ semantics: substring });
    const moderator = await moderatorOf({ source, snapshotFile: place.snapshotFile });
    expect(moderator.decide('goshdarnit')).toBe('blockMessage');
    expect(moderator.revision).toBe(createEngine(ruleSet, { words: 'substring' }).revision);
    expect(await readRuleSetFile(place.snapshotFile)).toMatchObject({ ...ruleSet, semantics: substring });
    const given = await moderatorOf({ source, semantics: { words: 'word' } });
    expect(given.decide('goshdarnit')).toBe('allow');
  });

  it('fetches the lists of exceptions, of its source and of those that it is given', async () => {
    const ours = { ours: { id: 'ours', searchTerms: ['oh darn'] }, others: { id: 'others', searchTerms: ['darn it'] } };
    const lists = { ...platform().state.lists, ...ours };
    const { source } = platform({ lists, semantics: { exceptions: [{ lists: ['ours'] }] } });
    const own = await moderatorOf({ source });
    expect([own.decide('oh darn'), own.decide('darn it')]).toEqual(['allow', 'blockMessage']);
    const given = await moderatorOf({ source, semantics: { exceptions: [{ lists: ['others'] }] } });
    expect([given.decide('oh darn'), given.decide('darn it')]).toEqual(['blockMessage', 'allow']);
  });

  it('starts with the rules and the readings of its snapshot', async () => {
    const { state, source } = platform({ semantics: substring });
    await (await createModerator({ source, snapshotFile: place.snapshotFile })).close();
    state.down = true;
    const moderator = await moderatorOf({ source, snapshotFile: place.snapshotFile });
    expect(moderator.status).toMatchObject({ state: 'stale', origin: 'snapshot', lastError: { code: 'network' } });
    expect(moderator.decide('goshdarnit')).toBe('blockMessage');
    state.down = false;
    expect(await moderator.refresh()).toBe(false);
    expect(moderator.status).toMatchObject({ state: 'fresh', origin: 'source' });
  });

  const changes = [
    ['others', substring, { words: 'prefix' }, { reading: 'words', before: 'substring', after: 'prefix' }],
    ['none any more', substring, undefined, { reading: 'words', before: 'substring', after: 'word' }],
    [
      'some for the first time',
      undefined,
      { runs: 'all' },
      { reading: 'runs', before: 'enabled-and-active', after: 'all' },
    ],
  ] as const;

  it.each(changes)(
    'holds a source back that has %s, however often it brings them, until they are accepted',
    async (...row) => {
      const [, before, after, change] = row;
      const { state, source } = platform({ semantics: before });
      const moderator = await moderatorOf({ source, snapshotFile: place.snapshotFile });
      const [{ revision }, content] = [moderator, saved()];
      const held: unknown[] = [];
      moderator.on('refresh', (event) => held.push(event.outcome));
      state.semantics = after;
      const { reading } = change;
      const reason = `reading "${reading}" would be "${change.after}", and is "${change.before}"`;
      for (let times = 0; times < 3; times++) {
        expect(await moderator.refresh()).toBe(false);
        expect(moderator.status).toMatchObject({
          state: 'stale',
          failures: 0,
          held: { readings: [change], reason: expect.stringContaining(reason) },
          lastError: { code: 'held', message: expect.stringContaining(reason) },
        });
        expect([moderator.revision, saved()]).toEqual([revision, content]);
      }
      expect(await moderator.accept(moderator.status.held!.revision)).toBe(true);
      expect(moderator.status).toMatchObject({ state: 'fresh' });
      expect(moderator.status.held).toBeUndefined();
      expect(moderator.revision).toBe(createEngine({ ...ruleSet, semantics: after }).revision);
      expect((await readRuleSetFile(place.snapshotFile)).semantics).toEqual(after);
      await new Promise(setImmediate);
      expect(held).toEqual(['held', 'held', 'held', 'changed']);
    },
  );

  it.each(changes)(
    'at the start, answers from its snapshot where the source has %s, until they are accepted',
    async (...row) => {
      const [, before, after, change] = row;
      const { state, source } = platform({ semantics: before });
      await (await createModerator({ source, snapshotFile: place.snapshotFile })).close();
      const content = saved();
      state.semantics = after;
      const moderator = await moderatorOf({ source, snapshotFile: place.snapshotFile });
      expect(moderator.status).toMatchObject({ state: 'stale', origin: 'snapshot', held: { readings: [change] } });
      expect(moderator.revision).toBe(createEngine({ ...ruleSet, semantics: before }).revision);
      expect(saved()).toBe(content);
      expect(await moderator.accept(moderator.status.held!.revision)).toBe(true);
      expect(moderator.status).toMatchObject({ state: 'fresh', origin: 'source' });
      expect(moderator.revision).toBe(createEngine({ ...ruleSet, semantics: after }).revision);
      expect((await readRuleSetFile(place.snapshotFile)).semantics).toEqual(after);
    },
  );

  it('names losses and readings together', async () => {
    const { state, source } = platform();
    const moderator = await moderatorOf({ source });
    Object.assign(state, { lists: lists(), semantics: substring });
    await moderator.refresh();
    expect(moderator.status.held).toMatchObject({
      loss: { emptied: ['swears'], terms: 1 },
      readings: [{ reading: 'words' }],
      reason:
        '1 of 1 rules, all terms of 1 keyword lists (`swears`) and 1 of 1 terms would be lost, ' +
        'reading "words" would be "substring", and is "word"',
    });
    state.semantics = undefined;
    await moderator.refresh();
    expect(moderator.status.held).toMatchObject({ readings: [] });
    Object.assign(state, { lists: lists('darn'), semantics: { words: 'prefix' } });
    await moderator.refresh();
    expect(moderator.status.held).toMatchObject({ loss: nothing, readings: [{ after: 'prefix' }] });
  });

  it('holds nothing back for readings that it is given itself, or that say the default; and keeps these', async () => {
    const { state, source } = platform({ semantics: substring });
    const moderator = await moderatorOf({ source, snapshotFile: place.snapshotFile, semantics: { words: 'prefix' } });
    const { revision } = moderator;
    state.semantics = { words: 'suffix', folding: 'case' };
    await moderator.refresh();
    expect([moderator.status.state, moderator.revision]).toEqual(['fresh', revision]);
    expect((await readRuleSetFile(place.snapshotFile)).semantics).toEqual(state.semantics);
    expect(await moderator.refresh()).toBe(false);
  });

  it("takes whatever the source has with `guard: 'off'`", async () => {
    const { state, source } = platform({ semantics: substring });
    const moderator = await moderatorOf({ source, guard: 'off' });
    state.semantics = undefined;
    expect(await moderator.refresh()).toBe(true);
    expect(moderator.decide('goshdarnit')).toBe('allow');
  });

  it('goes on with what it has where the readings of the source are wrong, or cannot be had', async () => {
    const { state, source } = platform({ semantics: substring });
    const moderator = await moderatorOf({ source, snapshotFile: place.snapshotFile });
    state.semantics = { words: 'sub' };
    await expect(moderator.refresh()).rejects.toThrow('`source.semantics`: reading `words`');
    expect(moderator.status).toMatchObject({ state: 'stale', failures: 1, lastError: { code: 'rule-set' } });
    const again = await moderatorOf({ source, snapshotFile: place.snapshotFile });
    expect(again.status).toMatchObject({ state: 'stale', origin: 'snapshot' });
    for (const each of [moderator, again]) expect(each.decide('goshdarnit')).toBe('blockMessage');
    await expect(createModerator({ source })).rejects.toThrow(RuleSetError);
    const broken = { ...source, semantics: () => Promise.reject(new Error('unreadable')) };
    expect((await moderatorOf({ source: broken, snapshotFile: place.snapshotFile })).status.origin).toBe('snapshot');
  });

  it('takes no snapshot whose readings this version does not know, and says so where it has nothing else', async () => {
    const { state, source } = platform();
    const unknown = { ...(await loadRuleSet(source)), semantics: { later: true } };
    const write = () =>
      writeFileSync(
        place.snapshotFile,
        serializeRuleSet(place.snapshotFile, unknown, { source: undefined, lost: '', held: [] }),
      );
    write();
    state.down = true;
    await expect(createModerator({ source, snapshotFile: place.snapshotFile })).rejects.toThrow(
      /unknown reading `later`/,
    );
    state.down = false;
    const moderator = await moderatorOf({ source, snapshotFile: place.snapshotFile });
    expect(moderator.status).toMatchObject({ state: 'fresh', origin: 'source' });
    expect(saved()).not.toContain('later');
  });
});
