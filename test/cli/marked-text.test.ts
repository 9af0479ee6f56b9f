import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Canvas } from '../../src/cli/terminal/canvas.js';
import { markedLines } from '../../src/cli/terminal/marked-text.js';
import { textWidth } from '../../src/cli/terminal/text-width.js';

const plain: Canvas = { width: 40, coloured: false, paint: (_tone, text) => text };
const coloured: Canvas = { width: 40, coloured: true, paint: (tone, text) => (tone === 'mark' ? `<${text}>` : text) };

/** Spans of every occurrence of some words, none of which holds what a pattern obeys. */
function spansOf(text: string, ...words: readonly string[]) {
  return words.flatMap((word) =>
    [...text.matchAll(new RegExp(word, 'g'))].map(({ index }) => ({ start: index, end: index + word.length })),
  );
}

describe('markedLines', () => {
  it.each([
    ['what the heck, HECK', ['heck', 'HECK'], ['  what the heck, HECK', '           ^^^^  ^^^^']],
    ['你是 笨蛋 吗', ['笨蛋'], ['  你是 笨蛋 吗', '       ^^^^']],
    ['an 👩‍🚀 flies', ['👩‍🚀'], ['  an 👩\\u{200d}🚀 flies', '     ^^^^^^^^^^^^']],
    ['e\u{301}e\u{301} ﺣﻤﻖ', ['e\u{301} '], ['  e\u{301}e\u{301} ﺣﻤﻖ', '   ^^']],
    ['\u{301}', ['\u{301}'], ['  \u{25cc}\u{301}', '  ^']],
    ['a\n\u{fe0f}', ['\u{fe0f}'], ['  …', '  \u{25cc}\u{fe0f}', '  ^']],
    ['\u{1b}[31mred\u{202e}', ['red'], ['  \\x1b[31mred\\u{202e}', '          ^^^']],
    ['free money now or never', ['free money', 'money now'], ['  free money now or never', '  ^^^^^^^^^^^^^^']],
    ['k\u{200b}ill', ['k\u{200b}ill'], ['  k\\u{200b}ill', '  ^^^^^^^^^^^^']],
  ])('%j marked at %j', (text, words, lines) => {
    expect(markedLines(text, spansOf(text, ...words), plain)).toEqual(lines);
  });

  it('says in colour by itself what takes a line without', () => {
    const text = 'what the heck, 笨蛋';
    expect(markedLines(text, spansOf(text, 'heck', '笨蛋'), coloured)).toEqual(['  what the <heck>, <笨蛋>']);
  });

  it('shows lines with matches only, and where others were left out', () => {
    const text = 'one\ntwo bad\nthree\nfour\nbad\nend\n';
    expect(markedLines(text, spansOf(text, 'bad'), coloured)).toEqual([
      '  …',
      '  two <bad>\\n',
      '  …',
      '  <bad>\\n',
      '  …',
    ]);
  });

  it('wraps between words where it can, and marks what runs on', () => {
    const text = `${'a bc '.repeat(9)}${'x'.repeat(50)}`;
    expect(markedLines(text, [{ start: 30, end: 60 }], plain)).toEqual([
      '  a bc a bc a bc a bc a bc a bc a bc a',
      `  ${' '.repeat(30)}^^^^^^^`.slice(0, 40).trimEnd(),
      '  bc a bc',
      '  ^^^^^^^^',
      `  ${'x'.repeat(38)}`,
      `  ${'^'.repeat(15)}`,
      '  …',
    ]);
  });

  it('points at a match of nothing', () => {
    expect(markedLines('ab', [{ start: 1, end: 1 }], plain)).toEqual(['  ab', '   |']);
    expect(markedLines('ab', [{ start: 2, end: 2 }], coloured)).toEqual(['  ab', '    |']);
    expect(markedLines('', [{ start: 0, end: 0 }], plain)).toEqual(['', '  |']);
    expect(markedLines('a\nb', [{ start: 2, end: 2 }], plain)).toEqual(['  …', '  b', '  |']);
  });

  it('counts what is too much to show', () => {
    const text = 'bad\n'.repeat(50);
    const lines = markedLines(text, spansOf(text, 'bad'), coloured);
    expect(lines).toHaveLength(13);
    expect(lines.at(-1)).toBe('  +38 more lines with matches');
  });

  it('shows the match of a text that never ends', () => {
    const text = `${'word '.repeat(600_000)}bad${' word'.repeat(600_000)}`;
    expect(markedLines(text, spansOf(text, 'bad'), coloured).join()).toContain('<bad>');
  });

  it('keeps to its columns and marks as many as it should, whatever the text', () => {
    const anyText = fc.string({ unit: 'binary', maxLength: 120 });
    const wide = fc.string({ unit: fc.constantFrom('a', ' ', '笨', '\n', '\t', '😀', 'é', '\u{200b}') });
    const marked = fc.string({
      unit: fc.constantFrom('a', '❤', '\u{fe0f}', '\u{200d}', '\u{301}', '\u{903}', '\u{7}'),
    });
    const spans = fc.array(fc.tuple(fc.nat(120), fc.nat(12)), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(fc.oneof(anyText, wide, marked), spans, (text, places) => {
        const own = places
          .map(([start, length]) => ({ start, end: Math.min(start + length, text.length) }))
          .filter(({ start, end }) => start <= end);
        for (const canvas of [plain, coloured]) {
          for (const line of markedLines(text, own, canvas)) {
            expect(textWidth(line.replace(/[<>]/g, ''))).toBeLessThanOrEqual(41);
            // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what is looked for
            expect(line).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e]/);
          }
        }
        expect(markedLines(text, own, plain).some((line) => /^ +[\^| ]+$/.test(line))).toBe(own.length > 0);
      }),
    );
  });
});
