import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { markedLines } from '../../../src/cli/terminal/marked-text.js';
import type { Output } from '../../../src/cli/terminal/style.js';
import { textWidth } from '../../../src/cli/terminal/text.js';

const plain: Output = { width: 40, coloured: false, paint: (_tone, text) => text };
const coloured: Output = { width: 40, coloured: true, paint: (tone, text) => (tone === 'mark' ? `<${text}>` : text) };

const { segment: realSegment } = Intl.Segmenter.prototype;
const { indexOf: realIndexOf } = String.prototype;

/** Spans of every occurrence of some words, none of which has a metacharacter of patterns. */
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

  it('marks by inverse video in colour, without lines of `^`', () => {
    const text = 'what the heck, 笨蛋';
    expect(markedLines(text, spansOf(text, 'heck', '笨蛋'), coloured)).toEqual(['  what the <heck>, <笨蛋>']);
  });

  it('shows lines with matches only, and `…` for others', () => {
    const text = 'one\ntwo bad\nthree\nfour\nbad\nend\n';
    expect(markedLines(text, spansOf(text, 'bad'), coloured)).toEqual([
      '  …',
      '  two <bad>\\n',
      '  …',
      '  <bad>\\n',
      '  …',
    ]);
  });

  it('wraps between words where possible, and marks every row of a span', () => {
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

  it('marks an empty span by `|`', () => {
    expect(markedLines('ab', [{ start: 1, end: 1 }], plain)).toEqual(['  ab', '   |']);
    expect(markedLines('ab', [{ start: 2, end: 2 }], coloured)).toEqual(['  ab', '    |']);
    expect(markedLines('', [{ start: 0, end: 0 }], plain)).toEqual(['', '  |']);
    expect(markedLines('a\nb', [{ start: 2, end: 2 }], plain)).toEqual(['  …', '  b', '  |']);
  });

  it('says that there are more lines than it counts', () => {
    const text = 'bad and worse '.repeat(10_000);
    expect(markedLines(text, spansOf(text, 'bad'), coloured).at(-1)).toMatch(
      /^ {2}over 1,\d{3} more lines with matches$/,
    );
  });

  it('counts the lines beyond the limit', () => {
    const text = 'bad\n'.repeat(50);
    const lines = markedLines(text, spansOf(text, 'bad'), coloured);
    expect(lines).toHaveLength(13);
    expect(lines.at(-1)).toBe('  +38 more lines with matches');
  });

  it.each([
    ['one match in the middle', (length: number) => [{ start: length / 2, end: length / 2 + 3 }]],
    ['one match of all of it', (length: number) => [{ start: 0, end: length }]],
    [
      'a match every few words',
      (length: number) => Array.from({ length: length / 50 }, (_, at) => ({ start: at * 50, end: at * 50 + 3 })),
    ],
  ])('takes steps in proportion to a text of one line, and lays out a bounded part of it: %s', (_, spansIn) => {
    const stepsFor = (length: number) => {
      const text = 'word '.repeat(length / 5);
      let laidOut = 0;
      let searched = 0;
      const segment = vi.spyOn(Intl.Segmenter.prototype, 'segment').mockImplementation(function (
        this: Intl.Segmenter,
        part,
      ) {
        laidOut += part.length;
        return realSegment.call(this, part);
      });
      const indexOf = vi.spyOn(String.prototype, 'indexOf').mockImplementation(function (this: string, ...args) {
        const found = realIndexOf.call(this, ...args);
        searched += (found < 0 ? this.length : found) - (args[1] ?? 0);
        return found;
      });
      try {
        markedLines(text, spansIn(length), plain);
      } finally {
        segment.mockRestore();
        indexOf.mockRestore();
      }
      return { laidOut, searched };
    };
    const [short, long] = [stepsFor(200_000), stepsFor(2_000_000)];
    expect(long.searched).toBeLessThanOrEqual(2_000_000);
    expect(long.laidOut).toBeLessThanOrEqual(short.laidOut);
    expect(short.laidOut).toBeLessThan(200_000);
  });

  it('shows the match of a line of six million characters', () => {
    const text = `${'word '.repeat(600_000)}bad${' word'.repeat(600_000)}`;
    expect(markedLines(text, spansOf(text, 'bad'), coloured).join()).toContain('<bad>');
  });

  it('fits the width and marks every span, for any text', () => {
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
        for (const output of [plain, coloured]) {
          for (const line of markedLines(text, own, output)) {
            expect(textWidth(line.replace(/[<>]/g, ''))).toBeLessThanOrEqual(41);
            // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not occur
            expect(line).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e]/);
          }
        }
        expect(markedLines(text, own, plain).some((line) => /^ +[\^| ]+$/.test(line))).toBe(own.length > 0);
      }),
    );
  });
});
