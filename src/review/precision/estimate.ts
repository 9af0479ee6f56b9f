/** How right rules are, by the labels of random samples of what they stopped. */

import { type Label, type LabelOutcome, lastLabels } from '../../audit/sample/label.js';
import type { JudgedStratum } from '../../audit/sample/sample-file.js';
import { precisionInterval } from '../precision-interval.js';

/**
 * Number of labels that are right or wrong, of those that are right, and of unsure ones, which
 * bounds count as either.
 */
export interface LabelCounts {
  readonly labelled: number;
  readonly right: number;
  readonly unsure: number;
}

/** Figures of a stratum by the labels of a sample. */
export interface Estimate extends LabelCounts {
  /** Messages of the stratum, and those that were drawn. */
  readonly stopped: number;
  readonly drawn: number;
  /** The share of the labelled that is right; null without a label. */
  readonly precision: number | null;
  /**
   * The ends of its interval of 95 %: the lower one as if each unsure label were wrong, the upper
   * one as if each were right.
   */
  readonly low: number;
  readonly high: number;
  /**
   * Number of further labels that make the interval at most ten points wide, if they are like those
   * before; unsure messages come last.
   */
  readonly more: number;
}

/** The estimate of a rule. */
interface RuleEstimate extends Estimate {
  readonly ruleId: string;
  readonly ruleName?: string | undefined;
}

/** Findings of labels. Plain JSON; null without a sample. */
export interface PrecisionReport {
  readonly rules: readonly RuleEstimate[];
  /** All that was stopped. */
  readonly all: Estimate | null;
  /**
   * Messages that should have been stopped and were not: `wrong` of the labelled, and a bound of 95
   * % on the share of all, as if `unsure` were `wrong`.
   */
  readonly missed:
    | (Omit<LabelCounts, 'right'> & { allowed: number; drawn: number; wrong: number; high: number })
    | null;
  /**
   * Labels that are not of a sample by rule, null for those about messages; in the order of the
   * labels. They have no interval.
   */
  readonly reviewed?: readonly (LabelCounts & { readonly ruleId: string | null })[];
}

/**
 * The width of an interval that reaches five points to either side; the rest is for the rounding of
 * a difference.
 */
const widest = 0.1 + 1e-9;

/**
 * Estimates the precision of strata from judged samples, and counts the labels of reviewers, which
 * are not of a sample.
 */
export function estimate(strata: readonly JudgedStratum[], reviews?: Iterable<Label>): PrecisionReport {
  const all = strata.map((own) => ({ ...own, counts: countsOf(own.rows) }));
  const [stopped, allowed] = (['stopped', 'allowed'] as const).map((kind) => all.find((own) => own.kind === kind));
  return {
    rules: all.flatMap((own) => {
      const { kind, ruleId = '', ruleName } = own;
      return kind === 'rule' ? [{ ruleId, ruleName, ...estimateOf(own) }] : [];
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
    byRule.set(ruleId, [...(byRule.get(ruleId) ?? []), label]);
  }
  return [...byRule].map(([ruleId, own]) => ({ ruleId, ...countsOf(own) }));
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
 * Returns the least and the largest share that messages which cannot be decided allow: the draw
 * that chose the sample chose these too, so that they do not bias it.
 */
export function boundsOf({ labelled, right, unsure }: LabelCounts, of?: number, level?: number) {
  const drawn = labelled + unsure;
  const { low } = precisionInterval(right, drawn, { of, level });
  const { high } = precisionInterval(right + unsure, drawn, { of, level });
  return { low, high };
}

/** Without a label, as many as it takes to know the share that takes most, one half. */
function moreLabels({ labelled, right, unsure }: LabelCounts, of: number): number {
  const share = labelled === 0 ? 0.5 : right / labelled;
  const isEnough = (more: number) => {
    const all = labelled + more;
    const { low, high } = boundsOf(
      { labelled: all, right: Math.round(share * all), unsure: Math.min(unsure, of - all) },
      of,
    );
    return high - low <= widest;
  };
  if (isEnough(0)) return 0;
  // The width falls as labels are added, except for what rounding does to it.
  let [few, enough] = [0, of - labelled];
  while (enough - few > 1) {
    const middle = Math.floor((few + enough) / 2);
    if (isEnough(middle)) enough = middle;
    else few = middle;
  }
  return enough;
}

/** One-sided: a bound of 95 % is the upper end of the interval of 90 %. */
function missedOf({ counts: { labelled, right, unsure }, size, drawn }: Counted) {
  const wrong = labelled - right;
  const { high } = boundsOf({ labelled, right: wrong, unsure }, size, 0.9);
  return { allowed: size, drawn, labelled, wrong, unsure, high };
}
