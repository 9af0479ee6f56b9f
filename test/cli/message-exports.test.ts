import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { csvOf, exportRows, forms } from '../audit/source/rows-as.js';
import { temporaryFolder } from '../support/folder.js';
import { sluice } from './terminal.js';
import { world } from './world.js';

/**
 * Exports of messages as people have them: whatever their form, the results are those of NDJSON.
 */

const rows = exportRows(700);
const directory = temporaryFolder();
const file = (name: string) => join(directory, name);
const audit = (...args: readonly string[]) => sluice(['audit', '--rules', file('rules.json'), ...args]);
beforeAll(async () => {
  const { rules, lists } = world();
  await writeFile(file('rules.json'), JSON.stringify({ rules, lists }));
  for (const [name, written] of Object.entries(forms)) await writeFile(file(fileOf(name)), written(rows));
});

const fileOf = (form: string) => `${form.replaceAll(' ', '-')}.${/^[ct]sv/.exec(form)?.[0] ?? 'json'}`;

/** What is counted, without where it comes from. */
const countsOf = (json: string) => ({ ...JSON.parse(json), input: undefined, receipt: undefined });

describe('sluice audit --messages', () => {
  let expected: unknown;
  beforeAll(async () => {
    expected = countsOf((await audit('--messages', file(fileOf('ndjson')), '--json', '--quiet')).stdout);
    expect(expected).toMatchObject({ messages: rows.length, verdicts: { blockMessage: 400 } });
  });

  it.each(Object.keys(forms))(
    'gives the summary of NDJSON for %s, by name, from standard input, gzipped, in shards',
    async (form) => {
      const path = file(fileOf(form));
      const gzip = gzipSync(await readFile(path));
      const half = Math.floor(gzip.length / 2);
      const outcomes = [
        await audit('--messages', path, '--json', '--quiet'),
        await audit('--messages', path, '--json', '--quiet', '--out', file(`out-${fileOf(form)}`)),
        await sluice(['audit', '--rules', file('rules.json'), '--messages', '-', '--json', '--quiet'], {
          stdin: [gzip.subarray(0, half), gzip.subarray(half)],
        }),
      ];
      for (const { code, stdout } of outcomes) expect([code, countsOf(stdout)]).toEqual([0, expected]);
      const decisions = (name: string) => readFile(file(`out-${fileOf(name)}/decisions.ndjson`), 'utf8');
      expect(await decisions(form)).toBe(await decisions('ndjson'));
    },
  );

  it('says in its first line what was taken for what, and that times count milliseconds', async () => {
    const line = async (form: string) => (await audit('--messages', file(fileOf(form)))).stderr.split('\n')[0];
    expect(await line('array of many lines')).toBe(
      `${file('array-of-many-lines.json')}: text from \`message\`, id from \`messageId\`, sender from \`user\`, ` +
        'sentAt from `createdAt`, conversationId from `conversationId`',
    );
    expect(await line('csv of spreadsheets')).toMatch(/: text from `text`, .*, cells between `;`$/);
    expect(await line('tsv')).toMatch(/, cells between tabs$/);
    expect(await line('ndjson')).toBe(
      `judging messages of ${file('ndjson.json')}, by rules from ${file('rules.json')}`,
    );
    const inMilliseconds = async (row: object) =>
      (await sluice(['audit', '--rules', file('rules.json'), '--messages', '-'], { stdin: [JSON.stringify(row)] }))
        .stderr;
    expect(await inMilliseconds({ text: 'a', sent_at: 1_772_323_200_000 })).toContain(
      'sentAt from `sent_at` (in milliseconds)',
    );
    const words = '`sentAt` counts milliseconds, and is read as such';
    expect(await inMilliseconds({ data: { text: 'a' }, sentAt: 1_772_323_200_000 })).toContain(words);
    expect(await inMilliseconds({ data: { text: 'a' }, sentAt: 1_772_323_200 })).not.toContain('milliseconds');
  });

  it('takes the columns that `--map` names, and keeps them: others are another audit', async () => {
    await writeFile(file('named.csv'), 'id,text,comment,who,body\n1,hello,heck,ana,damn\n2,heck,hello,bob,damn\n');
    const unnamed = await audit('--messages', file('named.csv'));
    expect([unnamed.code, unnamed.stderr]).toEqual([
      3,
      expect.stringContaining(
        'the header has several columns for text: `text`, `body`; columns can be mapped: `text=COLUMN',
      ),
    ]);
    const map = ['--messages', file('named.csv'), '--out', file('named'), '--all', '--map'];
    const first = await audit(...map, 'text=comment,sender=who,id=');
    expect(first.stderr).toContain('text from `comment`, no id, sender from `who`, no sentAt, no conversationId\n');
    const decided = (await readFile(file('named/decisions.ndjson'), 'utf8'))
      .trim()
      .split('\n')
      .map((row) => JSON.parse(row));
    expect(decided).toMatchObject([
      { sender: 'ana', decision: { verdict: 'blockMessage' } },
      { sender: 'bob', decision: { verdict: 'allow' } },
    ]);
    const manifest = JSON.parse(await readFile(file('named/manifest.json'), 'utf8'));
    expect(manifest.inputs.columns).toBe('text=comment,sender=who,id=');
    expect((await audit(...map, 'text=comment,sender=who,id=')).code).toBe(0);
    const other = await audit(...map, 'text=text');
    expect([other.code, other.stderr]).toEqual([
      2,
      expect.stringContaining('other columns (text=comment,sender=who,id=, now text=text,id=id)'),
    ]);
  });

  it('refuses a `--map` of a column that a file lacks, whatever the field, and takes the number of one without a name', async () => {
    await writeFile(file('index.csv'), ',comment,when\n7,heck,1772323200\n8,hello,1772323201\n');
    await writeFile(file('sparse.ndjson'), '{"comment":"heck"}\n{"comment":"hello","when":1772323201}\n');
    const read = async (name: string, map: string) => {
      const { code, stdout, stderr } = await audit('--messages', file(name), '--map', `text=comment,${map}`, '--json');
      return code === 0 ? JSON.parse(stdout).messages : [code, stderr.split('\n').at(-2)];
    };
    for (const [name, columns] of [
      ['index.csv', ' among `comment`, `when`'],
      ['sparse.ndjson', ''],
    ] as const) {
      for (const field of ['id', 'sender', 'sentAt', 'conversationId']) {
        const what = name === 'index.csv' ? 'the header' : 'the whole file';
        const [code, words] = await read(name, `${field}=posted`);
        expect([code, words]).toEqual([
          3,
          expect.stringContaining(`${name}: ${what} has no column \`posted\`${columns}; columns can be mapped: `),
        ]);
      }
      expect(await read(name, 'sentAt=when,id=')).toBe(2);
    }
    expect(await read('index.csv', 'id=4')).toEqual([3, expect.stringContaining('no column `4`')]);
    const { stderr } = await audit(
      '--messages',
      file('index.csv'),
      '--map',
      'text=comment,id=1',
      '--out',
      file('index'),
    );
    expect(stderr).toContain('text from `comment`, id from `1`');
    expect(await readFile(file('index/decisions.ndjson'), 'utf8')).toMatch(/^\{"messageId":"7"/);
  });

  it.each([
    ['empty.csv', '', 'the whole file is empty; check that it is the right one'],
    ['empty.json', '', 'the whole file has no message; check that it is the right one'],
    [
      'whole.json',
      '{"messages":[{"text":"a"}]}',
      "the whole file has its messages in `messages`; `jq -c '.messages[]'` takes them out",
    ],
    ['lines.json', '{\n  "data": [\n', "the whole file has its messages in `data`; `jq -c '.data[]'` takes them out"],
    ['page.json', '{"data":[{"id":"1","data":{"text":"a"}}],"meta":{}}', 'the whole file has its messages in `data`; '],
    ['excel.csv', 'sep=;\r\ntext;id\r\na;1\r\n', 'the first row is one for Excel alone; `tail -n +2` leaves it out'],
    [
      'latin.csv',
      Buffer.from('text\nd\xe9j\xe0\n', 'latin1'),
      'must be utf-8; `iconv -f WINDOWS-1252 -t UTF-8` converts it',
    ],
  ])('says of %s what to do next', async (name, content, words) => {
    await writeFile(file(name), content);
    const { code, stderr } = await audit('--messages', file(name));
    expect([code, stderr]).toEqual([3, expect.stringContaining(words)]);
  });

  it('counts bad rows with their lines, and ends with the first when asked to', async () => {
    const content = `${csvOf(rows.slice(0, 3))}4,bob\n5,"a"b,,,heck\n6,,,,heck\n`;
    await writeFile(file('bad.csv'), content);
    const skipped = JSON.parse((await audit('--messages', file('bad.csv'), '--json', '--on-bad-row', 'skip')).stdout);
    const bad = [
      { line: 6, reason: 'the row has 2 cells, and the header 5' },
      { line: 7, reason: 'the row has something behind a quote that closes its cell; a quote inside is doubled' },
    ];
    expect(skipped).toMatchObject({ messages: 4, badRows: { count: 2, first: bad } });
    expect(await audit('--messages', file('bad.csv'))).toMatchObject({
      code: 3,
      stderr: expect.stringContaining(`${file('bad.csv')}:6: the row has 2 cells`),
    });
  });
});

describe('other commands', () => {
  it('`diff` gives the same for all forms', async () => {
    const others = world().lists?.map((list) =>
      list.id === 'profanity-list' ? { ...list, searchTerms: ['hello'] } : list,
    );
    await writeFile(file('others.json'), JSON.stringify({ rules: world().rules, lists: others }));
    const diff = async (form: string) =>
      countsOf(
        (
          await sluice([
            'diff',
            '--rules',
            file('others.json'),
            '--against',
            file('rules.json'),
            '--messages',
            file(fileOf(form)),
            '--json',
            '--quiet',
          ])
        ).stdout,
      );
    const expected = await diff('ndjson');
    expect(expected.newlyStopped).toBe(100);
    for (const form of ['flat rows', 'array of many lines', 'csv', 'tsv'])
      expect(await diff(form), form).toEqual(expected);
  });
});

describe('docs/audit.md', () => {
  it('has rows that are read as it says', async () => {
    const page = await readFile(new URL('../../docs/audit.md', import.meta.url), 'utf8');
    const section = page.slice(page.indexOf('## Messages of your own'), page.indexOf('## What each rule did'));
    const blocks = [...section.matchAll(/```(json|csv)\n([\s\S]*?)```/g)].map(([, kind, text]) => ({
      kind,
      text: text!,
    }));
    expect(blocks.map(({ kind }) => kind)).toEqual(['json', 'csv', 'csv', 'json', 'json']);
    const counts: unknown[] = [];
    for (const { kind, text } of blocks.slice(0, 4)) {
      const content = kind === 'json' ? JSON.stringify(JSON.parse(text)) : text;
      const args = ['audit', '--rules', file('rules.json'), '--messages', '-', '--json', '--quiet'];
      const { messages, texts, undated } = JSON.parse((await sluice(args, { stdin: [content] })).stdout);
      counts.push([messages, texts, undated?.absent ?? 0]);
    }
    expect(counts).toEqual([
      [1, 1, 1],
      [1, 1, 1],
      [1, 1, 0],
      [1, 1, 0],
    ]);
    await writeFile(file('scores.json'), blocks[4]!.text);
    const scored = await sluice(
      ['check', '--rules', file('rules.json'), '--message', '-', '--scores', file('scores.json')],
      { stdin: [blocks[3]!.text] },
    );
    expect(scored.code).toBe(0);
  });
});
