/** Exceptions: the engine beside the naive oracle, and what else holds of them. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { re2wasm } from '../../src/engine/match/patterns/re2-wasm.js';
import { createEngine, type Rule, type Semantics, UsageError } from '../../src/index.js';
import { anyExceptedMessage, anyExceptedRules, anyExceptingReadings } from '../support/arbitrary-exceptions.js';
import { asAnswer } from '../support/compare.js';
import { judge } from '../support/oracle.js';
import { defaultReadings } from '../support/oracle-world.js';
import { runs } from '../support/runs.js';

const blocking = (value: string[], category = 'word', id = 'r'): Rule => ({
  id,
  action: 'blockMessage',
  conditions: [{ operand: 'text', category, value }],
});
const engineOf = (rules: Rule[], exceptions: Semantics['exceptions'], changes: Partial<Semantics> = {}) =>
  createEngine({ rules, lists: [] }, { exceptions, ...changes });

describe('exceptions', () => {
  it('are those of the oracle: of terms and patterns, in lists, for rules and lists', () => {
    let [judged, excepted] = [0, 0];
    fc.assert(
      fc.property(anyExceptedRules, anyExceptingReadings, anyExceptedMessage, (ruleSet, changes, message) => {
        const engine = createEngine(ruleSet, changes);
        const decision = engine.explain(message);
        const readings = { ...defaultReadings, ...changes };
        expect(asAnswer(decision)).toEqual(judge({ ...ruleSet, message, media: [], readings }));
        expect(engine.decide(message)).toBe(decision.verdict);
        judged++;
        if (decision.excepted.length > 0) excepted++;
      }),
      { numRuns: runs(150, 15_000) },
    );
    expect(excepted / judged).toBeGreaterThan(0.15);
  });

  it('are the same with either pattern engine', () => {
    fc.assert(
      fc.property(anyExceptedRules, anyExceptingReadings, anyExceptedMessage, (ruleSet, changes, message) => {
        const ours = createEngine(ruleSet, changes).explain(message);
        const google = createEngine(ruleSet, { ...changes, engine: re2wasm });
        expect({ ...google.explain(message), revision: ours.revision }).toEqual(ours);
        google.close();
      }),
      { numRuns: runs(20) },
    );
  });

  it('of a thousand matches and more leave those behind that stand', () => {
    const text = `${'our1 '.repeat(3000)}${'1 '.repeat(1500)}`;
    for (const value of ['[0-9]', '1']) {
      const engine = engineOf([blocking([value], value === '1' ? 'word' : 'pattern')], [{ patterns: ['our[0-9]'] }], {
        words: 'substring',
      });
      const { matched, excepted, truncated } = engine.explain(text);
      const starts = matched[0]!.conditions[0]!.matches.map((match) => match.kind !== 'score' && match.span.start);
      expect(starts).toEqual(Array.from({ length: 1000 }, (_, at) => 15_000 + 2 * at));
      expect([excepted.length, truncated]).toEqual([100, true]);
      expect(excepted.every(({ match }, at) => match.span.start === 5 * at + 3)).toBe(true);
    }
  });

  it('leave a message without an excepted match as it is: what decides is the same beside an exception that never occurs', () => {
    fc.assert(
      fc.property(anyExceptedRules, anyExceptingReadings, anyExceptedMessage, (ruleSet, changes, message) => {
        const { exceptions: _, ...others } = changes;
        const without = createEngine(ruleSet, others).explain(message);
        const beside = createEngine(ruleSet, { ...others, exceptions: ['zzz', { patterns: ['z+'] }] });
        expect({ ...beside.explain(message), revision: without.revision }).toEqual(without);
      }),
      { numRuns: runs(30) },
    );
  });

  it('are listed by the engine, each once, in the order of the reading', () => {
    const lists = [{ id: 'l', searchTerms: ['one', ' ', 'one', 'two'] }];
    const exceptions = ['b', { patterns: ['a', 'b'], for: { rules: ['r'] } }, { lists: ['l'] }, 'b'];
    const engine = createEngine({ rules: [blocking(['x'])], lists }, { exceptions });
    expect([...engine.exceptions()]).toEqual([
      { term: 'b' },
      { pattern: 'a' },
      { pattern: 'b' },
      { term: 'one', listId: 'l' },
      { term: 'two', listId: 'l' },
    ]);
    expect(engine.counts.exceptions).toBe(6);
  });

  it.each([
    [{ exceptions: 'a' }, /^reading `exceptions` must be an array$/],
    [{ exceptions: [1] }, /^`exceptions\[0\]` must be an object \{ terms, patterns, lists, for \}$/],
    [{ exceptions: ['a', null] }, /^`exceptions\[1\]` must be/],
    [{ exceptions: [{ term: ['a'] }] }, /^unknown `exceptions\[0\]\.term`; there are terms, patterns, lists, for$/],
    [{ exceptions: [{ for: { rules: ['r'] } }] }, /^`exceptions\[0\]` must have `terms`, `patterns` or `lists`$/],
    [{ exceptions: [{ terms: 'a' }] }, /^`exceptions\[0\]\.terms` must be an array of strings$/],
    [{ exceptions: [{ terms: ['a'], for: ['r'] }] }, /^`exceptions\[0\]\.for` must be an object \{ rules, lists \}$/],
    [{ exceptions: [{ terms: ['a'], for: { rule: ['r'] } }] }, /^unknown `exceptions\[0\]\.for\.rule`/],
    [{ exceptions: [{ terms: ['a'], for: { lists: [1] } }] }, /^`exceptions\[0\]\.for\.lists` must be an array/],
    [{ exceptions: [{ patterns: ['a', '(b'] }] }, /^reading `exceptions`: pattern `\(b` was rejected: /],
  ])('that are malformed are refused: %j', (semantics, message) => {
    const create = () => createEngine({ rules: [blocking(['x'])], lists: [] }, semantics as Partial<Semantics>);
    expect(create).toThrow(UsageError);
    expect(create).toThrow(message);
  });

  it('stand in the revision of the engine', () => {
    const revisions = [[], ['a'], [{ terms: ['a'] }], [{ terms: ['a'], for: { rules: ['r'] } }]].map(
      (exceptions) => engineOf([blocking(['x'])], exceptions).revision,
    );
    expect(new Set(revisions).size).toBe(4);
  });
});
