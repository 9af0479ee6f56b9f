import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { createEngine } from '../../src/engine/engine.js';
import { digest } from '../../src/foundation/digest.js';
import { RuleSetError, ShapeError, UsageError } from '../../src/foundation/errors.js';
import type { RuleSet } from '../../src/platform/contract/rule-set.js';
import { readRuleSetFile, writeRuleSetFile } from '../../src/platform/loader/rule-set-file.js';
import { filesOfRuleSet, writeRuleSetFolder } from '../../src/platform/loader/rule-set-folder.js';
import { commentOf, expiredTerms } from '../../src/platform/loader/term-comments.js';
import { rejection } from '../support/http.js';
import { runs } from '../support/runs.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
});

const write = async (files: Readonly<Record<string, string>>): Promise<void> => {
  await mkdir(join(folder, 'lists'), { recursive: true });
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
};
const read = (name: string) => readFile(join(folder, name), 'utf8');
const naming = (...ids: string[]) => ({
  id: 'r',
  action: 'blockMessage',
  conditions: [{ id: 1, operand: 'text', isKeywordsReferencePresent: true, value: ids }],
});
/** Lists by id, with their terms. */
const listsOf = (all: Readonly<Record<string, string>>) =>
  Object.entries(all).map(([id, terms]) => ({ id, searchTerms: terms.split(' ') }));
/** A rule set as the platform gives it. */
const pulled = (lists: readonly object[], rules: readonly object[] = [naming('a', 'b')]): RuleSet =>
  ({ rules, lists, missing: [], truncated: false, revision: digest({ rules, lists }) }) as unknown as RuleSet;

const noted = {
  'rules.json': JSON.stringify({ rules: [naming('a', 'b')] }),
  'lists/a.txt':
    '# name: Offers\n# owner: trust\n\nbuy now  # ticket 12, until 2026-06-30\n# raid of March\nfree money\nsale\n',
  'lists/b.txt': 'darn\n',
  'lists/unnamed.txt': 'somebody else wrote this #here\n',
  'semantics.json': '{ "words": "substring" }',
};

describe('a folder of rules that people write', () => {
  it('has the lists that its rules name, their heads, comments and readings', async () => {
    await write(noted);
    const ruleSet = await readRuleSetFile(folder);
    const lists = [
      { id: 'a', name: 'Offers', searchTerms: ['buy now', 'free money', 'sale'] },
      { id: 'b', searchTerms: ['darn'] },
    ];
    expect(ruleSet).toStrictEqual({
      ...pulled(lists),
      semantics: { words: 'substring' },
      comments: {
        a: { owner: 'trust', terms: { 'buy now': 'ticket 12, until 2026-06-30', 'free money': 'raid of March' } },
      },
    });
    expect(commentOf(ruleSet, 'a', 'free money')).toBe('raid of March');
    const cells = { a: { terms: { '"say ""x"""': 'a cell' } } };
    expect(commentOf({ comments: cells }, 'a', 'say "x"')).toBe('a cell');
    expect([commentOf(ruleSet, 'a', 'sale'), commentOf(ruleSet, 'toString', 'valueOf')]).toEqual([
      undefined,
      undefined,
    ]);
  });

  it('says which lines and files of its lists are not read, as warnings of an engine', async () => {
    await write({
      'rules.json': JSON.stringify({ rules: [naming('foo')] }),
      'lists/foo.txt': '#nsfw\ndarn\n\u200bheck\na\u2028b\n',
      'lists/%66oo.txt': 'hell\n',
    });
    const ruleSet = await readRuleSetFile(folder);
    expect(ruleSet.lists).toEqual([{ id: 'foo', searchTerms: ['darn', '\u200bheck', 'a\u2028b'] }]);
    const engine = createEngine(ruleSet);
    expect(engine.issues.map(({ code, severity, listId }) => [code, severity, listId])).toEqual([
      ['duplicate-list', 'warning', 'foo'],
      ['unread-line', 'warning', 'foo'],
      ['joined-terms', 'warning', 'foo'],
    ]);
    expect(engine.issues[0]?.detail).toContain('lists/%66oo.txt is a file of the same list, and is not read');
    expect(engine.issues[1]?.detail).toContain('line 1, `#nsfw`, is read as a comment');
    const { notices, ...bare } = ruleSet;
    expect([notices?.length, engine.revision]).toEqual([2, createEngine(bare).revision]);
    expect(createEngine({ ...bare, notices: [7, {}, { listId: 'foo' }] as never }).issues).toHaveLength(1);
  });

  it('is judged by its own readings, with those that are given over them, and is of the same revision either way', async () => {
    await write(noted);
    const ruleSet = await readRuleSetFile(folder);
    const { semantics, comments, ...bare } = ruleSet;
    const engine = createEngine(ruleSet);
    expect(engine.decide('damdarned')).toBe('blockMessage');
    expect(engine.revision).toBe(createEngine(bare, semantics).revision);
    expect(createEngine({ ...bare, comments }).revision).toBe(createEngine(bare).revision);
    expect(createEngine(ruleSet, { folding: 'exact' }).revision).toBe(
      createEngine(bare, { words: 'substring', folding: 'exact' }).revision,
    );
    expect(createEngine(ruleSet, { words: 'word', folding: undefined as never }).decide('damdarned')).toBe('allow');
    expect(() => createEngine({ ...bare, semantics: 'word' as never })).toThrow('`semantics` of the rule set: must be');
  });

  it('has the lists that only exceptions of its readings name, wherever these stand', async () => {
    const exceptions = [{ lists: ['c', 'd'], for: { rules: ['r'] } }];
    const missing = [{ listId: 'd', reason: 'is gone' }];
    const rules = (semantics?: object) => JSON.stringify({ rules: [naming('a', 'b')], missing, semantics });
    const lists = { 'lists/c.txt': 'darn it\n', 'lists/d.txt': 'darn\n' };
    const ownFile = { 'semantics.json': JSON.stringify({ exceptions }), 'rules.json': rules() };
    for (const readings of [ownFile, { 'rules.json': rules({ exceptions }) }]) {
      await rm(join(folder, 'semantics.json'), { force: true });
      const { 'semantics.json': _, ...others } = noted;
      await write({ ...others, ...lists, ...readings });
      const ruleSet = await readRuleSetFile(folder);
      expect(ruleSet.lists.map(({ id }) => id)).toEqual(['a', 'b', 'c']);
      const engine = createEngine(ruleSet);
      expect([engine.decide('darn it'), engine.decide('darn that')]).toEqual(['allow', 'blockMessage']);
    }
  });

  it('takes rules and lists of the older form, and a file that was pulled', async () => {
    const lists = [{ id: 'a', searchTerms: ['x'] }];
    await write({ 'rules.json': JSON.stringify([naming('a')]), 'lists.json': JSON.stringify({ data: lists }) });
    expect(await readRuleSetFile(folder)).toStrictEqual(pulled(lists, [naming('a')]));
    await rm(join(folder, 'lists.json'));
    await writeRuleSetFile(join(folder, 'rules.json'), pulled(lists, [naming('a')]));
    expect(await readRuleSetFile(folder)).toStrictEqual(pulled(lists, [naming('a')]));
  });

  it.each<[string, Record<string, string>, string, typeof ShapeError | typeof UsageError | typeof RuleSetError]>([
    ['no rules.json', { 'lists/a.txt': '' }, 'rules.json`: no such file', UsageError],
    ['an ambiguous list', { 'lists/b.txt': 'x\na #b' }, 'lists/b.txt:2: the whole line must', ShapeError],
    ['a list that is not UTF-8', { 'lists/b.txt': '' }, 'lists/b.txt: the whole text must be utf-8', ShapeError],
    [
      'terms in two places',
      { 'rules.json': JSON.stringify({ rules: [], lists: [{}, { id: 'a', searchTerms: [] }] }), 'lists/a.txt': 'x' },
      'rules.json: `lists[1]` must have its terms here or in lists/a.txt, not in both',
      ShapeError,
    ],
    ['readings that are none', { 'semantics.json': '[]' }, 'semantics.json: ', ShapeError],
    ['a pattern engine', { 'semantics.json': '{"engine":"re2js"}' }, 'reading `engine` must not', RuleSetError],
    ['a wrong reading', { 'semantics.json': '{"words":"sub"}' }, 'semantics.json: reading `words` must', RuleSetError],
    [
      'an unknown reading in rules.json',
      { 'rules.json': '{"rules":[],"semantics":{"word":"word"}}' },
      'rules.json: `semantics`: unknown reading `word`; there are conditions',
      RuleSetError,
    ],
  ])('is refused with %s', async (name, files, words, kind) => {
    const isWhole = 'rules.json' in files || 'lists/a.txt' in files;
    await write(isWhole ? files : { ...noted, ...files });
    if (name.includes('UTF-8')) await writeFile(join(folder, 'lists/b.txt'), Buffer.from([0x66, 0xfc, 0x72]));
    const failure = await rejection(readRuleSetFile(folder));
    expect(failure).toBeInstanceOf(kind);
    expect(String(failure)).toContain(words);
  });
});

/** Ids, fields and terms of every kind. */
const anyText = fc.oneof(
  fc.string(),
  fc.string({ unit: 'binary', maxLength: 8 }),
  fc.constantFrom('', 'con', 'NUL.x', '..', 'a/b', '__proto__', 'É', '\ud800', 'x'.repeat(300), 'a', 'A'),
);
const anyList = fc.oneof(
  {
    weight: 9,
    arbitrary: fc.record(
      {
        id: anyText,
        searchTerms: fc.oneof({ weight: 5, arbitrary: fc.array(anyText) }, { weight: 1, arbitrary: fc.jsonValue() }),
        name: fc.oneof(anyText, fc.jsonValue()),
        category: anyText,
        revisionId: anyText,
        isCSV: fc.boolean(),
        owner: fc.jsonValue(),
      },
      { requiredKeys: ['id'] },
    ),
  },
  { weight: 1, arbitrary: fc.jsonValue() },
);

describe('writeRuleSetFolder', () => {
  it('any rule set, read back, is the same, of the same revision, over whatever was written before', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyList, { maxLength: 5 }), fc.array(anyText, { maxLength: 3 }), async (some, gone) => {
        const plain = JSON.parse(JSON.stringify({ rules: [naming(...gone)], lists: some }));
        const kinds = ['gone', 'refused', 'unreachable'] as const;
        const missing = gone.map((listId, index) => ({ listId, reason: 'http 404', kind: kinds[index]! }));
        const ruleSet: RuleSet = { ...plain, missing, truncated: true, revision: digest(plain) };
        await writeRuleSetFolder(folder, ruleSet);
        const back = await readRuleSetFile(folder, { verify: true });
        expect(back.revision).toBe(ruleSet.revision);
        expect(back).toEqual(ruleSet);
      }),
      { numRuns: runs(75) },
    );
  });

  it('keeps readings and comments of a rule set that has them', async () => {
    await write(noted);
    const ruleSet = await readRuleSetFile(folder);
    const other = join(folder, 'new/folder');
    await writeRuleSetFolder(other, ruleSet);
    expect(await readRuleSetFile(other, { verify: true })).toStrictEqual(ruleSet);
    await writeRuleSetFile(join(folder, 'whole.json'), ruleSet);
    expect(await readRuleSetFile(join(folder, 'whole.json'), { verify: true })).toStrictEqual(ruleSet);
  });

  it('over ten revisions of a list keeps the comments of the terms that stay, and lines that do not change', async () => {
    await write(noted);
    let terms = ['buy now', 'free money', 'sale'];
    for (let revision = 1; revision <= 10; revision++) {
      terms = [...terms.filter((term) => term !== `new ${revision - 2}`), `new ${revision}`];
      const lists = [
        { id: 'a', name: 'Offers', revisionId: `a_${revision}`, searchTerms: terms },
        { id: 'b', searchTerms: ['darn'] },
      ];
      await writeRuleSetFolder(folder, pulled(lists));
      const back = await readRuleSetFile(folder, { verify: true });
      expect(back.revision).toBe(pulled(lists).revision);
      expect(back.semantics).toEqual({ words: 'substring' });
    }
    expect(await read('lists/a.txt')).toBe(`${noted['lists/a.txt']}new 9\nnew 10\n`);
    expect(await read('lists/unnamed.txt')).toBe(noted['lists/unnamed.txt']);
  });

  it('leaves files alone that stay the same', async () => {
    await writeRuleSetFolder(folder, pulled([{ id: 'a', searchTerms: ['x'] }]));
    const before = await stat(join(folder, 'lists/a.txt'));
    await writeRuleSetFolder(folder, pulled([{ id: 'a', searchTerms: ['x'], revisionId: 'other' }]));
    expect((await stat(join(folder, 'lists/a.txt'))).ino).toBe(before.ino);
    expect((await stat(join(folder, 'lists/a.txt'))).mtimeMs).toBe(before.mtimeMs);
  });

  it('removes files of lists that are gone when it wrote them, and nothing else', async () => {
    const others = { 'README.md': 'ours', 'lists/own.txt': 'own', 'lists/notes.md': 'notes', 'lists/gone.txt': 'mine' };
    await write({ ...others, 'rules.json': JSON.stringify({ rules: [], lists: [{ id: 'gone' }] }) });
    await writeRuleSetFolder(folder, pulled(listsOf({ a: 'x', '../x': 'y' })));
    const names = ['%2E.%2Fx.txt', 'a.txt', 'gone.txt', 'notes.md', 'own.txt'];
    expect((await readdir(join(folder, 'lists'))).sort()).toEqual(names);
    await writeRuleSetFolder(folder, pulled([{ id: 'b', searchTerms: [] }]));
    expect((await readdir(join(folder, 'lists'))).sort()).toEqual(['b.txt', 'gone.txt', 'notes.md', 'own.txt']);
    for (const [name, text] of Object.entries(others)) expect(await read(name)).toBe(text);
    // A name in `written` cannot lead out of the folder.
    const escaping = { rules: [], written: ['../../README', '../README.md', 'own'] };
    await write({ 'rules.json': JSON.stringify(escaping) });
    await writeRuleSetFolder(folder, pulled([]));
    expect(await readdir(folder)).toEqual(expect.arrayContaining(['README.md', 'rules.json']));
  });

  it('keeps the file of a list that the platform did not give this time, until it is gone', async () => {
    await writeRuleSetFolder(folder, pulled(listsOf({ a: 'x', b: 'y' })));
    await write({ 'lists/a.txt': 'x  # ours\n' });
    const without = (kind: 'gone' | 'refused' | 'unreachable'): RuleSet => ({
      ...pulled([{ id: 'b', searchTerms: ['y'] }]),
      missing: [{ listId: 'a', reason: 'http', kind }],
    });
    for (const kind of ['unreachable', 'refused', 'unreachable'] as const) {
      await writeRuleSetFolder(folder, without(kind));
      expect(await readRuleSetFile(folder, { verify: true })).toEqual(without(kind));
      expect(await read('lists/a.txt')).toBe('x  # ours\n');
    }
    await writeRuleSetFolder(folder, without('gone'));
    expect(await readdir(join(folder, 'lists'))).toEqual(['b.txt']);
  });

  it('writes nothing when one of the files cannot be written, or a list of before cannot be read', async () => {
    const [before, after] = [pulled(listsOf({ a: 'x', b: 'y' })), pulled(listsOf({ a: 'changed', b: 'changed' }))];
    await writeRuleSetFolder(folder, before);
    await writeFile(join(folder, 'lists/b.txt'), 'y #z\n');
    expect(String(await rejection(writeRuleSetFolder(folder, after)))).toContain('lists/b.txt:1: ');
    await rm(join(folder, 'lists/b.txt'));
    await mkdir(join(folder, 'lists/b.txt'));
    expect(await rejection(writeRuleSetFolder(folder, after))).toBeInstanceOf(UsageError);
    expect([await read('lists/a.txt'), (await readdir(join(folder, 'lists'))).length]).toEqual(['x\n', 2]);
    await rm(join(folder, 'lists/b.txt'), { recursive: true });
    await symlink(join(folder, 'rules.json'), join(folder, 'lists/b.txt'));
    expect(String(await rejection(writeRuleSetFolder(folder, after)))).toContain('is a link');
    expect(await read('lists/a.txt')).toBe('x\n');
  });

  it('refuses a folder of the older form, and what has no JSON', async () => {
    await write({ 'rules.json': '[]', 'lists.json': '[]' });
    expect(String(await rejection(writeRuleSetFolder(folder, pulled([]))))).toContain(
      'holds lists.json, lists in an older form',
    );
    await rm(join(folder, 'lists.json'));
    expect(await rejection(writeRuleSetFolder(folder, { ...pulled([]), rules: [1n] as never }))).toBeInstanceOf(
      RuleSetError,
    );
    expect(await read('rules.json')).toBe('[]');
  });

  it('says of an edited folder that it was edited, when that is to be verified; a comment is not an edit', async () => {
    await writeRuleSetFolder(folder, pulled([{ id: 'a', searchTerms: ['x'] }]));
    await writeFile(join(folder, 'lists/a.txt'), 'x # why\n');
    await readRuleSetFile(folder, { verify: true });
    await writeFile(join(folder, 'lists/a.txt'), 'x\ny\n');
    expect(await rejection(readRuleSetFile(folder, { verify: true }))).toBeInstanceOf(RuleSetError);
  });
});

describe('expiredTerms', () => {
  const ruleSet: RuleSet = {
    ...pulled([{ id: 'a', searchTerms: ['x', 'y', 'z', 'x'] }]),
    comments: { a: { terms: { x: 'raid, until 2026-06-30', y: 'until 2026-07-01\nmore', z: 'until further notice' } } },
  };

  it('are issues the day after their date, and count as before', () => {
    expect(expiredTerms(ruleSet, '2026-06-30')).toEqual([]);
    const issue = { code: 'expired-term', severity: 'warning', listId: 'a' };
    const detail = 'the term `x` was meant until 2026-06-30, and still counts';
    expect(expiredTerms(ruleSet, '2026-07-01')).toEqual([
      { ...issue, index: 0, detail },
      { ...issue, index: 3, detail },
    ]);
    expect(expiredTerms(ruleSet, '2026-07-02').map(({ index }) => index)).toEqual([0, 1, 3]);
    const engine = createEngine(ruleSet);
    expect([engine.decide('x'), engine.issues.filter(({ code }) => code === 'expired-term')]).toEqual([
      'blockMessage',
      [],
    ]);
    const impossible = { ...ruleSet, comments: { a: { terms: { y: 'until 2099-02-30' } } } };
    expect(expiredTerms(impossible, '2026-07-01')).toMatchObject([
      { index: 1, detail: 'the term `y` says until 2099-02-30, which is not a day' },
    ]);
    expect(expiredTerms(pulled([{ id: 'a', searchTerms: ['x'] }]), '2099-01-01')).toEqual([]);
  });
});

describe('filesOfRuleSet', () => {
  it('are the file, or what a folder is read from', async () => {
    await write(noted);
    expect(await filesOfRuleSet(join(folder, 'rules.json'))).toEqual([join(folder, 'rules.json')]);
    const files = await filesOfRuleSet(folder);
    expect(files).toEqual(
      expect.arrayContaining(['rules.json', 'lists', 'lists/a.txt'].map((name) => join(folder, name))),
    );
  });
});
