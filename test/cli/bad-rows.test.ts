/** Rows that hold no message: the same in every command that judges many messages. */
import { writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { sluice } from './terminal.js';
import { openFiles } from './world.js';

const files = await openFiles(1);
const rule = { id: 'a', action: ['blockMessage'], conditions: [{ id: 1, operand: 'text', value: ['damn'] }] };
await writeFile(files.file('rules.json'), JSON.stringify({ rules: [rule], lists: [] }));
await writeFile(files.file('old.json'), '{ "rules": [], "lists": [] }');
await writeFile(
  files.file('bad.ndjson'),
  '{"id":"1","data":{"text":"damn"}}\noops\n{"id":"3","data":{"text":"hello"}}\n',
);

const commands: readonly (readonly [name: string, options: readonly string[]])[] = [
  ['audit', []],
  ['diff', ['--against', 'old.json']],
  ['precision', ['--draw', 'sample.csv']],
];

function run(name: string, options: readonly string[]) {
  const given = ['--rules', 'rules.json', ...options, '--messages', 'bad.ndjson'];
  return sluice([name, ...given.map((word) => (/\.(?:(?:nd)?json|csv)$/.test(word) ? files.file(word) : word))]);
}

describe('a row that holds no message', () => {
  it.each(commands)('ends `%s` by default, with its line', async (name, options) => {
    const { code, stdout, stderr } = await run(name, options);
    expect([code, name === 'audit' ? '' : stdout]).toEqual([3, '']);
    expect(stderr).toContain('bad.ndjson:2');
  });

  it.each(commands)('is counted and left out by `%s --on-bad-row skip`', async (name, options) => {
    const { code, stdout, stderr } = await run(name, [...options, '--on-bad-row', 'skip']);
    expect(code).toBe(0);
    expect((stdout + stderr).replaceAll(/\s+/g, ' ')).toMatch(/rows that hold no message, left out: 1\b.* line 2\b/);
  });

  it('has a reason, and other rows their columns, wherever it stands in the file', async () => {
    const good = '{"id":"2","comment":"damn","body":"hello"}';
    for (const bad of ['oops', '{"id":', '5', 'null', '{"x":{}}']) {
      const ends = [
        [bad, good, good],
        [good, bad, good],
        [good, good, bad],
      ].map(async (rows, at) => {
        await writeFile(files.file(`bad-${at}.ndjson`), `${rows.join('\n')}\n`);
        const args = [
          '--rules',
          files.file('rules.json'),
          '--messages',
          files.file(`bad-${at}.ndjson`),
          '--map',
          'text=comment',
        ];
        const { stdout } = await sluice(['audit', ...args, '--on-bad-row', 'skip', '--json']);
        const { messages, verdicts, badRows } = JSON.parse(stdout);
        return [messages, verdicts.blockMessage, badRows.first[0].reason];
      });
      const [first, ...others] = await Promise.all(ends);
      expect(first?.slice(0, 2), bad).toEqual([2, 2]);
      for (const other of others) expect(other, bad).toEqual(first);
    }
  });
});
