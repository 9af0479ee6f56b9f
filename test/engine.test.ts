import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createEngine, type Decision, type Rule } from '../src/index.js';
import { anyMedia, anyMessage, anyRuleSet, anySemantics } from './support/arbitrary.js';
import { asAnswer } from './support/compare.js';
import { judge } from './support/oracle.js';

describe('the engine and the naive oracle', () => {
  it('agree on random rule sets, messages and semantics: verdict, rules, conditions and every span', () => {
    fc.assert(
      fc.property(
        anyRuleSet,
        fc.array(anyMessage, { minLength: 1, maxLength: 5 }),
        anyMedia,
        anySemantics,
        (ruleSet, messages, media, semantics) => {
          const engine = createEngine(ruleSet, semantics);
          for (const message of messages) {
            const decision = engine.explain(message, media);
            expect(asAnswer(decision)).toEqual(judge(ruleSet, message, media, semantics));
            expect(engine.decide(message, media)).toBe(decision.verdict);
            expect(spansThatLie(decision, message)).toEqual([]);
          }
        },
      ),
      { numRuns: 2000 },
    );
  });

  it('do not care about the order of rules', () => {
    fc.assert(
      fc.property(anyRuleSet, anyMessage, anyMedia, ({ rules, lists }, message, media) => {
        const forwards = createEngine({ rules, lists }).explain(message, media);
        const backwards = createEngine({ rules: [...rules].reverse(), lists }).explain(message, media);
        expect(asAnswer(backwards)).toEqual(asAnswer(forwards));
      }),
      { numRuns: 300 },
    );
  });

  it('never weaken a verdict when a matching rule is added', () => {
    const strength = ['allow', 'blockMessage', 'dropMessage'];
    fc.assert(
      fc.property(
        anyRuleSet,
        anyMessage,
        fc.constantFrom('blockMessage', 'dropMessage'),
        ({ rules, lists }, message, action) => {
          const before = createEngine({ rules, lists }).decide(message);
          const always: Rule = {
            id: 'always',
            action: [action],
            conditions: ['text', 'custom'].map((operand) => ({
              operand,
              category: 'pattern',
              value: [''.padEnd(1, '^')],
            })),
          };
          const after = createEngine({ rules: [...rules, always], lists }).decide(message);
          expect(strength.indexOf(after)).toBeGreaterThanOrEqual(strength.indexOf(before));
        },
      ),
      { numRuns: 300 },
    );
  });
});

/** Matches whose text is not what stands at their span. */
function spansThatLie(decision: Decision, message: unknown): unknown[] {
  return decision.matched
    .flatMap((rule) => rule.conditions.flatMap((condition) => condition.matches))
    .filter(
      (match) =>
        match.kind !== 'score' && valueAt(message, match.path)?.slice(match.span.start, match.span.end) !== match.text,
    );
}

function valueAt(message: unknown, path: string): string | undefined {
  const keys = [...path.matchAll(/\["([^"]+)"\]|\[(\d+)\]|([^.[\]]+)/g)].map(
    (found) => found[1] ?? found[2] ?? found[3]!,
  );
  let value = message as Record<string, unknown> | undefined;
  for (const key of keys) value = value?.[key] as Record<string, unknown> | undefined;
  return value as string | undefined;
}
