import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { createEngine } from '../../src/engine/engine.js';
import { Draft } from '../../src/play/worker/draft.js';
import { keep } from '../../src/play/worker/keep.js';
import type { DroppedFile } from '../../src/play/worker/protocol.js';
import { readFiles } from '../../src/play/worker/read-files.js';

const rule = { id: 'r', action: ['blockMessage'], conditions: [{ operand: 'text', value: ['x'] }] };
const file = (path: string, content: string | Uint8Array): DroppedFile => ({
  path,
  blob: new Blob([content as string]),
});
const lines = '{"id":"1","data":{"text":"x"},"sentAt":5}\n\n{"id":"2","data":{"text":"y"}}\n';
const messages = [
  { id: '1', data: { text: 'x' }, sentAt: 5 },
  { id: '2', data: { text: 'y' } },
];

describe('files that are dropped', () => {
  it.each<[string, readonly DroppedFile[], object]>([
    [
      'a rule set',
      [file('r.json', JSON.stringify({ rules: [rule] }))],
      { rules: { rules: [rule], lists: [] }, rulesName: 'r.json' },
    ],
    ['rules alone', [file('r.json', JSON.stringify([rule]))], { rules: { rules: [rule], lists: [] } }],
    ['NDJSON', [file('m.ndjson', lines)], { messages, messagesName: 'm.ndjson' }],
    ['NDJSON, gzipped', [file('m.ndjson.gz', gzipSync(lines))], { messages, messagesName: 'm.ndjson' }],
    ['an array', [file('m.json', `\ufeff ${JSON.stringify(messages, null, 1)}`)], { messages }],
    ['NDJSON named JSON', [file('m.json', lines)], { messages }],
    [
      'rules and messages',
      [file('m.ndjson', lines), file('r.json', JSON.stringify([rule]))],
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
    ['nothing in it', [file('m.ndjson', '')], /`m\.ndjson` holds no message/],
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
    ['a cut gzip', [file('m.gz', gzipSync(lines).subarray(0, 30))], /`m\.gz` is cut off or damaged/],
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
    ['a picture', [file('a.png', new Uint8Array([137, 80, 78, 71, 0, 1, 2]))], /holds no message/],
    ['no file', [], /there is no file; drop a rule set/],
    [
      'a folder',
      [{ path: 'rules', blob: { slice: () => ({ arrayBuffer: () => Promise.reject(new Error()) }) } as never }],
      /^`rules` cannot be read; `sluice play --rules` opens folders$/,
    ],
  ])('%s is refused with the place', async (_name, files, words) => {
    await expect(readFiles(files)).rejects.toThrow(words);
  });
});

describe('what is taken away', () => {
  it('opens again as the same rules, with comments', async () => {
    const draft = new Draft({
      rules: [rule] as never,
      lists: [{ id: 'a b', isCSV: true, searchTerms: ['x'] } as never],
    });
    draft.edit('list:a b', '# name: A and B\nx  # why\n# here\ny\n');
    const message = { data: { text: 'x' } };
    const decision = createEngine(draft.ruleSet as Parameters<typeof createEngine>[0]).explain(message);
    const kept = { ruleSet: draft.ruleSet, message, scores: [], decision };
    const again = await readFiles([{ path: 'rules.json', blob: keep('json', kept) as Blob }]);
    expect(again.rules).toEqual(JSON.parse(JSON.stringify(draft.ruleSet)));
    expect(JSON.parse(keep('case', kept) as string)).toEqual({
      ...{ name: 'blockMessage: x', message: 'x', verdict: 'blockMessage', rules: ['r'] },
    });
  });
});
