import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { excerptOf, longestExcerpt, textAt } from '../../../src/audit/count/excerpt.js';
import { runs } from '../../support/runs.js';

const anyLongText = fc
  .array(fc.constantFrom('a', 'word ', '😀', '\n', 'é', '\ud83d', '\ude00'), { minLength: 1, maxLength: 40 })
  .chain((pieces) => fc.integer({ min: 1, max: 80 }).map((times) => pieces.join('').repeat(times)));

const isHalved = (text: string, at: number) =>
  at > 0 && at < text.length && /[\ud800-\udbff]/.test(text[at - 1]!) && /[\udc00-\udfff]/.test(text[at]!);

describe('excerptOf', () => {
  it('is a part of the text of bounded length, holds the span, and cuts no pair of surrogates', () => {
    fc.assert(
      fc.property(anyLongText, fc.nat(), fc.nat(), (text, from, length) => {
        const start = from % text.length;
        const end = Math.min(text.length, start + (length % 1500));
        const { text: excerpt, span } = excerptOf(text, { start, end });
        const begin = start - span!.start;
        expect(excerpt.length).toBeLessThanOrEqual(longestExcerpt);
        expect(excerpt).toBe(text.slice(begin, begin + excerpt.length));
        expect([isHalved(text, begin), isHalved(text, begin + excerpt.length)]).toEqual([false, false]);
        const shown = excerpt.slice(span!.start, span!.end);
        expect(text.slice(start, end).startsWith(shown)).toBe(true);
        if (end - start < longestExcerpt - 2) expect(shown.length).toBe(end - start);
        if (text.length <= longestExcerpt) expect(excerpt).toBe(text);
        else expect(excerpt.length).toBeGreaterThanOrEqual(longestExcerpt - 2);
      }),
      { numRuns: runs(100) },
    );
  });

  it('has as much of a long text before the span as behind it, and its beginning without a span', () => {
    const text = `${'-'.repeat(5000)}kill${'-'.repeat(5000)}`;
    expect(excerptOf(text, { start: 5000, end: 5004 })).toEqual({
      text: `${'-'.repeat(498)}kill${'-'.repeat(498)}`,
      span: { start: 498, end: 502 },
    });
    expect(excerptOf(text)).toEqual({ text: '-'.repeat(1000) });
    expect(excerptOf('short', { start: 1, end: 3 })).toEqual({ text: 'short', span: { start: 1, end: 3 } });
  });
});

describe('textAt', () => {
  it('reads the paths that decisions print', () => {
    const message = { data: { text: 'x', customData: { 'a key': ['y', { z: 'w' }] } } };
    expect(textAt(message, 'data.text')).toBe('x');
    expect(textAt(message, 'data.customData["a key"][1].z')).toBe('w');
    expect(textAt(message, 'data.customData["a key"]')).toBeUndefined();
  });
});
