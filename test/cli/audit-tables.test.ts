import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/folder.js';
import { sluice } from './terminal.js';
import { messages, world } from './world.js';

const directory = temporaryFolder();
const file = (...names: readonly string[]) => join(directory, ...names);
const audit = (...args: readonly string[]) =>
  sluice(['audit', '--rules', file('rules.json'), '--messages', file('messages.ndjson'), ...args]);
const results = ['decisions.ndjson', 'manifest.json', 'summary.json'];
const tablesOf = (format: string) => ['decisions', 'matches', 'unevaluated'].map((name) => `${name}-0001.${format}`);

beforeAll(async () => {
  const { rules, lists } = world();
  await writeFile(file('rules.json'), JSON.stringify({ rules, lists }));
  const text = messages(300)
    .map((row) => `${JSON.stringify(row)}\n`)
    .join('');
  await writeFile(file('messages.ndjson'), text);
});

describe('audit --format', () => {
  it.each(['parquet', 'csv'])('%s: writes three tables, which the manifest names', async (format) => {
    const out = file(`written-${format}`);
    const { code, stdout } = await audit('--out', out, '--format', format);
    expect(code).toBe(0);
    expect((await readdir(out)).sort()).toEqual([...results, ...tablesOf(format)].sort());
    const manifest = JSON.parse(await readFile(join(out, 'manifest.json'), 'utf8'));
    expect(manifest.results.files.slice(-3)).toEqual(tablesOf(format));
    for (const name of tablesOf(format)) expect(stdout.replace(/\s/g, '')).toContain(join(out, name));
  });

  it.each([{ args: ['--all'] }, { args: ['--all', '--force'] }])(
    'takes the tables of the audit before away, and no other file, with $args',
    async ({ args }) => {
      const out = file(`other-${args.length}`);
      await audit('--out', out, '--format', 'parquet', '--quiet');
      await writeFile(join(out, 'matches.csv'), 'not of an audit');
      expect((await audit('--out', out, '--quiet', ...args)).code).toBe(0);
      expect((await readdir(out)).sort()).toEqual([...results, 'matches.csv'].sort());
    },
  );

  it('takes away what an audit left that was ended while it wrote its tables', async () => {
    const out = file('ended');
    await audit('--out', out, '--format', 'csv', '--quiet');
    const manifest = JSON.parse(await readFile(join(out, 'manifest.json'), 'utf8'));
    await writeFile(join(out, 'manifest.json'), JSON.stringify({ ...manifest, results: undefined }));
    await writeFile(join(out, 'matches-0002.csv'), 'of that audit');
    await writeFile(join(out, 'matches-0002.parquet'), 'not of that audit');
    expect((await audit('--out', out, '--quiet', '--force')).code).toBe(0);
    expect((await readdir(out)).sort()).toEqual([...results, 'matches-0002.parquet'].sort());
  });

  it('needs a directory, and a known format', async () => {
    expect(await audit('--format', 'csv')).toMatchObject({ code: 2, stderr: expect.stringContaining('`--out DIR`') });
    expect(await audit('--format', 'xls', '--out', file('none'))).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('must be one of ndjson, parquet, csv'),
    });
  });
});
