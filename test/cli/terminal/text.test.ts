import { stripVTControlCharacters } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  counted,
  escapeText,
  fitText,
  formatDuration,
  formatPercent,
  textWidth,
  wrapHanging,
  wrapParts,
  wrapWords,
} from '../../../src/cli/terminal/text.js';

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
    ['👩‍🚀 ❤️‍🔥 👩🏽‍🚀 🏳️‍🌈', '👩‍🚀 ❤️‍🔥 👩🏽‍🚀 🏳️‍🌈'],
    ['👩\u{200d} 🍎\u{200d}🍎 a\u{200d}b', '👩\\u{200d} 🍎\\u{200d}🍎 a\\u{200d}b'],
    ['plain, naïve, 日本語, ñ, 😀, é', 'plain, naïve, 日本語, ñ, 😀, é'],
  ])('%j', (text, escaped) => {
    expect(escapeText(text)).toBe(escaped);
  });

  it('leaves no terminal controls, and is idempotent, for any text', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const escaped = escapeText(text);
        // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not occur
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
    ['👩‍🚀', 2],
    ['❤️‍🔥', 2],
    ['→…×', 3],
    ['नमस्ते', 4],
    ['กำ', 2],
    ['\u{1112}\u{1161}\u{11ab}', 2],
    ['\u{301}', 0],
    ['', 0],
  ])('%j takes %i', (text, columns) => {
    expect(textWidth(text)).toBe(columns);
  });

  it('bounds a cut text, which is a prefix of the whole', () => {
    fc.assert(
      fc.property(anyText.map(escapeText), fc.integer({ min: 1, max: 30 }), (text, columns) => {
        const cut = fitText(text, columns);
        expect(textWidth(cut)).toBeLessThanOrEqual(columns);
        if (cut !== text) expect(text.startsWith(cut.slice(0, -1)) && cut.endsWith('…')).toBe(true);
      }),
    );
  });
});

describe('wrapWords, wrapParts, wrapHanging', () => {
  it('break between parts and between words', () => {
    expect(wrapParts(['one', 'two', 'three'], 9)).toEqual(['one, two,', 'three']);
    expect(wrapParts(['one', 'two', 'three'], 9, ' · ')).toEqual(['one · two', 'three']);
    expect(wrapWords('a bb ccc dddddddd e', 6)).toEqual(['a bb', 'ccc', 'dddddddd', 'e']);
  });

  it('break words that are wider than a line only in wrapHanging', () => {
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

describe('formatted numbers', () => {
  it('have separators, one decimal, units and plurals', () => {
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
    expect([formatDuration(12.3), formatDuration(65_000)]).toEqual(['12 ms', '65.0 s']);
  });
});
