/** Threads change no result, in each command that judges many messages. */
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { builtCommand } from '../support/built-command.js';
import { openFiles } from './world.js';

const bin = await builtCommand();
const files = await openFiles(1);
const texts = ['what the heck', 'HECK no', 'undarned', 'hello', 'darn and heck'];
// More than three blocks of lines, with a row that holds no message, a blank one, and messages
// without an id.
const rows = Array.from({ length: 17_000 }, (_, at) => {
  if (at === 6000) return 'oops';
  if (at === 11_000) return '';
  return JSON.stringify({
    ...(at % 7 > 0 && { id: String(at) }),
    sentAt: 1_700_000_000 + at,
    data: { text: texts[at % 5] },
  });
});
await writeFile(files.file('many.ndjson'), `${rows.join('\n')}\n`);
const words = { id: 1, operand: 'text', value: ['heck'] };
const parts = { id: 2, operand: 'text', category: 'pattern', value: ['darn'] };
const rules = [{ id: 'a', action: 'blockMessage', conditions: [words, parts] }];
await writeFile(files.file('rules.json'), JSON.stringify({ rules, lists: [] }));
await writeFile(files.file('old.json'), JSON.stringify({ rules: [], lists: [] }));

describe('threads', () => {
  it.each([
    ['audit', ['--json']],
    ['diff', ['--against', 'old.json', '--json']],
    ['precision', ['--draw', 'sample.csv', '--force', '--quiet']],
  ])(
    'change no byte of the results of `%s`',
    async (name, options) => {
      const results: string[] = [];
      for (const threads of ['0', '1', '3']) {
        const given = [
          ...options,
          '--rules',
          'rules.json',
          '--messages',
          'many.ndjson',
          '--on-bad-row',
          'skip',
          '--threads',
          threads,
        ];
        const args = given.map((word) => (/\.(?:(?:nd)?json|csv)$/.test(word) ? files.file(word) : word));
        const { stdout } = await promisify(execFile)(process.execPath, [bin, name, ...args]);
        results.push(name === 'precision' ? await readFile(files.file('sample.csv'), 'utf8') : stdout);
      }
      expect(results[0]!.length).toBeGreaterThan(100);
      expect(new Set(results).size).toBe(1);
    },
    120_000,
  );
});
