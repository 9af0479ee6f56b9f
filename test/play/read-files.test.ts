import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { createEngine } from '../../src/engine/engine.js';
import { readRuleSetFile } from '../../src/platform/loader/rule-set-file.js';
import { Draft } from '../../src/play/worker/draft.js';
import { keep } from '../../src/play/worker/keep.js';
import type { DroppedFile } from '../../src/play/worker/protocol.js';
import { readFiles } from '../../src/play/worker/read-files.js';
import { temporaryFolder } from '../support/folder.js';

const rule = { id: 'r', action: ['blockMessage'], conditions: [{ operand: 'text', value: ['x'] }] };
const file = (path: string, content: string | Uint8Array): DroppedFile => ({
  path,
  blob: new Blob([content as string]),
});
const folder = {
  'rules/rules.json': JSON.stringify({ rules: [rule], lists: [{ id: 'a b', isCSV: true }] }),
  'rules/lists/a%20b.txt': '# name: A and B\nx  # why\n',
  'rules/semantics.json': '{ "words": "substring" }',
  'rules/cases.ndjson': '{"message":"x"}',
  'rules/README.md': 'of the repository',
};
const folderRules = {
  rules: [rule],
  lists: [{ id: 'a b', isCSV: true, name: 'A and B', searchTerms: ['x'] }],
  semantics: { words: 'substring' },
  comments: { 'a b': { terms: { x: 'why' } } },
};
const lines = '{"id":"1","data":{"text":"x"},"sentAt":5}\n\n{"id":"2","data":{"text":"y"}}\n';
const messages = [
  { id: '1', data: { text: 'x' }, sentAt: 5 },
  { id: '2', data: { text: 'y' } },
];

describe('files that are dropped', () => {
  it.each<[string, readonly DroppedFile[], object]>([
    [
      'a rule set',
      [file('r.json', JSON.stringify({ rules: [rule], lists: [] }))],
      { rules: { rules: [rule], lists: [] }, rulesName: 'r.json' },
    ],
    [
      'a folder',
      Object.entries(folder).map(([path, text]) => file(path, text)),
      { rules: folderRules, rulesName: 'rules/' },
    ],
    [
      'a folder with golden cases, and messages beside it',
      [...Object.entries(folder).map(([path, text]) => file(path, text)), file('m.ndjson', lines)],
      { rules: folderRules, messages },
    ],
    ['NDJSON', [file('m.ndjson', lines)], { messages, messagesName: 'm.ndjson' }],
    ['NDJSON, gzipped', [file('m.ndjson.gz', gzipSync(lines))], { messages, messagesName: 'm.ndjson.gz' }],
    ['an array', [file('m.json', `\ufeff ${JSON.stringify(messages, null, 1)}`)], { messages }],
    ['NDJSON named JSON', [file('m.json', lines)], { messages }],
    [
      'rules and messages',
      [file('m.ndjson', lines), file('r.json', JSON.stringify({ rules: [rule], lists: [] }))],
      { messages, rules: { rules: [rule] } },
    ],
    [
      'two files of messages',
      [file('a.ndjson', lines), file('b.csv', 'text\nz')],
      { messages: [...messages, { data: { text: 'z' } }] },
    ],
    [
      'CSV',
      [file('m.csv', 'User ID;Body;created_at\nana;"x; ""y""\nz";2026-03-01T08:00:00Z\n')],
      { messages: [{ sender: 'ana', data: { text: 'x; "y"\nz' }, sentAt: 1772352000 }] },
    ],
    [
      'rows of columns',
      [file('m.ndjson', '{"body":"x","user":7}')],
      { messages: [{ sender: '7', data: { text: 'x' } }] },
    ],
    [
      'milliseconds',
      [file('m.ndjson', '{"data":{"text":"x"},"sentAt":1772352000000}')],
      { messages: [{ sentAt: 1772352000 }] },
    ],
    [
      'bad rows',
      [file('m.ndjson', `${lines}{\n7\n{"data":{},"text":"x"}\n`)],
      {
        messages,
        note: expect.stringMatching(/^3 rows of m\.ndjson were left out: m\.ndjson:4: the whole line must be json/),
      },
    ],
  ])('%s', async (_name, files, expected) => {
    expect(await readFiles(files)).toMatchObject(expected);
  });

  it.each<[string, readonly DroppedFile[], RegExp]>([
    [
      'nothing in it',
      [file('m.ndjson', '')],
      /^m\.ndjson: the whole file has no message; check that it is the right one$/,
    ],
    [
      'columns without a text',
      [file('m.csv', 'a,b\n1,2\n')],
      /^m\.csv: the header has no column for the text among `a`, `b`; columns can be mapped/,
    ],
    [
      'an open quotation mark',
      [file('m.csv', 'text,b\n"x,1\n')],
      /^m\.csv:2: the whole file ends in a cell whose quote never closes$/,
    ],
    [
      'a cut gzip',
      [file('m.gz', gzipSync(lines).subarray(0, 30))],
      /m\.gz: the whole stream is cut off, or damaged gzip/,
    ],
    [
      'Latin-1',
      [file('m.ndjson', Buffer.from('{"text":"\u00e9"}', 'latin1'))],
      /m\.ndjson:1: the whole line must be utf-8; `iconv/,
    ],
    [
      'an array that is cut off',
      [file('m.json', '[{"text":"a"},{')],
      /^m\.json:1: the whole file ends before its array/,
    ],
    [
      'a picture',
      [file('a.png', new Uint8Array([137, 80, 78, 71, 0, 1, 2]))],
      /^a\.png:1: the whole line must be utf-8/,
    ],
    ['no file', [], /neither rules nor messages/],
    [
      'rules that are no JSON',
      [file('r.json', '{ "rules": [], }')],
      /^r\.json: the whole value must be JSON, and is not; at line 1/,
    ],
    ['rules alone', [file('r.json', JSON.stringify([rule]))], /^r\.json: the whole value must be an object$/],
  ])('%s is refused with the place', async (_name, files, words) => {
    await expect(readFiles(files)).rejects.toThrow(words);
  });
});

describe('a folder of rules', () => {
  const root = temporaryFolder();
  const named = (value: readonly string[]) => ({
    ...rule,
    conditions: [{ operand: 'text', isKeywordsReferencePresent: true, value }],
  });
  const rules = JSON.stringify({ rules: [named(['foo', 'a'])], lists: [{ id: 'a' }] });
  it.each<[string, Readonly<Record<string, string | Uint8Array>>]>([
    ['as pulled', { 'rules.json': rules, 'lists/a.txt': 'x\n' }],
    ['with a list that nothing names', { 'rules.json': rules, 'lists/b.txt': '"x' }],
    ['in the older form', { 'rules.json': JSON.stringify([rule]), 'lists.json': '[{"id":"a","searchTerms":["x"]}]' }],
    ['with two files of a list', { 'rules.json': rules, 'lists/foo.txt': 'x\n', 'lists/%66oo.txt': 'y\n' }],
    [
      'with terms in two places',
      { 'rules.json': JSON.stringify({ rules: [], lists: [{ id: 'a', searchTerms: [] }] }), 'lists/a.txt': 'x\n' },
    ],
    ['with a damaged list', { 'rules.json': rules, 'lists/a.txt': '"x' }],
    ['with a list in Latin-1', { 'rules.json': rules, 'lists/a.txt': Buffer.from('caf\u00e9', 'latin1') }],
    ['with readings that are none', { 'rules.json': rules, 'semantics.json': '{ "words": "all" }' }],
    ['with rules that are no JSON', { 'rules.json': '{ "rules": [1,] }' }],
    ['without rules', { 'rules.json': '{}' }],
  ])('%s is read, or refused, as by the command line', async (name, files) => {
    const folder = join(root, name.replaceAll(' ', '-'));
    await mkdir(join(folder, 'lists'), { recursive: true });
    for (const [path, content] of Object.entries(files)) await writeFile(join(folder, path), content);
    const byName = await readRuleSetFile(folder).then(
      ({ revision: _, ...ruleSet }) => ({ rules: ruleSet }),
      (error: Error) => error.message.replaceAll(`${folder}/`, 'r/'),
    );
    const opened = await readFiles(Object.entries(files).map(([path, content]) => file(`r/${path}`, content))).then(
      ({ rules }) => ({ rules }),
      (error: Error) => error.message,
    );
    expect(opened).toEqual(byName);
  });
});

it('names the columns where none is known for the text, and reads those that are chosen', async () => {
  const csv = [file('m.csv', 'a,,User\nx,1,ana\n')];
  await expect(readFiles(csv)).rejects.toMatchObject({ columns: ['a', '2', 'User'] });
  await expect(readFiles([file('m.ndjson', '{"a":"x"}')])).rejects.toMatchObject({ columns: ['a'] });
  const lost = readFiles([file('m.ndjson', '{"a":"x"}')], { text: 'a', sender: 'who' });
  await expect(lost).rejects.toMatchObject({ columns: ['a'] });
  const { messages } = await readFiles(csv, { text: 'a', id: '2' });
  expect(messages).toEqual([{ data: { text: 'x' }, id: '1', sender: 'ana' }]);
});

it('what is taken away opens again as the same rules', async () => {
  const { rules } = await readFiles(Object.entries(folder).map(([path, text]) => file(path, text)));
  const draft = new Draft(rules!);
  draft.edit('list:a b', '# name: A and B\nx  # why\n# here\ny\n');
  const message = { data: { text: 'x' } };
  const decision = createEngine(draft.ruleSet as Parameters<typeof createEngine>[0]).explain(message);
  const notices = [{ code: 'unread-line', listId: 'a b', detail: 'of a file' }] as const;
  const kept = { ruleSet: { ...draft.ruleSet, notices }, message, scores: [], decision };
  const blob = keep('json', kept) as Blob;
  expect(Object.keys(JSON.parse(await blob.text()))).toEqual(Object.keys(draft.ruleSet));
  const again = await readFiles([{ path: 'rules.json', blob }]);
  expect(again.rules).toMatchObject(JSON.parse(JSON.stringify(draft.ruleSet)));
  expect(JSON.parse(keep('case', kept) as string)).toEqual({
    ...{ name: 'blockMessage: x', message: 'x', verdict: 'blockMessage', rules: ['r'] },
  });
});
