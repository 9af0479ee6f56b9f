/**
 * Ids that every object of JavaScript has are ids: with `constructor` and `__proto__` all is as
 * with others.
 */
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Papa from 'papaparse';
import { expect, it } from 'vitest';
import { readRuleSetFile } from '../../src/platform/loader/rule-set-file.js';
import { startService } from '../../src/platform/service/index.js';
import type { PlayRules } from '../../src/play/handler.js';
import { Draft, listDoc } from '../../src/play/worker/draft.js';
import { sluice } from './terminal.js';

/** Ids as they are given, and those of the same length in whose place they stand. */
const odd = { '%first%': '__proto__', '%second%': 'constructor', '%third%': 'valueOf' } as const;
const plain = { '%first%': 'FFFFFFFFF', '%second%': 'consonantal', '%third%': 'vaunted' } as const;

type Ids = Readonly<Record<keyof typeof odd, string>>;
const namesOf = (ids: Ids) => (text: string) => text.replace(/%\w+%/g, (place) => ids[place as keyof Ids]);
const reference = { id: 1, operand: 'text', isKeywordsReferencePresent: true };

/**
 * Returns what commands print over rules, lists, terms, messages and people that have these ids.
 */
async function outputs(ids: Ids, folder: string): Promise<Readonly<Record<string, string>>> {
  const named = namesOf(ids);
  const parsed = (value: unknown) => JSON.parse(named(JSON.stringify(value)));
  const shown = (text: string) =>
    Object.entries(ids)
      .reduce((before, [place, id]) => before.replaceAll(id, place), text)
      .replaceAll(folder, 'FOLDER')
      .replace(/127\.0\.0\.1:\d+/g, 'HOST')
      .replace(/\b[\da-f]{8,64}\b/g, 'DIGEST')
      .replace(/\d{4}-\d\d-\d\dT\d{6}(_\d)?/g, 'TIME')
      .replace(/"(seed|createdAt|updatedAt)": ?\d+/g, '$1');
  const file = async (path: string, content: unknown) => {
    const text = typeof content === 'string' ? named(content) : JSON.stringify(parsed(content), null, 2);
    await writeFile(join(folder, path), text);
    return join(folder, path);
  };
  const rule = (id: string, list: string) => ({
    id,
    action: ['blockMessage'],
    conditions: [{ ...reference, value: [list] }],
    revisionId: `x_${id}_1`,
  });
  const data = parsed({
    rules: [
      rule('%first%', '%second%'),
      rule('%second%', '%first%'),
      {
        ...rule('%third%', '%third%'),
        conditions: [{ id: 1, operand: 'image', value: ['%second%_greaterThan_50', '%first%_greaterThan_50'] }],
      },
    ],
    lists: [
      { id: '%first%', searchTerms: ['buy now', '%second%'] },
      { id: '%second%', searchTerms: ['free money', '%third%', '%first%'] },
    ],
  });
  const service = await startService({ data });
  const env = { SLUICE_BASE_URL: service.url, SLUICE_API_KEY: service.apiKey };
  const all: Record<string, string> = {};
  const run = async (name: string, ...args: readonly string[]) => {
    const { code, stdout, stderr } = await sluice(args, { env });
    all[name] = shown(`${code}\n${stdout}\n${stderr}`);
  };
  try {
    const rules = join(folder, 'rules');
    await run('pull', 'pull', '--out', `${rules}/`);
    await run('pull again', 'pull', '--out', `${rules}/`);
    const old = join(folder, 'old.json');
    await run('pull a file', 'pull', '--out', old);
    all.file = shown(await readFile(old, 'utf8'));
    await file(
      'rules/lists/%first%.txt'.replace('%first%', ids['%first%']),
      '# owner: %second%\n\nbuy now  # %third%\nwire me  # the first\n%second%  # until 2020-01-01\n%first%  # odd\n',
    );
    await file('rules/semantics.json', {
      words: { default: 'word', lists: { '%first%': 'substring', '%second%': 'word' } },
      shadow: ['%third%'],
      exceptions: [{ terms: ['%third% please'], for: { rules: ['%first%'], lists: ['%second%'] } }],
    });
    const messages = await file(
      'messages.json',
      ['%first%', '%second%', '%third%', '%third%2'].map((id, at) => ({
        id,
        sender: '%second%',
        receiver: '%first%',
        conversationId: '%third%',
        sentAt: 1_700_000_000 + at,
        data: { text: ['rebuy nowhere', 'a %second% of wire me', '%third% please, free money', 'good morning'][at] },
      })),
    );
    const given = ['--rules', rules, '--messages', messages];
    await run('lint', 'lint', rules);
    await run('lint, json', 'lint', rules, '--json');
    await run('check', 'check', '--rules', rules, '--why-not', ids['%second%'], named('no %second%, or %third%'));
    await run('audit', 'audit', ...given);
    await run('audit, json', 'audit', ...given, '--json');
    for (const by of ['sender', 'conversation', 'term']) await run(`audit by ${by}`, 'audit', ...given, '--by', by);
    await run('diff', 'diff', ...given, '--against', old);
    await run('diff, json', 'diff', ...given, '--against', old, '--json');
    const cases = await file(
      'cases.json',
      [
        { message: 'wire me', verdict: 'blockMessage', rules: ['%second%'], terms: ['wire me'] },
        { message: { type: 'image', data: { text: 'x' } }, scores: [{ operand: 'image', labels: { '%first%': 60 } }] },
      ].map((one) => ({ name: '%third%', verdict: 'allow', ...one })),
    );
    await run('test', 'test', cases, '--rules', rules, '--json');
    const scores = await file('scores.json', { '%first%': { '%first%': 60, '%second%': 70 }, '%second%': {} });
    await run('audit with scores', 'audit', ...given, '--scores', scores, '--json');
    const sample = join(folder, 'sample.csv');
    await run('precision --draw', 'precision', ...given, '--draw', sample, '--seed', '7');
    const { data: rows } = Papa.parse<Record<string, string>>((await readFile(sample, 'utf8')).trim(), {
      header: true,
    });
    await writeFile(sample, Papa.unparse(rows.map((row) => ({ ...row, outcome: 'right' }))));
    await run('precision', 'precision', sample, '--json');
    await run('apply --dry-run', 'apply', rules, '--dry-run', '--json');
    await run('apply', 'apply', rules, '--yes');
    await run('diff --live', 'diff', '--rules', rules, '--live', '--fail-on-change');
    all.applied = shown(await readFile(join(rules, 'rules.json'), 'utf8'));
    await file('rules/rules.json', { ...JSON.parse(await readFile(join(rules, 'rules.json'), 'utf8')), rules: [] });
    await run('apply --delete', 'apply', rules, '--yes', '--delete');
    for (const name of (await readdir(folder)).filter((one) => one.includes('.before-')).reverse())
      await run(`apply ${shown(name)}, ${Object.keys(all).length}`, 'apply', join(folder, name), '--yes', '--delete');
    await run('pull at last', 'pull', '--out', '-');
    all.play = shown(await played(rules, named));
  } finally {
    await service.close();
  }
  return all;
}

/** Returns the rules of a folder after an edit on the page. */
async function played(folder: string, named: (text: string) => string): Promise<string> {
  const draft = new Draft((await readRuleSetFile(folder)) as PlayRules);
  const texts = draft.docs.map(({ id, text }) => `${id}\n${text}`);
  for (const id of ['%first%', '%second%'])
    draft.edit(listDoc(named(id)), named('%third%  # %second%\n%first%  # a\n'));
  return [...texts, JSON.stringify(draft.ruleSet), JSON.stringify(draft.ruleSet.comments)].join('\n');
}

it('ids such as `constructor` and `__proto__` are ids in every command', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-ids-'));
  try {
    const [one, other] = [join(folder, 'one'), join(folder, 'two')];
    for (const path of [one, other]) await mkdir(path);
    const expected = await outputs(plain, one);
    for (const [name, output] of Object.entries(expected)) expect(output, name).not.toMatch(/^(2|4|70)\n/);
    expect(await outputs(odd, other)).toEqual(expected);
  } finally {
    await rm(folder, { recursive: true });
  }
});
