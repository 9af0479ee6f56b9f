/**
 * docs/changing-rules.md: its schema holds for real diffs and not for others, and its command lines
 * are accepted.
 */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { parseOptions } from '../../src/cli/command.js';
import { diffRuleSets } from '../../src/index.js';
import { sluice } from '../cli/terminal.js';
import { commands } from '../support/commands.js';

const page = readFileSync(new URL('../../docs/changing-rules.md', import.meta.url), 'utf8').split(
  /^## How rules go live$/m,
)[0]!;
const blocks = (language: string) =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map(([, code]) => code!);

describe('docs/changing-rules.md', () => {
  it('has a schema that holds for a diff of the demo, redacted or not', async () => {
    const schema = z.fromJSONSchema(JSON.parse(blocks('json').at(-1)!));
    for (const redact of [[], ['--redact']]) {
      const { stdout } = await sluice(['diff', '--demo', '--json', '--quiet', ...redact]);
      const diff = JSON.parse(stdout);
      expect(diff.causes.length).toBeGreaterThan(3);
      expect(schema.safeParse(diff).error).toBeUndefined();
      expect(schema.safeParse({ ...diff, released: undefined }).success).toBe(false);
      expect(schema.safeParse({ ...diff, causes: [{ ...diff.causes[0], kind: 'stopped' }] }).success).toBe(false);
    }
  });

  it('has a schema that holds for causes with exceptions', async () => {
    const schema = z.fromJSONSchema(JSON.parse(blocks('json').at(-1)!));
    const condition = { operand: 'text', value: ['moron'] };
    const old = { rules: [{ id: 'r', action: 'blockMessage', conditions: [condition] }], lists: [] };
    const rules = { ...old, semantics: { exceptions: ['moron mountain'] } };
    const diff = await diffRuleSets(['moron mountain'], { rules, against: old });
    expect(diff.causes[0]?.exception).toEqual({ term: 'moron mountain' });
    expect(schema.safeParse(JSON.parse(JSON.stringify(diff))).error).toBeUndefined();
  });

  it('shows the beginning of what --demo prints', async () => {
    const shown = blocks('text')
      .find((block) => block.endsWith('…\n'))!
      .replace(/…\n$/, '');
    expect(shown.split('\n').length).toBeGreaterThan(10);
    expect((await sluice(['diff', '--demo'])).stdout.startsWith(shown)).toBe(true);
  });

  it('has command lines that are accepted', () => {
    const lines = blocks('sh').flatMap((block) => [...block.matchAll(/^npx sluice (\w+) ?([^>\n]*)/gm)]);
    expect(lines.length).toBeGreaterThan(5);
    for (const [, name, args = ''] of lines) {
      const command = commands.find((each) => each.name === name)!;
      expect(() => parseOptions(command, args.split(' ').filter(Boolean))).not.toThrow();
    }
  });
});
