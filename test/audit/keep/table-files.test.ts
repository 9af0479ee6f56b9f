import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { decisionRow } from '../../../src/audit/keep/decision-row.js';
import { tableFilePattern, tableFilesInWords, writeTableFiles } from '../../../src/audit/keep/table-files.js';
import { createEngine } from '../../../src/engine/engine.js';

let directory: string;
let decisions: string;

const condition = { id: 1, operand: 'text', category: 'word', operator: 'contains', value: ['heck'] };
const engine = createEngine({ rules: [{ id: 'r', action: ['blockMessage'], conditions: [condition] }], lists: [] });
const rows = Array.from({ length: 25 }, (_, index) => {
  const message = { id: String(index), sentAt: index, data: { text: 'heck' } };
  return decisionRow({ messageId: message.id, message, decision: engine.explain(message) });
});

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sluice-table-files-'));
  decisions = join(directory, 'decisions.ndjson');
  await writeFile(decisions, rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
});
afterEach(() => rm(directory, { recursive: true }));

describe('files of tables', () => {
  it.each(['parquet', 'csv'] as const)('%s: are numbered, and split at the limit', async (format) => {
    const written = await writeTableFiles(directory, decisions, format, {}, 10);
    const names = ['0001', '0002', '0003'].flatMap((number) =>
      ['decisions', 'matches', 'unevaluated'].map((table) => `${table}-${number}.${format}`),
    );
    expect(written).toEqual(names);
    expect((await readdir(directory)).sort()).toEqual([...names, 'decisions.ndjson'].sort());
    for (const name of names) expect(name).toMatch(tableFilePattern);
  });

  it('begins no second file for a last row that fits', async () => {
    expect(await writeTableFiles(directory, decisions, 'csv', {}, rows.length)).toHaveLength(3);
  });

  it('leaves whole files alone behind an error', async () => {
    await writeFile(decisions, `${rows.map((row) => JSON.stringify(row)).join('\n')}\n{`);
    await expect(writeTableFiles(directory, decisions, 'csv', {}, 10)).rejects.toThrow('decisions.ndjson:26');
    const names = (await readdir(directory)).filter((name) => name !== 'decisions.ndjson').sort();
    expect(names).toEqual(
      ['decisions', 'matches', 'unevaluated'].flatMap((table) => [`${table}-0001.csv`, `${table}-0002.csv`]).sort(),
    );
    const lines = await Promise.all(
      names.map(async (name) => (await readFile(join(directory, name), 'utf8')).split('\r\n')),
    );
    expect(lines.map(({ length }) => length - 2)).toEqual([10, 10, 10, 10, 0, 0]);
  });

  it('are one pattern in words where a table has several', () => {
    expect(tableFilesInWords(['decisions-0001.csv', 'matches-0001.csv', 'matches-0002.csv'])).toEqual([
      'decisions-0001.csv',
      'matches-*.csv',
    ]);
  });
});
