import { describe, expect, it } from 'vitest';
import { type OutputStream, print } from '../../src/cli/io.js';

const failing = (code: string): OutputStream => ({
  write: (_text, done) => done(Object.assign(new Error(code), { code })),
});

describe('print', () => {
  it.each(['EPIPE', 'EIO'])('takes an output that nobody reads any more for written: %s', async (code) => {
    await expect(print(failing(code), 'text')).resolves.toBeUndefined();
  });

  it('rejects with any other error of its output', async () => {
    await expect(print(failing('ENOSPC'), 'text')).rejects.toThrow('ENOSPC');
  });
});
