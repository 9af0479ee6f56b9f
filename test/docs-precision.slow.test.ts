/**
 * The commands of docs/audit.md about precision, one after the other, with the outcomes that its
 * text speaks of; what it shows is what they print.
 */
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import Papa from 'papaparse';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from './support/folder.js';

const page = readFileSync(resolve(import.meta.dirname, '../docs/audit.md'), 'utf8').split(
  /^## How right is a rule$/m,
)[1]!;
const blocks = [...page.matchAll(/^```(sh|text|csv)\n([\s\S]*?)^```$/gm)].map(([, language, code]) => ({
  language,
  code: code!,
}));
const commands = blocks.flatMap(({ language, code }) => (language === 'sh' ? code.trimEnd().split('\n') : []));
const shown = blocks.flatMap(({ language, code }) => (language === 'text' ? code : []));

/**
 * What a reader found, row by row: does it insult someone, is it a scam, is it an insult in
 * capitals or without, was it right to let it through?
 */
const found = `wrwrrwwrrurwrrrrwrrrrrruwrrrrrwwrrrwwwrr${'r'.repeat(39)}wwwrrwwwwwww${'r'.repeat(60)}`;

describe('docs/audit.md', () => {
  const folder = temporaryFolder();

  it('has commands that run, and shows what they print', async () => {
    const bin = resolve(import.meta.dirname, '../dist/cli/bin.js');
    writeFileSync(join(folder, 'npx'), `#!/bin/sh\nshift\nexec '${process.execPath}' '${bin}' "$@"\n`, { mode: 0o755 });
    const env = { PATH: `${folder}:${process.env.PATH}` };
    const printed: string[] = [];
    for (const command of commands) {
      printed.push((await promisify(execFile)('bash', ['-ec', command], { cwd: folder, env })).stdout);
      if (command.includes('--draw')) fillIn();
    }
    expect(commands.length).toBe(4);
    expect(printed[1]).toBe(shown[0]);
    // The page leaves out what was printed before, and the note behind.
    expect(printed[2]).toContain(`${shown[0]}\n${shown[1]}`);
    const { rules, missed } = JSON.parse(readFileSync(join(folder, 'precision.json'), 'utf8'));
    expect(rules[0]).toMatchObject({ ruleId: 'text-profanity-filter', right: 26, labelled: 38, unsure: 2 });
    expect(missed).toMatchObject({ labelled: 60, wrong: 0 });
    expect(readFileSync(join(folder, 'sample.csv'), 'utf8')).toContain(
      'how do I [[kill]] the process on port 1180;wrong',
    );
  });

  /** Fills in the sample as a reader with a German Excel does. */
  function fillIn() {
    const path = join(folder, 'sample.csv');
    const text = readFileSync(path, 'utf8');
    const [head] = blocks.flatMap(({ language, code }) => (language === 'csv' ? code : []));
    // The digests depend on the revision of the engine, which changes with its meaning.
    const undigested = (csv: string) => csv.replaceAll('\r\n', '\n').replace(/[\da-f]{8}-[\da-f]{8}/g, '');
    expect(undigested(text.slice(1)).slice(0, undigested(head!).length)).toBe(undigested(head!));
    const { data } = Papa.parse<string[]>(text.slice(1), { delimiter: ',', skipEmptyLines: true });
    expect(data).toHaveLength(found.length + 1);
    const words: Readonly<Record<string, string>> = { r: 'right', w: 'wrong', u: 'unsure' };
    const filled = data.map((cells, at) => (at === 0 ? cells : cells.with(3, words[found[at - 1]!]!)));
    writeFileSync(path, `\u{feff}${Papa.unparse(filled, { delimiter: ';', newline: '\r\n' })}\r\n`);
  }
});
