/**
 * Rules of files as a source: what is read, and when a change is reported. Timers stand still: a
 * look is a step of the test.
 */
import { mkdirSync, mkdtempSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  createFileSource,
  loadRuleSet,
  RuleSetError,
  type RuleSource,
  readRuleSetFile,
  ShapeError,
  UsageError,
} from '../../src/index.js';
import { openFiles } from '../support/replaced-files.js';
import { runs } from '../support/runs.js';

let folder = '';
let path = '';
const rulesOf = (...terms: string[]) => ({
  rules: [{ id: 'r', action: ['blockMessage'], conditions: [{ operand: 'text', value: terms }] }],
  lists: [{ id: 'spare', searchTerms: ['tyre'] }],
  semantics: { words: 'substring' },
});
const write = (...terms: string[]) => writeFileSync(path, JSON.stringify(rulesOf(...terms)));

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-source-'));
  path = join(folder, 'rules.json');
  write('darn');
});
afterEach(() => {
  vi.useRealTimers();
  rmSync(folder, { recursive: true });
});

describe('what a file source gives', () => {
  it('is what the file has, whole and by its methods', async () => {
    const source = createFileSource(path);
    expect(await loadRuleSet(source)).toEqual(await readRuleSetFile(path));
    expect((await source.rules.list()).data).toEqual(rulesOf('darn').rules);
    expect(await source.rules.get('spare')).toEqual({ id: 'spare', searchTerms: ['tyre'] });
    expect(await source.rules.get('r')).toMatchObject({ id: 'r' });
    expect(await source.semantics?.()).toEqual({ words: 'substring' });
    await expect(source.rules.get('other')).rejects.toThrow(RuleSetError);
    const { load: _, ...methods } = source;
    expect((await loadRuleSet(methods)).rules).toEqual(rulesOf('darn').rules);
  });

  it('of a rule set that was cut off says that it was', async () => {
    writeFileSync(path, JSON.stringify({ ...rulesOf('darn'), truncated: true }));
    const { load: _, ...methods } = createFileSource(path);
    expect([await loadRuleSet(createFileSource(path)), await loadRuleSet(methods)]).toMatchObject([
      { truncated: true },
      { truncated: true },
    ]);
  });

  it.each([
    ['{"rules": [', 'rules.json'],
    ['{"rules": [{"id": "r"}], "lists": []}', 'rules[0].conditions'],
    ['{"rules": [{"id": "r", "conditions": [null]}], "lists": []}', 'rules[0].conditions'],
    ['{"rules": [], "lists": [null]}', 'lists[0]'],
    ['{"rules": []}', 'lists'],
  ])('%s: an error that names the file and the place', async (text, named) => {
    writeFileSync(path, text);
    const loading = loadRuleSet(createFileSource(path));
    await expect(loading).rejects.toThrow(ShapeError);
    await expect(loading).rejects.toThrow(path);
    await expect(loading).rejects.toThrow(named);
  });

  it('bad options are usage errors', () => {
    expect(() => createFileSource('')).toThrow(UsageError);
    expect(() => createFileSource(path, { watch: 1 as never })).toThrow('`watch`');
    expect(() => createFileSource(path, { watched: true } as never)).toThrow("did you mean 'watch'?");
    expect(createFileSource(path, { watch: false }).watch).toBeUndefined();
  });

  it('reads again what changed while it was read, and leaves no file open', async () => {
    mkdirSync(join(folder, 'set', 'lists'), { recursive: true });
    writeFileSync(
      join(folder, 'set', 'rules.json'),
      JSON.stringify({ rules: rulesOf('darn').rules, lists: [{ id: 'l' }] }),
    );
    const list = join(folder, 'set', 'lists', 'l.txt');
    writeFileSync(list, 'one\n');
    const source = createFileSource(join(folder, 'set'));
    await loadRuleSet(source);
    const before = await openFiles();
    let [isOver, loads] = [false, 0];
    const writing = (async () => {
      for (let at = 0; !isOver; at++) {
        writeFileSync(`${list}~`, `word ${at}\n`);
        renameSync(`${list}~`, list);
        for (let turns = at % 7; turns >= 0; turns--) await turn();
      }
    })();
    for (; loads < runs(8); loads++) {
      const ruleSet = await loadRuleSet(source).catch((error: unknown) => error);
      if (ruleSet instanceof RuleSetError) expect(ruleSet.code).toBe('changing');
      else expect(ruleSet).toMatchObject({ lists: [{ searchTerms: [expect.stringMatching(/^(one|word \d+)$/)] }] });
    }
    isOver = true;
    await writing;
    if (before !== undefined) expect(await openFiles()).toBeLessThan(before + 10);
  });
});

describe('when it says that it changed', () => {
  const timers: NodeJS.Timeout[] = [];

  /** Watches from the rule set as it is loaded; each look is made by the test. */
  async function watched(source: RuleSource = createFileSource(path)) {
    const since = await loadRuleSet(source);
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const closing = new AbortController();
    const state = { changes: 0 };
    const set = vi.spyOn(globalThis, 'setTimeout');
    source.watch?.(() => state.changes++, { signal: closing.signal, since });
    const look = async () => {
      vi.advanceTimersByTime(500);
      while (vi.getTimerCount() === 0) await turn();
      timers.push(...set.mock.results.map(({ value }) => value as NodeJS.Timeout));
      return state.changes;
    };
    return { look, closing };
  }

  it('at the second look at a state that stays, once', async () => {
    const { look } = await watched();
    expect([await look(), await look()]).toEqual([0, 0]);
    write('heck');
    expect([await look(), await look(), await look()]).toEqual([0, 1, 1]);
    rmSync(path);
    expect([await look(), await look(), await look()]).toEqual([1, 2, 2]);
    write('heck');
    expect([await look(), await look()]).toEqual([2, 3]);
  });

  it('what changed between load and watch counts', async () => {
    const source = createFileSource(path);
    const since = await loadRuleSet(source);
    write('heck');
    const { look } = await watched({ ...source, load: async () => since });
    expect([await look(), await look(), await look()]).toEqual([0, 1, 1]);
  });

  it('at the fourth look at a file that changes from look to look, and once more when it stays', async () => {
    const { look } = await watched();
    const changes: number[] = [];
    for (let at = 1; at <= 9; at++) {
      write('x'.repeat(at));
      changes.push(await look());
    }
    expect(changes).toEqual([0, 0, 0, 1, 1, 1, 1, 2, 2]);
    expect([await look(), await look()]).toEqual([3, 3]);
  });

  it('also of a change of the same size whose time was set back', async () => {
    const { look } = await watched();
    utimesSync(path, 1, 1);
    expect([await look(), await look()]).toEqual([0, 1]);
    write('heck');
    utimesSync(path, 1, 1);
    expect([await look(), await look()]).toEqual([1, 2]);
  });

  it('ends with its signal, and keeps no process alive', async () => {
    const { look, closing } = await watched();
    await look();
    expect(timers.length).toBeGreaterThan(0);
    expect(timers.filter((timer) => timer.hasRef())).toEqual([]);
    closing.abort();
    expect(vi.getTimerCount()).toBe(0);
  });
});
