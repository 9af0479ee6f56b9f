import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSummary } from '../../../src/audit/count/summary.js';
import {
  type Condition,
  createEngine,
  type Engine,
  type Filter,
  type MessageDraft,
  type RuleSetInput,
  type Scores,
  type Verdict,
} from '../../../src/index.js';
import { anyReadings, anyRuleSet } from '../../support/arbitrary.js';
import { anyMedia, anyMessage } from '../../support/arbitrary-message.js';
import { defaultReadings, type Readings } from '../../support/oracle-world.js';
import { runs } from '../../support/runs.js';

/**
 * Rules over three words, which most messages hold, so that several rules match and their verdicts
 * meet.
 */
const denseRuleSet = fc
  .array(
    fc.record({
      id: fc.constantFrom('rule-0', 'rule-1', 'rule-2', 'rule-3'),
      action: fc.subarray(['allow', 'blockMessage', 'dropMessage', 'flagMessage']),
      conditions: fc
        .subarray(['kill', 'spam', 'scam'], { minLength: 1 })
        .map((value): Condition[] => [{ id: 1, operand: 'text', value }]),
    }),
    { minLength: 1, maxLength: 5 },
  )
  .map((rules) => ({ rules, lists: [] }));
const denseReadings = fc.record({
  precedence: fc.shuffledSubarray(['dropMessage', 'blockMessage', 'allow'], { minLength: 3 }),
  shadow: fc.subarray(['rule-0', 'rule-1', 'rule-2']),
  exempt: fc.constantFrom<Filter[]>(
    [],
    [{ type: 'sender', entity: 'user', operand: 'uid', operator: 'equals', value: 'ann' }],
  ),
});
const denseMessage = fc.record({
  sender: fc.constantFrom('ann', 'bob', 'eve'),
  data: fc.subarray(['kill', 'spam', 'scam', 'hello']).map((words) => ({ text: words.join(' ') })),
});

describe('counts of the effects of rules', () => {
  const check = (
    ruleSet: RuleSetInput,
    given: Partial<Readings>,
    messages: readonly MessageDraft[],
    media: readonly Scores[] = [],
  ) => {
    const readings = { ...defaultReadings, ...given };
    const engine = createEngine(ruleSet, readings);
    const summary = createSummary({ precedence: readings.precedence });
    for (const message of messages) summary.add({ message, decision: engine.explain(message, media) });
    const counted = new Map(summary.toJSON().rules.map((row) => [row.ruleId, row]));
    const differing = (other: Engine, isCounted: (before: Verdict, after: Verdict) => boolean) =>
      messages.filter((message) => isCounted(engine.decide(message, media), other.decide(message, media))).length;
    for (const { id } of ruleSet.rules) {
      const row = counted.get(id) ?? { alone: 0, wouldStop: 0 };
      const without = createEngine({ ...ruleSet, rules: ruleSet.rules.filter((rule) => rule.id !== id) }, readings);
      expect(row.alone).toBe(differing(without, (before, after) => before !== after));
      const shadow = readings.shadow.filter((other) => other !== id);
      const deciding = createEngine(ruleSet, { ...readings, shadow });
      expect(row.wouldStop).toBe(differing(deciding, (before, after) => before === 'allow' && after !== 'allow'));
    }
  };

  it('equal those of engines without the rule, and without its shadow, where rules meet', () => {
    fc.assert(
      fc.property(denseRuleSet, denseReadings, fc.array(denseMessage, { maxLength: 8 }), fc.constant([]), check),
      {
        numRuns: runs(75),
      },
    );
  });

  it('equal those for any rules, readings and messages', () => {
    fc.assert(fc.property(anyRuleSet, anyReadings, fc.array(anyMessage, { maxLength: 4 }), anyMedia, check), {
      numRuns: runs(8),
    });
  });
});
