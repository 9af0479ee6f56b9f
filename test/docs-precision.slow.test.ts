/** The commands of docs/precision.md, one after the other, with the labels that its text speaks of; what it shows is what they print. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const page = readFileSync(resolve(import.meta.dirname, '../docs/precision.md'), 'utf8');
const blocks = [...page.matchAll(/^```(sh|text)\n([\s\S]*?)^```$/gm)].map(([, language, code]) => ({
  language,
  code: code!,
}));
const commands = blocks.flatMap(({ language, code }) => (language === 'sh' ? code.trimEnd().split('\n') : []));

/** What a reader pressed, message by message: does it insult someone, is it a scam, was it right to let it through? */
const keys = `wrwrrwwrrurwrrrrwrrrrrruwrrrrrwwrrrwwwrr${'r'.repeat(39 + 60)}`;

describe('docs/precision.md', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'sluice-precision-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it('has commands that run, and shows what they print', async () => {
    const bin = resolve(import.meta.dirname, '../dist/cli/bin.js');
    writeFileSync(join(folder, 'npx'), `#!/bin/sh\nshift\nexec '${process.execPath}' '${bin}' "$@"\n`, { mode: 0o755 });
    const run = async (command: string) =>
      (
        await promisify(execFile)('bash', ['-ec', command], {
          cwd: folder,
          env: { PATH: `${folder}:${process.env.PATH}` },
        })
      ).stdout;
    const printed: string[] = [];
    for (const command of commands) {
      if (command === 'npx sluice label sample.ndjson') label();
      else printed.push(await run(command));
    }
    expect(printed.join('')).toBe(blocks.find(({ language }) => language === 'text')!.code);
    expect(commands.length).toBe(7);
    const { rules, missed } = JSON.parse(readFileSync(join(folder, 'precision.json'), 'utf8'));
    expect(rules[0]).toMatchObject({ ruleId: 'text-profanity-filter', right: 26, labelled: 38, unsure: 2 });
    expect(missed).toMatchObject({ labelled: 60, wrong: 0 });
    expect(readFileSync(join(folder, 'labels.csv'), 'utf8')).toContain('how do I kill the process on port 1180,wrong');
    expect(readFileSync(join(folder, 'audit/report.html'), 'utf8')).toContain('How right the rules are');
  });

  /** What `sluice label` writes, which needs a terminal: `test/cli/label-terminal.slow.test.ts` has one. */
  function label() {
    const [, ...rows] = readFileSync(join(folder, 'sample.ndjson'), 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(rows.length).toBe(keys.length);
    const outcomes: Readonly<Record<string, string>> = { r: 'right', w: 'wrong', u: 'unsure' };
    const labels = rows.map(({ messageId, stratum }, at) => ({
      messageId,
      ruleId: stratum.ruleId,
      outcome: outcomes[keys[at]!],
    }));
    writeFileSync(join(folder, 'sample.labels.ndjson'), labels.map((one) => `${JSON.stringify(one)}\n`).join(''));
  }
});
