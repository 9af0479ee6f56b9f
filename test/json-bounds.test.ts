/** P14: what a JSON text holds is counted before it is parsed. */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { beyondBounds } from '../src/foundation/json-bounds.js';

/** Values of a parsed JSON, by their definition. */
function valuesIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  return Object.values(value).reduce((sum: number, each) => sum + valuesIn(each), 1);
}

const texts = fc.string({ unit: fc.constantFrom(...'[]{}",:\\\n ä😀'), maxLength: 12 });
const { json } = fc.letrec<{ json: unknown }>((tie) => ({
  json: fc.oneof(
    { depthSize: 'small', maxDepth: 5 },
    fc.constantFrom<unknown>(0, true, null, -1.5e3),
    texts,
    fc.array(tie('json'), { maxLength: 6 }),
    fc.dictionary(texts, tie('json'), { maxKeys: 6 }),
  ),
}));

describe('values of a JSON text', () => {
  it('are the whole, items and fields, however it is spaced', () => {
    fc.assert(
      fc.property(json, fc.constantFrom('', ' ', '\n\t'), (value, space) => {
        const text = JSON.stringify(value, undefined, space);
        const count = valuesIn(value);
        for (const given of [text, new TextEncoder().encode(text)]) {
          expect(beyondBounds(given, { values: count })).toBeUndefined();
          if (count > 1) expect(beyondBounds(given, { values: count - 1 })).toMatch(/^holds more than .* values$/);
        }
      }),
    );
  });

  it.each([
    ['empty objects', (count: number) => `[${Array(count).fill('{}').join()}]`],
    ['empty arrays with blanks', (count: number) => `[${Array(count).fill('[ \n]').join()}]`],
    ['numbers', (count: number) => `[${Array(count).fill('0').join()}]`],
    ['fields', (count: number) => `{${Array(count).fill('"":0').join()}}`],
  ])('a million %s are too many for a bound of a million', (_, textOf) => {
    expect(beyondBounds(textOf(999_999), { values: 1_000_000 })).toBeUndefined();
    expect(beyondBounds(textOf(1_000_000), { values: 1_000_000 })).toBe('holds more than 1,000,000 values');
  });

  it('brackets of a text count for nothing', () => {
    const text = JSON.stringify(`${'[{,'.repeat(100)}"${'\\'.repeat(7)}[[`);
    expect(beyondBounds(text, { values: 1, depth: 1 })).toBeUndefined();
  });
});
