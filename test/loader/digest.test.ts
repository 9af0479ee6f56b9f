import { createHash } from 'node:crypto';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson, digest } from '../../src/foundation/digest.js';

/** The same value with the keys of every object the other way round. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, field]) => [key, reversed(field)]),
  );
}

describe('canonicalJson', () => {
  it('parses to the same value, and does not depend on the order of keys', () => {
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
        const text = canonicalJson(value);
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
        expect(canonicalJson(reversed(value))).toBe(text);
        expect(canonicalJson(JSON.parse(text))).toBe(text);
      }),
      { numRuns: 1000 },
    );
  });

  it.each<[unknown, string]>([
    [{ b: 1, a: { d: [], c: {} } }, '{"a":{"c":{},"d":[]},"b":1}'],
    [{ '\uff5e': 1, '😀': 2, Z: 3, a: 4, '10': 5, '9': 6 }, '{"10":5,"9":6,"Z":3,"a":4,"😀":2,"～":1}'],
    [{ a: undefined, b: () => 1, c: Symbol('c'), d: null }, '{"d":null}'],
    [[undefined, () => 1, Number.NaN, Number.POSITIVE_INFINITY, -0], '[null,null,null,null,0]'],
    ['x\ud800\udc00y\ud800', '"x𐀀y\\ud800"'],
    [{ '\udc00': '"\n' }, '{"\\udc00":"\\"\\n"}'],
    [new Date(0), '"1970-01-01T00:00:00.000Z"'],
    [undefined, 'null'],
    [JSON.parse('{"__proto__":{"a":1}}'), '{"__proto__":{"a":1}}'],
  ])('%j is %s', (value, text) => {
    expect(canonicalJson(value)).toBe(text);
  });

  it('accepts any depth and width', () => {
    let deep: unknown = 1;
    for (let level = 0; level < 200_000; level++) deep = level % 2 === 0 ? [deep] : { a: deep };
    expect(canonicalJson(deep)).toHaveLength(100_000 * '[]'.length + 100_000 * '{"a":}'.length + 1);
    expect(canonicalJson(new Array(500_000).fill('x'))).toBe(JSON.stringify(new Array(500_000).fill('x')));
  });
});

describe('digest', () => {
  it('is the first half of the SHA-256 of the canonical JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
        const expected = createHash('sha256').update(canonicalJson(value), 'utf8').digest('hex').slice(0, 32);
        expect(digest(value)).toBe(expected);
      }),
    );
  });

  it('differs for different lone surrogates', () => {
    const digests = ['\ud800', '\ud801', '\udc00', '\ufffd', '\\ud800'].map(digest);
    expect(new Set(digests).size).toBe(5);
    expect(digests[0]).toMatch(/^[0-9a-f]{32}$/);
  });

  it('is stable across versions: revisions are stored in files', () => {
    expect(digest({ rules: [], lists: [] })).toBe('be4540c923cd2fe25f1cce7fd6377a4f');
  });
});
