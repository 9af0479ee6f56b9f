/** The judge of diffs: random changes of random rule sets over random texts, against two naive evaluations and a naive grouping. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type DiffCause, diffRuleSets, type RuleSetDiff } from '../../src/index.js';
import { anyRuleSet } from '../support/arbitrary.js';
import { anyMedia, anyMessage } from '../support/arbitrary-message.js';
import { defaultReadings } from '../support/oracle-world.js';
import { isFull, runs } from '../support/runs.js';
import { anyMutation, anyReadingPair, type PlainRuleSet } from './mutations.js';
import { causeKey, naiveDiff } from './naive-diff.js';

const anyMessages = fc
  .array(anyMessage, { minLength: 1, maxLength: 12, size: 'max' })
  .map((messages) => messages.map((message, index) => ({ ...message, id: `m${index}` })));
const anyMutations = fc.array(anyMutation, { minLength: 1, maxLength: 3 });

/** A diff in the form of the naive one. */
/** An exception as the oracle names it. */
const exceptionName = ({ term, pattern, listId }: NonNullable<DiffCause['exception']>) =>
  `${term ?? pattern} ${listId ?? ''}`;

function asNaive({ newlyStopped, released, changed, reasonOnly, unevaluated, causes }: RuleSetDiff) {
  const rows = causes.map((cause) => ({
    cause: causeKey({ ...cause, exception: cause.exception && exceptionName(cause.exception) }),
    messages: cause.messages,
    onlyCause: cause.onlyCause,
    examples: cause.examples.map(({ messageId }) => messageId),
  }));
  return {
    newlyStopped,
    released,
    changed,
    reasonOnly,
    unevaluated: { rules: unevaluated.rules, against: unevaluated.against },
    causes: rows.sort((a, b) => (a.cause < b.cause ? -1 : 1)),
  };
}

describe('diffRuleSets', () => {
  it('equals two naive evaluations and a naive grouping, for random changes of random rule sets', async () => {
    const differing = { newlyStopped: 0, released: 0, changed: 0, reasonOnly: 0 };
    await fc.assert(
      fc.asyncProperty(anyRuleSet, anyMutations, anyMessages, anyMedia, anyReadingPair, async (...given) => {
        const [against, mutations, messages, media, readings] = given;
        const rules = mutations.reduce((ruleSet: PlainRuleSet, mutate) => mutate(ruleSet), against);
        const diff = await diffRuleSets(messages, {
          rules,
          against,
          semantics: readings.after,
          againstSemantics: readings.before,
          scores: () => media,
          examples: 2,
        });
        const naive = naiveDiff(
          messages,
          media,
          { ...rules, readings: { ...defaultReadings, ...readings.after } },
          { ...against, readings: { ...defaultReadings, ...readings.before } },
          2,
        );
        expect(asNaive(diff)).toEqual(naive);
        for (const kind of Object.keys(differing) as (keyof typeof differing)[]) differing[kind] += diff[kind];
      }),
      { numRuns: runs(50) },
    );
    // Agreement says something when there are differences; of a hundred runs, a rare kind may be in none.
    const counts = Object.values(differing);
    expect(counts.reduce((sum, count) => sum + count)).toBeGreaterThan(0);
    if (isFull) for (const count of counts) expect(count).toBeGreaterThan(10);
  });
});
