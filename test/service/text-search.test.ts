import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { load } from '../../src/service/load.js';
import { textSearch } from '../../src/service/text-search.js';

let root: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'sluice-search-'));
});
afterAll(() => rm(root, { recursive: true }));

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
          const { messages } = await load(root);
          for (const asked of keys) {
            const holds = textSearch(asked, messages);
            const pattern = new RegExp(asked.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'), 'iu');
            for (const [position, [written]] of texts.entries()) {
              expect(holds(position), `${JSON.stringify(asked)} in ${lines[position]}`).toBe(pattern.test(written));
            }
          }
        },
      ),
      { numRuns: 60 },
    );
  });
});
