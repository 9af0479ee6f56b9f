import { expect, it } from 'vitest';
import { benchRuleSet } from '../../bench/rules/bench-rule-set.js';

const effort = { rounds: 1, turnMs: 0.1, warmUpMs: 0.1 };
const messages = ['goshdarnit', 'darn', 'hello'].map((text) => ({ data: { text } }));
const rules = [
  { id: 'off', enabled: false, action: ['blockMessage'], conditions: [{ operand: 'text', value: ['darn'] }] },
];

it('measures a rule set by the readings that it brings, and those that are given over them', async () => {
  const ruleSet = { rules, lists: [], semantics: { runs: 'all', words: 'substring' } };
  const countsOf = async (semantics: Parameters<typeof benchRuleSet>[2]) => {
    const { results } = await benchRuleSet(ruleSet, messages, semantics, effort, () => {});
    return results.map(({ name, contenders }) => [name, contenders[0]?.count]);
  };
  expect(await countsOf({})).toEqual([
    ['decide', 2],
    ['words', 2],
  ]);
  expect(await countsOf({ words: 'word' })).toEqual([
    ['decide', 1],
    ['words', 2],
  ]);
  expect(await countsOf({ runs: 'enabled' })).toEqual([['decide', 0]]);
});
