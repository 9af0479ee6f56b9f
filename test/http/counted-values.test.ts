/** P33: the values of a body are counted before it is parsed. */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countValues } from '../../src/live/http/request-body.js';

const countIn = (text: string) => countValues(new TextEncoder().encode(text));

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
        expect(countIn(JSON.stringify(value, undefined, space))).toBe(valuesIn(value));
      }),
    );
  });

  it.each([
    ['empty objects', (count: number) => `[${Array(count).fill('{}').join()}]`],
    ['empty arrays with blanks', (count: number) => `[${Array(count).fill('[ \n]').join()}]`],
    ['numbers', (count: number) => `[${Array(count).fill('0').join()}]`],
    ['fields', (count: number) => `{${Array(count).fill('"":0').join()}}`],
  ])('200,000 %s and what holds them are too many', (_, textOf) => {
    expect(countIn(textOf(199_999))).toBe(200_000);
    expect(countIn(textOf(200_000))).toBe('holds more than 200,000 values');
  });

  it('brackets of a text count for nothing', () => {
    expect(countIn(JSON.stringify(`${'[{,'.repeat(20_000)}"${'\\'.repeat(7)}[[`))).toBe(1);
  });
});
