import { describe, expect, it } from 'vitest';
import { OutputError, type OutputStream, print, wholeOutput } from '../../src/cli/io.js';

const failing = (code: string, isTTY?: boolean): { stdout: OutputStream } => ({
  stdout: { isTTY, write: (_text, done) => done(Object.assign(new Error(code), { code, syscall: 'write' })) },
});

describe('print', () => {
  it.each([
    ['a closed pipe', failing('EPIPE')],
    ['a terminal that is gone', failing('EIO', true)],
  ])('says of an output that nobody reads any more that it is none, and no error: %s', async (_, io) => {
    await expect(print(io, 'text')).resolves.toBe(false);
  });

  it('says of one that took the text that it is read', async () => {
    await expect(print({ stdout: { write: (_text, done) => done() } }, 'text')).resolves.toBe(true);
  });

  it.each([
    ['a full disk', failing('ENOSPC'), 'no space left on the device'],
    ['a file whose device failed', failing('EIO'), 'the device failed'],
  ])('rejects with the reason: %s', async (_, io, reason) => {
    await expect(print(io, 'text')).rejects.toThrow(OutputError);
    await expect(print(io, 'text')).rejects.toThrow(reason);
  });
});

describe('wholeOutput', () => {
  /** A disk with room for so many bytes, which takes at most three at once. */
  const disk = (room: number) => {
    const taken: Buffer[] = [];
    const write = (_fd: number, bytes: Uint8Array) => {
      const left = room - Buffer.concat(taken).length;
      if (left === 0) throw Object.assign(new Error('full'), { code: 'ENOSPC', syscall: 'write' });
      const part = Buffer.from(bytes.subarray(0, Math.min(3, left)));
      taken.push(part);
      return part.length;
    };
    const stream = { fd: 1, write: () => expect.fail('must not write past the file') };
    return { stdout: wholeOutput(stream, { isFile: true, write }), text: () => Buffer.concat(taken).toString() };
  };

  it('writes on where a file takes less than it was given', async () => {
    const { stdout, text } = disk(100);
    await expect(print({ stdout }, 'größer\n')).resolves.toBe(true);
    await expect(print({ stdout }, '')).resolves.toBe(true);
    expect(text()).toBe('größer\n');
  });

  it('rejects once the disk is full, though it took the beginning', async () => {
    const { stdout, text } = disk(5);
    await expect(print({ stdout }, 'more than that')).rejects.toThrow('no space left on the device');
    expect(text()).toBe('more ');
  });

  it('leaves a pipe or a terminal as it is', () => {
    const stream = { fd: 1, write: () => undefined };
    expect(wholeOutput(stream, { isFile: false })).toBe(stream);
  });
});
