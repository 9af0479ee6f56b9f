import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { type Mark, markedLines } from '../../../src/cli/terminal/marked-text.js';
import type { Output } from '../../../src/cli/terminal/style.js';
import { textWidth } from '../../../src/cli/terminal/text.js';

const plain: Output = { width: 40, paint: (_tone, text) => text };
const coloured: Output = { width: 40, paint: (tone, text) => (tone === 'mark1' ? `<${text}>` : text) };

const { segment: realSegment } = Intl.Segmenter.prototype;
const { indexOf: realIndexOf } = String.prototype;

/**
 * Marks without labels of every occurrence of some words, none of which has a metacharacter of
 * patterns.
 */
function marksOf(text: string, ...words: readonly string[]): Mark[] {
  return words.flatMap((word) =>
    [...text.matchAll(new RegExp(word, 'g'))].map(({ index }) => ({
      start: index,
      end: index + word.length,
      labels: [],
    })),
  );
}

/** The first occurrences of some words, each labelled by the words behind the colon. */
function labelled(text: string, ...words: readonly string[]): Mark[] {
  return words.map((written) => {
    const [word = '', label = ''] = written.split(':');
    const start = text.indexOf(word);
    return { start, end: start + word.length, labels: [{ text: label, tone: 'mark1' }] };
  });
}

describe('markedLines', () => {
  it.each([
    ['what the heck, HECK', ['heck', 'HECK'], ['  what the heck, HECK', '           ^^^^  ^^^^']],
    ['e\u{301}e\u{301} x', ['e\u{301} '], ['  e\u{301}e\u{301} x', '   ^^']],
    ['\u{1b}[31mred\u{202e}', ['red'], ['  \\x1b[31mred\\u{202e}', '          ^^^']],
    ['free money now or never', ['free money', 'money now'], ['  free money now or never', '  ^^^^^^^^^^^^^^']],
    ['k\u{200b}ill', ['k\u{200b}ill'], ['  k\\u{200b}ill', '  ^^^^^^^^^^^^']],
  ])('%j marked at %j', (text, words, lines) => {
    expect(markedLines(text, marksOf(text, ...words), plain)).toEqual(lines);
  });

  it('draws labels below their marks, from the right to the left', () => {
    const text = 'you moron, buy now';
    expect(markedLines(text, labelled(text, 'moron:a word', 'buy now:spam'), plain)).toEqual([
      '  you moron, buy now',
      '      ^^^^^  ^^^^^^^',
      '      │      └ spam',
      '      └ a word',
    ]);
  });

  it('stacks the labels of one place, and those of overlapping places at their beginnings', () => {
    const text = 'free money now';
    const marks = [
      ...labelled(text, 'money now:second'),
      { start: 0, end: 10, labels: ['first', 'too'].map((words) => ({ text: words, tone: undefined })) },
    ];
    expect(markedLines(text, marks, plain)).toEqual([
      '  free money now',
      '  ^^^^^^^^^^^^^^',
      '  │    └ second',
      '  ├ first',
      '  └ too',
    ]);
  });

  it('breaks rows earlier where a label would have no room beside its mark, and wraps labels', () => {
    const text = `${'a bc '.repeat(6)}moron`;
    expect(markedLines(text, labelled(text, 'moron:"moron" · list → Profanity filter'), plain)).toEqual([
      '  …',
      '  a bc a bc moron',
      '            ^^^^^',
      '            └ "moron" · list → Profanity',
      '              filter',
    ]);
  });

  it.each([
    ['你是 笨蛋 吗', '笨蛋:"笨蛋" · list', ['  你是 笨蛋 吗', '       ^^^^', '       └ "笨蛋" · list']],
    ['so ｆｏｏ', 'ｆｏｏ:"foo" · list', ['  so ｆｏｏ', '     ^^^^^^', '     └ "foo" · list']],
    ['😀 heck', 'heck:pattern', ['  😀 heck', '     ^^^^', '     └ pattern']],
    ['㈱ 바보 a', '바보:it', ['  ㈱ 바보 a', '     ^^^^', '     └ it']],
    ['ﾊｶ heck', 'heck:it', ['  ﾊｶ heck', '     ^^^^', '     └ it']],
  ])('marks by the columns of wide characters: %j', (text, word, lines) => {
    expect(markedLines(text, labelled(text, word), plain)).toEqual(lines);
  });

  it.each([
    ['قال احمق', 'احمق:pattern 2', ['  قال احمق', '  └ "احمق": pattern 2']],
    ['नमस्ते heck', 'heck:"heck" · list', ['  नमस्ते heck', '       ^^^^', '  └ "heck" · list']],
    ['👩‍🚀 heck', 'heck:pattern', ['  👩‍🚀 heck', '     ^^^^', '  └ "heck": pattern']],
  ])('repeats the marked stretch beside its label where columns are not steady: %j', (text, word, lines) => {
    expect(markedLines(text, labelled(text, word), plain)).toEqual(lines);
    expect(markedLines(text, labelled(text, word), coloured)[0]).toContain(`<${word.split(':')[0]}>`);
  });

  it('paints marks, carets, stems and labels in the tone of the label', () => {
    const text = 'you moron, buy now';
    expect(markedLines(text, labelled(text, 'moron:a word', 'buy now:spam'), coloured)).toEqual([
      '  you <moron>, <buy now>',
      '      <^^^^^>  <^^^^^^^>',
      '      <│>      <└ spam>',
      '      <└ a word>',
    ]);
  });

  it('shows lines with marks only, and `…` for others', () => {
    const text = 'one\ntwo bad\nthree\nfour\nbad\nend\n';
    expect(markedLines(text, marksOf(text, 'bad'), plain)).toEqual([
      '  …',
      '  two bad\\n',
      '      ^^^',
      '  …',
      '  bad\\n',
      '  ^^^',
      '  …',
    ]);
  });

  it('wraps between words where possible, and marks every row of a span', () => {
    const text = `${'a bc '.repeat(9)}${'x'.repeat(50)}`;
    expect(markedLines(text, [{ start: 30, end: 60, labels: [] }], plain)).toEqual([
      '  a bc a bc a bc a bc a bc a bc a bc a',
      `  ${' '.repeat(30)}^^^^^^^`.slice(0, 40).trimEnd(),
      '  bc a bc',
      '  ^^^^^^^^',
      `  ${'x'.repeat(38)}`,
      `  ${'^'.repeat(15)}`,
      '  …',
    ]);
  });

  it('marks an empty place by `|`', () => {
    const at = (start: number) => [{ start, end: start, labels: [] }];
    expect(markedLines('ab', at(1), plain)).toEqual(['  ab', '   |']);
    expect(markedLines('ab', at(2), plain)).toEqual(['  ab', '    |']);
    expect(markedLines('', at(0), plain)).toEqual(['  ', '  |']);
    expect(markedLines('a\nb', at(2), plain)).toEqual(['  …', '  b', '  |']);
  });

  it('shows the first eight marks, and the number of the others', () => {
    const text = 'bad\n'.repeat(50);
    const lines = markedLines(text, marksOf(text, 'bad'), plain);
    expect(lines).toHaveLength(17);
    expect(lines.at(-1)).toBe('  +42 more marks');
  });

  it('shows the first rows of a mark over many', () => {
    const text = 'word '.repeat(1000);
    const lines = markedLines(text, [{ start: 0, end: text.length, labels: [] }], plain);
    expect(lines).toHaveLength(25);
    expect(lines.at(-1)).toBe('  …');
  });

  it.each([
    ['one match in the middle', (length: number) => [{ start: length / 2, end: length / 2 + 3, labels: [] }]],
    ['one match of all of it', (length: number) => [{ start: 0, end: length, labels: [] }]],
    [
      'a match every few words',
      (length: number) =>
        Array.from({ length: length / 50 }, (_, at) => ({ start: at * 50, end: at * 50 + 3, labels: [] })),
    ],
  ])('takes steps in proportion to a text of one line, and lays out a bounded part of it: %s', (_, marksIn) => {
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
        markedLines(text, marksIn(length), plain);
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
    expect(markedLines(text, labelled(text, 'bad:it'), coloured).join()).toContain('<bad>');
  });

  it('fits the width, and shows every mark and label, for any text', () => {
    const anyText = fc.string({ unit: 'binary', maxLength: 120 });
    const wide = fc.string({ unit: fc.constantFrom('a', ' ', '笨', 'م', '\n', '\t', '😀', 'é', '\u{200b}') });
    const combined = fc.string({
      unit: fc.constantFrom('a', '❤', '\u{fe0f}', '\u{200d}', '\u{301}', '\u{903}', '\u{7}'),
    });
    const places = fc.array(fc.tuple(fc.nat(120), fc.nat(12)), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(fc.oneof(anyText, wide, combined), places, fc.integer({ min: 40, max: 100 }), (text, at, width) => {
        const marks = at
          .map(([start, length]) => ({ start, end: Math.min(start + length, text.length) }))
          .filter(({ start, end }) => start <= end)
          .map((span, index) => ({ ...span, labels: [{ text: `label ${index}`, tone: 'mark1' as const }] }));
        const lines = markedLines(text, marks, { ...plain, width });
        for (const line of lines) {
          expect(textWidth(line)).toBeLessThanOrEqual(width);
          // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not occur
          expect(line).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e]/);
        }
        const shown = lines.join(' ').replaceAll(/\s+/g, ' ');
        for (const [index] of marks.entries()) expect(shown).toContain(`label ${index}`);
        expect(
          markedLines(text, marks, { ...coloured, width })
            .join('\n')
            .replaceAll(/[<>]/g, ''),
        ).toBe(lines.join('\n').replaceAll(/[<>]/g, ''));
      }),
    );
  });
});
