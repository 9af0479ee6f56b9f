import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Outcome } from '../../../src/audit/count/diff-causes.js';
import { createDifferences, type DifferenceEntry } from '../../../src/audit/count/differences.js';
import { createSummary } from '../../../src/audit/count/summary.js';
import { naiveChoice } from '../../support/naive-rank.js';
import { runs } from '../../support/runs.js';
import { anyDecision, anyDraft } from '../arbitrary-decision.js';
import { decision, hit, word } from '../decisions.js';
import { anySplit, countBothWays } from './parts.js';

const scores = [{ operand: 'image' as const, labels: { gore: 50 } }];
const anyEntry: fc.Arbitrary<DifferenceEntry> = fc
  .record({
    message: fc.oneof(anyDraft, fc.constantFrom('a text', 'x y')),
    scores: fc.constantFrom(undefined, [], scores),
    decision: anyDecision,
    against: anyDecision,
  })
  .map((entry) => ({ ...entry, messageId: typeof entry.message === 'string' ? undefined : entry.message.id }));

const outcomes = new Map<string, Outcome>([
  ['1', 'right'],
  ['20', 'wrong'],
]);
const anyOptions = fc.record({
  examples: fc.nat(3),
  redact: fc.boolean(),
  outcomes: fc.constantFrom(undefined, outcomes),
});

describe('createDifferences', () => {
  it('merged from parts equals what is counted of the whole, for any split and order', () => {
    fc.assert(
      fc.property(anySplit(anyEntry), anyOptions, (split, options) => {
        const { whole, merged } = countBothWays(split, () => createDifferences(options));
        expect(JSON.parse(merged)).toEqual(JSON.parse(whole));
      }),
      { numRuns: runs(75) },
    );
  });

  it('has the examples of least rank of each cause, and counts texts as a summary does', () => {
    fc.assert(
      fc.property(fc.array(anyEntry, { maxLength: 30 }), fc.nat(3), (entries, most) => {
        const count = (some: readonly DifferenceEntry[], examples: number) => {
          const differences = createDifferences({ examples, redact: false });
          for (const entry of some) differences.add(entry);
          return differences.toJSON();
        };
        const few = count(entries, most);
        const single = entries.flatMap((entry) => count([entry], 1).causes);
        const nameOf = ({ messages, onlyCause, examples, ruleName, ...place }: (typeof single)[number]) =>
          JSON.stringify(place);
        for (const cause of few.causes) {
          const all = single.filter((other) => nameOf(other) === nameOf(cause)).flatMap(({ examples }) => examples);
          expect(cause.examples).toEqual(naiveChoice(all, most));
        }
        const summary = createSummary();
        for (const entry of entries) summary.add(entry);
        const { messages, texts, unreadable } = summary.toJSON();
        expect(few).toMatchObject({ messages, texts, unreadable });
      }),
      { numRuns: runs(30) },
    );
  });

  it('has a digest that is the sum of those of the messages with their scores', () => {
    fc.assert(
      fc.property(fc.array(anyEntry, { maxLength: 12 }), (entries) => {
        const differences = createDifferences({ examples: 0, redact: false });
        let sum = 0n;
        for (const entry of entries) {
          differences.add(entry);
          const { message } = entry;
          const fields =
            typeof message === 'string' ? [] : Object.entries(message).sort(([a], [b]) => (a < b ? -1 : 1));
          const json = JSON.stringify(typeof message === 'string' ? message : Object.fromEntries(fields));
          const behind = (entry.scores ?? []).length > 0 ? JSON.stringify(entry.scores) : '';
          sum += BigInt(
            `0x${createHash('sha256')
              .update(json + behind)
              .digest('hex')
              .slice(0, 32)}`,
          );
        }
        expect(differences.toJSON().digest).toBe((sum % 2n ** 128n).toString(16).padStart(32, '0'));
      }),
    );
  });

  it('says how a message fares', () => {
    const differences = createDifferences({ examples: 1, redact: false });
    const stopped = decision({ verdict: 'blockMessage', matched: [hit('a', [word('x')])] });
    const other = decision({ verdict: 'blockMessage', matched: [hit('b', [word('x')])] });
    const dropped = decision({ verdict: 'dropMessage', matched: [hit('a', [word('x')])] });
    const kindOf = (before: typeof stopped, after: typeof stopped) =>
      differences.add({ message: 'x', messageId: undefined, decision: after, against: before });
    expect(kindOf(decision(), stopped)).toBe('newlyStopped');
    expect(kindOf(stopped, decision())).toBe('released');
    expect(kindOf(stopped, dropped)).toBe('changed');
    expect(kindOf(stopped, other)).toBe('reasonOnly');
    expect(kindOf(stopped, stopped)).toBeUndefined();
    expect(kindOf(decision(), decision({ matched: [hit('a', [])] }))).toBeUndefined();
  });
});
