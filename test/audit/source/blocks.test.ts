import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BlockCutter, type Position, type RowBlock } from '../../../src/audit/source/blocks.js';
import { readerOf } from '../../../src/audit/source/open-file.js';
import { plainFormat } from '../../../src/audit/source/rows.js';
import { ShapeError } from '../../../src/foundation/errors.js';
import { inflated } from '../../../src/foundation/files/gzip.js';
import { runs } from '../../support/runs.js';

/** A stream that brings bytes in chunks of some lengths, over and over. */
async function* inChunks(bytes: Uint8Array, lengths: readonly number[]): AsyncGenerator<Uint8Array> {
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const length = lengths[turn % lengths.length] ?? 1;
    yield bytes.subarray(at, at + length);
    at += length;
  }
}

/** Cuts two files into blocks: the whole ones, whose bytes are copied. */
async function read(files: readonly Uint8Array[], lengths: readonly number[], size: number, from?: Position) {
  const found: RowBlock[] = [];
  const cutter = new BlockCutter(from, { size, isEager: lengths.length > 2 });
  const source = 'messages.ndjson';
  for (const bytes of files) {
    const reader = readerOf(inChunks(bytes, lengths));
    for await (const block of cutter.blocksOf({ source, format: plainFormat, reader }))
      found.push({ ...block, bytes: new Uint8Array(block.bytes) });
  }
  cutter.refuseShort();
  return { found, end: cutter.position };
}

const textOf = (blocks: readonly RowBlock[]) => Buffer.concat(blocks.map(({ bytes }) => bytes)).toString();
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const text = fc
  .array(fc.constantFrom('{"a":1}', '', '日本', 'x'.repeat(40), '\r'), { maxLength: 30 })
  .chain((lines) =>
    fc.boolean().map((isEnded) => Buffer.from(lines.join('\n') + (isEnded && lines.length > 0 ? '\n' : ''))),
  );
const lengths = fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1, maxLength: 4 });
const sizes = fc.integer({ min: 1, max: 120 });

describe('blocks of rows', () => {
  it('are whole rows of one file, all of them, and go on behind each however the bytes arrive', async () => {
    await fc.assert(
      fc.asyncProperty(fc.tuple(text, text), lengths, lengths, sizes, async (files, one, other, size) => {
        const { found, end } = await read(files, one, size);
        const whole = Buffer.concat(files);
        const lines = files.map((file) => file.toString().split('\n').length - Number(/(^|\n)$/.test(file.toString())));
        expect(textOf(found)).toBe(whole.toString());
        expect(end).toEqual({
          ...{ bytes: whole.length, lines: lines[0]! + lines[1]!, rows: lines[0]! + lines[1]!, sha256: sha256(whole) },
        });
        for (const [index, block] of found.entries()) {
          const position = block.end as Position;
          const before = textOf(found.slice(0, index + 1));
          expect(position).toMatchObject({ bytes: Buffer.byteLength(before), sha256: sha256(Buffer.from(before)) });
          const rest = await read(files, other, size + 7, position);
          expect(textOf(rest.found)).toBe(textOf(found.slice(index + 1)));
          expect(rest.end).toEqual(end);
          expect(rest.found[0]?.before ?? end.rows).toBe(position.rows);
          const next = found[index + 1];
          if (next) expect(rest.found[0]).toMatchObject({ firstLine: next.firstLine, before: next.before });
        }
      }),
      { numRuns: runs(60) },
    );
  });

  it('refuse a stream whose last line went on after it was judged', async () => {
    const from = (await read([Buffer.from('a\nb\nc')], [2], 100)).end;
    for (const lengths of [[1], [5], [7], [4, 2]]) {
      expect((await read([Buffer.from('a\nb\nc')], lengths, 9, from)).found).toEqual([]);
      for (const text of ['a\nb\ncd\ne\n', 'a\nb\nc\n'])
        await expect(read([Buffer.from(text)], lengths, 9, from)).rejects.toThrow(ShapeError);
    }
    const whole = (await read([Buffer.from('a\nb\n')], [2], 100)).end;
    expect((await read([Buffer.from('a\nb\nc\n')], [3], 100, whole)).found).toMatchObject([{ firstLine: 3 }]);
  });

  it('refuse a stream whose beginning is another one, or gone', async () => {
    const bytes = Buffer.from('{"a":1}\n{"a":2}\n{"a":3}\n');
    const position = (await read([bytes], [5], 17)).found[0]!.end as Position;
    const other = Buffer.from('{"a":1}\n{"b":2}\n{"a":3}\n');
    const problem = 'messages.ndjson: the whole stream does not begin as it did when the audit began';
    await expect(read([other], [5], 17, position)).rejects.toThrow(problem);
    await expect(read([bytes.subarray(0, 10)], [5], 17, position)).rejects.toThrow(problem);
    const longer = Buffer.concat([bytes, Buffer.from('{"a":4}\n')]);
    expect(textOf((await read([longer], [5], 100, position)).found)).toBe('{"a":3}\n{"a":4}\n');
  });
});

describe('gzip', () => {
  const inflate = async (bytes: Uint8Array, chunk: number) => {
    const found: Uint8Array[] = [];
    for await (const part of inflated(inChunks(bytes, [chunk]), 'messages.ndjson.gz')) found.push(Buffer.from(part));
    return Buffer.concat(found).toString();
  };
  const [one, other] = [gzipSync('{"a":1}\n'), gzipSync('{"a":2}\n'.repeat(5000))];

  it.each([1, 2, 7, 4096])('of one member and of several is inflated, in chunks of %i', async (chunk) => {
    expect(await inflate(one, chunk)).toBe('{"a":1}\n');
    expect(await inflate(Buffer.concat([one, other, one]), chunk)).toBe(
      `{"a":1}\n${'{"a":2}\n'.repeat(5000)}{"a":1}\n`,
    );
  });

  it('is told by its first two bytes; all else passes as it is', async () => {
    for (const text of ['', '{', '{"a":1}\n']) expect(await inflate(Buffer.from(text), 1)).toBe(text);
    const almost = Buffer.from([0x1f, 0x20]);
    expect(await inflate(almost, 1)).toBe(almost.toString());
  });

  it('that is cut off or damaged is an error that names the file', async () => {
    await expect(inflate(other.subarray(0, -3), 100)).rejects.toThrow(
      /^messages\.ndjson\.gz: .*gzip that ends too early/,
    );
    const damaged = Buffer.from(other);
    damaged[damaged.length - 6]! ^= 0xff;
    await expect(inflate(damaged, 100)).rejects.toThrow(/damaged gzip/);
  });

  it('passes the errors of its source on', async () => {
    const failing = async function* () {
      yield new Uint8Array(one.subarray(0, 8));
      throw new TypeError('the disk failed');
    };
    const read = async () => {
      for await (const _ of inflated(failing(), 'x')) void _;
    };
    await expect(read()).rejects.toThrow(new TypeError('the disk failed'));
  });
});
