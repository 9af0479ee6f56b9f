/**
 * Slips of which lint says how many there are, with three of them, and patterns that cover nothing.
 */
import { describe, expect, it } from 'vitest';
import { type LintOptions, lintRuleSet } from '../../src/index.js';

const listOf = (...searchTerms: readonly string[]) => ({
  rules: [
    {
      ...{ id: 'r', action: 'blockMessage' },
      conditions: [{ operand: 'text', isKeywordsReferencePresent: true, value: ['l'] }],
    },
  ],
  lists: [{ id: 'l', searchTerms }],
});

/** Says how many terms there are, with three of them. */
async function warningOf(terms: readonly string[], options: LintOptions = {}): Promise<void> {
  const { findings } = await lintRuleSet(listOf(...terms, 'xyzzy plugh'), options);
  const [warning] = findings.filter(({ severity, listId }) => severity === 'warning' && listId === 'l');
  const said = JSON.stringify(warning ?? '');
  const named = terms.filter((term) => said.includes(JSON.stringify(term).slice(1, -1)));
  expect([named.length, said]).toEqual([Math.min(3, terms.length), expect.stringContaining(String(terms.length))]);
}

describe('slips of a list', () => {
  it('expressions in a list of words get a warning', () =>
    warningOf(['\\bspam\\b', '(aber|alles)', 'f[u*]ck', '(?i)free\\s+money', '法{10}轮{10}功', '=>']));

  it('asterisks inside terms get a warning', () =>
    warningOf(['ba*d', 'f*ck', 'x*y*z', 'a*b'], { semantics: { wildcards: 'asterisk' } }));

  it('a pattern that matches the empty text covers and shadows nothing', async () => {
    const patterns = { operand: 'text', category: 'pattern', value: ['spam|scam|'] };
    const rules = [
      { id: 'r', action: 'blockMessage', conditions: [patterns, { operand: 'text', value: ['xyzzy'] }] },
      { id: 's', action: 'blockMessage', conditions: [{ operand: 'text', value: ['plugh'] }] },
    ];
    const { findings } = await lintRuleSet({ rules, lists: [] });
    expect(findings.filter(({ id }) => id === 'covered' || id === 'shadowed')).toEqual([]);
  });
});
