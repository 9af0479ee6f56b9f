/**
 * Actions by which a rule stops nothing, though it was meant to: errors of lint, warnings of the
 * engine.
 */
import { describe, expect, it } from 'vitest';
import { createEngine, lintRuleSet, type RuleSetInput } from '../../src/index.js';

const ruleSetOf = (action: string | readonly string[]): RuleSetInput => ({
  rules: [{ id: 'r', action, conditions: [{ id: 1, operand: 'text', value: ['xyzzy'] }] }],
  lists: [],
});
const severitiesOf = async (action: string | readonly string[], ignore?: readonly object[]) => {
  const { findings } = await lintRuleSet(ruleSetOf(action), { ignore: ignore as never });
  return findings.filter(({ id }) => id === 'unknown-action').map(({ severity }) => severity);
};

describe('actions that stop nothing', () => {
  it.each(
    'block Block drop blockmessage block-message BlockMessages messageDrop blokMessage dropMesage bolckMessage'.split(
      ' ',
    ),
  )('%s is an error of lint and a warning of the engine', async (action) => {
    expect(await severitiesOf([action])).toEqual(['error']);
    const { issues } = createEngine(ruleSetOf(action));
    expect(issues.map(({ code, severity }) => [code, severity])).toEqual([['unknown-action', 'warning']]);
  });

  it.each([[['flagMessage', 'block']], [['constructor']], [['sing']], [['bolkMesage']], [[]]])(
    '%j is a warning',
    async (action) => {
      expect(await severitiesOf(action)).toEqual(['warning']);
    },
  );

  it('stands beside one that stops without an error', async () => {
    expect(await severitiesOf(['blockMessage', 'block'])).toEqual([]);
    expect(await severitiesOf(['dropMessage', 'blokMessage'])).toEqual(['warning']);
  });

  it('is none where it is ignored', async () => {
    expect(await severitiesOf(['block'], [{ id: 'unknown-action', ruleId: 'r' }])).toEqual([]);
  });

  it('is the id of a list as a word, an error of lint beside rules that stop', async () => {
    const rules = [...ruleSetOf('blockMessage').rules, { ...ruleSetOf('blockMessage').rules[0]!, id: 's' }];
    rules[1] = { ...rules[1]!, conditions: [{ id: 1, operand: 'text', value: ['l'] }] };
    const { findings } = await lintRuleSet({ rules, lists: [{ id: 'l', searchTerms: ['plugh'] }] });
    expect(findings.filter(({ severity }) => severity === 'error')).toMatchObject([
      { id: 'unflagged-list', ruleId: 's' },
    ]);
  });
});
