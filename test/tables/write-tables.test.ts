import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { parquetMetadata, parquetReadObjects } from 'hyparquet';
import { beforeAll, describe, expect, it } from 'vitest';
import type { DecisionRow } from '../../src/audit/keep/decision-row.js';
import { type Cell, type Table, tableNames, tables } from '../../src/audit/tables/columns.js';
import { csvCell } from '../../src/audit/tables/csv.js';
import { type OpenTable, type TableFormat, writeTables } from '../../src/audit/tables/write-tables.js';
import { sluice } from '../cli/terminal.js';
import { demoLines } from '../support/demo.js';
import { temporaryFolder } from '../support/folder.js';
import { runs } from '../support/runs.js';

const out = temporaryFolder();
let rows: DecisionRow[];

beforeAll(async () => {
  // What the platform stopped, and some of the rest.
  const chosen = demoLines().filter((line, index) => line.includes('"disapproved"') || index % 20 === 0);
  const stdin = [`${chosen.join('\n')}\n`];
  const args = ['audit', '--demo', '--messages', '-', '--quiet', '--out', out, '--format', 'parquet'];
  expect(await sluice(args, { stdin })).toMatchObject({ code: 0 });
  rows = (await readFile(join(out, 'decisions.ndjson'), 'utf8'))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as DecisionRow);
});

/** The finished files of tables from rows, by number and then in the order of `tableNames`. */
async function written(given: Iterable<DecisionRow>, format: TableFormat, rowsPerFile?: number): Promise<Buffer[]> {
  const files: Buffer[] = [];
  const open: OpenTable = async (table, number) => {
    const chunks: Buffer[] = [];
    return {
      append: async (bytes) => void chunks.push(Buffer.from(bytes)),
      async finish() {
        files[(number - 1) * tableNames.length + tableNames.indexOf(table)] = Buffer.concat(chunks);
      },
    };
  };
  await writeTables(given, format, open, rowsPerFile);
  return files;
}

const fileOf = (bytes: Buffer) => new Uint8Array(bytes).buffer;

/**
 * The cells of a file of a table, as the table has them: integers of 64 bits and moments as
 * numbers.
 */
async function cellsOf(table: Table, bytes: Buffer): Promise<Cell[][]> {
  const plain = (cell: unknown) => (typeof cell === 'bigint' || cell instanceof Date ? Number(cell) : (cell ?? null));
  const found = await parquetReadObjects({ file: fileOf(bytes) });
  return found.map((row) => table.columns.map(({ name }) => plain(row[name]) as Cell));
}

describe('tables of an audit as parquet', () => {
  it('read back are the rows of decisions, for every table', async () => {
    for (const table of tables) {
      const cells = await cellsOf(table, await readFile(join(out, `${table.name}-0001.parquet`)));
      const expected = rows.flatMap((row, index) => table.rowsOf(row, index + 1));
      expect(cells.length).toBe(expected.length);
      expect(cells).toEqual(expected);
    }
    expect(rows.length).toBeGreaterThan(1000);
  });

  it('hold whole numbers as integers', async () => {
    const types = async (name: string) => {
      const file = fileOf(await readFile(join(out, `${name}-0001.parquet`)));
      return Object.fromEntries(parquetMetadata(file).schema.map((column) => [column.name, column.type]));
    };
    const bigint = { line: 'INT64', condition_id: 'INT64' };
    expect(await types('decisions')).toMatchObject({ line: 'INT64', sent_at: 'INT64' });
    expect(await types('matches')).toMatchObject({ ...bigint, start: 'INT32', end: 'INT32', score: 'DOUBLE' });
    expect(await types('unevaluated')).toMatchObject(bigint);
  });

  it('hold null for the id of a condition that is not a whole number', async () => {
    const [row] = rows;
    const missing = { ruleId: 'r', why: 'no-scores', detail: '' } as const;
    const ids = [-1, 2 ** 53 - 1, 2 ** 53, 0.5, 1e300];
    const decision = { ...row!.decision, unevaluated: ids.map((conditionId) => ({ ...missing, conditionId })) };
    const files = await written([{ ...row!, decision }], 'parquet');
    const found = await parquetReadObjects({ file: fileOf(files[2]!) });
    expect(found.map((each) => each.condition_id)).toEqual([-1n, 2n ** 53n - 1n, null, null, null]);
  });

  it('are the same bytes again', async () => {
    const files = await Promise.all(tableNames.map((name) => readFile(join(out, `${name}-0001.parquet`))));
    for (const again of [await written(rows, 'parquet'), await written(rows, 'parquet')]) {
      expect(again.map((bytes, index) => bytes.equals(files[index]!))).toEqual([true, true, true]);
    }
  });

  it('hold lone surrogates as U+FFFD, and no moment that no calendar has', async () => {
    const [row] = rows;
    const [file] = await written([{ ...row!, sender: 'a\ud800', sentAt: 1e300 }], 'parquet');
    expect(await parquetReadObjects({ file: fileOf(file!) })).toMatchObject([{ sender: 'a\ufffd', sent_at: null }]);
  });

  it('of no rows are tables with columns', async () => {
    for (const file of await written([], 'parquet'))
      expect(await parquetReadObjects({ file: fileOf(file) })).toEqual([]);
  });
});

describe('files of a table', () => {
  const limit = 100;

  it('have no more rows than the limit, and together all of them; those of one number have the same lines', async () => {
    const files = await written(rows, 'parquet', limit);
    expect(files.length / tables.length).toBeGreaterThanOrEqual(rows.length / limit);
    let line = 0;
    for (let first = 0; first < files.length; first += tables.length) {
      const cells = await Promise.all(tables.map((table, index) => cellsOf(table, files[first + index]!)));
      const lines = cells[0]!.map(([each]) => Number(each));
      expect(lines).toEqual(lines.map((_, index) => line + index + 1));
      const own = rows.slice(line, line + lines.length);
      for (const [index, table] of tables.entries()) {
        expect(cells[index]!.length).toBeLessThanOrEqual(limit);
        expect(cells[index]).toEqual(own.flatMap((row, at) => table.rowsOf(row, line + at + 1)));
      }
      line += lines.length;
    }
    expect(line).toBe(rows.length);
  });

  it('have names of columns each in CSV, and put together the rows of one file', async () => {
    const [whole] = await written(rows, 'csv');
    const parts = (await written(rows, 'csv', limit)).filter((_, index) => index % tables.length === 0).map(String);
    const [head] = String(whole).split('\r\n', 1);
    expect(parts.length).toBeGreaterThan(10);
    expect(parts.filter((part) => !part.startsWith(`${head}\r\n`))).toEqual([]);
    const bodies = parts.map((part) => part.slice(head!.length + 2));
    expect(`${head}\r\n${bodies.join('')}`).toBe(String(whole));
  });

  it('has one for a decision with more rows than the limit', async () => {
    const row = rows.find(({ decision }) => decision.unevaluated.length === 0);
    const missing = { ruleId: 'r', conditionId: 1, why: 'no-scores', detail: '' } as const;
    const many = { ...row!, decision: { ...row!.decision, unevaluated: Array.from({ length: 5 }, () => missing) } };
    const files = await written([row!, many, many, row!], 'parquet', 4);
    const counts = files.map((bytes) => Number(parquetMetadata(fileOf(bytes)).num_rows));
    expect(counts.filter((_, index) => index % tables.length === 2)).toEqual([0, 5, 5, 0]);
  });
});

describe('cells of CSV', () => {
  it.each([
    '=1+1',
    '+1',
    '-1',
    '@A1',
    '\tx',
    '\rx',
    ' =1',
    '\u00a0+1',
    '\0=1',
    '\u200b=1',
    '＝1',
    '＋1',
    '－1',
    '＠A1',
  ])('begin with an apostrophe where a formula begins: %j', (text) => {
    expect(csvCell(text, 'string').replace(/^"/, '')).toMatch(/^'/);
  });

  it('begin no formula for who separates at commas, semicolons or tabs, whatever the text', () => {
    const signs = ['\0', '\u200b', '=', '+', '-', '@', '＝', ';', ',', '\t', '\r', '\n', ' ', '"', "'", 'a', '1'];
    const text = fc.array(fc.constantFrom(...signs), { maxLength: 12 }).map((each) => each.join(''));
    const begins = /^[^\S\t\r\n]*[=+\-@＝]|^[\t\r]/;
    const shown = (field: string) => field.replaceAll('\0', '').replaceAll('\u200b', '');
    const property = fc.property(text, fc.constantFrom(',', ';', '\t'), (given, separator) => {
      const line = `1,${csvCell(given, 'string')},x\r\n`;
      expect(fieldsOf(line, separator).filter((field) => begins.test(shown(field)))).toEqual([]);
      expect(fieldsOf(line, ',').map((field) => field.replaceAll("'", ''))).toEqual([
        '1',
        given.replaceAll("'", ''),
        'x',
        '',
      ]);
    });
    fc.assert(property, { numRuns: runs(500, 50_000), seed: 8 });
  });

  it('stay as they are where a sign begins nothing', () => {
    for (const text of ['a-b', "it's", '1 + 1 = 2', 'mail@host', '', ' ', ';)']) {
      expect(csvCell(text, 'string').replaceAll('"', '')).toBe(text);
    }
  });

  it('of a text of separators and blanks are made in linear time', () => {
    const text = '\n'.repeat(200_000) + ' '.repeat(200_000);
    expect(csvCell(text, 'string').length).toBe(text.length + 2);
  });

  it('are quoted, empty, or plain', () => {
    expect(csvCell('a "b", c', 'string')).toBe('"a ""b"", c"');
    expect(csvCell(null, 'string')).toBe('');
    expect(csvCell(-1, 'double')).toBe('-1');
    expect(csvCell(7, 'int64')).toBe('7');
    expect(csvCell(0, 'timestamp')).toBe('1970-01-01T00:00:00.000Z');
  });
});

/**
 * The cells of a text as spreadsheets read it with a separator; a cell is quoted when it begins
 * with a quote.
 */
function fieldsOf(text: string, separator: string): string[] {
  const fields: string[] = [];
  const ends = new RegExp(`[${separator}\\r\\n]`);
  let rest = text;
  for (;;) {
    const [quoted] = /^"(?:[^"]|"")*"?/.exec(rest) ?? [''];
    const end = rest.slice(quoted.length).search(ends);
    const plain = end === -1 ? rest.slice(quoted.length) : rest.slice(quoted.length, quoted.length + end);
    fields.push(quoted.slice(1).replace(/"$/, '').replaceAll('""', '"') + plain);
    rest = rest.slice(quoted.length + plain.length);
    if (rest === '') return fields;
    rest = rest.replace(/^(?:\r\n|[\s\S])/, '');
  }
}

describe('docs/audit.md', () => {
  it('lists the columns of each table, in order', async () => {
    const page = await readFile(new URL('../../docs/audit.md', import.meta.url), 'utf8');
    for (const { name, columns } of tables) {
      const [, listed = ''] = new RegExp(`^- \`${name}\`: ([\\s\\S]*?)\\n(?:-|\\n)`, 'm').exec(page) ?? [];
      expect([...listed.matchAll(/`(\w+)`/g)].map(([, column]) => column)).toEqual(columns.map((each) => each.name));
    }
  });
});
