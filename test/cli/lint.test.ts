import { mkdir, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { lintRuleSet, readRuleSetFile } from '../../src/index.js';
import { sluice } from './terminal.js';
import { openFiles } from './world.js';

const brokenRules = fileURLToPath(new URL('../../fixtures/data/broken.json', import.meta.url));

const listed = { operand: 'text', isKeywordsReferencePresent: true };
const ruleSet = {
  rules: [
    { id: 'scams', name: 'Scams', action: ['blockMessage'], conditions: [{ ...listed, id: 1, value: ['scam-words'] }] },
    { id: 'cells', action: ['dropMessage'], conditions: [{ ...listed, id: 1, value: ['cells'] }] },
    {
      id: 'patterns',
      action: ['blockMessage'],
      conditions: [{ id: 2, operand: 'text', category: 'pattern', value: ['(?=a)', '\\d{2}:\\d{2}'] }],
    },
  ],
  lists: [
    { id: 'scam-words', searchTerms: ['jerk', 'free  money', ' wire ', 'kestrel', 'kestrel'] },
    { id: 'cells', isCSV: true, searchTerms: ['"buy ""now"""'] },
    { id: 'old', searchTerms: ['nothing'] },
  ],
};
const clean = {
  rules: [{ id: 'r', action: ['blockMessage'], conditions: [{ operand: 'text', value: ['xyzzy plugh'] }] }],
  lists: [],
};

const files = await openFiles();
const path = files.file('linted.json');
await writeFile(path, JSON.stringify(ruleSet, null, 2));
await writeFile(files.file('clean.json'), JSON.stringify(clean));

const named = (text: string) => text.replaceAll(files.directory, 'DIR');

describe('sluice lint', () => {
  it('prints what lintRuleSet returns as JSON, and ends with 1 on errors', async () => {
    const { code, stdout, stderr } = await sluice(['lint', path, '--json']);
    expect([code, stderr]).toEqual([1, 'looking for findings\n']);
    expect(JSON.parse(stdout)).toEqual(await lintRuleSet(await readRuleSetFile(path)));
    expect((await sluice(['lint', '--rules', path, '--json'])).stdout).toBe(stdout);
  });

  it.each([
    ['lint', 80],
    ['lint-narrow', 40],
  ] as const)('matches the golden screen: %s', async (golden, columns) => {
    const { code, stdout } = await sluice(['lint', path], { columns });
    expect(code).toBe(1);
    await expect(named(stdout)).toMatchFileSnapshot(`../golden/cli/${golden}.txt`);
  });

  it('names lines of the files of a folder, whatever comments stand between the terms', async () => {
    const folder = files.file('lines');
    await mkdir(`${folder}/lists`, { recursive: true });
    const { rules } = { rules: [{ ...ruleSet.rules[0], filters: [{ type: 'sender', value: 'x' }] }] };
    await writeFile(`${folder}/rules.json`, JSON.stringify({ rules }, null, 2));
    await writeFile(`${folder}/lists/scam-words.txt`, '# name: Words\n\n# a bird\nkestrel\nxyzzy\nkestrel # again\n');
    const { stdout } = await sluice(['lint', folder]);
    expect(stdout.match(/^\w+ +[\w-]+ {2}.*$/gm)).toEqual([
      expect.stringMatching(/^error +malformed-filter {2}scams, rules\.json:20$/),
      'warning  covered  scam-words, lists/scam-words.txt:6',
    ]);
  });

  it('has a comment for a pull request, in which nothing of the rules is Markdown', async () => {
    const { stdout } = await sluice(['lint', path, '--markdown']);
    await expect(stdout).toMatchFileSnapshot('../golden/cli/lint-markdown.md');
    const terms = Array.from({ length: 3000 }, (_, at) => ` <b>*${at}*</b>`);
    const many = { ...clean, lists: terms.map((term, at) => ({ id: `${term}${at}`, searchTerms: 'no list' })) };
    await writeFile(files.file('many.json'), JSON.stringify(many));
    const { stdout: long } = await sluice(['lint', files.file('many.json'), '--markdown', '--verbose']);
    expect(long.length).toBeLessThan(65_000);
    expect(long).not.toMatch(/<b>|\*\d/);
  });

  it('finds nothing in clean rules, and says so; counts warnings against --max-warnings', async () => {
    expect(await sluice(['lint', files.file('clean.json')])).toEqual({
      code: 0,
      stdout: 'nothing found\n',
      stderr: 'looking for findings\n',
    });
    const warned = files.file('warned.json');
    await writeFile(
      warned,
      JSON.stringify({ ...clean, rules: [{ ...clean.rules[0], conditions: [{ operand: 'text', value: ['jerk'] }] }] }),
    );
    expect((await sluice(['lint', warned])).code).toBe(0);
    const { code, stderr } = await sluice(['lint', warned, '--max-warnings', '0']);
    expect([code, stderr]).toEqual([1, 'looking for findings\n1 warning, over --max-warnings 0\n']);
    expect((await sluice(['lint', warned, '--max-warnings', '1'])).code).toBe(0);
    expect((await sluice(['lint', warned, '--max-warnings', '0', '--ignore', 'everyday-term'])).code).toBe(0);
    const cleanFile = files.file('clean.json');
    expect((await sluice(['lint', cleanFile, '--max-warnings', '0', '--ignore', 'covered'])).code).toBe(0);
    const misspelt = await sluice(['lint', cleanFile, '--ignore', 'coverd', '--quiet']);
    const words = 'sluice: `ignore`: no finding has the id `coverd`; did you mean `covered`?\n';
    expect([misspelt.code, misspelt.stderr]).toEqual([2, words]);
  });

  it('looks at rules that are refused as a whole, and at those of a platform', async () => {
    const failing = files.file('failing.json');
    await writeFile(failing, JSON.stringify({ ...ruleSet, semantics: { broken: 'fail' } }));
    expect((await sluice(['lint', failing, '--json'])).code).toBe(1);
    const { code, stdout } = await sluice(['lint', brokenRules, '--json']);
    expect(code).toBe(1);
    expect(JSON.parse(stdout).counts.error).toBeGreaterThan(10);
  });

  it('stays ignored in a file and a folder that are pulled again', async () => {
    const [file, folder] = [files.file('again.json'), files.file('again')];
    const lint = { ignore: [{ id: 'everyday-term', why: 'what the list is for' }] };
    await writeFile(file, JSON.stringify({ rules: [], lists: [], lint }));
    await mkdir(folder);
    await writeFile(`${folder}/rules.json`, JSON.stringify({ rules: [], lint }));
    for (const out of [file, folder]) {
      expect((await sluice(['pull', '--demo', '--out', out, '--force'])).code).toBe(0);
      const pulled = await readRuleSetFile(out, { verify: true });
      expect([pulled.lint, pulled.rules.length > 20]).toEqual([lint, true]);
    }
  });

  it.each([
    [[], 'no rules; give'],
    [['PATH', '--rules', 'PATH'], 'RULES and `--rules` are the same thing'],
    [['PATH', '--demo'], '`--demo` would not be read, since `--rules` gives everything'],
    [['PATH', '--json', '--markdown'], '`--json` and `--markdown` exclude each other'],
    [['PATH', '--max-warnings', 'few'], '`--max-warnings`'],
  ])('refuses %j', async (args, message) => {
    const { code, stderr, stdout } = await sluice(['lint', ...args.map((arg) => (arg === 'PATH' ? path : arg))]);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(message);
  });
});
