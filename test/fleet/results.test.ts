import { mkdir, mkdtemp, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSummary } from '../../src/audit/count/summary.js';
import { Parts } from '../../src/audit/keep/parts.js';
import { UsageError } from '../../src/errors.js';
import { readPlan, writePlan } from '../../src/fleet/plan.js';
import { WindowResults } from '../../src/fleet/results.js';
import type { WindowBounds } from '../../src/fleet/windows.js';
import { treeOf } from '../support/file-tree.js';

/** What workers judged, beside what disks make of it and what others put there (P19, P32). */

let root: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'sluice-windows-'));
});
afterAll(() => rm(root, { recursive: true }));

const plan = 'aaaaaaaaaaaaaaaaaaaaaaaa';
const [window, next]: readonly [WindowBounds, WindowBounds] = [
  { from: 1_772_323_200, seconds: 60 },
  { from: 1_772_323_260, seconds: 60 },
];
const judged = {
  ...{
    rows: '{"messageId":"1"}\n{"messageId":"2"}\n',
    rowCount: 2,
    messages: 2,
    counts: { summary: createSummary().toJSON() },
  },
  ...({ bad: [], badCount: 0 } as const),
};

async function begin() {
  const directory = await mkdtemp(join(root, 'out-'));
  await mkdir(join(directory, 'parts', 'windows'), { recursive: true });
  const results = new WindowResults(directory, plan);
  await results.write(window, judged);
  const [name] = await readdir(join(directory, 'parts', 'windows'));
  return { directory, results, path: join(directory, 'parts', 'windows', name!) };
}

describe('the result of a window', () => {
  it('comes back as it was written', async () => {
    const { results } = await begin();
    expect(await results.read(window)).toEqual(judged);
    expect([...(await results.names())]).toEqual(['1772323200-60']);
  });

  it('is none with one byte changed, and is taken away to be judged again', async () => {
    const { results, path } = await begin();
    const bytes = await readFile(path);
    for (let at = 0; at < bytes.length; at += 5) {
      const damaged = Buffer.from(bytes);
      damaged[at] = damaged[at]! ^ 1;
      await writeFile(path, damaged);
      expect(await results.read(window), `byte ${at}`).toBe(undefined);
      expect([await results.has(window), (await results.names()).size], `byte ${at}`).toEqual([false, 0]);
    }
    for (const cut of ['', bytes.subarray(0, -1), Buffer.concat([bytes, bytes])]) {
      await writeFile(path, cut);
      expect(await results.read(window)).toBe(undefined);
    }
    await results.write(window, judged);
    expect(await results.read(window)).toEqual(judged);
  });

  it('of another window, or of another plan, is none', async () => {
    const { directory, results, path } = await begin();
    await rename(path, path.replace(String(window.from), String(next.from)));
    expect([await results.has(next), await results.read(next), await results.has(next)]).toEqual([
      true,
      undefined,
      false,
    ]);
    await results.write(window, judged);
    const other = 'bbbbbbbbbbbbbbbbbbbbbbbb';
    await rename(path, path.replace(plan, other));
    expect(await new WindowResults(directory, other).read(window)).toBe(undefined);
  });
});

describe('a link', () => {
  const outsideOf = async () => {
    const outside = await mkdtemp(join(root, 'outside-'));
    for (const name of ['plan.json', '00000001.part', `${window.from}-${window.seconds}.${plan}.judged`])
      await writeFile(join(outside, name), 'precious');
    return outside;
  };

  it.each(['parts', 'parts/windows'])('in the place of %s is not followed', async (name) => {
    const { directory, results } = await begin();
    const outside = await outsideOf();
    await rm(join(directory, name), { recursive: true });
    await mkdir(join(outside, 'windows'));
    await symlink(outside, join(directory, name));
    const before = await treeOf(outside);
    const work = [
      () => results.names(),
      () => results.read(window),
      () => results.write(window, judged),
      () => readPlan(directory),
      () => writePlan(directory, { options: { scores: new Map() } } as never),
      () => new Parts(directory).remove(),
    ];
    for (const one of work) await expect(one()).rejects.toThrow(UsageError);
    expect(await treeOf(outside)).toEqual(before);
  });

  it('in the place of a result or a plan is not followed', async () => {
    const { directory, results, path } = await begin();
    const outside = await outsideOf();
    await rm(path);
    await symlink(join(outside, 'plan.json'), path);
    await symlink(join(outside, 'none.json'), join(dirname(path), 'plan.json'));
    const before = await treeOf(outside);
    for (const one of [
      () => results.has(window),
      () => results.read(window),
      () => results.write(window, judged),
      () => readPlan(directory),
      () => writePlan(directory, { options: { scores: new Map() } } as never),
    ])
      await expect(one()).rejects.toThrow('is a link, in the place of a file');
    await results.remove(window);
    await new Parts(directory).remove();
    expect(await treeOf(outside)).toEqual(before);
    expect((await readdir(dirname(path))).sort()).toEqual([path.slice(dirname(path).length + 1), 'plan.json']);
  });
});
