import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSummary } from '../../../src/audit/count/summary.js';
import { createUnmatched, type UnmatchedOptions, unmatchedOf } from '../../../src/audit/count/unmatched.js';
import { createEngine, type MessageDraft, type RuleSetInput, type Semantics } from '../../../src/index.js';
import { anyReadings, anyRuleSet } from '../../support/arbitrary.js';
import { anyMedia, anyMessage } from '../../support/arbitrary-message.js';
import { runs } from '../../support/runs.js';
import { anySplit, countBothWays } from './parts.js';

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
  return unmatchedOf(engine, summary.toJSON());
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
        { listId: 'animals', kind: 'word', of: 2, unmatched: ['cat', 'dog'] },
        { ruleId: 'more', kind: 'word', of: 2, unmatched: ['yes', 'no'] },
        { listId: 'numbers', kind: 'pattern', of: 2, unmatched: ['[0-9]{3}', '[0-9]{2}x'] },
        { listId: 'plants', kind: 'word', of: 1, unmatched: ['oak'] },
      ],
      exceptions: [],
    });
  });

  it('has the exceptions that excepted nothing, in their order', () => {
    const exceptions = ['hot dog', { patterns: ['1+', '[0-9]+'] }, { lists: ['plants'] }];
    const engine = createEngine(ruleSet, { exceptions });
    const summary = createSummary();
    for (const message of ['a hot dog', 'call 2223']) summary.add({ message, decision: engine.explain(message) });
    expect(summary.toJSON().exceptions).toEqual([
      { term: 'hot dog', matches: 2, messages: 1 },
      { pattern: '[0-9]+', matches: 1, messages: 1 },
    ]);
    expect(unmatchedOf(engine, summary.toJSON()).exceptions).toEqual([
      { pattern: '1+' },
      { term: 'oak', listId: 'plants' },
    ]);
  });

  it('leaves out what matched, for whichever rule', () => {
    const { rules, terms } = neverOf(['a CAT', 'no', 'call 123', { type: 'image', data: {} }]);
    expect(rules).toEqual([{ ruleId: 'pictures', ruleName: 'pictures', unevaluated: 1 }]);
    expect(terms).toEqual([
      { listId: 'animals', kind: 'word', of: 2, unmatched: ['dog'] },
      { listId: 'plants', kind: 'word', of: 1, unmatched: ['oak'] },
      { ruleId: 'more', kind: 'word', of: 2, unmatched: ['yes'] },
      { listId: 'numbers', kind: 'pattern', of: 2, unmatched: ['[0-9]{2}x'] },
    ]);
  });

  it('has both of two terms that differ by case where that is a difference', () => {
    const animals = neverOf(['Cat'], { folding: 'exact' }).terms.find(({ listId }) => listId === 'animals');
    expect(animals).toEqual({ listId: 'animals', kind: 'word', of: 3, unmatched: ['cat', 'dog'] });
  });
});

describe('createUnmatched', () => {
  const anyCase = fc.tuple(anyRuleSet, anyReadings, fc.infiniteStream(anyMessage), anyMedia);

  it('merged from parts equals what is noted of the whole, for any split and order, and so do summaries', () => {
    fc.assert(
      fc.property(
        anyCase,
        anySplit(fc.constant(0), 12),
        fc.constantFrom('rule' as const, 'condition' as const),
        (...given) => {
          const [[rules, readings, messages, media], split, by] = given;
          const engine = createEngine(rules, readings);
          const entries = [...messages.take(split.entries.length)].map((message) => ({
            message,
            decision: engine.explain(message, media),
          }));
          const create = () => createUnmatched(engine, { by });
          const { whole, merged } = countBothWays({ ...split, entries }, create);
          expect(merged).toBe(whole);
          const summary = createSummary();
          for (const entry of entries) summary.add(entry);
          const counter = createUnmatched(engine);
          for (const { decision } of entries) counter.add({ decision });
          const { rules: unmatchedRules, terms } = unmatchedOf(engine, summary.toJSON());
          const counted = counter.unmatched();
          expect(counted.rules.unmatched).toEqual(unmatchedRules);
          expect(new Set(counted.terms.filter(({ unmatched }) => unmatched.length > 0))).toEqual(new Set(terms));
        },
      ),
      { numRuns: runs(30) },
    );
  });

  it('has terms that stand in rules by condition when asked, and what one rule looks for alone', () => {
    const inline = (id: number, value: string[], operator = 'contains') => ({ id, operand: 'text', operator, value });
    const engine = createEngine({
      rules: [
        { id: 'a', action: 'blockMessage', conditions: [inline(1, ['cat']), inline(2, ['cat'], 'equals')] },
        { id: 'b', action: 'blockMessage', conditions: [inline(1, ['dog'])] },
      ],
      lists: [],
    });
    const of = (options: UnmatchedOptions) => {
      const counter = createUnmatched(engine, options);
      counter.add({ decision: engine.explain('a cat') });
      return counter.unmatched();
    };
    expect(of({ by: 'condition' })).toEqual({
      rules: { of: 2, unmatched: [{ ruleId: 'b', ruleName: 'b', unevaluated: 0 }] },
      conditions: {
        of: 3,
        unmatched: [
          { ruleId: 'a', conditionId: 2 },
          { ruleId: 'b', conditionId: 1 },
        ],
      },
      terms: [
        { ruleId: 'a', conditionId: 1, kind: 'word', of: 1, unmatched: [] },
        { ruleId: 'a', conditionId: 2, kind: 'word', of: 1, unmatched: ['cat'] },
        { ruleId: 'b', conditionId: 1, kind: 'word', of: 1, unmatched: ['dog'] },
      ],
    });
  });
});

describe('Engine.runningRules', () => {
  it('has the rules that run, with the ids of all of their conditions', () => {
    const broken = { operand: 'text', category: 'pattern', value: ['('] };
    const engine = createEngine({
      rules: [...ruleSet.rules, { id: 'odd', action: 'blockMessage', conditions: [broken, listed(['animals'])] }],
      lists: ruleSet.lists,
    } as RuleSetInput);
    expect([...engine.runningRules()]).toEqual([
      { ruleId: 'words', ruleName: 'Words', conditionIds: [1] },
      { ruleId: 'more', ruleName: 'more', conditionIds: [1, 2] },
      { ruleId: 'patterns', ruleName: 'patterns', conditionIds: [1] },
      { ruleId: 'pictures', ruleName: 'pictures', conditionIds: [1] },
      { ruleId: 'odd', ruleName: 'odd', conditionIds: [1, 1] },
    ]);
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
      { numRuns: runs(30) },
    );
  });
});
