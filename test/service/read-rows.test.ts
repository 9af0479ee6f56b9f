import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readLines } from '../../src/platform/service/data-directory.js';
import { temporaryFolder } from '../support/folder.js';

const root = temporaryFolder();

async function rowsOf(content: string | Uint8Array) {
  const file = join(root, 'rows.ndjson');
  await writeFile(file, content);
  return readLines(file, (value, source) => ({ value, line: source.slice(source.lastIndexOf(':') + 1) }));
}

describe('rows of a file', () => {
  it('come one by one over the seams of chunks, with lines longer than one', async () => {
    // Chunks are of 1 MiB.
    const lengths = [10, 5_000_000, 9_500_000, 1, 4_000_000, 3_000_000, 7];
    const values = lengths.map((length, i) => `${i}é\u2028${'x'.repeat(length)}`);
    const lines = values.map((value) => JSON.stringify(value));
    for (const end of ['', '\r\n']) {
      const rows = await rowsOf(lines.join('\n') + end);
      expect(rows.map(({ value }) => value === values[Number(String(value)[0])])).toEqual(lengths.map(() => true));
      expect(rows.map(({ line }) => line)).toEqual(['1', '2', '3', '4', '5', '6', '7']);
    }
  });

  it('may be blank, or begin with a byte order mark, and an empty file has none', async () => {
    expect(await rowsOf('')).toEqual([]);
    expect(await rowsOf('\n\n')).toEqual([]);
    const rows = await rowsOf('\ufeff{"a":1}\n\n \t\r\n  [2] \n\n3');
    expect(rows.map(({ value, line }) => [value, line])).toEqual([
      [{ a: 1 }, '1'],
      [[2], '4'],
      [3, '6'],
    ]);
  });

  it('stop at the first that cannot be read, and the file is closed', async () => {
    const file = join(root, 'many.ndjson');
    await writeFile(file, `${'1\n'.repeat(6_000_000)}{`);
    let taken = 0;
    const stop = new Error('enough');
    const reading = readLines(file, () => {
      taken += 1;
      if (taken === 1_000) throw stop;
    });
    await expect(reading).rejects.toBe(stop);
    await expect(rowsOf(Buffer.from('1\n"\xff"\n', 'latin1'))).rejects.toThrow(/rows\.ndjson:2: .+ must be utf-8$/);
    await expect(rowsOf('1\n2\n{"a"\n')).rejects.toThrow(
      /rows\.ndjson:3: .+ must be json; at column 5, `:` was expected$/,
    );
  });
});
