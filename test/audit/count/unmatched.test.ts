import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSummary } from '../../../src/audit/count/summary.js';
import { unmatchedOf } from '../../../src/audit/count/unmatched.js';
import { createEngine, type MessageDraft, type RuleSetInput, type Semantics } from '../../../src/index.js';
import { anyReadings, anyRuleSet } from '../../support/arbitrary.js';
import { anyMedia, anyMessage } from '../../support/arbitrary-message.js';
import { runs } from '../../support/runs.js';

const listed = (value: readonly string[], category = 'word') => ({
  id: 1,
  operand: 'text',
  category,
  isKeywordsReferencePresent: true,
  value,
});
const ruleSet: RuleSetInput = {
  rules: [
    { id: 'words', name: 'Words', action: ['blockMessage'], conditions: [listed(['animals'])] },
    {
      id: 'more',
      action: ['blockMessage'],
      conditions: [listed(['animals', 'plants']), { id: 2, operand: 'text', operator: 'equals', value: ['yes', 'no'] }],
    },
    { id: 'patterns', action: ['blockMessage'], conditions: [listed(['numbers'], 'pattern')] },
    { id: 'pictures', action: ['blockMessage'], conditions: [{ operand: 'image', value: ['gore_greaterThan_50'] }] },
    { id: 'off', enabled: false, action: ['blockMessage'], conditions: [{ operand: 'text', value: ['never'] }] },
  ],
  lists: [
    { id: 'animals', searchTerms: ['cat', 'Cat', 'dog', '', 'dog'] },
    { id: 'plants', searchTerms: ['oak'] },
    { id: 'numbers', searchTerms: ['[0-9]{3}', '[0-9]{2}x', '('] },
  ],
};

function neverOf(messages: readonly (string | MessageDraft)[], semantics: Partial<Semantics> = {}) {
  const engine = createEngine(ruleSet, semantics);
  const summary = createSummary();
  for (const message of messages) summary.add({ message, decision: engine.explain(message) });
  const rules = ruleSet.rules.filter(({ enabled }) => enabled !== false);
  return unmatchedOf({ rules, references: engine.references() }, summary.toJSON());
}

describe('neverMatched', () => {
  it('has each rule that ran and matched nothing, and each term by its list or by the rule that holds it', () => {
    expect(neverOf(['hello'])).toEqual({
      rules: [
        { ruleId: 'words', ruleName: 'Words', unevaluated: 0 },
        { ruleId: 'more', ruleName: 'more', unevaluated: 0 },
        { ruleId: 'patterns', ruleName: 'patterns', unevaluated: 1 },
        { ruleId: 'pictures', ruleName: 'pictures', unevaluated: 0 },
      ],
      terms: [
        { listId: 'animals', kind: 'word', of: 2, never: ['cat', 'dog'] },
        { ruleId: 'more', kind: 'word', of: 2, never: ['yes', 'no'] },
        { listId: 'numbers', kind: 'pattern', of: 2, never: ['[0-9]{3}', '[0-9]{2}x'] },
        { listId: 'plants', kind: 'word', of: 1, never: ['oak'] },
      ],
    });
  });

  it('leaves out what matched, for whichever rule', () => {
    const { rules, terms } = neverOf(['a CAT', 'no', 'call 123', { type: 'image', data: {} }]);
    expect(rules).toEqual([{ ruleId: 'pictures', ruleName: 'pictures', unevaluated: 1 }]);
    expect(terms).toEqual([
      { listId: 'animals', kind: 'word', of: 2, never: ['dog'] },
      { listId: 'plants', kind: 'word', of: 1, never: ['oak'] },
      { ruleId: 'more', kind: 'word', of: 2, never: ['yes'] },
      { listId: 'numbers', kind: 'pattern', of: 2, never: ['[0-9]{2}x'] },
    ]);
  });

  it('has both of two terms that differ by case where that is a difference', () => {
    const animals = neverOf(['Cat'], { folding: 'exact' }).terms.find(({ listId }) => listId === 'animals');
    expect(animals).toEqual({ listId: 'animals', kind: 'word', of: 3, never: ['cat', 'dog'] });
  });
});

describe('Engine.references', () => {
  it('has what every match names, for any rules, readings and messages', () => {
    fc.assert(
      fc.property(anyRuleSet, anyReadings, anyMessage, anyMedia, (rules, readings, message, media) => {
        const engine = createEngine(rules, readings);
        const keys = new Set([...engine.references()].map((reference) => JSON.stringify(Object.values(reference))));
        for (const { ruleId, conditions } of engine.explain(message, media).matched) {
          for (const { conditionId, matches } of conditions) {
            for (const match of matches) {
              if (match.kind === 'score') continue;
              const written = match.kind === 'word' ? match.term : match.pattern;
              const list = match.listId === undefined ? [] : [match.listId];
              expect(keys).toContain(JSON.stringify([ruleId, conditionId, match.kind, written, ...list]));
            }
          }
        }
      }),
      { numRuns: runs(60) },
    );
  });
});
