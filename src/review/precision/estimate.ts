/** Estimates how right rules are, from the labels of random samples of what they stopped. */

import { type Label, type LabelOutcome, lastLabels } from '../../audit/sample/label.js';
import type { JudgedStratum } from '../../audit/sample/sample-file.js';
import { precisionInterval } from '../precision-interval.js';

/**
 * Numbers of labels. `labelled` counts those that are right or wrong; `unsure` ones widen the
 * bounds in both directions.
 */
export interface LabelCounts {
  readonly labelled: number;
  readonly right: number;
  readonly unsure: number;
}

/** Figures of a stratum, computed from the labels of its sample. */
export interface Estimate extends LabelCounts {
  /** Number of messages in the stratum, and of those that were drawn. */
  readonly stopped: number;
  readonly drawn: number;
  /** The share of the labelled messages that is right. Null without labels. */
  readonly precision: number | null;
  /**
   * The ends of the 95 % interval. The lower end counts each unsure label as wrong, the upper end
   * as right.
   */
  readonly low: number;
  readonly high: number;
  /**
   * Number of further labels after which the interval is at most ten points wide, if they are like
   * the present ones. Unsure messages are labelled last.
   */
  readonly more: number;
}

/** The estimate of a rule. */
interface RuleEstimate extends Estimate {
  readonly ruleId: string;
  readonly ruleName?: string | undefined;
}

/** Estimates from labels. Plain JSON. Null if there is no sample. */
export interface PrecisionReport {
  readonly rules: readonly RuleEstimate[];
  /** The estimate for all stopped messages. */
  readonly all: Estimate | null;
  /**
   * Messages that should have been stopped but were allowed: how many of the labelled (`wrong`),
   * and an upper 95 % bound of their share of all messages, which counts `unsure` as `wrong`.
   */
  readonly missed:
    | (Omit<LabelCounts, 'right'> & { allowed: number; drawn: number; wrong: number; high: number })
    | null;
  /**
   * Counts of labels that are not from a sample, by rule, in the order of the labels. `ruleId` is
   * null for labels about whole messages. They have no interval.
   */
  readonly reviewed?: readonly (LabelCounts & { readonly ruleId: string | null })[];
}

/**
 * The width of an interval that extends five points to either side, with room for rounding errors.
 */
const widest = 0.1 + 1e-9;

/**
 * Estimates the precision of strata from judged samples, and counts the labels of reviewers, which
 * are not from a sample.
 */
export function estimate(strata: readonly JudgedStratum[], reviews?: Iterable<Label>): PrecisionReport {
  const all = strata.map((stratum) => ({ ...stratum, counts: countsOf(stratum.rows) }));
  const [stopped, allowed] = (['stopped', 'allowed'] as const).map((kind) => all.find((each) => each.kind === kind));
  return {
    rules: all.flatMap((stratum) => {
      const { kind, ruleId = '', ruleName } = stratum;
      return kind === 'rule' ? [{ ruleId, ruleName, ...estimateOf(stratum) }] : [];
    }),
    all: stopped === undefined ? null : estimateOf(stopped),
    missed: allowed === undefined ? null : missedOf(allowed),
    ...(reviews && { reviewed: reviewedOf(reviews) }),
  };
}

function reviewedOf(labels: Iterable<Label>) {
  const byRule = new Map<string | null, Label[]>();
  for (const label of lastLabels(labels).values()) {
    const ruleId = label.ruleId ?? null;
    // `push` returns the new length, which is never 0.
    if (!byRule.get(ruleId)?.push(label)) byRule.set(ruleId, [label]);
  }
  return [...byRule].map(([ruleId, rows]) => ({ ruleId, ...countsOf(rows) }));
}

export function countsOf(rows: readonly { readonly outcome: LabelOutcome | undefined }[]): LabelCounts {
  const countOf = (what: LabelOutcome) => rows.filter(({ outcome }) => outcome === what).length;
  const [right, wrong, unsure] = [countOf('right'), countOf('wrong'), countOf('unsure')];
  return { labelled: right + wrong, right, unsure };
}

type Counted = { readonly counts: LabelCounts } & Pick<JudgedStratum, 'size' | 'drawn'>;

function estimateOf({ counts, size, drawn }: Counted): Estimate {
  const { labelled, right } = counts;
  const interval = boundsOf(counts, size);
  const precision = labelled === 0 ? null : right / labelled;
  return { stopped: size, drawn, ...counts, precision, ...interval, more: moreLabels(counts, size) };
}

/**
 * Returns the lowest and the highest share that is possible with the unsure messages. They do not
 * bias it, since they were drawn at random like the others.
 */
export function boundsOf({ labelled, right, unsure }: LabelCounts, population?: number, level?: number) {
  const drawn = labelled + unsure;
  const { low } = precisionInterval(right, drawn, { of: population, level });
  const { high } = precisionInterval(right + unsure, drawn, { of: population, level });
  return { low, high };
}

/**
 * Returns the number of further labels. Without any label, it assumes a share of one half, which
 * takes the most labels.
 */
function moreLabels({ labelled, right, unsure }: LabelCounts, population: number): number {
  const share = labelled === 0 ? 0.5 : right / labelled;
  const isEnough = (more: number) => {
    const all = labelled + more;
    const { low, high } = boundsOf(
      { labelled: all, right: Math.round(share * all), unsure: Math.min(unsure, population - all) },
      population,
    );
    return high - low <= widest;
  };
  if (isEnough(0)) return 0;
  // More labels make the interval narrower, except for effects of rounding.
  let [few, enough] = [0, population - labelled];
  while (enough - few > 1) {
    const middle = Math.floor((few + enough) / 2);
    if (isEnough(middle)) enough = middle;
    else few = middle;
  }
  return enough;
}

/**
 * Returns the estimate of missed messages. The bound is one-sided: an upper bound of 95 % is the
 * upper end of the 90 % interval.
 */
function missedOf({ counts: { labelled, right, unsure }, size, drawn }: Counted) {
  const wrong = labelled - right;
  const { high } = boundsOf({ labelled, right: wrong, unsure }, size, 0.9);
  return { allowed: size, drawn, labelled, wrong, unsure, high };
}
