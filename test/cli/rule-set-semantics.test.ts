/** The readings that a rule set brings to each command, and those of `--semantics` over them. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFileSource, createModerator } from '../../src/index.js';
import { startService } from '../../src/platform/service/index.js';
import { sluice } from './terminal.js';
import { openFiles, world } from './world.js';

const rule = {
  id: 'scams',
  name: 'Scams',
  action: ['blockMessage'],
  conditions: [{ id: 1, operand: 'text', isKeywordsReferencePresent: true, value: ['scam-words'] }],
};
const lists = [{ id: 'scam-words', searchTerms: ['sale'] }];
/** A list that no rule names. */
const ours = { id: 'ours', searchTerms: ['our sale'] };
const semantics = { words: 'substring', folding: 'exact' };

/** Writes a file of JSON, and returns its path. */
const write = async (name: string, value: unknown): Promise<string> => {
  await writeFile(files.file(name), typeof value === 'string' ? value : JSON.stringify(value));
  return files.file(name);
};
const readJson = async (path: string) => JSON.parse(await readFile(path, 'utf8'));

const files = await openFiles();
const bare = await write('bare.json', { rules: [rule], lists });
const whole = await write('whole.json', { rules: [rule], lists, semantics });
const folder = files.file('folder');
await mkdir(`${folder}/lists`, { recursive: true });
await write('folder/rules.json', { rules: [rule] });
await write('folder/lists/scam-words.txt', 'sale\n');
await write('folder/semantics.json', semantics);
const inside: readonly (readonly [string, string])[] = [
  ['a file', whole],
  ['a folder', folder],
];
const messages = await write(
  'said.ndjson',
  ['wholesale', 'sale', 'SALE', 'hello']
    .map((text, at) => `${JSON.stringify({ id: `${at}`, data: { text } })}\n`)
    .join(''),
);
const service = await startService({ data: { ...world(3), rules: [rule], lists: [...lists, ours] } as never });
afterAll(() => service.close());
const env = { SLUICE_BASE_URL: service.url, SLUICE_API_KEY: service.apiKey };

describe('readings that come with the rules', () => {
  it('are those of audit, check and test, from a file and from a folder, as if they were given', async () => {
    const given = ['--semantics', await write('given.json', semantics)];
    const cases = await write('cases.ndjson', '{"name":"n","message":"wholesale","verdict":"blockMessage"}\n');
    for (const command of [
      ['audit', '--messages', messages, '--json', '--quiet'],
      ['check', '--json', 'wholesale'],
      ['test', cases, '--json'],
    ]) {
      const [name, ...rest] = command as [string, ...string[]];
      const expected = await sluice([name, ...rest, '--rules', bare, ...given]);
      expect(expected.stdout).not.toBe((await sluice([name, ...rest, '--rules', bare])).stdout);
      for (const [, path] of inside) expect(await sluice([name, ...rest, '--rules', path])).toEqual(expected);
    }
  });

  it('give way to --semantics one by one, in a folder as in a file', async () => {
    const [none, word, exact] = [
      await write('none.json', {}),
      await write('word.json', { words: 'word' }),
      await write('case.json', { folding: 'case' }),
    ];
    for (const [, path] of inside) {
      const check = async (file: string, text: string) =>
        (await sluice(['check', '--rules', path, '--semantics', file, '--quiet', text])).code;
      expect([await check(none, 'wholesale'), await check(none, 'SALE')]).toEqual([1, 0]);
      expect([await check(word, 'wholesale'), await check(word, 'sale'), await check(word, 'SALE')]).toEqual([0, 1, 0]);
      expect([await check(exact, 'wholesale'), await check(exact, 'WHOLESALE')]).toEqual([1, 1]);
    }
  });

  it('make a kept audit another one when they change, and the same one when they are given in their place', async () => {
    const out = files.file('kept');
    const rules = await write('changing.json', { rules: [rule], lists, semantics });
    const audit = (path: string, ...more: string[]) =>
      sluice(['audit', '--rules', path, '--messages', messages, '--out', out, '--json', '--quiet', ...more]);
    const first = await audit(rules);
    expect(first.code).toBe(0);
    expect((await audit(bare, '--semantics', files.file('given.json'))).stdout).toBe(first.stdout);
    await write('changing.json', { rules: [rule], lists, semantics: { words: 'prefix' } });
    const { code, stderr } = await audit(rules);
    expect([code, stderr]).toEqual([2, expect.stringContaining('other semantics')]);
  });

  it('are each side of a diff its own, and what differs among them is a change', async () => {
    const diff = (...more: string[]) => sluice(['diff', '--rules', folder, '--messages', messages, ...more]);
    const own = JSON.parse((await diff('--against', bare, '--json')).stdout);
    expect(own).toMatchObject({
      newlyStopped: 1,
      released: 1,
      changes: [
        { kind: 'reading', reading: 'words', before: 'word', after: 'substring' },
        { kind: 'reading', reading: 'folding', before: 'case', after: 'exact' },
      ],
      receipt: { semantics: { rules: semantics, against: {} } },
    });
    expect(own.receipt.rules).toBe(own.receipt.against);
    // Both bring their readings, so nobody has to say anything for a gate.
    expect((await diff('--against', whole, '--max-newly-stopped', '0', '--fail-on-change')).code).toBe(0);
    expect((await diff('--against', bare, '--max-newly-stopped', '0')).code).toBe(1);
    const both = JSON.parse((await diff('--against', bare, '--semantics', files.file('word.json'), '--json')).stdout);
    expect(both.receipt.semantics).toEqual({ rules: { folding: 'exact' }, against: {} });
    expect(both.changes).toEqual([{ kind: 'reading', reading: 'folding', before: 'case', after: 'exact' }]);
    const refused = await diff('--against', bare, '--semantics', files.file('word.json'), '--max-released', '0');
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('with `--semantics` alone')]);
    const live = await sluice(['diff', '--rules', folder, '--live'], { env });
    expect(live.stdout.replace(/\s+/g, ' ')).toContain(
      'readings of the new rules: words "substring", folding "exact"; of the old: the defaults',
    );
  });

  it.each<[before: object, after: object, words: string]>([
    [
      { words: { lists: { 'scam-list': 'word' } } },
      { words: { default: 'prefix', lists: { 'scam-list': { folding: 'exact' } } } },
      'words: "lists.scam-list: word" became "default: prefix", "lists.scam-list.folding: exact"',
    ],
    [{ words: 'prefix' }, { words: { lists: { b: 'suffix' } } }, 'words: "prefix" became "lists.b: suffix"'],
    [
      { exceptions: ['a'] },
      { exceptions: ['a', { terms: ['b', 'c'] }] },
      'exceptions: gained "[1].terms: b", "[1].terms: c"',
    ],
    [{ shadow: ['r', 'x'] }, { shadow: ['r'] }, 'shadow: lost "x"'],
    [{ shadow: [] }, { shadow: ['r'] }, 'shadow: "[]" became "r"'],
    [
      { precedence: ['allow', 'blockMessage', 'dropMessage'] },
      { precedence: ['blockMessage', 'allow', 'dropMessage'] },
      'precedence: "allow", "blockMessage", "dropMessage" became "blockMessage", "allow", "dropMessage"',
    ],
  ])('that change from %j to %j are named part by part', async (before, after, words) => {
    const [old, now] = [
      await write('old.json', { rules: [rule], lists, semantics: before }),
      await write('now.json', { rules: [rule], lists, semantics: after }),
    ];
    const { stdout } = await sluice(['diff', '--rules', now, '--against', old], { columns: 140 });
    expect(stdout).toContain(`  reading ${words}\n`);
  });

  it.each([
    ['check', '--rules', '@', 'hello'],
    ['test', '--rules', '@', 'cases'],
    ['diff', '--rules', '@', '--against', '@'],
  ])('that are wrong end %s with 3, and with the file and the reading', async (...args) => {
    const path = await write('wrong.json', { rules: [rule], lists, semantics: { words: 'sub' } });
    const { code, stdout, stderr } = await sluice(
      args.map((each) => (each === '@' ? path : each === 'cases' ? files.file('cases.ndjson') : each)),
    );
    expect([code, stdout]).toEqual([3, '']);
    expect(stderr).toBe(
      `sluice: ${path}: \`semantics\`: reading \`words\` must be one of word, substring, prefix, suffix, or an object { default, lists }\n`,
    );
  });
});

describe('lists of a folder that only given exceptions name', () => {
  const given = { exceptions: [{ lists: ['ours'] }] };
  beforeAll(async () => {
    await mkdir(files.file('hand/lists'), { recursive: true });
    await write('hand/rules.json', { rules: [rule] });
    await write('hand/lists/scam-words.txt', 'sale\n');
    await write('hand/lists/ours.txt', 'our sale\n');
    await write('ours.json', given);
  });

  it('are read by every command', async () => {
    const options = ['--rules', files.file('hand'), '--semantics', files.file('ours.json')];
    const check = async (text: string) => (await sluice(['check', ...options, '--quiet', text])).code;
    expect([await check('our sale'), await check('sale')]).toEqual([0, 1]);
    const diff = await sluice(['diff', ...options, '--against', files.file('hand'), '--json']);
    expect(JSON.parse(diff.stdout)).toMatchObject({ changes: [], errors: { rules: [], against: [] } });
  });

  it('are read by a moderator that has them', async () => {
    const moderator = await createModerator({ source: createFileSource(files.file('hand')), semantics: given });
    expect([moderator.decide('our sale'), moderator.decide('sale')]).toEqual(['allow', 'blockMessage']);
    await moderator.close();
  });
});

describe('pull --out', () => {
  const pull = (path: string) => sluice(['pull', '--out', path, '--force', '--quiet'], { env });

  it('keeps the readings of a file, right or wrong, and the file that it writes is whole', async () => {
    for (const kept of [semantics, { words: 'sub', later: [1] }, {}]) {
      const path = await write('target.json', { rules: [], lists: [], semantics: kept });
      expect(await pull(path)).toMatchObject({ code: 0, stderr: '' });
      expect(await readJson(path)).toMatchObject({ rules: [rule], lists });
      expect((await readJson(path)).semantics).toEqual(kept);
      expect(await pull(path)).toMatchObject({ code: 0 });
      expect((await readJson(path)).semantics).toEqual(kept);
    }
    await pull(whole);
    expect((await sluice(['diff', '--rules', whole, '--against', folder, '--fail-on-change'])).code).toBe(0);
  });

  it('keeps those of a folder where they stand, as they stand', async () => {
    const before = await readFile(`${folder}/semantics.json`, 'utf8');
    await pull(folder);
    expect(await readFile(`${folder}/semantics.json`, 'utf8')).toBe(before);
    expect(await readJson(`${folder}/rules.json`)).not.toHaveProperty('semantics');
    const other = files.file('other');
    await mkdir(other);
    await write('other/rules.json', { rules: [], semantics });
    for (let time = 0; time < 2; time++) {
      expect(await pull(other)).toMatchObject({ code: 0, stderr: '' });
      expect((await readJson(`${other}/rules.json`)).semantics).toEqual(semantics);
    }
    expect((await sluice(['check', '--rules', other, '--quiet', 'wholesale'])).code).toBe(1);
  });

  it('fetches the lists that the exceptions of a file or a folder name, each time', async () => {
    const excepting = { exceptions: [{ lists: ['ours'] }] };
    const file = await write('excepting.json', { rules: [], lists: [], semantics: excepting });
    await mkdir(files.file('excepting'));
    await write('excepting/semantics.json', excepting);
    await mkdir(files.file('excepting-too'));
    await write('excepting-too/rules.json', { rules: [], semantics: excepting });
    for (const path of [file, files.file('excepting'), files.file('excepting-too')]) {
      for (let time = 0; time < 2; time++) {
        expect(await pull(path)).toMatchObject({ code: 0, stderr: '' });
        const check = (text: string) => sluice(['check', '--rules', path, '--quiet', text]);
        expect([(await check('our sale')).code, (await check('sale')).code]).toEqual([0, 1]);
      }
    }
    expect((await readJson(`${files.file('excepting')}/rules.json`)).written).toEqual(['scam-words', 'ours']);
    expect((await pull(`${file}/`)).code).toBe(2);
  });

  it.each(['', '[]', '{ "rules": [', 'hello', '{ "semantics": 5 }'])(
    'replaces a file without readings: %j',
    async (text) => {
      const path = await write('replaced.json', text);
      expect(await pull(path)).toMatchObject({ code: 0, stderr: '' });
      expect(await readJson(path)).not.toHaveProperty('semantics');
    },
  );

  it('leaves a file alone that is not JSON any more and names readings', async () => {
    const text = '{ "rules": [], <<<<<<<\n "semantics": { "words": "substring" } }';
    const path = await write('conflict.json', text);
    const { code, stderr } = await pull(path);
    expect([code, stderr]).toEqual([
      3,
      expect.stringContaining('must be JSON, so that the readings in it can be kept'),
    ]);
    expect(await readFile(path, 'utf8')).toBe(text);
  });
});
