import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
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

/** The id of a process that has ended and of which its parent takes no note, as those of a container whose first process is no `init`. */
async function zombie(): Promise<number> {
  const parent = spawn('sh', ['-c', 'sleep 0 & echo $!; exec sleep 1000'], { stdio: ['ignore', 'pipe', 'ignore'] });
  onTestFinished(() => void parent.kill('SIGKILL'));
  const [line] = await once(parent.stdout, 'data');
  const pid = Number(line);
  await expect.poll(() => readFile(`/proc/${pid}/stat`, 'utf8')).toMatch(/\) Z /);
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

  it.each(['a folder', 'a file'])('is refused while another process has it, and that lock stays: %s', async (form) => {
    const directory = await fresh();
    const path = join(directory, lockName);
    const owner = running();
    if (form === 'a folder') await mkdir(join(path, `${owner}-${uuid}`), { recursive: true });
    else await writeFile(path, `${owner}\n`);
    await expect(lockDirectory(directory, auditing)).rejects.toThrow(
      `or remove \`${path}\` if process ${owner} is not an audit`,
    );
    if (form === 'a folder') expect(await ownersOf(directory)).toEqual([owner]);
    else expect(await readFile(path, 'utf8')).toBe(`${owner}\n`);
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

  it.each<[string, () => string]>([
    ['of a dead process', () => `${dead()}\n`],
    ['of a run before with the same process id, as in a container', () => `${process.pid}\n`],
    ['that was never written', () => ''],
    ['that was cut off', () => '12'],
    ['of all processes', () => '0\n'],
  ])('is taken over with a file for a lock %s', async (_, content) => {
    const directory = await fresh();
    await writeFile(join(directory, lockName), content());
    const lock = await lockDirectory(directory, auditing);
    expect(await ownersOf(directory)).toEqual([process.pid]);
    await lock.release();
    expect(await readdir(directory)).toEqual([]);
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
