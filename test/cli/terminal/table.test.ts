import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { outputOf } from '../../../src/cli/terminal/style.js';
import { tableLines } from '../../../src/cli/terminal/table.js';
import { textWidth } from '../../../src/cli/terminal/text.js';

describe('tableLines', () => {
  const columns = [
    { title: 'name', text: (row: readonly [string, number]) => row[0], flexible: true },
    { title: 'n', text: (row: readonly [string, number]) => String(row[1]), align: 'right' as const },
  ];
  const output = outputOf({ stdout: { write: () => undefined }, env: {} });

  it('aligns wide and narrow characters', () => {
    const rows = [
      ['日本', 5],
      ['é', 12_345],
      ['a\nb', 7],
    ] as const;
    expect(tableLines(columns, rows, output)).toEqual(['name      n', '日本      5', 'é     12345', 'a\\nb      7']);
  });

  it('fits the width, for any cells', () => {
    const row = fc.tuple(fc.string({ unit: 'binary' }), fc.nat());
    fc.assert(
      fc.property(fc.array(row), fc.integer({ min: 30, max: 100 }), (rows, width) => {
        const lines = tableLines(columns, rows, { ...output, width });
        expect(lines).toHaveLength(rows.length === 0 ? 0 : rows.length + 1);
        for (const line of lines) expect(textWidth(line)).toBeLessThanOrEqual(width);
      }),
    );
  });

  it('has the number of rows beyond the limit', () => {
    const rows = [1, 2, 3].map((count) => ['row', count] as const);
    expect(tableLines(columns, rows, output, 3)).toEqual(tableLines(columns, rows, output));
    expect(tableLines(columns, rows, output, 1)).toEqual(['name  n', 'row   1', '+2 more']);
    expect(tableLines(columns, [], output, 1)).toEqual([]);
  });
});
