/**
 * Curves of a rule with scored conditions: how right it would be with higher thresholds, according
 * to the labels of its sample.
 */
import type { JudgedRow } from '../../audit/sample/sample-file.js';
import { parseThreshold } from '../../engine/compile/threshold.js';
import { boundsOf, countsOf, type LabelCounts } from './estimate.js';

/** Counts of the labelled messages whose score exceeds a threshold. */
export interface CurvePoint extends LabelCounts {
  readonly greaterThan: number;
  readonly wrong: number;
  /** The share of the labelled messages that is right. Null without labels. */
  readonly precision: number | null;
  /** The ends of the 95 % interval, in which each unsure label may be right or wrong. */
  readonly low: number;
  readonly high: number;
}

/**
 * A threshold of a rule, with the points at and above it at which the set of labelled messages
 * changes.
 */
export interface ThresholdCurve {
  readonly label: string;
  readonly greaterThan: number;
  readonly points: readonly CurvePoint[];
}

/**
 * Returns the curves of the thresholds that messages in the sample of a rule exceed. The messages
 * above a higher threshold are a subset of those that the rule stopped, and the drawn ones among
 * them are a random sample of that subset. Its size is not known, so the interval assumes an
 * infinite population. A sample tells nothing about lower thresholds, which stop other messages.
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
    // From the least whole number that a score does not exceed, its message is no longer stopped.
    const levels = new Set([greaterThan, ...scored.map(({ score }) => Math.ceil(score))]);
    const points = [...levels]
      .filter((level) => level < 100)
      .sort((left, right) => left - right)
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
