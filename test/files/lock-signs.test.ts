import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { UsageError } from '../../src/foundation/errors.js';
import { type LockingProcess, lockDirectory, lockName } from '../../src/foundation/files/directory-lock.js';
import { giveSign, lastSign, signEveryMs, signName, silentMs } from '../../src/foundation/files/sign-of-life.js';
import { temporaryFolder } from '../support/folder.js';

/** Locks of processes whose ids mean nothing here: of another container, or of another machine. */

const root = temporaryFolder();
const fresh = () => mkdtemp(join(root, 'data-'));

const [here, there] = ['aaaaaaaaaaaa', 'bbbbbbbbbbbb'];
const uuid = '00000000-0000-4000-8000-000000000000';
const entryOf = (directory: string, place = there) => join(directory, lockName, `1-${uuid}@${place}`);

/** A process of a container: always the first there. `tick` lets its timers go off, `asleep` is called in the place of waiting. */
function processOf(place: string, asleep: (ms: number) => Promise<void> = async () => {}) {
  const ticks = new Set<() => void>();
  const self: LockingProcess = {
    ...{ pid: 1, place, held: new Set(), isRunning: () => true },
    every: (ms, tick) => {
      expect(ms).toBe(signEveryMs);
      ticks.add(tick);
      return () => ticks.delete(tick);
    },
    sleep: (ms, signal) => {
      signal?.throwIfAborted();
      return asleep(ms);
    },
  };
  return { self, ticks };
}

/** Sets the time of the last sign so many milliseconds back from a time of the file system. */
async function age(entry: string, ms: number, from?: number): Promise<void> {
  const at = ((from ?? (await lastSign(entry))!) - ms) / 1000;
  await utimes(join(entry, signName), at, at);
}

async function locked(directory: string, silentForMs: number): Promise<string> {
  const entry = entryOf(directory);
  await mkdir(entry, { recursive: true });
  await writeFile(join(entry, signName), '.');
  await age(entry, silentForMs);
  return entry;
}

const auditing = { verb: 'audit into', owner: 'audit' };

describe('a lock of a process of the same id in another container', () => {
  it('is refused while that gives signs of life, with what to do', async () => {
    const directory = await fresh();
    await locked(directory, 0);
    const locking = lockDirectory(directory, auditing, processOf(here).self);
    await expect(locking).rejects.toThrow(UsageError);
    await expect(locking).rejects.toThrow(
      `cannot audit into \`${directory}\`: the audit of process 1 in another container, or on another machine, does so already`,
    );
    await expect(locking).rejects.toThrow('or wait 30 s if it was killed');
    expect(await readdir(directory)).toEqual([lockName]);
  });

  it('is taken over at once when that has long been silent, by the time of the file system', async () => {
    const directory = await fresh();
    await locked(directory, silentMs + 1_000);
    const lock = await lockDirectory(directory, auditing, processOf(here).self);
    expect(await lock.isHeld()).toBe(true);
    await lock.release();
    expect(await readdir(directory)).toEqual([]);
  });

  it.each([
    ['was killed, and is silent until then', 30, async () => {}],
    ['lets it go', 3, (directory: string) => rm(join(directory, lockName), { recursive: true })],
    ['has an entry that is half taken away', 3, (directory: string) => rm(join(entryOf(directory), signName))],
  ] as const)('is waited for, and had when its process %s', async (_, sleeps, happens) => {
    const directory = await fresh();
    await locked(directory, 0);
    const waits: unknown[] = [];
    let slept = 0;
    const { self } = processOf(here, async (ms) => {
      slept += ms;
      if (slept === 3_000) await happens(directory);
      if (slept === 3_000 && sleeps === 3) await rm(entryOf(directory), { recursive: true, force: true });
    });
    const lock = await lockDirectory(directory, { ...auditing, onWait: (holder) => waits.push(holder) }, self);
    expect([waits, slept]).toEqual([[{ pid: 1, atMostMs: silentMs }], sleeps * 1_000]);
    expect(await lock.isHeld()).toBe(true);
    await lock.release();
  });

  it('is waited for until that gives a sign of life, and refused then', async () => {
    const directory = await fresh();
    const entry = await locked(directory, 5_000);
    let slept = 0;
    const { self } = processOf(here, async (ms) => {
      slept += ms;
      if (slept === 4_000) await giveSign(entry);
    });
    const locking = lockDirectory(directory, { ...auditing, onWait: () => {} }, self);
    await expect(locking).rejects.toThrow('in another container, or on another machine, does so already');
    expect([slept, await readdir(directory)]).toEqual([4_000, [lockName]]);
  });

  it('is waited for no longer than the run that waits', async () => {
    const directory = await fresh();
    await locked(directory, 0);
    const signal = AbortSignal.abort(new Error('interrupted'));
    const locking = lockDirectory(directory, { ...auditing, onWait: () => {}, signal }, processOf(here).self);
    await expect(locking).rejects.toThrow('interrupted');
    expect(await readdir(directory)).toEqual([lockName]);
  });

  it('goes on being had by signs of life that its owner gives, and shows it when it was taken over', async () => {
    const directory = await fresh();
    const first = processOf(there);
    const lock = await lockDirectory(directory, auditing, first.self);
    const [name] = await readdir(join(directory, lockName));
    const entry = join(directory, lockName, name!);
    await age(entry, silentMs + 1_000);
    const before = await lastSign(entry);
    for (const tick of first.ticks) tick();
    while ((await lastSign(entry)) === before) await new Promise((resolve) => setImmediate(resolve));
    await expect(lockDirectory(directory, auditing, processOf(here).self)).rejects.toThrow('does so already');

    // Stopped for a while: its timers do not go off.
    await age(entry, silentMs + 1_000);
    const other = await lockDirectory(directory, auditing, processOf(here).self);
    onTestFinished(() => other.release());
    expect([await lock.isHeld(), await other.isHeld()]).toEqual([false, true]);
    // It wakes up, and brings nothing back.
    for (const tick of first.ticks) tick();
    await lock.release();
    expect(first.ticks.size).toBe(0);
    expect([await readdir(directory), await other.isHeld()]).toEqual([[lockName], true]);
  });
});

describe('a lock of a process of the same id in the same place', () => {
  it('is that of a run before, as in a container that was started again, and is taken over at once', async () => {
    const directory = await fresh();
    await mkdir(entryOf(directory, here), { recursive: true });
    await writeFile(join(entryOf(directory, here), signName), '.');
    await (await lockDirectory(directory, auditing, processOf(here).self)).release();
    expect(await readdir(directory)).toEqual([]);
  });
});

it('folders of others who want the lock stay until they are silent', async () => {
  const directory = await fresh();
  const [waiting, killed] = [`1-${uuid}@${there}`, `2-${uuid}@${there}`];
  for (const owner of [waiting, killed]) {
    await mkdir(join(directory, `${lockName}.${owner}`, owner), { recursive: true });
    await writeFile(join(directory, `${lockName}.${owner}`, owner, signName), '.');
  }
  await age(join(directory, `${lockName}.${killed}`, killed), silentMs + 1_000);
  await (await lockDirectory(directory, auditing, processOf(here).self)).release();
  expect(await readdir(directory)).toEqual([`${lockName}.${waiting}`]);
});
