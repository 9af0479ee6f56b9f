import { describe, expect, it } from 'vitest';
import type { LabelOutcome } from '../../src/audit/sample/label.js';
import type { JudgedStratum } from '../../src/audit/sample/sample-file.js';
import { estimate } from '../../src/review/precision/estimate.js';
import { precisionInterval } from '../../src/review/precision-interval.js';
import { isFull } from '../support/runs.js';

/** A stratum of which messages with these outcomes were drawn. */
function stratum(
  kind: JudgedStratum['kind'],
  size: number,
  outcomes: readonly (LabelOutcome | undefined)[],
): JudgedStratum {
  const rows = outcomes.map((outcome, at) => ({
    ...{ messageId: String(at), outcome, scores: new Map(), place: at + 1, line: at + 2 },
  }));
  return { kind, ...(kind === 'rule' && { ruleId: 'a', ruleName: 'R' }), size, drawn: rows.length, rows };
}

const times = <Item>(count: number, item: Item): Item[] => Array.from({ length: count }, () => item);
const ruleOf = (size: number, outcomes: readonly (LabelOutcome | undefined)[]) =>
  estimate([stratum('rule', size, outcomes)]).rules[0]!;

describe('an estimate', () => {
  it('counts labels, has the interval of the whole stratum, and counts what is unsure as either in its ends', () => {
    const outcomes = [
      ...times(31, 'right' as const),
      ...times(44, 'wrong' as const),
      ...times(3, 'unsure' as const),
      undefined,
    ];
    const { rules, all, missed } = estimate([stratum('rule', 123, outcomes)]);
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
    const nothing = ruleOf(50, times(9, undefined));
    expect(nothing).toMatchObject({ precision: null, low: 0, high: 1, labelled: 0, right: 0 });
    const everything = ruleOf(4, times(4, 'right'));
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
      const { more } = ruleOf(of, outcomes);
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
      const { low, high, more } = ruleOf(of, [...outcomes, ...times(unsure, 'unsure' as const)]);
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
        const known = ends.get(key) ?? ruleOf(of, [...outcomes, ...times(drawn - outcomes.length, 'wrong' as const)]);
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

  it('counts labels of reviewers by rule, the last one about a message, and in no estimate', () => {
    const reviewed = (messageId: string, outcome: LabelOutcome, ruleId?: string) => ({
      ...{ messageId, outcome, ruleId, source: 'reviewed' },
    });
    const labels = [
      ...[reviewed('0', 'right', 'a'), reviewed('0', 'wrong', 'a'), reviewed('2', 'right', 'a')],
      ...[reviewed('7', 'unsure', 'b'), reviewed('8', 'right')],
    ];
    const drawn = [stratum('rule', 20, ['right', 'wrong', undefined])];
    const { reviewed: found, ...report } = estimate(drawn, labels);
    expect(report).toEqual(estimate(drawn));
    expect(report.rules[0]).toMatchObject({ labelled: 2, right: 1, drawn: 3 });
    expect(found).toEqual([
      { ruleId: 'a', labelled: 2, right: 1, unsure: 0 },
      { ruleId: 'b', labelled: 0, right: 0, unsure: 1 },
      { ruleId: null, labelled: 1, right: 1, unsure: 0 },
    ]);
  });

  it('bounds what was missed: in 95 of 100 samples no more was, whatever it is', () => {
    const { missed } = estimate([stratum('allowed', 24_636, times(200, 'right'))]);
    expect(missed!.high).toBeCloseTo(1 - 0.05 ** (1 / 200), 3);
    const logs = [0];
    for (let number = 1; number <= 2000; number++) logs.push(logs[number - 1]! + Math.log(number));
    const choose = (n: number, k: number) => logs[n]! - logs[k]! - logs[n - k]!;
    const of = 1000;
    const sizes = isFull ? Array.from({ length: 391 }, (_, at) => at + 10) : [10, 60, 200, 400];
    for (const n of sizes) {
      const bounds = Array.from({ length: n + 1 }, (_, wrong) => {
        const outcomes = [...times(wrong, 'wrong' as const), ...times(n - wrong, 'right' as const)];
        return estimate([stratum('allowed', of, outcomes)]).missed!.high;
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
