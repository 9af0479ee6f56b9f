import { describe, expect, it } from 'vitest';
import { type LabelOutcome, Labels } from '../../src/audit/sample/label.js';
import type { SampledStratum, Stratum } from '../../src/audit/sample/sample.js';
import { estimate } from '../../src/review/precision/estimate.js';
import { precisionInterval } from '../../src/review/precision-interval.js';
import { decision, hit } from '../audit/decisions.js';
import { isFull } from '../support/runs.js';

/** A stratum whose drawn messages have these ids. */
function stratum(which: Stratum, size: number, ids: readonly string[], ...rules: readonly string[]): SampledStratum {
  const own = decision({
    verdict: rules.length > 0 ? 'blockMessage' : 'allow',
    matched: rules.map((id) => hit(id, [])),
  });
  const rows = ids.map((messageId) => ({ messageId, message: { data: { text: '' } }, stratum: which, decision: own }));
  return { stratum: { ...which, ...(which.kind === 'rule' && { ruleName: 'R' }), size }, rows };
}

const ids = (count: number, from = 0) => Array.from({ length: count }, (_, at) => String(from + at));
const labelsOf = (outcomes: readonly (LabelOutcome | undefined)[], ruleId?: string) =>
  outcomes.flatMap((outcome, at) => (outcome === undefined ? [] : [{ messageId: String(at), ruleId, outcome }]));
const times = <Item>(count: number, item: Item): Item[] => Array.from({ length: count }, () => item);
const a: Stratum = { kind: 'rule', ruleId: 'a' };

describe('an estimate', () => {
  it('counts labels, has the interval of the whole stratum, and counts what is unsure as either in its ends', () => {
    const outcomes = [
      ...times(31, 'right' as const),
      ...times(44, 'wrong' as const),
      ...times(3, 'unsure' as const),
      undefined,
    ];
    const { rules, all, missed } = estimate([stratum(a, 123, ids(79), 'a')], new Labels(labelsOf(outcomes, 'a')));
    expect(rules).toEqual([
      {
        ...{
          ruleId: 'a',
          ruleName: 'R',
          stopped: 123,
          drawn: 79,
          labelled: 75,
          right: 31,
          unsure: 3,
          precision: 31 / 75,
        },
        low: precisionInterval(31, 78, { of: 123 }).low,
        high: precisionInterval(34, 78, { of: 123 }).high,
        more: expect.any(Number),
      },
    ]);
    expect([all, missed]).toEqual([null, null]);
  });

  it('knows nothing without a label, and everything with all of them', () => {
    const nothing = estimate([stratum(a, 50, ids(9), 'a')], new Labels()).rules[0]!;
    expect(nothing).toMatchObject({ precision: null, low: 0, high: 1, labelled: 0, right: 0 });
    const everything = estimate([stratum(a, 4, ids(4), 'a')], new Labels(labelsOf(times(4, 'right'), 'a'))).rules[0]!;
    expect(everything).toMatchObject({ precision: 1, low: 1, high: 1, more: 0 });
  });

  it('says the number of further labels with which the interval is ten points wide, and not with one fewer', () => {
    for (const [right, labelled, of] of [
      [0, 0, 1000],
      [31, 75, 123],
      [12, 40, 60],
      [12, 40, 5000],
      [38, 39, 39],
      [40, 40, 5000],
      [200, 400, 1e6],
    ] as const) {
      const outcomes = [...times(right, 'right' as const), ...times(labelled - right, 'wrong' as const)];
      const { more } = estimate([stratum(a, of, ids(labelled), 'a')], new Labels(labelsOf(outcomes, 'a'))).rules[0]!;
      const widthWith = (further: number) => {
        const share = labelled === 0 ? 0.5 : right / labelled;
        const { low, high } = precisionInterval(Math.round(share * (labelled + further)), labelled + further, { of });
        return high - low;
      };
      expect(widthWith(more)).toBeLessThanOrEqual(0.1 + 1e-9);
      if (more > 0) expect(widthWith(more - 1)).toBeGreaterThan(0.1);
    }
  });

  it('is not known while unsure labels leave it open, and says how many of them have to be decided', () => {
    const moreOf = (right: number, wrong: number, unsure: number, of: number) => {
      const outcomes = [...times(right, 'right' as const), ...times(wrong, 'wrong' as const)];
      const labels = new Labels(labelsOf([...outcomes, ...times(unsure, 'unsure' as const)], 'a'));
      const { low, high, more } = estimate([stratum(a, of, ids(right + wrong + unsure), 'a')], labels).rules[0]!;
      return [low, high, more];
    };
    // Every message is labelled, and of ten nobody can tell: two may stay so.
    expect(moreOf(5, 5, 10, 20)).toEqual([0.25, 0.75, 8]);
    expect(moreOf(10, 10, 0, 20)).toEqual([0.5, 0.5, 0]);
    expect(moreOf(9, 9, 2, 20)).toEqual([0.45, 0.55, 0]);
    // One is left to be labelled; with that, and three of four decided, nine of ten are right.
    expect(moreOf(5, 0, 4, 10)).toEqual([0.5, 1, 4]);
  });

  it('holds the true share in 95 of 100 samples, whatever the messages are that nobody can tell', () => {
    const logs = [0];
    for (let number = 1; number <= 1000; number++) logs.push(logs[number - 1]! + Math.log(number));
    const choose = (n: number, k: number) =>
      k < 0 || k > n ? Number.NEGATIVE_INFINITY : logs[n]! - logs[k]! - logs[n - k]!;
    const of = 200;
    let least = 1;
    for (const drawn of isFull ? [10, 40, 60, 120] : [10, 60]) {
      const ends = new Map<string, { readonly low: number; readonly high: number }>();
      const endsOf = (right: number, unsure: number) => {
        const key = `${right} ${unsure}`;
        const outcomes = [...times(right, 'right' as const), ...times(unsure, 'unsure' as const)];
        const labels = new Labels(labelsOf([...outcomes, ...times(drawn - outcomes.length, 'wrong' as const)], 'a'));
        const known = ends.get(key) ?? estimate([stratum(a, of, ids(drawn), 'a')], labels).rules[0]!;
        ends.set(key, known);
        return known;
      };
      for (const open of isFull ? [1, 2, 5, 20] : [1, 5]) {
        for (let right = 0; right <= of - open; right += isFull ? 1 : 7) {
          for (const openRight of [0, open]) {
            const share = (right + openRight) / of;
            let held = 0;
            for (let unsure = 0; unsure <= Math.min(open, drawn); unsure++) {
              for (
                let found = Math.max(0, drawn - unsure - (of - open - right));
                found <= Math.min(right, drawn - unsure);
                found++
              ) {
                const { low, high } = endsOf(found, unsure);
                if (low > share || share > high) continue;
                const wrong = choose(of - open - right, drawn - unsure - found);
                held += Math.exp(choose(right, found) + choose(open, unsure) + wrong - choose(of, drawn));
              }
            }
            least = Math.min(least, held);
          }
        }
      }
    }
    expect(least).toBeGreaterThanOrEqual(0.95 - 1e-9);
    // It is not just wide.
    expect(least).toBeLessThan(0.98);
  });

  it('counts labels apart of messages that were not drawn for what they are about', () => {
    const strata = [stratum(a, 20, ids(3), 'a'), stratum({ kind: 'allowed' }, 9, ids(2, 10))];
    const labels = new Labels([
      ...labelsOf(['right', 'right', 'right', 'wrong', 'unsure'], 'a'),
      { messageId: '10', outcome: 'right' },
      { messageId: '10', ruleId: 'a', outcome: 'right' },
      { messageId: '0', ruleId: 'b', outcome: 'wrong' },
    ]);
    const report = estimate(strata, labels);
    expect(report.notDrawn).toEqual({ labelled: 3, right: 1, unsure: 1 });
    expect(report.rules[0]).toMatchObject({ labelled: 3, right: 3 });
    expect(report.missed).toMatchObject({ allowed: 9, drawn: 2, labelled: 1, wrong: 0, unsure: 0 });
  });

  it('counts labels of reviewers by rule, and in no estimate', () => {
    const reviewed = (messageId: string, outcome: 'right' | 'wrong' | 'unsure', ruleId?: string) => ({
      ...{ messageId, outcome, ruleId, source: 'reviewed' },
    });
    const labels = new Labels([
      ...labelsOf(['right', 'wrong'], 'a'),
      ...[
        reviewed('0', 'wrong', 'a'),
        reviewed('2', 'right', 'a'),
        reviewed('7', 'unsure', 'b'),
        reviewed('8', 'right'),
      ],
    ]);
    const report = estimate([stratum(a, 20, ids(3), 'a')], labels);
    expect(report.rules[0]).toMatchObject({ labelled: 2, right: 1, drawn: 3 });
    expect(report.notDrawn).toEqual({ labelled: 0, right: 0, unsure: 0 });
    expect(report.reviewed).toEqual([
      { ruleId: 'a', labelled: 2, right: 1, unsure: 0 },
      { ruleId: 'b', labelled: 0, right: 0, unsure: 1 },
      { ruleId: null, labelled: 1, right: 1, unsure: 0 },
    ]);
  });

  it('bounds what was missed: in 95 of 100 samples no more was, whatever it is', () => {
    const { missed } = estimate(
      [stratum({ kind: 'allowed' }, 24_636, ids(200))],
      new Labels(labelsOf(times(200, 'right'))),
    );
    expect(missed!.high).toBeCloseTo(1 - 0.05 ** (1 / 200), 3);
    const logs = [0];
    for (let number = 1; number <= 2000; number++) logs.push(logs[number - 1]! + Math.log(number));
    const choose = (n: number, k: number) => logs[n]! - logs[k]! - logs[n - k]!;
    const of = 1000;
    const sizes = isFull ? Array.from({ length: 391 }, (_, at) => at + 10) : [10, 60, 200, 400];
    for (const n of sizes) {
      const bounds = Array.from({ length: n + 1 }, (_, wrong) => {
        const outcomes = [...times(wrong, 'wrong' as const), ...times(n - wrong, 'right' as const)];
        return estimate([stratum({ kind: 'allowed' }, of, ids(n))], new Labels(labelsOf(outcomes))).missed!.high;
      });
      for (let all = 0; all <= of; all += isFull ? 3 : 13) {
        const held = bounds.reduce((sum, high, wrong) => {
          if (wrong > all || n - wrong > of - all || high < all / of) return sum;
          return sum + Math.exp(choose(all, wrong) + choose(of - all, n - wrong) - choose(of, n));
        }, 0);
        expect(held).toBeGreaterThanOrEqual(0.95 - 1e-12);
      }
    }
  });
});
