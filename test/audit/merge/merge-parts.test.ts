import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AuditDirectory } from '../../../src/audit/keep/audit-directory.js';
import { readFinishedPart } from '../../../src/audit/merge/finished-part.js';
import { type FinishedParts, mergedInputs, mergeParts } from '../../../src/audit/merge/merge-parts.js';
import { sluice } from '../../cli/terminal.js';
import { messages, world } from '../../cli/world.js';

let directory: string;
let parts: FinishedParts;
const file = (...names: string[]) => join(directory, ...names);

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sluice-parts-'));
  const { rules, lists } = world(0);
  await writeFile(file('rules.json'), JSON.stringify({ rules, lists }));
  const lines = messages(6_100).map((row) => `${JSON.stringify(row)}\n`);
  // The rows of the second part are of two blocks, those of the others of one and none.
  for (const [name, from, to] of [
    ['a', 0, 300],
    ['b', 300, 6_000],
    ['c', 6_000, 6_000],
    ['d', 6_000, 6_100],
  ] as const) {
    await writeFile(file(`${name}.ndjson`), lines.slice(from, to).join(''));
    const args = [
      '--rules',
      file('rules.json'),
      '--messages',
      file(`${name}.ndjson`),
      '--allow-empty',
      '--all',
      '--out',
      file(name),
    ];
    await sluice(['audit', ...args, '--quiet']);
  }
  const read = await Promise.all(['a', 'b', 'c', 'd'].map((name) => readFinishedPart(file(name))));
  parts = read as unknown as FinishedParts;
  const { code } = await sluice(['merge', ...read.map((part) => part.directory), '--out', file('whole'), '--quiet']);
  expect(code).toBe(0);
});
afterAll(() => rm(directory, { recursive: true }));

describe('mergeParts', () => {
  it.each([1, 2, 3, 4, 5, 6, 7, 8])('goes on with the same bytes when it was stopped behind step %i', async (stop) => {
    const name = `stopped-${stop}`;
    const kept = await AuditDirectory.take(file(name), { kind: 'audit' });
    const counts = parts[0].kept.options;
    await kept.begin({ inputs: mergedInputs(parts, { report: undefined }), force: false, counts });
    const stopped = new Error('stopped');
    let step = 0;
    const add: AuditDirectory['add'] = async (...judged) => {
      await kept.add(...judged);
      step += 1;
      if (step === stop) throw stopped;
    };
    const stopping = new Proxy(kept, {
      get: (own, field) => (field === 'add' ? add : Reflect.get(own, field, own)),
    });
    const options = { signal: new AbortController().signal, onProgress: () => undefined };
    await expect(mergeParts(parts, stopping, options)).rejects.toBe(stopped);
    await kept.close();
    const { code } = await sluice([
      'merge',
      ...['a', 'b', 'c', 'd'].map((part) => file(part)),
      '--out',
      file(name),
      '--quiet',
    ]);
    expect(code).toBe(0);
    const names = await readdir(file('whole'));
    expect((await readdir(file(name))).sort()).toEqual(names.sort());
    for (const one of names)
      expect(await readFile(file(name, one), 'utf8')).toBe(await readFile(file('whole', one), 'utf8'));
  });

  it('ends by its signal', async () => {
    const kept = await AuditDirectory.take(file('aborted'), { kind: 'audit' });
    await kept.begin({ inputs: mergedInputs(parts, { report: undefined }), force: false, counts: {} });
    const signal = AbortSignal.abort(new Error('interrupted'));
    await expect(mergeParts(parts, kept, { signal, onProgress: () => undefined })).rejects.toThrow('interrupted');
    await kept.close();
  });
});
