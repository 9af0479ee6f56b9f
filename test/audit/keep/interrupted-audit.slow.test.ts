import { cp, mkdtemp, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { AuditDirectory } from '../../../src/audit/keep/audit-directory.js';
import { UsageError } from '../../../src/foundation/errors.js';
import { treeOf } from '../../support/file-tree.js';
import { temporaryFolder } from '../../support/folder.js';

/**
 * An audit that is kept while its process is killed, its machine loses power, or its disk is full,
 * at every single write.
 */

const full = process.env.SLUICE_FULL === '1';

/**
 * Calls of the file system that change something, counted; from the call `last` on, none has an
 * effect.
 */
const disk = vi.hoisted(() => ({
  calls: 0,
  last: Number.POSITIVE_INFINITY,
  code: 'KILLED',
  /** How much of each file that grows was synced. */
  synced: new Map<string, number>(),
}));

vi.mock('node:fs/promises', async (importOriginal) => {
  const real = await importOriginal<typeof import('node:fs/promises')>();
  const counted =
    <Args extends unknown[], Result>(call: (...args: Args) => Promise<Result>) =>
    async (...args: Args): Promise<Result> => {
      disk.calls += 1;
      if (disk.calls < disk.last) return call(...args);
      throw Object.assign(new Error(disk.code), { code: disk.code, syscall: 'write' });
    };
  const open: typeof real.open = async (path, flags, mode) => {
    const handle = await counted(real.open)(path, flags, mode);
    const append = handle.appendFile.bind(handle);
    const cut = handle.truncate.bind(handle);
    handle.appendFile = async (written, options) => {
      // Half of what was to be written stands there.
      if (disk.calls + 1 === disk.last) await append((written as string).slice(0, written.length >> 1), options);
      return counted(append)(written, options);
    };
    handle.truncate = counted(async (length) => {
      await cut(length);
      disk.synced.set(String(path), length ?? 0);
    });
    handle.datasync = counted(async () => {
      disk.synced.set(String(path), (await handle.stat()).size);
    });
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

const root = temporaryFolder();

const decision = { verdict: 'allow', matched: [], unevaluated: [], actions: [], revision: 'r' };
const shardsOf = (all: boolean) =>
  [3, 0, 1, 40].map((rowCount, index) => ({
    rows: `${JSON.stringify({ messageId: `${all}-${index}`, sentAt: null, decision })}\n`.repeat(rowCount),
    ...{ rowCount, messages: 50, leftOut: 1, undated: 0, counts: {} },
    ...{ bad: [{ line: index + 1, reason: 'x' }], badCount: 1 },
  }));
const inputs = { version: '1', rules: 'a', engine: 'b', source: 'c', all: false } as const;

/** Audits into a directory, from wherever an earlier attempt stopped. */
async function audit(at: string, what: { readonly all?: boolean; readonly force?: boolean } = {}): Promise<void> {
  const { all = false, force = false } = what;
  const directory = await AuditDirectory.take(at, 'report.html');
  try {
    await directory.begin({ inputs: { ...inputs, all, format: 'csv', onBadRow: 'stop' }, force, counts: {} });
    if (directory.results !== undefined) return;
    const next = (directory.kept.position as number | undefined) ?? 0;
    for (const [index, shard] of shardsOf(all).entries()) if (index >= next) await directory.add(shard, index + 1);
    const summary = { all, kept: directory.kept.messages };
    await directory.finish({ summary }, undefined);
  } finally {
    await directory.close();
  }
}

/** Takes back what a machine that loses power has not synced. */
async function losePower(): Promise<void> {
  for (const [path, length] of disk.synced) await truncate(path, length).catch(() => undefined);
}

/**
 * Audits while nothing can be written from a call on, then once more. Says whether the first
 * attempt failed.
 */
async function interrupted(at: string, last: number, way: Way, force: boolean): Promise<boolean> {
  // The state is written behind some blocks and not behind others.
  let now = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => (now += 400));
  Object.assign(disk, { calls: 0, last, code: way === 'a full disk' ? 'ENOSPC' : 'KILLED' });
  disk.synced.clear();
  const error: unknown = await audit(at, { force }).catch((reason: unknown) => reason);
  disk.last = Number.POSITIVE_INFINITY;
  if (way === 'a machine without power' && error !== undefined) await losePower();
  if (way === 'a full disk' && error !== undefined) expect(error).toBeInstanceOf(UsageError);
  return error !== undefined;
}

const ways = ['a killed process', 'a machine without power', 'a full disk'] as const;
type Way = (typeof ways)[number];

describe.each(ways)('an audit that %s interrupts at any write', (way) => {
  it('goes on, and ends with the files of one that was not interrupted', async () => {
    const whole = await mkdtemp(join(root, 'whole-'));
    await audit(whole);
    const expected = await treeOf(whole);
    expect([...expected.keys()]).toContain('matches-0001.csv');
    let calls = 0;
    for (let last = 1; ; last += full || way === 'a killed process' ? 1 : 4) {
      const at = await mkdtemp(join(root, 'out-'));
      if (!(await interrupted(at, last, way, false))) break;
      calls = last;
      // A second time, somewhere in what was left.
      if (full || last % 4 === 0) await interrupted(at, 1 + ((last * 7) % 40), way, false);
      await audit(at);
      expect(await treeOf(at), `call ${last}`).toEqual(expected);
    }
    expect(calls).toBeGreaterThan(40);
  });

  it('leaves the results of an earlier one until there are new ones', async () => {
    const [older, whole] = [await mkdtemp(join(root, 'older-')), await mkdtemp(join(root, 'whole-'))];
    await audit(older, { all: true });
    await audit(whole);
    const [before, expected] = [await treeOf(older), await treeOf(whole)];
    const seen = new Set<string>();
    for (let last = 1; ; last += full ? 1 : 4) {
      const at = await mkdtemp(join(root, 'again-'));
      await cp(older, at, { recursive: true });
      const isKept = await interrupted(at, last, way, true);
      const tree = await treeOf(at);
      const is = (name: string, of: ReadonlyMap<string, string>) => tree.get(name) === of.get(name);
      if (is('manifest.json', before))
        for (const name of ['decisions.ndjson', 'summary.json']) expect(is(name, before)).toBe(true);
      // Rows and summary are those of one audit, or the old ones are about to be removed.
      if (tree.has('decisions.ndjson') && tree.has('summary.json') && !tree.get('manifest.json')!.includes('"old"'))
        expect(is('summary.json', before)).toBe(is('decisions.ndjson', before));
      seen.add(is('manifest.json', before) ? 'old' : is('manifest.json', expected) ? 'new' : 'begun');
      await audit(at).catch(() => audit(at, { force: true }));
      expect(await treeOf(at), `call ${last}`).toEqual(expected);
      if (!isKept) break;
    }
    expect([...seen].sort()).toEqual(['begun', 'new', 'old']);
  });
});
