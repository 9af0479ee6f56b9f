import { cp, mkdir, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { treeOf } from '../support/file-tree.js';
import { temporaryFolder } from '../support/folder.js';
import { sluice } from './terminal.js';
import { messages, world } from './world.js';

/**
 * What stands in the directory of an audit and is not the audit's (P32): it stays as it is,
 * whatever the audit does.
 */

/** A shard, and the beginning of another one. */
const lines = messages(5_200).map((row) => `${JSON.stringify(row)}\n`);
const root = temporaryFolder();
let outside: string;

const file = (...names: readonly string[]) => join(root, ...names);
const args = (out: string, more: readonly string[]) => [
  ...['audit', '--rules', file('rules.json'), '--messages', '-', '--quiet', '--report', '--format', 'csv'],
  ...['--out', out, ...more],
];
const audit = (out: string, ...more: readonly string[]) => sluice(args(out, more), { stdin: [lines.join('')] });

beforeAll(async () => {
  outside = file('outside');
  const { rules, lists } = world();
  await writeFile(file('rules.json'), JSON.stringify({ rules, lists }));
  expect((await audit(file('finished'))).code).toBe(0);
  const controller = new AbortController();
  const stdin = (async function* () {
    yield lines.slice(0, 5_100).join('');
    controller.abort(new Error('interrupted'));
    yield '';
  })();
  expect((await sluice(args(file('stopped'), []), { stdin, interrupted: controller.signal })).code).toBe(130);
  // As it is when a process is killed: nothing was written beside the rows.
  await mkdir(file('killed'));
  for (const name of ['decisions.ndjson', 'manifest.json']) await cp(file('stopped', name), file('killed', name));
  await mkdir(file('new'));
});

/**
 * Ways to put something where we have a file or a folder. Each link leads out of the directory, to
 * what must stay as it is.
 */
const kinds = {
  'a link to a file': (path) => symlink(join(outside, 'precious.json'), path),
  'a link to a folder': (path) => symlink(outside, path),
  'a link to nothing': (path) => symlink(join(outside, 'new.json'), path),
  'a folder': async (path) => {
    await mkdir(path);
    await writeFile(join(path, 'notes.txt'), 'precious');
  },
  'a file': (path) => writeFile(path, 'precious'),
} satisfies Record<string, (path: string) => Promise<unknown>>;
type Kind = keyof typeof kinds;

const files = [
  'manifest.json',
  'summary.json',
  'decisions.ndjson',
  'report.html',
  'matches-0001.csv',
  'decisions-0007.csv',
];
const folders = ['.sluice.lock'];
const inFile = files.flatMap((name) => (Object.keys(kinds) as Kind[]).map((kind) => ({ name, kind })));
const inFolder = folders.flatMap((name) =>
  (Object.keys(kinds) as Kind[]).filter((kind) => kind !== 'a folder').map((kind) => ({ name, kind })),
);
let count = 0;

/**
 * Puts something into a copy of a directory and audits into it, says how that ends, and whether it
 * stayed as it was.
 */
async function disturbed(state: string, { name, kind }: { name: string; kind: Kind }, ...more: readonly string[]) {
  const out = file(`out-${++count}`);
  await cp(file(state), out, { recursive: true });
  await rm(outside, { recursive: true, force: true });
  await mkdir(outside);
  for (const own of ['precious.json', '1-unrelated']) await writeFile(join(outside, own), 'precious');
  await mkdir(dirname(join(out, name)), { recursive: true });
  await rm(join(out, name), { recursive: true, force: true });
  await kinds[kind](join(out, name));
  const before = [await treeOf(outside), [...(await treeOf(out))].filter(([path]) => path.startsWith(name))];
  const { code, stderr } = await audit(out, ...more);
  const after = [await treeOf(outside), [...(await treeOf(out))].filter(([path]) => path.startsWith(name))];
  return { out, code, stderr, before, after };
}

describe.each(['new', 'stopped', 'finished'])('in the directory of an audit that is %s', (state) => {
  const cases = [...inFile.filter(({ kind }) => kind !== 'a file'), ...inFolder];
  it.each(cases)('$kind called $name stays, also with --force, and is named', async ({ name, kind }) => {
    for (const more of [[], ['--force']]) {
      const { code, stderr, before, after } = await disturbed(state, { name, kind }, ...more);
      expect(after, more.join()).toEqual(before);
      expect([code, stderr], more.join()).toEqual([2, expect.stringContaining(`${name}\` is `)]);
    }
  });
});

describe('a file of somebody else', () => {
  it.each([
    ...inFile.filter(({ kind }) => kind === 'a file').map(({ name }) => ({ state: 'new', name })),
    ...['killed', 'stopped', 'finished'].map((state) => ({ state, name: 'manifest.json' })),
  ])(
    'called $name in a directory of an audit that is $state is refused, and replaced with --force',
    async ({ state, name }) => {
      const { code, stderr, before, after } = await disturbed(state, { name, kind: 'a file' });
      expect(after).toEqual(before);
      expect([code, stderr]).toEqual([2, expect.stringMatching(new RegExp(`/${name}(\`|:) .*--force`))]);
      const forced = await disturbed(state, { name, kind: 'a file' }, '--force');
      expect(forced.code).toBe(0);
      expect(await treeOf(forced.out)).toEqual(await treeOf(file('finished')));
    },
  );

  it('that an audit of the same messages would write beside its results is refused', async () => {
    const out = file('more');
    const plain = ['audit', '--rules', file('rules.json'), '--messages', '-', '--quiet', '--out', out];
    expect((await sluice(plain, { stdin: [lines.join('')] })).code).toBe(0);
    await writeFile(join(out, 'report.html'), 'precious');
    const before = await treeOf(out);
    const { code, stderr } = await audit(out);
    expect([code, stderr]).toEqual([2, expect.stringContaining('report.html` is not a file of the audit there')]);
    expect(await treeOf(out)).toEqual(before);
  });

  it.each(['new', 'killed', 'stopped', 'finished'])(
    'beside ours stays, and takes nothing from an audit that is %s',
    async (state) => {
      const out = file(`beside-${state}`);
      await cp(file(state), out, { recursive: true });
      // Among them what an earlier version kept.
      await mkdir(join(out, 'parts', 'folder'), { recursive: true });
      const others = [
        ...['notes.txt', 'matches.csv', 'decisions-0001.parquet', '.notes.tmp', 'journal.ndjson'],
        ...['parts/00000001.part'],
      ];
      for (const name of others) await writeFile(join(out, name), 'x');
      await symlink('/nowhere', join(out, 'parts', 'link'));
      expect((await audit(out)).code).toBe(0);
      const tree = await treeOf(out);
      for (const name of others) expect(tree.get(name), name).toBe('file: x');
      expect([tree.get('parts/link'), tree.get('parts/folder')]).toEqual(['link to /nowhere', 'folder']);
      for (const name of await readdir(file('finished')))
        expect(tree.get(name), name).toBe((await treeOf(file('finished'))).get(name));
    },
  );
});
