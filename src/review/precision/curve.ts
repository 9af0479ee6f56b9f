/**
 * Curves of a rule with scored conditions: how right it would be over higher thresholds, by the
 * labels of its sample.
 */
import type { JudgedRow } from '../../audit/sample/sample-file.js';
import { parseThreshold } from '../../engine/compile/threshold.js';
import { boundsOf, countsOf, type LabelCounts } from './estimate.js';

/** The labelled messages whose score is over a threshold. */
export interface CurvePoint extends LabelCounts {
  readonly greaterThan: number;
  readonly wrong: number;
  /** The share of the labelled that is right; null without a label. */
  readonly precision: number | null;
  /** The ends of its interval of 95 %, in which unsure labels count as either. */
  readonly low: number;
  readonly high: number;
}

/** A threshold of a rule with the points from it upwards at which the labelled messages change. */
export interface ThresholdCurve {
  readonly label: string;
  readonly greaterThan: number;
  readonly points: readonly CurvePoint[];
}

/**
 * Returns the curves of the thresholds that the sample of a rule exceeds. The messages over a
 * higher threshold are a part of those that the rule stopped, and the drawn ones among them a
 * random sample of that part. How many there are in all is not known, so that an interval supposes
 * no end of them. A sample says nothing of lower thresholds: they stop other messages.
 */
export function curvesOf(rows: readonly JudgedRow[]): readonly ThresholdCurve[] {
  const written = new Set(rows.flatMap(({ scores }) => [...scores.keys()]));
  return [...written].flatMap((threshold): ThresholdCurve[] => {
    const parsed = parseThreshold(threshold);
    if (parsed === undefined) return [];
    const { label, greaterThan } = parsed;
    const scored = rows.flatMap(({ scores, outcome }) => {
      const score = scores.get(threshold);
      return score === undefined || outcome === undefined ? [] : [{ score, outcome }];
    });
    // Over the least whole number that a score is not over, its message is gone.
    const levels = new Set([greaterThan, ...scored.map(({ score }) => Math.ceil(score))]);
    const points = [...levels]
      .filter((level) => level < 100)
      .sort((one, other) => one - other)
      .map((level): CurvePoint => {
        const counts = countsOf(scored.filter(({ score }) => score > level));
        const { labelled, right } = counts;
        const precision = labelled === 0 ? null : right / labelled;
        return { greaterThan: level, ...counts, wrong: labelled - right, precision, ...boundsOf(counts) };
      });
    const shown = points.filter((point) => point.greaterThan === greaterThan || point.labelled + point.unsure > 0);
    return [{ label, greaterThan, points: shown }];
  });
}
