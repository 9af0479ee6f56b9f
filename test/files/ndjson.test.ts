import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { ShapeError } from '../../src/foundation/errors.js';
import { readNdjson } from '../../src/foundation/files/lines.js';
import { ndjsonLine, safeJson } from '../../src/foundation/files/ndjson.js';
import { runs } from '../support/runs.js';

async function read(...chunks: readonly (string | Uint8Array)[]) {
  const lines = [];
  const bytes = chunks.map((chunk) => (typeof chunk === 'string' ? Buffer.from(chunk) : chunk));
  for await (const line of readNdjson(bytes, 'log.ndjson')) lines.push(line);
  return lines;
}

async function failure(...chunks: readonly (string | Uint8Array)[]): Promise<ShapeError> {
  const error = await read(...chunks).catch((thrown: unknown) => thrown);
  if (!(error instanceof ShapeError)) throw new Error('no shape error');
  return error;
}

describe('readNdjson', () => {
  it('counts lines from 1, blank ones included, and accepts a last line without a newline', async () => {
    expect(await read('{"a":1}\n\n  \r\n[2]\r\n"three"')).toEqual([
      { value: { a: 1 }, line: 1 },
      { value: [2], line: 4 },
      { value: 'three', line: 5 },
    ]);
    expect(await read('')).toEqual([]);
  });

  it('parses no blank line, whose error would take the time of a thousand characters', async () => {
    const parse = vi.spyOn(JSON, 'parse');
    try {
      expect(await read('\n \n\t\n\u{a0}\n\r\n\u{feff}\n')).toEqual([]);
      expect(parse).toHaveBeenCalledTimes(0);
    } finally {
      parse.mockRestore();
    }
  });

  it('skips a byte order mark at the start only', async () => {
    expect(await read('\u{feff}1\n2')).toEqual([
      { value: 1, line: 1 },
      { value: 2, line: 2 },
    ]);
    expect((await failure('1\n\u{feff}2')).source).toBe('log.ndjson:2');
  });

  it('splits at the byte 0x0A and nowhere else', async () => {
    const text = 'a\u{2028}b\u{2029}c\u{85}d\u{0b}e\u{0c}f';
    expect(await read(`"${text.replaceAll('\u{0b}', '\\u000b').replaceAll('\u{0c}', '\\f')}"\n`)).toEqual([
      { value: text, line: 1 },
    ]);
  });

  it('reports file and line of malformed lines, without their content', async () => {
    const syntax = await failure('{"a":1}\n{"text":"top secret"\n');
    expect(syntax.message).toBe('log.ndjson:2: the whole line must be json; at column 21, `,` or `}` was expected');
    expect(syntax.cause).toBeUndefined();
    const bytes = await failure('1\n', new Uint8Array([0x22, 0xff, 0x22, 0x0a]));
    expect(bytes.message).toBe('log.ndjson:2: the whole line must be utf-8');
    expect((await failure('1\n2\n3', ' 4')).source).toBe('log.ndjson:3');
  });

  it('rejects a line beyond the length limit', async () => {
    const megabyte = new Uint8Array(1 << 20).fill(0x20);
    let given = 0;
    function* endless() {
      for (; given < 1000; given += 1) yield megabyte;
    }
    const reading = async () => {
      for await (const _ of readNdjson(endless(), 'endless')) throw new Error('no line was to come');
    };
    await expect(reading()).rejects.toThrow('endless:1: the whole line is longer than 64 MiB');
    expect(given).toBeLessThan(70);
  });

  it('round-trips every value, however it is split into chunks', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.jsonValue({ stringUnit: 'binary' })),
        fc.array(fc.nat(40), { minLength: 1 }),
        async (values, cuts) => {
          const bytes = Buffer.from(values.map(ndjsonLine).join(''));
          const chunks: Uint8Array[] = [];
          for (let at = 0, cut = 0; at < bytes.length; cut += 1) {
            const size = 1 + (cuts[cut % cuts.length] ?? 0);
            chunks.push(bytes.subarray(at, at + size));
            at += size;
          }
          const plain = JSON.parse(JSON.stringify(values));
          expect((await read(...chunks)).map(({ value }) => value)).toEqual(plain);
        },
      ),
      { numRuns: runs(30, 3000) },
    );
  });
});

describe('safeJson', () => {
  const acted = ['\u{7f}', '\u{80}', '\u{9b}', '\u{9f}', '\u{61c}', '\u{200e}', '\u{200f}', '\u{2028}', '\u{2029}'];
  const directions = ['\u{202a}', '\u{202e}', '\u{2066}', '\u{2069}'];

  it.each([...acted, ...directions])('escapes what a terminal acts on: %j', (character) => {
    const value = { [`key ${character}`]: [`before ${character}${character} after`] };
    const json = safeJson(value);
    const written = `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
    expect(json).toBe(`{"key ${written}":["before ${written}${written} after"]}`);
    expect(JSON.parse(json)).toEqual(value);
  });

  it('leaves everything else as JSON.stringify has it, indented or not', () => {
    const value = {
      text: 'plain, naïve, 日本語, 😀, é, \u{200b}\u{200d}\u{a0}\n\u{1b}',
      lone: '\u{d800}',
      n: [1, null],
    };
    expect(safeJson(value)).toBe(JSON.stringify(value));
    expect(safeJson(value, 2)).toBe(JSON.stringify(value, null, 2));
  });

  it('is the same value, for any', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'binary' }), (value) => {
        const json = safeJson(value);
        expect(JSON.parse(json)).toEqual(JSON.parse(JSON.stringify(value)));
        // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not occur
        expect(json).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/);
      }),
      { numRuns: runs(100, 3000) },
    );
  });
});

describe('ndjsonLine', () => {
  it('escapes U+2028 and U+2029, at which some readers split', () => {
    const line = ndjsonLine({ text: 'a\n\u{2028}\u{2029}\u{d800}' });
    expect(line).toBe('{"text":"a\\n\\u2028\\u2029\\ud800"}\n');
  });
});
