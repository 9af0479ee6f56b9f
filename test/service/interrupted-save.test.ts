import { cp, mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { startService } from '../../src/platform/service/index.js';
import { save } from '../../src/platform/service/save.js';
import { isFull } from '../support/runs.js';
import { callerOf } from './call.js';
import { type InProcess, inProcess } from './in-process.js';
import { data } from './sample-data.js';

/** Calls of the file system that change something, counted; `failing` says which of them fail as on a full disk. */
const disk = vi.hoisted(() => ({ calls: 0, failing: (_call: number): boolean => false }));

vi.mock('node:fs/promises', async (importOriginal) => {
  const real = await importOriginal<typeof import('node:fs/promises')>();
  const counted =
    <Args extends unknown[], Result>(call: (...args: Args) => Promise<Result>) =>
    async (...args: Args): Promise<Result> => {
      disk.calls += 1;
      if (disk.failing(disk.calls)) {
        throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC', syscall: 'write' });
      }
      return call(...args);
    };
  const open: typeof real.open = async (path, flags, mode) => {
    const handle = await counted(real.open)(path, flags, mode);
    // Half of what was to be written stands there, as a full disk leaves it.
    const append = handle.appendFile.bind(handle);
    handle.appendFile = async (written, options) => {
      if (disk.failing(disk.calls + 1)) await append((written as string).slice(0, written.length >> 1), options);
      return counted(append)(written, options);
    };
    // Only that it is called, and when: the real one takes most of the time of this file.
    handle.sync = counted(async () => {});
    return handle;
  };
  const { mkdir, rename, rmdir, unlink } = real;
  return {
    ...real,
    open,
    mkdir: counted(mkdir),
    rename: counted(rename),
    rmdir: counted(rmdir),
    unlink: counted(unlink),
  };
});

let root: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'sluice-interrupted-'));
});
afterAll(() => rm(root, { recursive: true }));

const older = { ...data, groups: [], messages: data.messages.slice(0, 40), rules: [] };
const search = new URLSearchParams('limit=1000&count=true');
const answersOf = async (directory: string) => {
  const { run } = await inProcess(directory);
  return JSON.stringify([run('listMessages', { search }), run('listRules', { search: new URLSearchParams() })]);
};
const saveInto = async (directory: string, content: typeof data) => {
  const { rows, state } = await inProcess(content);
  await save(directory, rows, state);
};
const hidden = async (directory: string) => (await readdir(directory)).filter((name) => name.startsWith('.'));

/** Saves over a copy of older data while the disk fails; says what loading the directory gives then. */
async function interrupted(from: string, newer: InProcess, failing: (call: number) => boolean) {
  const directory = await mkdtemp(join(root, 'data-'));
  await cp(from, directory, { recursive: true });
  disk.calls = 0;
  disk.failing = failing;
  const outcome = await save(directory, newer.rows, newer.state).then(
    () => 'saved' as const,
    (error: Error) => error.message,
  );
  disk.failing = () => false;
  const { calls } = disk;
  return { directory, outcome, calls, left: await hidden(directory), answers: await answersOf(directory) };
}

describe('a save that fails', () => {
  it('at any call, or from any call on, leaves all the old data or all the new', async () => {
    const [from, directory] = [await mkdtemp(join(root, 'older-')), await mkdtemp(join(root, 'newer-'))];
    await saveInto(from, older);
    const before = await answersOf(from);
    const newer = await inProcess(data);
    await save(directory, newer.rows, newer.state);
    const after = await answersOf(directory);
    expect(after).not.toBe(before);

    const { calls: all, outcome } = await interrupted(from, newer, () => false);
    expect([outcome, all > 25]).toEqual(['saved', true]);
    const seen = new Set<string>();
    for (let failed = 1; failed <= all; failed += 1) {
      const ways = [(call: number) => call === failed, (call: number) => call >= failed];
      for (const failing of isFull || failed % 3 === 0 ? ways : ways.slice(0, 1)) {
        const { directory: at, answers, outcome: ended, left } = await interrupted(from, newer, failing);
        expect([before, after], `call ${failed}`).toContain(answers);
        if (ended === 'saved') expect(answers, `call ${failed}`).toBe(after);
        else expect(ended).toBe(`cannot save into \`${at}\`: no space left on the device`);
        // Nothing stays behind that another save could trip over; a dead process takes nothing away.
        if (failing(failed + 1) === false && answers === before) expect(left, `call ${failed}`).toEqual([]);
        if (left.includes('.sluice-saved') || failed % 8 === 1) {
          await save(at, newer.rows, newer.state);
          expect(await answersOf(at), `call ${failed}`).toBe(after);
          expect(await hidden(at)).toEqual([]);
        }
        seen.add(`${ended === 'saved'} ${answers === after}`);
      }
    }
    // The flush of a folder may fail after each file of it was written: it is flushed again before it counts.
    expect([...seen].sort()).toEqual(['false false', 'false true', 'true true']);
  });

  it('that was killed while it wrote leaves nothing that the next one does not take away', async () => {
    const directory = await mkdtemp(join(root, 'left-'));
    await saveInto(directory, older);
    await mkdir(join(directory, '.sluice-saving'));
    await writeFile(join(directory, '.sluice-saving', 'users.ndjson'), '{"uid":');
    const before = await answersOf(directory);
    expect(JSON.parse(before)[0].data).toHaveLength(40);
    await saveInto(directory, data);
    expect(await hidden(directory)).toEqual([]);
    expect(await answersOf(directory)).not.toBe(before);
  });

  it('that was killed while it moved files is finished by the next one, and read as whole before that', async () => {
    const [directory, newer] = [await mkdtemp(join(root, 'moved-')), await mkdtemp(join(root, 'whole-'))];
    await saveInto(directory, older);
    await saveInto(newer, data);
    await cp(newer, join(directory, '.sluice-saved'), { recursive: true });
    await rename(join(directory, '.sluice-saved', 'messages.ndjson'), join(directory, 'messages.ndjson'));
    expect(await answersOf(directory)).toBe(await answersOf(newer));
    await saveInto(directory, older);
    expect(await hidden(directory)).toEqual([]);
    expect(JSON.parse(await answersOf(directory))[0].data).toHaveLength(40);
  });

  it('that was killed is finished, or its files taken away, when the next service starts, and nothing else is', async () => {
    const directory = await mkdtemp(join(root, 'started-'));
    await saveInto(directory, older);
    const before = await answersOf(directory);
    await mkdir(join(directory, '.sluice-saving'));
    await writeFile(join(directory, '.sluice-saving', 'users.ndjson'), '{"uid":');
    await mkdir(join(directory, '.sluice-saved'));
    await rename(join(directory, 'messages.ndjson'), join(directory, '.sluice-saved', 'messages.ndjson'));
    const others = ['.saving', 'messages.ndjson.tmp', '.users.ndjson.1234.tmp'];
    for (const name of others) await writeFile(join(directory, name), 'precious');
    const service = await startService({ data: directory, save: directory });
    expect((await hidden(directory)).sort()).toEqual(['.saving', '.sluice.lock', '.users.ndjson.1234.tmp']);
    await service.close();
    expect(await readdir(directory)).toEqual(expect.arrayContaining(others));
    expect(await answersOf(directory)).toBe(before);
  });

  it('is told by `close`', async () => {
    const directory = await mkdtemp(join(root, 'closed-'));
    await saveInto(directory, older);
    const before = await answersOf(directory);
    const service = await startService({ data, save: directory });
    await callerOf(service)('/users/alice');
    disk.failing = () => true;
    await expect(service.close()).rejects.toThrow('no space left on the device');
    disk.failing = () => false;
    expect(await answersOf(directory)).toBe(before);
  });
});
