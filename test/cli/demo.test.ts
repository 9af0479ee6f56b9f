import { describe, expect, it } from 'vitest';
import { sluice } from './terminal.js';

describe('sluice audit --demo', () => {
  it('shows every verdict, and twice the same', async () => {
    const [first, second] = [await sluice(['audit', '--demo', '--json']), await sluice(['audit', '--demo', '--json'])];
    expect([first.code, second.code]).toEqual([0, 0]);
    expect(second.stdout).toBe(first.stdout);
    const { messages, verdicts, terms, patterns, labels } = JSON.parse(first.stdout);
    expect(messages).toBe(verdicts.allow + verdicts.blockMessage + verdicts.dropMessage);
    for (const count of [verdicts.allow, verdicts.blockMessage, verdicts.dropMessage]) expect(count).toBeGreaterThan(0);
    for (const found of [terms, patterns, labels]) expect(found.length).toBeGreaterThan(0);
  });

  it('lends its rules to messages of one’s own only when asked to', async () => {
    const stdin = ['{"data":{"text":"hello"}}\n'];
    const { code, stdout } = await sluice(['audit', '--demo', '--messages', '-'], { stdin });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^audit of standard input, by rules from the bundled\s+demo/);
    expect((await sluice(['audit', '--messages', '-'], { stdin })).code).toBe(2);
  });
});
