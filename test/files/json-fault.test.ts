import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jsonFault } from '../../src/foundation/files/json-fault.js';
import { runs } from '../support/runs.js';

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

describe('jsonFault', () => {
  it.each([
    ['', 'at line 1, column 1, a value was expected'],
    ['not json', 'at line 1, column 1, a value was expected'],
    ['{"a": 1,\n "b": }', 'at line 2, column 7, a value was expected'],
    ['{"a": 1,\n}', 'at line 2, column 1, a name in double quotes was expected'],
    ["{'a': 1}", 'at line 1, column 2, a name in double quotes or `}` was expected'],
    ['{"a" 1}', 'at line 1, column 6, `:` was expected'],
    ['{"a": 1\n"b": 2}', 'at line 2, column 1, `,` or `}` was expected'],
    ['[1 2]', 'at line 1, column 4, `,` or `]` was expected'],
    ['[1', 'at line 1, column 3, `,` or `]` was expected'],
    ['{}\n{}', 'at line 2, column 1, nothing more was expected'],
    ['["a\nb"]', 'at line 1, column 2, a string that ends, with `\\` before what JSON escapes, was expected'],
    ['01', 'at line 1, column 1, a value was expected'],
  ])('%j', (text, words) => {
    expect(jsonFault(text)).toBe(words);
  });

  it('leaves the line out where there is one alone', () => {
    expect(jsonFault('{"a"', { oneLine: true })).toBe('at column 5, `:` was expected');
  });

  it('is undefined for JSON and for nothing else, for any text', () => {
    const damaged = fc
      .tuple(fc.json(), fc.nat(), fc.constantFrom('', ',', '"', '{', ']', ':', '\\', '0', '\n', 'x', '-', '.', 'e'))
      .map(([text, at, sign]) => {
        const place = at % (text.length + 1);
        return text.slice(0, place) + sign + text.slice(place + (at % 2));
      });
    fc.assert(
      fc.property(fc.oneof(damaged, fc.string(), fc.json()), (text) => {
        expect(jsonFault(text) === undefined).toBe(isJson(text));
      }),
      { numRuns: runs(500) },
    );
  });

  it('reads a string of millions of characters', () => {
    expect(jsonFault(`["${'a'.repeat(4_000_000)}"`)).toBe('at line 1, column 4000004, `,` or `]` was expected');
  });
});
