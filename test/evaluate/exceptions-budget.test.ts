/**
 * Exceptions when the work budget of a message is used up, anywhere: budgets are so small here that
 * each part of the work is the last.
 */
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { createEngine } from '../../src/index.js';
import { anyExceptedMessage, anyExceptedRules, anyExceptingReadings } from '../support/arbitrary-exceptions.js';
import { asAnswer } from '../support/compare.js';
import { judge } from '../support/oracle.js';
import { defaultReadings, holdsSome } from '../support/oracle-world.js';
import { runs } from '../support/runs.js';

const budget = vi.hoisted(() => ({ steps: 0 }));
vi.mock('../../src/engine/match/work-budget.js', () => ({
  WorkBudget: class {
    spent = 0;
    begin() {
      this.spent = 0;
    }
    get isUsedUp() {
      return this.spent > budget.steps;
    }
  },
}));

describe('exceptions beyond the work budget', () => {
  it('are left out: matches that were not held against them stand, and those that hold are the same for `decide`', () => {
    let [cut, whole] = [0, 0];
    fc.assert(
      fc.property(
        anyExceptedRules,
        anyExceptingReadings,
        anyExceptedMessage,
        fc.integer({ min: 0, max: 600 }),
        (ruleSet, changes, message, steps) => {
          budget.steps = steps;
          const engine = createEngine(ruleSet, changes);
          const decision = engine.explain(message);
          expect(engine.decide(message)).toBe(decision.verdict);
          const readings = { ...defaultReadings, ...changes };
          const wanted = judge({ ...ruleSet, message, media: [], readings });
          const answer = asAnswer(decision);
          if (!decision.truncated) {
            whole++;
            expect(answer).toEqual(wanted);
            return;
          }
          cut++;
          // For the same rules and lists, and never found.
          const exceptions = readings.exceptions.map((one) =>
            typeof one === 'string'
              ? 'nowhere'
              : { ...one, lists: [], patterns: [], terms: holdsSome(one, ruleSet.lists) ? ['nowhere'] : [] },
          );
          const unexcepted = judge({ ...ruleSet, message, media: [], readings: { ...readings, exceptions } });
          for (const [rule, conditions] of Object.entries(wanted.matched))
            for (const condition of Object.keys(conditions))
              expect(answer.matched[rule]?.[Number(condition)], `${rule}#${condition}`).toBeDefined();
          for (const [rule, conditions] of Object.entries(answer.matched)) {
            for (const [condition, matches] of Object.entries(conditions)) {
              expect(matches.length).toBeGreaterThan(0);
              expect(unexcepted.matched[rule]?.[Number(condition)]).toEqual(expect.arrayContaining(matches));
            }
          }
          for (const one of answer.excepted)
            expect(wanted.excepted.map(withoutException)).toContain(withoutException(one));
        },
      ),
      { numRuns: runs(60, 20_000) },
    );
    expect(cut).toBeGreaterThan(whole / 10);
    expect(whole).toBeGreaterThan(cut / 10);
  });
});

/** Which of several exceptions is named depends on what of them was found. */
const withoutException = (excepted: string) => excepted.split(' < ')[0];
