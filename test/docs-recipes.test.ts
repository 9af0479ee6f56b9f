/**
 * docs/recipes.md: each rule set has no issue, and each row of a table says which rules stop its
 * text.
 */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createEngine } from '../src/index.js';

const page = readFileSync(new URL('../docs/recipes.md', import.meta.url), 'utf8');
const recipes = page
  .split(/^## /m)
  .slice(1)
  .map((section) => ({
    title: section.slice(0, section.indexOf('\n')),
    ruleSet: JSON.parse(/^```json\n([\s\S]*?)^```$/m.exec(section)![1]!),
    rows: [...section.matchAll(/^\| `([^`]+)` \| ([^|]+) \|/gm)].map(([, text, rules]) => [text!, rules!] as const),
  }));

describe('docs/recipes.md', () => {
  it('has six recipes, and a table of what each stops and does not stop', () => {
    expect(recipes).toHaveLength(6);
    const rows = recipes.flatMap(({ rows }) => rows);
    expect(page.split('\n').filter((line) => line.startsWith('| `'))).toHaveLength(rows.length);
    for (const { rows } of recipes) expect(new Set(rows.map(([, rules]) => rules === '-'))).toHaveLength(2);
  });

  it.each(recipes.map((recipe) => [recipe.title, recipe] as const))('%s', (_, { ruleSet, rows }) => {
    const engine = createEngine(ruleSet);
    expect(engine.issues).toEqual([]);
    const stopping = (text: string) =>
      engine
        .explain(text)
        .matched.map(({ ruleId }) => ruleId)
        .join(', ') || '-';
    expect(rows.map(([text]) => [text, stopping(text)])).toEqual(rows);
  });
});
