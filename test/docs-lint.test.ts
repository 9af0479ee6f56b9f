/**
 * docs/lint.md: every finding has a heading, and below it a rule set that has it, with the severity
 * that the page says.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Finding, lintRuleSet, type RuleSetInput } from '../src/index.js';
import { checks } from '../src/review/lint/checks.js';
import { sluice } from './cli/terminal.js';

const page = readFileSync(new URL('../docs/lint.md', import.meta.url), 'utf8');
const examples = [...page.matchAll(/^### `([\w-]+)`\n\n(Error|Warning|Note)\. [\s\S]*?^```json\n([\s\S]*?)^```/gm)];
const severities: Readonly<Record<string, Finding['severity']>> = { Error: 'error', Warning: 'warning', Note: 'info' };

describe('docs/lint.md', () => {
  it('has every finding, besides the codes of issues', () => {
    expect(examples.map(([, id]) => id).sort()).toEqual(checks.map(({ id }) => id).sort());
  });

  it.each(examples.map(([, id = '', severity = '', code = '']) => [id, severity, code]))(
    '%s',
    async (id, severity, code) => {
      const { findings } = await lintRuleSet(JSON.parse(code) as RuleSetInput);
      const found = findings.find((finding) => finding.id === id);
      expect(found?.severity).toBe(severities[severity]);
      expect(found?.detail).toBeTruthy();
    },
  );

  it('prints what the page shows', async () => {
    const [, rules = '', screen] = /^```json\n([\s\S]*?)^```[\s\S]*?^```text\n([\s\S]*?)^```/m.exec(page) ?? [];
    const folder = mkdtempSync(join(tmpdir(), 'sluice-lint-'));
    writeFileSync(join(folder, 'rules.json'), rules);
    const { stdout } = await sluice(['lint', join(folder, 'rules.json')]);
    rmSync(folder, { recursive: true });
    expect(stdout).toBe(screen);
  });

  it('what is ignored is not found', async () => {
    const blocks = [...page.matchAll(/^```json\n([\s\S]*?)^```/gm)].map(([, block = '']) => block);
    const code = blocks.find((block) => block.includes('"why"'))!;
    const { lint, ...ruleSet } = JSON.parse(code) as RuleSetInput;
    const everyday = async (given: RuleSetInput) =>
      (await lintRuleSet(given)).findings.filter(({ id }) => id === 'everyday-term');
    expect(await everyday(ruleSet)).not.toEqual([]);
    expect(await everyday({ ...ruleSet, lint })).toEqual([]);
  });
});
