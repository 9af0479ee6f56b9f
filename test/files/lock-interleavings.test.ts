import { AsyncLocalStorage } from 'node:async_hooks';
import { mkdir, mkdtemp, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { UsageError } from '../../src/foundation/errors.js';
import { lockDirectory, lockName } from '../../src/foundation/files/directory-lock.js';
import { temporaryFolder } from '../support/folder.js';
import { isFull, runs } from '../support/runs.js';

/** Calls of the file system, each of which waits for its turn. */
const disk = vi.hoisted(() => ({ turn: (_call: string): Promise<void> => Promise.resolve() }));

vi.mock('node:fs/promises', async (importOriginal) => {
  const real = await importOriginal<typeof import('node:fs/promises')>();
  const inTurn =
    <Args extends unknown[], Result>(name: string, call: (...args: Args) => Promise<Result>) =>
    async (...args: Args): Promise<Result> => {
      await disk.turn(name);
      return call(...args);
    };
  const { lstat, mkdir, open, readdir, readFile, rename, rmdir, unlink, writeFile } = real;
  const calls = { lstat, mkdir, open, readdir, readFile, rename, rmdir, unlink, writeFile } as unknown as Record<
    string,
    never
  >;
  const turned = Object.entries(calls).map(([name, call]) => [name, inTurn(name, call)]);
  return { ...real, ...Object.fromEntries(turned) };
});

const root = temporaryFolder();

const uuid = '00000000-0000-4000-8000-000000000000';
const dead = 999;
/** What a killed process may have left. */
const leftovers: Readonly<Record<string, (directory: string) => Promise<unknown>>> = {
  nothing: async () => {},
  'its lock': (directory) => mkdir(join(directory, lockName, `${dead}-${uuid}`), { recursive: true }),
  'its lock, half taken away': (directory) => mkdir(join(directory, lockName)),
  'a folder that was to be its lock': (directory) =>
    mkdir(join(directory, `${lockName}.${dead}-${uuid}`, `${dead}-${uuid}`), { recursive: true }),
  'a lock that is a file': (directory) => writeFile(join(directory, lockName), `${dead}\n`),
};

/**
 * Processes that lock a directory at once, one call of the file system at a time: `order` says whose is next. Each lets the lock go
 * again in its turn. One that is to be killed stops for good before the call of that number, and runs no more for the others.
 */
async function interleaved(
  directory: string,
  order: readonly number[],
  kills: readonly (number | undefined)[],
  places: readonly string[] = ['0a'],
) {
  const running = new Set(kills.keys());
  const waiting = new Map<number, () => void>();
  const holding = new Set<number>();
  const outcomes: string[] = [];
  const calls = kills.map(() => 0);
  let arrived = (): void => {};
  const self = new AsyncLocalStorage<number>();
  const turn = () =>
    new Promise<void>((go) => {
      waiting.set(self.getStore()!, go);
      arrived();
    });
  disk.turn = turn;
  /** Lets one process run until its next call, or to its end. */
  const run = (go: () => void) =>
    new Promise<void>((resolve) => {
      arrived = resolve;
      go();
    });
  const contend = async (index: number): Promise<void> => {
    try {
      const isRunning = (pid: number) => running.has(pid - 1);
      const lock = await lockDirectory(
        directory,
        { verb: 'audit into', owner: 'audit' },
        {
          ...{ pid: index + 1, place: places[index % places.length]!, held: new Set(), isRunning },
          ...{ every: () => () => {}, sleep: async () => {} },
        },
      );
      holding.add(index);
      expect([...holding].filter((holder) => running.has(holder))).toEqual([index]);
      outcomes.push('held');
      await turn();
      holding.delete(index);
      await lock.release();
    } catch (error) {
      outcomes.push(error instanceof UsageError ? 'refused' : String(error));
    }
    running.delete(index);
    arrived();
  };
  for (const index of kills.keys()) await run(() => void self.run(index, () => contend(index)));
  for (let step = 0; waiting.size > 0; step += 1) {
    const turns = [...waiting.keys()].sort();
    const index = turns[order[step % order.length]! % turns.length]!;
    const go = waiting.get(index)!;
    waiting.delete(index);
    calls[index]! += 1;
    if (calls[index] === kills[index]) running.delete(index);
    else await run(go);
  }
  disk.turn = () => Promise.resolve();
  return outcomes;
}

describe('processes that lock a directory at once', () => {
  /** In bursts: between two calls of one process, another one may make all of its own. */
  const burst = fc.tuple(fc.nat(11), fc.integer({ min: 1, max: 8 }));
  const order = fc
    .array(burst, { minLength: 1, maxLength: 20 })
    .map((bursts) => bursts.flatMap(([index, length]) => Array.from({ length }, () => index)));

  const inOrder = async (leave: (directory: string) => Promise<unknown>, turns: readonly number[], count: number) => {
    const directory = await mkdtemp(join(root, 'data-'));
    await leave(directory);
    const outcomes = await interleaved(
      directory,
      turns,
      Array.from({ length: count }, () => undefined),
    );
    expect(outcomes).toHaveLength(count);
    expect(outcomes).toContain('held');
    expect(outcomes.filter((outcome) => !['held', 'refused'].includes(outcome))).toEqual([]);
    expect(await readdir(directory)).toEqual([]);
  };

  describe.each(Object.entries(leftovers))('beside %s', (_, leave) => {
    it('one at a time has it, wherever one pauses while the other goes on, and wherever that one pauses then', async () => {
      const times = (index: number, count: number) => Array.from({ length: count }, () => index);
      for (let first = 1; first <= 8; first += isFull ? 1 : 2) {
        for (let second = 1; second <= 8; second += isFull ? 1 : 2) {
          await inOrder(leave, [...times(0, first), ...times(1, second), ...times(0, 100)], 2);
        }
      }
    });

    it('one at a time has it, in any order of their calls', async () => {
      const property = fc.asyncProperty(order, fc.integer({ min: 2, max: 4 }), (turns, count) =>
        inOrder(leave, turns, count),
      );
      await fc.assert(property, { numRuns: runs(5, 400) });
    });
  });

  it('one at a time has it, in any order of their calls, where ids of processes mean something else to each', async () => {
    const property = fc.asyncProperty(order, fc.integer({ min: 2, max: 4 }), async (turns, count) => {
      const directory = await mkdtemp(join(root, 'data-'));
      const kills = Array.from({ length: count }, () => undefined);
      const outcomes = await interleaved(directory, turns, kills, ['0a', '0b', '0c']);
      expect(outcomes).toHaveLength(count);
      expect(outcomes).toContain('held');
      expect(outcomes.filter((outcome) => !['held', 'refused'].includes(outcome))).toEqual([]);
      expect(await readdir(directory)).toEqual([]);
    });
    await fc.assert(property, { numRuns: runs(10, 400) });
  });

  it('one at a time has it, whichever of them are killed and when, and the next one finds it free', async () => {
    const kill = fc.option(fc.integer({ min: 1, max: 14 }), { nil: undefined });
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...Object.values(leftovers)),
        order,
        fc.array(kill, { minLength: 2, maxLength: 4 }),
        async (leave, turns, kills) => {
          const directory = await mkdtemp(join(root, 'data-'));
          await leave(directory);
          const outcomes = await interleaved(directory, turns, kills);
          expect(outcomes.filter((outcome) => !['held', 'refused'].includes(outcome))).toEqual([]);
          expect(await interleaved(directory, [0], [undefined])).toEqual(['held']);
          expect(await readdir(directory)).toEqual([]);
        },
      ),
      { numRuns: runs(12, 1_000) },
    );
  });
});
