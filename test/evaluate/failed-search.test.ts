/** A message whose evaluation throws: its conditions have no answer, and all others decide. */
import { describe, expect, it } from 'vitest';
import { compileRuleSet } from '../../src/engine/compile/compile-rule-set.js';
import { createEvaluator } from '../../src/engine/evaluate/evaluator.js';
import type { KeywordMatcher } from '../../src/engine/match/keyword-scan.js';
import { resolveSemantics, type Semantics } from '../../src/engine/semantics.js';
import { runAtOnce } from '../../src/foundation/portions.js';

const conditionOf = (id: number, category: string, value: string) => ({
  id,
  operand: 'text',
  category,
  value: [value],
});
const ruleOf = (id: string, ...conditions: readonly object[]) => ({ id, action: ['blockMessage'], conditions });
const rules = [
  ruleOf('word', conditionOf(1, 'word', 'darn')),
  ruleOf('pattern', conditionOf(1, 'pattern', 'he.k')),
  ruleOf('score', { id: 1, operand: 'text', category: 'toxicity', value: ['toxicity_greaterThan_50'] }),
  ruleOf('both', conditionOf(1, 'word', 'gosh'), conditionOf(2, 'pattern', 'go+sh')),
];

/**
 * Makes an evaluator whose search for terms throws for texts with `!`, and notes those that it
 * finds before.
 */
function evaluatorOf(given: Partial<Semantics> = {}) {
  const semantics = resolveSemantics(given);
  const compiled = runAtOnce(compileRuleSet({ rules, lists: [], missing: new Map() }, semantics));
  const { matcher } = compiled.words;
  const fail = (text: string) => {
    if (text.includes('!')) throw new RangeError(`Invalid array length: ${text}`);
  };
  const failing: KeywordMatcher = {
    get steps() {
      return matcher.steps;
    },
    createClosedTerms: () => matcher.createClosedTerms(),
    scan: (text, ...rest) => {
      matcher.scan(text, ...rest);
      fail(text);
    },
    scanWith: (text, ...rest) => {
      fail(text);
      return matcher.scanWith(text, ...rest);
    },
  };
  return createEvaluator({ ...compiled, words: { ...compiled.words, matcher: failing } }, semantics, 'r');
}

const score = [{ operand: 'text', labels: { toxicity: 90 } }] as const;

describe('a message for which the search for terms throws', () => {
  it('names the conditions on terms, and shows no text of the message', () => {
    const { verdict, matched, unevaluated } = evaluatorOf().explain('private darn!', undefined);
    expect([verdict, matched]).toEqual(['allow', []]);
    const detail = 'the search failed (RangeError)';
    expect(unevaluated.filter(({ why }) => why === 'engine-fault')).toEqual([
      { ruleId: 'word', conditionId: 1, why: 'engine-fault', detail },
      { ruleId: 'both', conditionId: 1, why: 'engine-fault', detail },
    ]);
  });

  it('is decided by patterns and scores all the same, alike by `decide` and `explain`', () => {
    const evaluator = evaluatorOf();
    for (const [text, scores, ruleIds] of [
      ['heck!', undefined, ['pattern']],
      ['gosh!', undefined, ['both']],
      ['darn!', score, ['score']],
      ['darn', undefined, ['word']],
      ['fine!', undefined, []],
    ] as const) {
      const decision = evaluator.explain(text, scores);
      expect([text, decision.matched.map(({ ruleId }) => ruleId)]).toEqual([text, ruleIds]);
      expect(evaluator.decide(text, scores)).toBe(decision.verdict);
    }
  });

  it('is stopped under `unreadable: block`, as a text that cannot be read is', () => {
    const evaluator = evaluatorOf({ unreadable: 'block' });
    expect(evaluator.decide('fine!', undefined)).toBe('blockMessage');
    expect(evaluator.explain('fine!', undefined).matched.map(({ ruleId }) => ruleId)).toEqual(['word', 'both']);
    expect(evaluator.decide('fine', undefined)).toBe('allow');
  });
});
