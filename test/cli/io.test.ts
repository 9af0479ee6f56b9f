import { describe, expect, it } from 'vitest';
import { OutputError, type OutputStream, print } from '../../src/cli/io.js';

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
