import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { RuleSetDiff } from '../../src/index.js';
import { sluice } from './terminal.js';

const brokenRules = fileURLToPath(new URL('../../fixtures/data/broken.json', import.meta.url));

/** Commands over all messages of the demo, each of which serves and fetches 25,680 of them. */
const diffOf = async (args: readonly string[]): Promise<RuleSetDiff> =>
  JSON.parse((await sluice(['diff', ...args, '--json', '--quiet'])).stdout);

describe('sluice audit --demo', () => {
  it('has every verdict, and prints identical bytes in two runs', async () => {
    const [first, second] = [await sluice(['audit', '--demo', '--json']), await sluice(['audit', '--demo', '--json'])];
    expect([first.code, second.code]).toEqual([0, 0]);
    expect(second.stdout).toBe(first.stdout);
    const { messages, verdicts, terms, patterns, labels } = JSON.parse(first.stdout);
    expect(messages).toBe(verdicts.allow + verdicts.blockMessage + verdicts.dropMessage);
    for (const count of [verdicts.allow, verdicts.blockMessage, verdicts.dropMessage]) expect(count).toBeGreaterThan(0);
    for (const found of [terms, patterns, labels]) expect(found.length).toBeGreaterThan(0);
  });

  it('has nothing wrong with its rules; those of `broken.json` are the same and one of each error', async () => {
    const demos = [];
    for (const rules of [[], ['--rules', brokenRules]]) {
      const { code, stdout } = await sluice(['audit', '--demo', ...rules, '--json', '--until', '2026-05-02']);
      expect(code).toBe(0);
      demos.push(JSON.parse(stdout));
    }
    const [good, broken] = demos;
    expect(good.ruleSet.issues).toEqual([]);
    expect(new Set(broken.ruleSet.issues.map(({ code }: { code: string }) => code)).size).toBeGreaterThan(8);
    expect(broken.messages).toBe(good.messages);
  });
});

describe('sluice diff --demo', () => {
  it('shows a proposed change of the demo that stops, releases and changes reasons', async () => {
    const diff = await diffOf(['--demo']);
    const kinds = new Set(diff.changes.map(({ kind }) => kind));
    expect([...kinds].sort()).toEqual(['condition-values', 'list-entries', 'rule-disabled']);
    for (const count of [diff.newlyStopped, diff.released, diff.reasonOnly]) expect(count).toBeGreaterThan(0);
    expect(diff.causes.some(({ threshold }) => threshold !== undefined)).toBe(true);
    const { stdout } = await sluice(['diff', '--demo', '--markdown', '--quiet']);
    expect(stdout.length).toBeLessThan(6_000);
  });

  it('takes the rules of the demo for the side that has no file', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'sluice-demo-'));
    onTestFinished(() => rm(directory, { recursive: true }));
    const file = join(directory, 'demo.json');
    await sluice(['pull', '--demo', '--out', file, '--quiet']);
    const diff = await diffOf(['--demo', '--rules', file]);
    expect(diff).toMatchObject({ newlyStopped: 0, released: 0, changed: 0, reasonOnly: 0, causes: [], changes: [] });
    expect(diff.receipt.rules).toBe(diff.receipt.against);
  });
});
