import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { UsageError } from '../../src/foundation/errors.js';
import { lockDirectory, lockName } from '../../src/foundation/files/directory-lock.js';
import { temporaryFolder } from '../support/folder.js';

const auditing = { verb: 'audit into', owner: 'audit' };
const root = temporaryFolder();
const fresh = () => mkdtemp(join(root, 'data-'));
const ownersOf = async (directory: string) =>
  (await readdir(join(directory, lockName))).map((name) => Number.parseInt(name, 10));
const uuid = '00000000-0000-4000-8000-000000000000';

/** The id of a process that runs until the test is finished. */
function running(): number {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child.pid!;
}

/** The id of a process that has ended. */
const dead = () => spawnSync(process.execPath, ['-e', '']).pid;

/**
 * The id of a process that has ended and that its parent does not collect, as in a container whose
 * first process is no `init`.
 */
async function zombie(): Promise<number> {
  const parent = spawn('sh', ['-c', 'sleep 0.1 & echo $!; exec sleep 1000'], { stdio: ['ignore', 'pipe', 'ignore'] });
  onTestFinished(() => void parent.kill('SIGKILL'));
  const [line] = await once(parent.stdout, 'data');
  const pid = Number(line);
  await expect.poll(() => readFile(`/proc/${pid}/stat`, 'utf8'), { timeout: 60_000 }).toMatch(/\) Z /);
  return pid;
}

it.runIf(existsSync('/proc/self/stat'))('a lock of a zombie is taken over', async () => {
  const directory = await fresh();
  const pid = await zombie();
  expect(process.kill(pid, 0)).toBe(true);
  await mkdir(join(directory, lockName, `${pid}-${uuid}`), { recursive: true });
  const lock = await lockDirectory(directory, auditing);
  expect(await ownersOf(directory)).toEqual([process.pid]);
  await lock.release();
});

describe('a directory that is locked', () => {
  it('is held from start to end, by its process', async () => {
    const directory = await fresh();
    const lock = await lockDirectory(directory, auditing);
    expect(await readdir(directory)).toEqual([lockName]);
    expect(await ownersOf(directory)).toEqual([process.pid]);
    await expect(lockDirectory(directory, auditing)).rejects.toThrow(UsageError);
    await lock.release();
    await lock.release();
    expect(await readdir(directory)).toEqual([]);
    await (await lockDirectory(directory, auditing)).release();
  });

  it('is refused to a second one, also by another name, and free when the first has let it go', async () => {
    const directory = await fresh();
    const other = join(root, 'other-name');
    await symlink(directory, other);
    const first = await lockDirectory(directory, auditing);
    for (const name of [directory, `${directory}/`, other]) {
      await expect(lockDirectory(name, auditing)).rejects.toThrow(
        `cannot audit into \`${name}\`: the audit of process ${process.pid} does so already; end it, choose another directory`,
      );
    }
    await first.release();
    await (await lockDirectory(other, auditing)).release();
  });

  it('is refused while another process has it, and that lock stays', async () => {
    const directory = await fresh();
    const path = join(directory, lockName);
    const owner = running();
    await mkdir(join(path, `${owner}-${uuid}`), { recursive: true });
    await expect(lockDirectory(directory, auditing)).rejects.toThrow(
      `or remove \`${path}\` if process ${owner} is not an audit`,
    );
    expect(await ownersOf(directory)).toEqual([owner]);
    expect(await readdir(directory)).toEqual([lockName]);
  });

  it.each<[string, () => number | undefined]>([
    ['of a dead process', dead],
    ['of a run before with the same process id, as in a container', () => process.pid],
    ['that is empty', () => undefined],
  ])('is taken over with a lock %s', async (_, owner) => {
    const directory = await fresh();
    const pid = owner();
    await mkdir(join(directory, lockName, ...(pid === undefined ? [] : [`${pid}-${uuid}`])), { recursive: true });
    const lock = await lockDirectory(directory, auditing);
    expect(await ownersOf(directory)).toEqual([process.pid]);
    await lock.release();
    expect(await readdir(directory)).toEqual([]);
  });

  it('is taken over from a process of another place once that is silent, and refused while it gives signs', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const directory = await fresh();
    const entry = join(directory, lockName, `12-${uuid}@abc`);
    await mkdir(entry, { recursive: true });
    await expect(lockDirectory(directory, auditing)).rejects.toThrow('or wait 30 s if it was killed');
    const waited: number[] = [];
    const onWait = ({ pid }: { readonly pid: number }) => {
      waited.push(pid);
      if (waited.length === 1) setTimeout(() => utimes(entry, new Date(), new Date()), 200);
      else setTimeout(() => vi.advanceTimersByTime(40_000), 200);
    };
    await expect(lockDirectory(directory, { ...auditing, onWait })).rejects.toThrow(
      'on another machine, does so already',
    );
    expect(await ownersOf(directory)).toEqual([12]);
    const lock = await lockDirectory(directory, { ...auditing, onWait });
    expect(waited).toEqual([12, 12]);
    await lock.release();
    // Silent for long, by the time of the file system: nobody waits.
    await mkdir(entry, { recursive: true });
    await utimes(entry, new Date(Date.now() - 31_000), new Date(Date.now() - 31_000));
    await (await lockDirectory(directory, auditing)).release();
    expect(await readdir(directory)).toEqual([]);
  });

  it('is lost by a process whose entry another one removed', async () => {
    const directory = await fresh();
    const lock = await lockDirectory(directory, auditing);
    expect(await lock.isHeld()).toBe(true);
    await rm(join(directory, lockName), { recursive: true });
    expect(await lock.isHeld()).toBe(false);
    await lock.release();
  });

  it('is freed of folders that killed processes left behind, and of nothing else', async () => {
    const directory = await fresh();
    const [killed, waiting] = [dead(), running()].map((pid) => `${lockName}.${pid}-${uuid}`) as [string, string];
    const others = [waiting, `${lockName}.old`, `${lockName}.1-2`, '.sluice', 'notes.txt'];
    await mkdir(join(directory, killed, killed.slice(lockName.length + 1)), { recursive: true });
    for (const name of others) await mkdir(join(directory, name));
    await (await lockDirectory(directory, auditing)).release();
    expect((await readdir(directory)).sort()).toEqual(others.sort());
  });

  it('is not taken when something else has the name of the lock, and that stays as it is', async () => {
    const directory = await fresh();
    await mkdir(join(directory, lockName, 'mine'), { recursive: true });
    await expect(lockDirectory(directory, auditing)).rejects.toThrow(
      `\`${join(directory, lockName)}\` is not a lock: it holds \`mine\`; remove it`,
    );
    expect(await readdir(directory, { recursive: true })).toEqual([lockName, join(lockName, 'mine')]);
  });

  it('goes to one of many that ask at once', async () => {
    const directory = await fresh();
    const asked = await Promise.allSettled(Array.from({ length: 20 }, () => lockDirectory(directory, auditing)));
    expect(asked.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  it('keeps the lock of whoever took it meanwhile', async () => {
    const directory = await fresh();
    const lock = await lockDirectory(directory, auditing);
    const owner = running();
    await rm(join(directory, lockName), { recursive: true });
    await mkdir(join(directory, lockName, `${owner}-${uuid}`), { recursive: true });
    await lock.release();
    expect(await ownersOf(directory)).toEqual([owner]);
  });
});
