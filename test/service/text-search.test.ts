import fc from 'fast-check';
import { expect, it } from 'vitest';
import { runs } from '../support/runs.js';
import { inProcess } from './in-process.js';

const rowsOf = (texts: readonly (string | undefined)[]) =>
  texts.map((text, at) => {
    const parties = { sender: 'kai', receiverType: 'user' as const, receiver: 'sam' };
    return {
      id: String(at),
      ...parties,
      sentAt: at,
      data: { metadata: { note: 'needle' }, ...(text !== undefined && { text }) },
    };
  });

it('a search (`searchKey`, §4.2) finds texts that contain it, in any case, and nothing else', async () => {
  const unit = fc.constantFrom(...'kKsaéÉßσςΣ1 ."\\/\n\t{*😀', '\u212a', '\u2028');
  const texts = fc.array(fc.string({ unit, maxLength: 12 }), { minLength: 20, maxLength: 60 });
  const keys = fc.array(fc.string({ unit, minLength: 1, maxLength: 2 }), { minLength: 10, maxLength: 10 });
  await fc.assert(
    fc.asyncProperty(texts, keys, async (written, wanted) => {
      const { ids } = await inProcess({ messages: rowsOf(written) });
      for (const key of wanted) {
        const pattern = new RegExp(key.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'), 'iu');
        const found = written.flatMap((text, at) => (pattern.test(text) ? [String(at)] : []));
        expect([key, ids({ searchKey: key })]).toEqual([key, found]);
      }
    }),
    { numRuns: runs(12, 600) },
  );
  const long = 'ab'.repeat(9_000);
  const { ids } = await inProcess({ messages: rowsOf([long, `${long}c`, '', undefined, 'Needle\nof two lines']) });
  expect(
    [long.toUpperCase(), `${long}C`, `${long}d`, 'needle\nOF'].map((searchKey) => ids({ searchKey }).join()),
  ).toEqual(['0,1', '1', '', '4']);
});
