import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Line, readLines } from '../../src/foundation/files/lines.js';
import { runs } from '../support/runs.js';

/** Lines, errors by their words. */
async function linesOf(chunks: Iterable<Uint8Array>, mostBytes?: number): Promise<string[]> {
  const all: string[] = [];
  const words = (line: Line) => (typeof line === 'string' ? `text ${line}` : `error ${line.expected}`);
  const source = async function* () {
    yield* chunks;
  };
  for await (const lines of readLines(source(), mostBytes)) all.push(...lines.map(words));
  return all;
}

/** The same of the whole, byte by byte. */
function naiveLines(bytes: Uint8Array, mostBytes: number): string[] {
  const lines: number[][] = [[]];
  for (const byte of bytes) {
    if (byte === 0x0a) lines.push([]);
    else lines.at(-1)!.push(byte);
  }
  if (lines.at(-1)!.length === 0) lines.pop();
  return lines.map((line) => {
    if (line.length > mostBytes) return 'error is longer than 64 MiB';
    try {
      return `text ${new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Uint8Array.from(line))}`;
    } catch {
      return 'error must be utf-8';
    }
  });
}

const piece = fc.oneof(
  fc
    .constantFrom('\n', '\n\n', '\r\n', '', 'a', 'ab', '\ufeff', '\u2028', 'é', '笨蛋', '👩‍🚀')
    .map((text) => Buffer.from(text)),
  fc.uint8Array({ maxLength: 12 }).map((bytes) => Buffer.from(bytes)),
);
const bytesArbitrary = fc.array(piece, { maxLength: 20 }).map((pieces) => Buffer.concat(pieces));

describe('readLines', () => {
  it('gives the lines of the bytes, however they arrive', () =>
    fc.assert(
      fc.asyncProperty(
        bytesArbitrary,
        fc.array(fc.nat(60), { maxLength: 8 }),
        fc.integer({ min: 0, max: 20 }),
        async (bytes, cuts, mostBytes) => {
          const at = [0, ...cuts.map((cut) => Math.min(cut, bytes.length)), bytes.length].sort((a, b) => a - b);
          const chunks = at.slice(1).map((end, index) => bytes.subarray(at[index], end));
          expect(await linesOf(chunks, mostBytes)).toEqual(naiveLines(bytes, mostBytes));
        },
      ),
      { numRuns: runs(500) },
    ));

  it('gives what a chunk ends before the next one is there', async () => {
    let asked = 0;
    const source = async function* () {
      for (const text of ['a\nb', 'c\n', 'd']) {
        asked++;
        yield Buffer.from(text);
      }
    };
    const seen: [number, readonly Line[]][] = [];
    for await (const lines of readLines(source())) seen.push([asked, lines]);
    expect(seen).toEqual([
      [1, ['a']],
      [2, ['bc']],
      [3, ['d']],
    ]);
  });

  it('keeps no more than the bound of a line without an end, and goes on behind it', async () => {
    const chunk = Buffer.alloc(1 << 16, 'x');
    const source = function* () {
      for (let count = 0; count < 1 << 14; count++) yield chunk;
      yield Buffer.from('\nafter\n');
    };
    // A gigabyte, of which 64 KiB may be kept.
    const before = process.memoryUsage().arrayBuffers;
    let most = 0;
    const watched = function* () {
      for (const each of source()) {
        most = Math.max(most, process.memoryUsage().arrayBuffers - before);
        yield each;
      }
    };
    expect(await linesOf(watched(), 1 << 16)).toEqual(['error is longer than 64 MiB', 'text after']);
    expect(most).toBeLessThan(64 << 20);
  });

  it('takes work in proportion to a line that arrives byte by byte', async () => {
    // What it copies is counted: each byte a few times, and not once for each byte behind it.
    const set = Uint8Array.prototype.set;
    let copied = 0;
    Uint8Array.prototype.set = function (source, offset) {
      copied += source.length;
      set.call(this, source, offset);
    };
    try {
      const source = function* () {
        for (let count = 0; count < 100_000; count++) yield Buffer.from('x');
      };
      expect((await linesOf(source()))[0]).toHaveLength(100_005);
    } finally {
      Uint8Array.prototype.set = set;
    }
    expect(copied).toBeLessThan(500_000);
  });
});
