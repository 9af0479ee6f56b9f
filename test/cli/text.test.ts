import { stripVTControlCharacters } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { progressLine } from '../../src/cli/terminal/progress.js';
import { painter, screenWidth } from '../../src/cli/terminal/style.js';
import { tableLines } from '../../src/cli/terminal/table.js';
import {
  counted,
  escapeText,
  fitText,
  formatDuration,
  formatPercent,
  formatTime,
  textWidth,
  wrapHanging,
  wrapParts,
  wrapWords,
} from '../../src/cli/terminal/text.js';

const anyText = fc.string({ unit: 'binary' });

describe('escapeText', () => {
  it.each([
    ['a\nb\r\tc', 'a\\nb\\r\\tc'],
    ['\u{1b}[31mred\u{7f}', '\\x1b[31mred\\x7f'],
    ['\u{9b}31m', '\\x9b31m'],
    ['\u{202e}evil\u{2066}', '\\u{202e}evil\\u{2066}'],
    ['k\u{200b}ill\u{feff}', 'k\\u{200b}ill\\u{feff}'],
    ['a\u{ad}b\u{34f}c\u{3164}', 'a\\xadb\\u{34f}c\\u{3164}'],
    ['\u{2028}\u{2029}\u{85}', '\\u{2028}\\u{2029}\\x85'],
    ['\u{e0041}\u{d800}', '\\u{e0041}\\u{d800}'],
    ['plain, naïve, 日本語, ñ, 😀, é', 'plain, naïve, 日本語, ñ, 😀, é'],
  ])('%j', (text, escaped) => {
    expect(escapeText(text)).toBe(escaped);
  });

  it('leaves nothing that a terminal obeys, and nothing to escape a second time', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const escaped = escapeText(text);
        // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what is looked for
        expect(escaped).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/);
        expect(escapeText(escaped)).toBe(escaped);
        expect(stripVTControlCharacters(escaped)).toBe(escaped);
        expect(escaped.isWellFormed()).toBe(true);
      }),
    );
  });
});

describe('textWidth', () => {
  it.each([
    ['abc', 3],
    ['日本語', 6],
    ['ｶﾀｶﾅ', 4],
    ['ＡＢ', 4],
    ['한글', 4],
    ['e\u{301}', 1],
    ['😀', 2],
    ['👍🏽', 2],
    ['🇩🇪', 2],
    ['❤\u{fe0f}', 2],
    ['→…×', 3],
    ['नमस्ते', 4],
    ['กำ', 2],
    ['\u{1112}\u{1161}\u{11ab}', 2],
    ['\u{301}', 0],
    ['', 0],
  ])('%j takes %i', (text, columns) => {
    expect(textWidth(text)).toBe(columns);
  });

  it('is never passed by a cut text, which is a beginning of the whole', () => {
    fc.assert(
      fc.property(anyText.map(escapeText), fc.integer({ min: 1, max: 30 }), (text, columns) => {
        const cut = fitText(text, columns);
        expect(textWidth(cut)).toBeLessThanOrEqual(columns);
        if (cut !== text) expect(text.startsWith(cut.slice(0, -1)) && cut.endsWith('…')).toBe(true);
      }),
    );
  });
});

describe('tableLines', () => {
  const columns = [
    { title: 'name', text: (row: readonly [string, number]) => row[0], flexible: true },
    { title: 'n', text: (row: readonly [string, number]) => String(row[1]), align: 'right' as const },
  ];
  const plain = painter({ write: () => undefined }, {});

  it('aligns wide and narrow characters alike', () => {
    const rows = [
      ['日本', 5],
      ['é', 12_345],
      ['a\nb', 7],
    ] as const;
    expect(tableLines(columns, rows, 80, plain)).toEqual(['name      n', '日本      5', 'é     12345', 'a\\nb      7']);
  });

  it('gives no line more columns than there are, whatever the cells hold', () => {
    const row = fc.tuple(anyText, fc.nat());
    fc.assert(
      fc.property(fc.array(row), fc.integer({ min: 30, max: 100 }), (rows, width) => {
        const lines = tableLines(columns, rows, width, plain);
        expect(lines).toHaveLength(rows.length + 1);
        for (const line of lines) expect(textWidth(line)).toBeLessThanOrEqual(width);
      }),
    );
  });
});

describe('wrapping', () => {
  it('keeps parts together and breaks between words', () => {
    expect(wrapParts(['one', 'two', 'three'], 9)).toEqual(['one, two,', 'three']);
    expect(wrapWords('a bb ccc dddddddd e', 6)).toEqual(['a bb', 'ccc', 'dddddddd', 'e']);
  });

  it('breaks words that no line holds, where it must', () => {
    expect(wrapHanging('  a bb ccc 笨蛋笨蛋笨 e', 8, '    ')).toEqual([
      '  a bb',
      '    ccc',
      '    笨蛋',
      '    笨蛋',
      '    笨 e',
    ]);
    fc.assert(
      fc.property(anyText.map(escapeText), fc.integer({ min: 20, max: 60 }), (text, width) => {
        const lines = wrapHanging(text, width, '    ');
        for (const line of lines) expect(textWidth(line)).toBeLessThanOrEqual(width);
        expect(lines.join('').replaceAll(' ', '')).toBe(text.replaceAll(' ', ''));
      }),
    );
  });
});

describe('painter', () => {
  const terminal = { write: () => undefined, isTTY: true };
  it.each([
    ['a terminal', terminal, {}, true],
    ['a pipe', { write: () => undefined }, {}, false],
    ['NO_COLOR', terminal, { NO_COLOR: '1' }, false],
    ['an empty NO_COLOR', terminal, { NO_COLOR: '' }, true],
    ['a dumb terminal', terminal, { TERM: 'dumb' }, false],
    ['FORCE_COLOR in a pipe', { write: () => undefined }, { FORCE_COLOR: '1' }, true],
    ['NO_COLOR against FORCE_COLOR', terminal, { NO_COLOR: '1', FORCE_COLOR: '1' }, false],
  ])('%s', (_, output, env, coloured) => {
    expect(painter(output, env)('bad', 'x')).toBe(coloured ? '\u{1b}[31mx\u{1b}[39m' : 'x');
  });
});

describe('screenWidth', () => {
  it.each([
    [undefined, 80],
    [0, 80],
    [20, 40],
    [64, 64],
    [300, 100],
  ])('%j columns: %i', (columns, width) => {
    expect(screenWidth({ write: () => undefined, columns })).toBe(width);
  });
});

describe('words for numbers', () => {
  it('are those that people use', () => {
    expect([counted(0, 'rule'), counted(1, 'rule'), counted(1234, 'rule')]).toEqual([
      '0 rules',
      '1 rule',
      '1,234 rules',
    ]);
    expect([formatPercent(1, 3), formatPercent(1, 100_000), formatPercent(0, 5), formatPercent(0, 0)]).toEqual([
      '33.3 %',
      '<0.1 %',
      '0.0 %',
      '',
    ]);
    expect([formatTime(0), formatTime(1e20)]).toEqual(['1970-01-01 00:00', '100000000000000000000']);
    expect([formatDuration(12.3), formatDuration(65_000)]).toEqual(['12 ms', '65.0 s']);
  });
});

describe('progressLine', () => {
  it('has a bar and the time left only when the share is known', () => {
    expect(progressLine(12_345, undefined, 2000)).toBe('12,345 messages  6,173/s');
    expect(progressLine(0, undefined, 0)).toBe('0 messages  0/s');
    expect(progressLine(500, 0.5, 60_000)).toBe('[==========>         ]  50 %  500 messages  8/s  1 min 0 s left');
    expect(progressLine(500, 0.01, 60_000)).toContain('1 h 39 min left');
    expect(progressLine(500, 1, 1000)).toBe('[====================] 100 %  500 messages  500/s  0 s left');
    expect(progressLine(0, 0, 1000)).toBe('[>                   ]   0 %  0 messages  0/s');
  });
});
