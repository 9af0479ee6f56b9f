/**
 * Audits into a directory that holds an audit: which are refused, which go on, and what `--force`
 * replaces.
 */
import { copyFile, readdir, readFile, writeFile } from 'node:fs/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startService } from '../../src/platform/service/index.js';
import { sluice } from './terminal.js';
import { openWorld, world } from './world.js';

const { service, files } = await openWorld();

describe('an audit into a directory with an audit', () => {
  const source = (name = 'messages.ndjson') => ['--messages', files.file(name)];
  const base = () => ['--rules', files.file('rule-set.json')];
  const audit = (out: string, ...args: readonly string[]) =>
    sluice(['audit', '--quiet', '--out', files.file(out), ...args]);
  const contents = (out: string) => readFile(files.file(`${out}/summary.json`), 'utf8');

  it.each<[what: string, words: string, args: () => Promise<readonly string[]>]>([
    [
      'rules',
      'other rules (REVISION, now REVISION)',
      async () => {
        await writeFile(files.file('none.json'), '{"rules":[],"lists":[]}');
        return ['--rules', files.file('none.json'), ...source()];
      },
    ],
    [
      'semantics',
      'other semantics',
      async () => {
        await writeFile(files.file('all.json'), '{"conditions":"all"}');
        return [...base(), ...source(), '--semantics', files.file('all.json')];
      },
    ],
    [
      'messages',
      'messages of another source',
      async () => {
        await copyFile(files.file('messages.ndjson'), files.file('copy.ndjson'));
        return [...base(), ...source('copy.ndjson')];
      },
    ],
    ['scores', 'other scores', async () => [...base(), ...source(), '--scores', files.file('scores.json')]],
    [
      'filters',
      'it was begun without `--conversation`; it was begun without `--since`',
      async () => [...base(), ...source(), '--conversation', 'group_team', '--since', '1772323200'],
    ],
  ])('of other %s is refused without --force', async (what, words, args) => {
    const out = `held-${what}`;
    expect((await audit(out, ...base(), ...source())).code).toBe(0);
    const before = await contents(out);
    const other = await args();
    const { code, stdout, stderr } = await audit(out, ...other);
    const line = stderr.replaceAll(files.directory, 'DIR').replace(/[0-9a-f]{12}\b/g, 'REVISION');
    expect([code, stdout, line]).toEqual([
      2,
      '',
      `sluice: \`DIR/${out}\` holds an audit of other inputs: ${words}; choose another directory, or add \`--force\` to replace it\n`,
    ]);
    expect([await contents(out), await readdir(files.file(out))]).toEqual([
      before,
      ['decisions.ndjson', 'manifest.json', 'summary.json'],
    ]);
    expect((await audit(out, ...other, '--force')).code).toBe(0);
    expect(await contents(out)).not.toBe(before);
  });

  it('of the same inputs is replaced, with other rows too', async () => {
    expect((await audit('again', ...base(), ...source())).code).toBe(0);
    expect((await audit('again', ...base(), ...source(), '--all')).code).toBe(0);
    expect((await readFile(files.file('again/decisions.ndjson'), 'utf8')).trimEnd().split('\n')).toHaveLength(40);
  });

  it('is left as it is by one that writes fewer files, and replaced by one that writes others', async () => {
    const [plain, full] = [
      ['more', ...base(), ...source()] as const,
      ['--report', '--format', 'csv', '--by', 'sender'],
    ];
    expect((await audit(...plain)).code).toBe(0);
    expect((await audit(...plain, ...full)).code).toBe(0);
    const found = await readdir(files.file('more'));
    expect(found).toEqual(expect.arrayContaining(['report.html', 'matches-0001.csv']));
    expect((await audit(...plain)).code).toBe(0);
    expect(await readdir(files.file('more'))).toEqual(found);
  });

  it('of the same platform is known, whatever its port', async () => {
    const again = await startService({ data: world() });
    onTestFinished(() => again.close());
    for (const { url, apiKey } of [service, again]) {
      const env = { SLUICE_BASE_URL: url, SLUICE_API_KEY: apiKey };
      expect((await sluice(['audit', '--quiet', '--out', files.file('ports')], { env })).stderr).toMatch(
        /^sluice: 2 errors .+\n$/,
      );
    }
  });
});
