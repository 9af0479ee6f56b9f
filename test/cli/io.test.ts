import { describe, expect, it } from 'vitest';
import { OutputError, type OutputStream, print } from '../../src/cli/io.js';

const failing = (code: string, isTTY?: boolean): { stdout: OutputStream } => ({
  stdout: { isTTY, write: (_text, done) => done(Object.assign(new Error(code), { code, syscall: 'write' })) },
});

describe('print', () => {
  it.each([
    ['a closed pipe', failing('EPIPE')],
    ['a terminal that is gone', failing('EIO', true)],
  ])('takes an output that nobody reads any more for written: %s', async (_, io) => {
    await expect(print(io, 'text')).resolves.toBeUndefined();
  });

  it.each([
    ['a full disk', failing('ENOSPC'), 'no space left on the device'],
    ['a file whose device failed', failing('EIO'), 'the device failed'],
  ])('rejects with the reason: %s', async (_, io, reason) => {
    await expect(print(io, 'text')).rejects.toThrow(OutputError);
    await expect(print(io, 'text')).rejects.toThrow(reason);
  });
});
