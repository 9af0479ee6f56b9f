import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/folder.js';
import { runs } from '../support/runs.js';
import { inProcess } from './in-process.js';

const root = temporaryFolder();

/** Letters with cases of their own (ſ of s, the Kelvin sign of k, ς of Σ), and characters that JSON escapes. */
const unit = fc.constantFrom(
  ...'kKsSaéÉßσςΣi1 ."\\/\n\t{😀',
  '\u212a',
  '\u017f',
  '\u2028',
  '\u0130',
  '\u0131',
  '\u00a0',
);
const text = fc.string({ unit, maxLength: 12 });
const key = fc.string({ unit, minLength: 1, maxLength: 2 });

/** As different writers spell a text: plain, with slashes escaped, or with everything beyond ASCII, or all, as \u. */
const spellings: readonly ((json: string) => string)[] = [
  (json) => json,
  (json) => json.replaceAll('/', '\\/'),
  (json) => json.replace(/[^ -~]/g, (unit16) => `\\u${unit16.charCodeAt(0).toString(16).padStart(4, '0')}`),
  (json) => `"${[...(JSON.parse(json) as string)].map(everyUnit).join('')}"`,
];
const everyUnit = (character: string) =>
  character
    .split('')
    .map((unit16) => `\\u${unit16.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`)
    .join('');

describe('a search in texts (`searchKey`, §4.2)', () => {
  it('finds what a search in the parsed text finds, however the line spells it', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(text, fc.nat(spellings.length - 1)), { minLength: 20, maxLength: 60 }),
        fc.array(key, { minLength: 10, maxLength: 10 }),
        async (texts, keys) => {
          const lines = texts.map(([written, spelling], i) => {
            const json = spellings[spelling]!(JSON.stringify(written));
            // The key stands in other fields too, and there it is not looked for.
            const others = i % 3 === 0 ? `,"metadata":{"note":${JSON.stringify(keys.join(''))}}` : '';
            return `{"id":"${i}","sender":"kai","receiverType":"user","receiver":"${i % 2 ? 'σ' : 'sam'}","sentAt":${i},"data":{"text":${json}${others}}}\n`;
          });
          await writeFile(join(root, 'messages.ndjson'), lines.join(''));
          const { ids } = await inProcess(root);
          for (const asked of keys) {
            const found = new Set(ids({ searchKey: asked }));
            const pattern = new RegExp(asked.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'), 'iu');
            for (const [position, [written]] of texts.entries()) {
              expect(found.has(String(position)), `${JSON.stringify(asked)} in ${lines[position]}`).toBe(
                pattern.test(written),
              );
            }
          }
        },
      ),
      { numRuns: runs(12, 600) },
    );
  });

  it('takes keys as long as a header can be', async () => {
    const beginning = 'x😀\u212a'.repeat(700);
    const text = `${beginning}😀 ${beginning}. A quote "`;
    const long = 'ab'.repeat(9_000);
    const rows = [text, long, '', undefined, `${long}c`].map((written, i) => ({
      ...{ id: String(i), sender: 'kai', receiverType: 'user' as const, receiver: 'sam', sentAt: i },
      data: written === undefined ? {} : { text: written },
    }));
    const { ids } = await inProcess({ messages: rows });
    const found = (asked: string) => ids({ searchKey: asked }).map(Number);
    for (const asked of [text, text.slice(5), beginning.toLowerCase(), `${beginning}. a`, `${beginning.slice(3)}😀`]) {
      expect(found(asked), `${asked.length} letters`).toEqual([0]);
      expect(found(`${asked}?`), `${asked.length} letters and one more`).toEqual([]);
    }
    expect(found(long.toUpperCase())).toEqual([1, 4]);
    expect(found(`${long}C`)).toEqual([4]);
    expect(found(`b${long}`)).toEqual([]);
    expect(found('ba'.repeat(8_999))).toEqual([1, 4]);
    expect(found('.*'.repeat(5_000))).toEqual([]);
  });

  it('takes texts of any length, wherever they stand in their line', async () => {
    const far = { metadata: { note: 'é'.repeat(40_000) } };
    const rows = [
      { ...far, text: 'needle far' },
      { text: `${'y'.repeat(70_000)}needle` },
      { text: `${'é'.repeat(32_767)}needle` },
      { text: '', note: 'needle' },
      { text: 'needle\nof two lines' },
      { text: '\ud83d', metadata: { note: '😀 needle' } },
    ].map((data, i) => ({ id: String(i), sender: 'kai', receiverType: 'user', receiver: 'sam', sentAt: i, data }));
    await writeFile(join(root, 'messages.ndjson'), rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
    const { ids } = await inProcess(root);
    const found = (asked: string) => ids({ searchKey: asked }).map(Number);
    expect(found('NEEDLE')).toEqual([0, 1, 2, 4]);
    expect(found('far')).toEqual([0]);
    expect(found('needle\nOF')).toEqual([4]);
  });
});
