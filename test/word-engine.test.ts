import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { re2wasm } from '../src/engine/re2-wasm.js';
import { createEngine, createWordEngine, UsageError } from '../src/index.js';
import { anyReadings, anyRuleSet } from './support/arbitrary.js';
import { anyMedia, anyMessage } from './support/arbitrary-message.js';
import { runs } from './support/runs.js';

const condition = { operand: 'text', category: 'pattern', value: ['d[a-z]rn'] };
const ruleSet = { rules: [{ id: 'r', action: 'blockMessage', conditions: [condition] }], lists: [] };

describe('createWordEngine', () => {
  it('decides as createEngine does on rules without patterns', () => {
    fc.assert(
      fc.property(anyRuleSet, anyMessage, anyMedia, anyReadings, ({ rules, lists }, message, media, readings) => {
        const withoutPatterns = {
          rules: rules.map((rule) => ({
            ...rule,
            conditions: rule.conditions.filter(({ category }) => category !== 'pattern'),
          })),
          lists,
        };
        const exceptions = readings.exceptions?.filter((one) => typeof one === 'string' || one.terms !== undefined);
        const ofWords = exceptions?.map((one) => (typeof one === 'string' ? one : { ...one, patterns: [], lists: [] }));
        const given = { ...readings, ...(ofWords !== undefined && { exceptions: ofWords }) };
        const { revision, ...expected } = createEngine(withoutPatterns, given).explain(message, media);
        const { revision: own, ...decision } = createWordEngine(withoutPatterns, given).explain(message, media);
        expect(decision).toEqual(expected);
        expect(own).not.toBe(revision);
      }),
      { numRuns: runs(30) },
    );
  });

  it('makes each pattern an issue, and its condition unevaluated', () => {
    const engine = createWordEngine(ruleSet);
    expect(engine.issues).toMatchObject([{ code: 'rejected-pattern', severity: 'error', ruleId: 'r', index: 0 }]);
    expect(engine.issues[0]?.detail).toContain('use `createEngine`');
    const { verdict, unevaluated } = engine.explain('darn');
    expect([verdict, unevaluated]).toMatchObject(['allow', [{ ruleId: 'r', why: 'not-compiled' }]]);
    expect(engine.decide('darn')).toBe('allow');
    expect(engine.cost.patterns).toMatchObject({ scanned: 0, separate: 0, rejected: 1 });
  });

  it('evaluates patterns by an engine that is given', () => {
    const engine = createWordEngine(ruleSet, { engine: re2wasm });
    expect([engine.issues, engine.decide('darn')]).toEqual([[], 'blockMessage']);
    engine.close();
  });

  it('throws for unknown readings', () => {
    expect(() => createWordEngine(ruleSet, { word: 'substring' } as never)).toThrow(UsageError);
  });
});
