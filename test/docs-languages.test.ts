import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createEngine } from '../src/index.js';
import { judge } from './support/oracle.js';
import { defaultReadings } from './support/oracle-world.js';

/**
 * docs/languages.md: each row of its tables, by the engine and by the oracle. `-u` writes what is
 * found into the page.
 */

const foldings = ['case', 'accents', 'hardened'] as const;
const page = readFileSync('docs/languages.md', 'utf8');
const row = /^(\| `([^`|]+)` \| `([^`|]+)` \|)(?: (?:yes|no|\?) \|){3}/gm;

/** Reports whether a term is found in a text, by both evaluators. */
function isFound(term: string, text: string, folding: (typeof foldings)[number]): boolean {
  const rules = [{ id: 'r', action: ['blockMessage'], conditions: [{ id: 1, operand: 'text', value: [term] }] }];
  const semantics = { folding, wildcards: 'asterisk' } as const;
  const engine = createEngine({ rules, lists: [] }, semantics);
  const { verdict } = judge({
    rules,
    lists: [],
    message: { data: { text } },
    media: [],
    readings: { ...defaultReadings, ...semantics },
  });
  expect(engine.decide(text), `${term} in ${text}, ${folding}`).toBe(verdict);
  return verdict !== 'allow';
}

describe('docs/languages.md', () => {
  const rows = [...page.matchAll(row)].map(([, , term, text]) => ({ term: term!, text: text! }));

  it('has a row for a word edge, a spelling and a disguise of each language', () => {
    expect(rows.length).toBeGreaterThan(60);
    expect(page.split('\n').filter((line) => line.startsWith('| `'))).toHaveLength(rows.length);
  });

  it('says what each term finds', async () => {
    const marked = page.replaceAll(row, (_, start: string, term: string, text: string) => {
      const marks = foldings.map((folding) => (isFound(term, text, folding) ? 'yes' : 'no'));
      return `${start} ${marks.join(' | ')} |`;
    });
    await expect(marked).toMatchFileSnapshot('../docs/languages.md');
  });
});
