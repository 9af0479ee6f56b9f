import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type BlockSize,
  type LineBlock,
  type LinePosition,
  lineBlocks,
} from '../../../src/audit/source/line-blocks.js';
import { ShapeError } from '../../../src/foundation/errors.js';
import { inflated } from '../../../src/foundation/files/gzip.js';

/** A stream that brings bytes in chunks of some lengths, over and over. */
async function* inChunks(bytes: Uint8Array, lengths: readonly number[]): AsyncGenerator<Uint8Array> {
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const length = lengths[turn % lengths.length] ?? 1;
    yield bytes.subarray(at, at + length);
    at += length;
  }
}

async function read(bytes: Uint8Array, lengths: readonly number[], size: BlockSize, from?: LinePosition) {
  const found: LineBlock[] = [];
  const blocks = lineBlocks(inChunks(bytes, lengths), 'messages.ndjson', { from, size });
  for (let step = await blocks.next(); ; step = await blocks.next()) {
    if (step.done === true) return { found, end: step.value };
    found.push(step.value);
  }
}

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const texts = fc
  .array(fc.constantFrom('{"a":1}', '', '日本', 'x'.repeat(40), '\r'), { maxLength: 30 })
  .chain((lines) =>
    fc.boolean().map((isEnded) => Buffer.from(lines.join('\n') + (isEnded && lines.length > 0 ? '\n' : ''))),
  );
const lengths = fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1, maxLength: 4 });
const sizes = fc.record({ lines: fc.integer({ min: 1, max: 7 }), bytes: fc.integer({ min: 1, max: 120 }) });

describe('blocks of lines', () => {
  it('are whole lines, all of them, the same however the bytes arrive', async () => {
    await fc.assert(
      fc.asyncProperty(texts, lengths, lengths, sizes, async (bytes, one, other, size) => {
        const { found, end } = await read(bytes, one, size);
        expect(Buffer.concat(found.map((block) => block.bytes))).toEqual(bytes);
        expect((await read(bytes, other, size)).found).toEqual(found);
        expect(end.bytes).toBe(bytes.length);
        expect(end.sha256).toBe(sha256(bytes));
        let before = 0;
        let line = 1;
        for (const block of found) {
          expect(block.firstLine).toBe(line);
          before += block.bytes.length;
          line = (block.end?.lines ?? Number.NaN) + 1;
          expect(block.end).toEqual({ bytes: before, lines: line - 1, sha256: sha256(bytes.subarray(0, before)) });
          expect(before === bytes.length || bytes[before - 1] === 0x0a).toBe(true);
          const own = line - block.firstLine;
          expect(own).toBeLessThanOrEqual(size.lines);
        }
      }),
    );
  });

  it('behind a position are those that follow', async () => {
    await fc.assert(
      fc.asyncProperty(texts, lengths, sizes, fc.nat(), async (bytes, chunks, size, pick) => {
        const { found, end } = await read(bytes, chunks, size);
        fc.pre(found.length > 0);
        const at = pick % found.length;
        const rest = await read(bytes, chunks, size, found[at]!.end);
        expect(rest).toEqual({ found: found.slice(at + 1), end });
      }),
    );
  });

  it('refuse a stream whose last line went on after it was judged', async () => {
    const size = { lines: 2, bytes: 100 };
    const { found } = await read(Buffer.from('a\nb\nc'), [2], size);
    const from = found.at(-1)?.end;
    for (const lengths of [[1], [5], [7], [4, 2]]) {
      expect((await read(Buffer.from('a\nb\nc'), lengths, size, from)).found).toEqual([]);
      await expect(read(Buffer.from('a\nb\ncd\ne\n'), lengths, size, from)).rejects.toThrow(ShapeError);
      await expect(read(Buffer.from('a\nb\nc\n'), lengths, size, from)).rejects.toThrow(ShapeError);
    }
    const whole = (await read(Buffer.from('a\nb\n'), [2], size)).found.at(-1)?.end;
    expect((await read(Buffer.from('a\nb\nc\n'), [3], size, whole)).found).toMatchObject([{ firstLine: 3 }]);
  });

  it('refuse a stream whose beginning is another one, or gone', async () => {
    const bytes = Buffer.from('{"a":1}\n{"a":2}\n{"a":3}\n');
    const size = { lines: 2, bytes: 1000 };
    const { found } = await read(bytes, [5], size);
    const position = found[0]!.end;
    const other = Buffer.from('{"a":1}\n{"b":2}\n{"a":3}\n');
    const problem = 'messages.ndjson: the whole stream does not begin as it did when the audit began';
    await expect(read(other, [5], size, position)).rejects.toThrow(ShapeError);
    await expect(read(other, [5], size, position)).rejects.toThrow(problem);
    await expect(read(bytes.subarray(0, 10), [5], size, position)).rejects.toThrow(problem);
    const longer = Buffer.concat([bytes, Buffer.from('{"a":4}\n')]);
    expect((await read(longer, [5], size, position)).found).toHaveLength(1);
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
