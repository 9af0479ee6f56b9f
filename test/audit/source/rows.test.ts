import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BlockCutter, type Position, type RowBlock } from '../../../src/audit/source/blocks.js';
import { type ColumnMap, columnsOf, secondsOf } from '../../../src/audit/source/columns.js';
import { readerOf } from '../../../src/audit/source/open-file.js';
import { readRowFormat } from '../../../src/audit/source/row-format.js';
import { createRowReader, rowsOf } from '../../../src/audit/source/rows.js';
import { inflated } from '../../../src/foundation/files/gzip.js';
import { runs } from '../../support/runs.js';
import { csvOf, type ExportRow, exportRow, forms, messageOf } from './rows-as.js';

async function* inChunks(bytes: Uint8Array, lengths: readonly number[]): AsyncGenerator<Uint8Array> {
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const length = lengths[turn % lengths.length] ?? 1;
    yield bytes.subarray(at, at + length);
    at += length;
  }
}

interface Reading {
  readonly map?: ColumnMap;
  readonly lengths?: readonly number[];
  readonly size?: number;
  readonly isNamedCsv?: boolean;
  readonly from?: Position;
}

/** The blocks of a file, its messages and its bad rows. */
async function read(content: string | Uint8Array, reading: Reading = {}) {
  const { map = {}, lengths = [1 << 16], size, isNamedCsv = false, from } = reading;
  const reader = readerOf(inflated(inChunks(Buffer.from(content), lengths), 'x'));
  const stream = await readRowFormat(reader, { source: 'x', isNamedCsv, map });
  const { format } = stream;
  const readRow = createRowReader(format, 'x');
  const blocks: RowBlock[] = [];
  const messages: unknown[] = [];
  const bad: string[] = [];
  const places: number[] = [];
  for await (const block of new BlockCutter(from, size ? { size } : {}).blocksOf({ source: 'x', format, reader })) {
    blocks.push({ ...block, bytes: new Uint8Array(block.bytes) });
    for (const row of rowsOf(block, format)) {
      try {
        const message = readRow(row);
        if (message === undefined) continue;
        messages.push(message);
        places.push(block.before + row.index);
      } catch (error) {
        bad.push((error as Error).message);
      }
    }
  }
  return { ...stream, blocks, messages, bad, places };
}

const rows = fc.array(exportRow, { maxLength: 12 });
const lengths = fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 4 });
const sizes = fc.integer({ min: 4, max: 200 });

describe.each(Object.entries(forms))('rows as %s', (name, written) => {
  const isNamedCsv = /csv|tsv/.test(name);

  it('are the messages of the NDJSON, however bytes arrive, plain and gzipped, and go on behind any block', async () => {
    await fc.assert(
      fc.asyncProperty(rows, lengths, sizes, fc.boolean(), fc.nat(), async (rows, lengths, size, isGzip, pick) => {
        const content = isGzip ? gzipSync(written(rows)) : written(rows);
        const { bad, messages, blocks, places } = await read(content, { lengths, size, isNamedCsv });
        expect(bad).toEqual([]);
        expect(messages).toEqual(rows.map(messageOf));
        if (!name.includes('lines')) expect(places).toEqual(rows.map((_, index) => index));
        if (blocks.length === 0) return;
        const from = blocks[pick % blocks.length]!.end as Position;
        const rest = await read(content, { isNamedCsv, from });
        expect(rest.messages).toEqual(messages.slice(messages.length - rest.messages.length));
        expect(rest.places).toEqual(places.filter((place) => place >= from.rows));
        expect(rest.blocks.at(-1)?.end ?? from).toEqual(blocks.at(-1)!.end);
      }),
    );
  });
});

/** The end of errors of columns. */
const mappable = '; columns can be mapped: `text=COLUMN,sentAt=COLUMN`, and `sentAt=` leaves one out';

describe('hostile bytes', () => {
  const bytes = fc.array(fc.constantFrom(...Buffer.from('",;\n\r\t[]{}:\\ a1\u{feff}é\0')), { maxLength: 60 });
  const starts = ['', '[', '[{"text":"a"},', '{"text":"a"}\n', 'text,id\n', 'id;text\r\n"1";', '"text"\tid\n'];

  it('give messages and errors that do not depend on how they arrive, and lose no byte', async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...starts), bytes, lengths, sizes, async (start, bytes, lengths, size) => {
        const content = Buffer.concat([Buffer.from(start), Buffer.from(bytes)]);
        const outcome = (reading: Reading) =>
          read(content, reading).then(
            ({ blocks, messages, bad, format }) => {
              return { judged: Buffer.concat(blocks.map((block) => block.bytes)), messages, bad, format };
            },
            (error) => ({ error: error.code, words: error.message }),
          );
        const one = await outcome({ lengths, size });
        expect(await outcome({ lengths: [1] })).toEqual(one);
        if ('error' in one) expect(one.error).toBe('shape');
        else expect(one.judged).toEqual(content.subarray(one.format.head.bytes));
      }),
      { numRuns: runs(150) },
    );
  });

  it.each([
    ['UTF-16', Buffer.from('\u{feff}id,text\n', 'utf16le'), /must be UTF-8, and seems to be UTF-16; `iconv/],
    ['UTF-16 without a mark', Buffer.from('id,text\n', 'utf16le'), /seems to be UTF-16/],
    ['an open quote', 'id,text\n1,a\n2,"b\n3,c\n', /^x:3: the whole file ends in a cell whose quote never closes$/],
    ['a quote that never closes in the header', '"id,text\n1,a\n', /the header has no column for the text/],
    ['an array that is cut off', '[{"text":"a"},\n{"text":"b"', /^x:1: the whole file ends before its array does$/],
    ['something behind an array', '[{"text":"a"}]\n[]', /the whole file must end behind its array/],
    ['no file', '', /^x: the whole file is empty; check that it is the right one$/],
    ['no text', 'id,note\n', /the header has no column for the text among `id`, `note`; columns can be mapped: /],
    ['two texts', 'text,id,Body\n', /the header has several columns for text: `text`, `Body`; columns can be map/],
    ['a column twice', 'id,text,id\n', /the header has several columns for id: `id`, `id`; columns can be mapped: /],
    [
      'a row of 65 MiB',
      `text\n"${'a'.repeat(65 << 20)}`,
      /^x:2: the whole record is longer than 64 MiB; a quote that never closes makes one$/,
    ],
  ])('%s is said', async (_, content, words) => {
    await expect(read(content, { isNamedCsv: true })).rejects.toThrow(words);
  });

  it.each<readonly [string, string, readonly number[], readonly string[]]>([
    ['a header alone', 'id,text\n', [], []],
    [
      'a row with too few cells, and one with too many',
      'id,text\n1\n2,b\n3,c,d\n',
      [2],
      ['x:2: the row has 1 cells, and the header 2', 'x:4: the row has 3 cells, and the header 2'],
    ],
    ['a comma at the end of each row', 'id,text,\n1,a,\n2,b,\n', [1, 2], []],
    ['a comma at the end of each row but the header', 'id,text\n1,a,\n2,b,\n', [1, 2], []],
    [
      'a row of two million empty cells',
      `id,text\n1${',"",'.repeat(1e6)}\n2,b\n`,
      [2],
      ['x:2: the row has 2000001 cells, and the header 2'],
    ],
    ['blank lines', '\n\nid,text\n\n1,a\n\r\n2,b\n\n', [1, 2], []],
    [
      'something behind a quote',
      'id,text\n1,"a"b\n2,c\n',
      [2],
      ['x:2: the row has something behind a quote that closes its cell; a quote inside is doubled'],
    ],
    [
      'a row behind one of three lines',
      'id,text\n1,"a\n\nb"\n2\n',
      [1],
      ['x:5: the row has 1 cells, and the header 2'],
    ],
    [
      'a date that is none',
      'id,text,date\n1,a,soon\n2,b,\n',
      [2],
      ['x:2: `date` must be a time: seconds or milliseconds since 1970, or `2026-03-01T08:00:00Z`'],
    ],
    [
      'no UTF-8',
      'id,text\n1,\u{ff}\n',
      [],
      ['x:2: the whole line must be utf-8; `iconv -f WINDOWS-1252 -t UTF-8` converts it if it is Latin-1'],
    ],
    [
      'items that are none',
      '[{"id":1,"text":"a"},,5,\n{"id":2,"text":"b"]},{"id":3,"text":"c"}]',
      [1, 3],
      ['x:1: the item must be json', 'x:1: the whole value must be an object', 'x:2: the item must be json'],
    ],
    [
      'an id that is not a number of JSON',
      '[{"id":9007199254740993,"text":"a"},{"id":1.5,"text":"b"},{"id":7,"text":"c"}]',
      [7],
      [
        'x:1: `id` must be a string, or a whole number below 2^53',
        'x:1: `id` must be a string, or a whole number below 2^53',
      ],
    ],
    ['an empty array', ' [ \n ] \n', [], []],
    [
      'deep arrays',
      `[${'['.repeat(50_000)}${']'.repeat(50_000)},{"id":1,"text":"a"}]`,
      [1],
      ['x:1: the whole value must be an object'],
    ],
    [
      'texts that are none',
      '{"id":1,"text":5}\n{"id":2,"text":null}\n{"id":3,"text":{"a":1}}\n',
      [2],
      [
        'x:1: `text` must be a string',
        `x:3: the row has no \`data.text\`, and has no column for the text among \`id\`${mappable}`,
      ],
    ],
  ])('%s', async (_, content, ids, bad) => {
    const found = await read(Buffer.from(content, content.includes('\u{ff}') ? 'latin1' : 'utf8'), {});
    expect(found.messages.map((message) => Number((message as ExportRow).id))).toEqual(ids);
    expect(found.bad).toEqual(bad);
  });
});

describe('columns', () => {
  it.each([
    [
      ['id', 'text', 'user', 'sent_at', 'conversation'],
      { id: 'id', text: 'text', sender: 'user', sentAt: 'sent_at', conversationId: 'conversation' },
    ],
    [
      ['messageId', 'Body', 'Sender ID', 'createdAt', 'conversationId'],
      { id: 'messageId', text: 'Body', sender: 'Sender ID', sentAt: 'createdAt', conversationId: 'conversationId' },
    ],
    [['content', 'uid', 'timestamp'], { text: 'content', sender: 'uid', sentAt: 'timestamp' }],
    [['message', 'user', 'sender', 'date'], { text: 'message', sender: 'sender', sentAt: 'date' }],
  ])('%j are taken by their names', (names, columns) => {
    expect(columnsOf(names, {})).toEqual(columns);
  });

  it('are those that somebody named, and none where none is to be', () => {
    const names = ['text', 'html', 'id', 'date'];
    expect(columnsOf(names, { text: 'html', sentAt: '', sender: 'id' })).toEqual({
      text: 'html',
      id: 'id',
      sender: 'id',
    });
    expect(columnsOf(names, { text: 'Text' })).toMatchObject({
      fault: 'has no column `Text` among `text`, `html`, `id`, `date`',
    });
  });

  it('that hold objects are none, and rows with `data` are messages', async () => {
    const rows = [
      { id: 1, message: 'a', user: { id: 5 } },
      { data: { text: 'b' }, sentAt: '2026-03-01T00:00:00Z' },
      { type: 'image', id: '3' },
    ];
    const { messages, bad } = await read(rows.map((row) => JSON.stringify(row)).join('\n'));
    expect(bad).toEqual([]);
    expect(messages).toEqual([
      { id: '1', data: { text: 'a' } },
      { data: { text: 'b' }, sentAt: 1_772_323_200 },
      rows[2],
    ]);
  });

  it('may be called `data`, when somebody says so', async () => {
    const content = '{"id":1,"data":"a"}\n{"id":2,"text":"b"}\n';
    const { messages, bad } = await read(content, { map: { text: 'data' } });
    expect(messages).toEqual([{ id: '1', data: { text: 'a' } }]);
    expect(bad).toEqual([`x:2: the row has no column \`data\` among \`id\`, \`text\`${mappable}`]);
  });

  it('of CSV are found without a name of a file, where the header has a text', async () => {
    const content = csvOf([{ id: '1', text: 'a, b' }]);
    expect((await read(content)).messages).toEqual([{ id: '1', data: { text: 'a, b' } }]);
    await expect(read('no json, at all\n')).rejects.toThrow('has no column for the text among `no json`, `at all`');
    expect((await read('no json at all\n')).bad).toEqual([expect.stringContaining('x:1: the whole line must be json')]);
    expect((await read('{"text":"a"}\n', { isNamedCsv: true })).messages).toEqual([{ data: { text: 'a' } }]);
  });
});

describe('times', () => {
  it.each([
    [1_772_323_200, 1_772_323_200],
    ['1772323200', 1_772_323_200],
    [1_772_323_200_500, 1_772_323_200.5],
    ['1772323200500', 1_772_323_200.5],
    ['1772323200.25', 1_772_323_200.25],
    [99_999_999_999, 99_999_999_999],
    [100_000_000_000, 100_000_000],
    ['2026-03-01', 1_772_323_200],
    ['2026-03-01T00:00:00Z', 1_772_323_200],
    ['2026-03-01T01:00:00+01:00', 1_772_323_200],
    [' 2026-03-01 00:00:00 ', 1_772_323_200],
    ['2026-03-01 00:00:00.250000+00', 1_772_323_200.25],
    ['2026-02-28 22:00:00-0200', 1_772_323_200],
    ['2026-03-01 00:00 UTC', 1_772_323_200],
    ['01/03/2026', Number.NaN],
    ['yesterday', Number.NaN],
    [true, Number.NaN],
  ])('%j', (time, seconds) => {
    expect(secondsOf(time)).toBe(seconds);
  });
});
