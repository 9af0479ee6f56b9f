import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parquetReadObjects } from 'hyparquet';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DecisionRow } from '../../src/audit/decision-row.js';
import { tableNames, tables } from '../../src/tables/columns.js';
import { csvCell } from '../../src/tables/csv.js';
import { type TableFormat, writeTables } from '../../src/tables/write-tables.js';
import { sluice } from '../cli/terminal.js';

let out: string;
let rows: DecisionRow[];

beforeAll(async () => {
  out = await mkdtemp(join(tmpdir(), 'sluice-tables-'));
  const { code } = await sluice(['audit', '--demo', '--quiet', '--out', out, '--format', 'parquet']);
  expect(code).toBe(0);
  rows = (await readFile(join(out, 'decisions.ndjson'), 'utf8'))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as DecisionRow);
});
afterAll(() => rm(out, { recursive: true }));

/** The files of tables from rows, in the order of `tableNames`. */
async function written(given: Iterable<DecisionRow>, format: TableFormat): Promise<Buffer[]> {
  const chunks = tableNames.map((): Buffer[] => []);
  const sink = (index: number) => ({
    append: async (bytes: Uint8Array) => void chunks[index]!.push(Buffer.from(bytes)),
  });
  await writeTables(given, format, { decisions: sink(0), matches: sink(1), unevaluated: sink(2) });
  return chunks.map((each) => Buffer.concat(each));
}

const fileOf = (bytes: Buffer) => new Uint8Array(bytes).buffer;

describe('tables of an audit as parquet', () => {
  it('read back are the rows of decisions, for every table', async () => {
    for (const table of tables) {
      const file = fileOf(await readFile(join(out, `${table.name}.parquet`)));
      const names = table.columns.map(({ name }) => name);
      const cells = (await parquetReadObjects({ file })).map((row) =>
        names.map((name) => (row[name] instanceof Date ? row[name].getTime() : (row[name] ?? null))),
      );
      const expected = rows.flatMap((row) => table.rowsOf(row));
      expect(cells.length).toBe(expected.length);
      expect(cells).toEqual(expected);
    }
    expect(rows.length).toBeGreaterThan(1000);
  });

  it('are the same bytes again', async () => {
    const files = await Promise.all(tableNames.map((name) => readFile(join(out, `${name}.parquet`))));
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

describe('cells of CSV', () => {
  it.each(['=1+1', '+1', '-1', '@A1', '\tx', '\rx'])('begin with an apostrophe where a formula begins: %j', (text) => {
    expect(csvCell(text, 'string').replace(/^"/, '')).toMatch(/^'/);
  });

  it('are quoted, empty, or plain', () => {
    expect(csvCell('a "b", c', 'string')).toBe('"a ""b"", c"');
    expect(csvCell(null, 'string')).toBe('');
    expect(csvCell(-1, 'double')).toBe('-1');
    expect(csvCell(0, 'timestamp')).toBe('1970-01-01T00:00:00.000Z');
  });
});

describe('docs/audit.md', () => {
  it('lists the columns of each table, in order', async () => {
    const page = await readFile(new URL('../../docs/audit.md', import.meta.url), 'utf8');
    for (const { name, columns } of tables) {
      const [, listed = ''] = new RegExp(`^- \`${name}\`: ([\\s\\S]*?)\\n(?:-|\\n)`, 'm').exec(page) ?? [];
      expect([...listed.matchAll(/`(\w+)`/g)].map(([, column]) => column)).toEqual(columns.map((each) => each.name));
    }
  });
});
