import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Column, table } from '../../../src/cli/document/document.js';
import { blockLines } from '../../../src/cli/document/terminal.js';
import { type Output, outputOf } from '../../../src/cli/terminal/style.js';
import { textWidth } from '../../../src/cli/terminal/text.js';

function linesOf<Row>(columns: readonly Column<Row>[], rows: readonly Row[], output: Output, most = rows.length) {
  return blockLines(table(columns, rows, { most }), output);
}

describe('a table on a terminal', () => {
  const columns = [
    { title: 'name', cell: (row: readonly [string, number]) => row[0], flexible: 'last' as const },
    { title: 'n', cell: (row: readonly [string, number]) => String(row[1]), align: 'right' as const },
  ];
  const output = outputOf({ stdout: { write: () => undefined }, env: {} });

  it('aligns wide and narrow characters', () => {
    const rows = [
      ['日本', 5],
      ['é', 12_345],
      ['a\nb', 7],
    ] as const;
    expect(linesOf(columns, rows, output)).toEqual(['name      n', '日本      5', 'é     12345', 'a\\nb      7']);
  });

  it('fits the width, for any cells', () => {
    const row = fc.tuple(fc.string({ unit: 'binary' }), fc.nat());
    fc.assert(
      fc.property(fc.array(row), fc.integer({ min: 30, max: 100 }), (rows, width) => {
        const lines = linesOf(columns, rows, { ...output, width });
        expect(lines).toHaveLength(rows.length === 0 ? 0 : rows.length + 1);
        for (const line of lines) expect(textWidth(line)).toBeLessThanOrEqual(width);
      }),
    );
  });

  it('cuts flexible columns, drops optional ones from the right, and cuts the last to be cut at the end', () => {
    const wide: Column<readonly string[]>[] = [
      { title: 'rule', cell: ([rule = '']) => rule, flexible: 'last' },
      { title: 'alone', cell: () => '1', align: 'right', optional: true },
      { title: 'hits', cell: ([, ...hits]) => hits.join(' · '), flexible: 'first', optional: true, separator: ' · ' },
    ];
    const rows = [['Profanity filter', 'screw you', 'moron', 'hell']];
    const at = (width: number) => linesOf(wide, rows, { ...output, width })[1];
    expect(at(60)).toBe('Profanity filter      1  screw you · moron · hell');
    expect(at(46)).toBe('Profanity filter      1  screw you · moron');
    expect(at(34)).toBe('Profanity filter      1  screw you');
    expect(at(33)).toBe('Profanity filter      1  screw y…');
    expect(at(32)).toBe('Profanity filter      1');
    expect(at(22)).toBe('Profanity filter');
    expect(at(10)).toBe('Profanity…');
    expect(linesOf(wide, [['x'.repeat(60), 'hell']], { ...output, width: 60 })[1]).toBe(
      `${'x'.repeat(46)}…      1  hell`,
    );
  });

  it('has the number of rows beyond the limit', () => {
    const rows = [1, 2, 3].map((count) => ['row', count] as const);
    expect(linesOf(columns, rows, output, 3)).toEqual(linesOf(columns, rows, output));
    expect(linesOf(columns, rows, output, 1)).toEqual(['name  n', 'row   1', '+2 more']);
    expect(linesOf(columns, [], output, 1)).toEqual([]);
  });
});
