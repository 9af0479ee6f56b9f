import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { coordinateWindows } from '../../src/fleet/coordinator.js';
import { digestOfPlan, writePlan } from '../../src/fleet/plan.js';
import type { WindowBounds } from '../../src/fleet/queue.js';
import { WindowResults } from '../../src/fleet/results.js';
import { until } from '../support/until.js';

/** Plans and the end of a queue that puts windows on it, without a database. */
const since = 1_772_323_200;

let directory: string;
const file = (name: string) => join(directory, name);

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sluice-window-plan-'));
  for (const name of ['idle', 'untaken', 'taken', 'one', 'two', 'replaced']) await mkdir(file(name));
});
afterAll(() => rm(directory, { recursive: true }));

/** A plan that differs by a name. */
function planOf(revision: string): Parameters<typeof writePlan>[1] {
  const inputs = {
    kind: 'audit',
    version: '1',
    rules: revision,
    engine: revision,
    source: 'x',
    all: false,
    onBadRow: 'stop',
  } as const;
  const options = { scores: new Map(), counts: { summary: {} }, rows: 'findings' } as const;
  return { inputs, ruleSet: { rules: [], lists: [] }, semantics: {}, patternEngine: 're2js', options };
}

it('an audit whose workers judge nothing says so, once, and again when they stop again', async () => {
  const plan = await writePlan(file('idle'), planOf('idle'));
  const results = new WindowResults(file('idle'), plan);
  const windows: WindowBounds[] = [60, 120].map((after) => ({ from: since + after, seconds: 60 }));
  let asked = 0;
  const idles: number[] = [];
  const queue = {
    add: async () => undefined,
    pending: async () => {
      asked += 1;
      return windows.length;
    },
    taken: async () => 0,
    obstacles: async () => ({ isPaused: false, foreign: 0 }),
  };
  const { signal } = new AbortController();
  const coordinator = coordinateWindows(windows, queue, results, {
    signal,
    refillMs: 1,
    onIdle: () => idles.push(asked),
  });
  await until(() => asked >= 40);
  expect(idles).toHaveLength(1);
  await results.write(windows[0]!, nothing);
  const seen = asked;
  await until(() => asked >= seen + 40);
  await coordinator.close();
  expect(idles).toHaveLength(2);
});

describe('an audit whose windows no worker has taken', () => {
  const windows: WindowBounds[] = [60, 120].map((after) => ({ from: since + after, seconds: 60 }));

  /** What is said of workers, after so many comparisons with what stands on the queue, and of them `taken` at each. */
  async function saidOf(name: string, comparisons: number, takenAt: (comparison: number) => number) {
    const results = new WindowResults(file(name), await writePlan(file(name), planOf(name)));
    let asked = 0;
    const said: [boolean, number][] = [];
    const pending = async () => {
      asked += 1;
      return windows.length;
    };
    const obstacles = async () => ({ isPaused: false, foreign: 0 });
    const taken = async () => takenAt(asked);
    const queue = { add: async () => undefined, pending, taken, obstacles };
    const { signal } = new AbortController();
    const onTaken = (isTaken: boolean) => said.push([isTaken, asked]);
    const coordinator = coordinateWindows(windows, queue, results, { signal, refillMs: 1, onTaken });
    await until(() => asked >= comparisons);
    await coordinator.close();
    return said;
  }

  it('says so from the second comparison on, once, and then that one has', async () => {
    expect(await saidOf('untaken', 9, (comparison) => Number(comparison >= 5))).toEqual([
      [false, 1],
      [true, 5],
    ]);
  });

  it('says nothing where workers take them at once', async () => {
    expect(await saidOf('taken', 9, () => 1)).toEqual([]);
  });
});

/** What judging a window without messages gives. */
const nothing = { rows: '', rowCount: 0, messages: 0, counts: {}, bad: [], badCount: 0 } as const;

describe('a plan', () => {
  it('has a queue of its own in each directory, and the same one when the audit comes back', async () => {
    const digest = await writePlan(file('one'), planOf('a'));
    expect(await writePlan(file('one'), planOf('a'))).toBe(digest);
    expect(await digestOfPlan(file('one'))).toBe(digest);
    expect(await writePlan(file('two'), planOf('a'))).not.toBe(digest);
  });

  it('takes no result of a worker that still follows the plan before it', async () => {
    const window: WindowBounds = { from: since, seconds: 60 };
    const old = new WindowResults(file('replaced'), await writePlan(file('replaced'), planOf('old')));
    const digest = await writePlan(file('replaced'), planOf('new'));
    await old.write(window, nothing);
    const results = new WindowResults(file('replaced'), digest);
    expect([await results.has(window), await results.read(window), [...(await results.names())]]).toEqual([
      false,
      undefined,
      [],
    ]);
    await results.write(window, nothing);
    expect(await results.read(window)).toEqual(nothing);
  });
});
