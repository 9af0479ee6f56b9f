/** Counts the rules, conditions and terms that golden cases match. */
import type { UnmatchedCounts } from '../../audit/count/unmatched.js';

/** How many of the rules, conditions or terms were matched. */
export interface CoverageFigure {
  readonly covered: number;
  readonly total: number;
  /** Rounded down, so that 100 means that all were matched. It is also 100 if there are none. */
  readonly percent: number;
}

/** How many terms of a keyword list, or of a condition, were matched. */
export interface TermCoverage extends CoverageFigure {
  /** Whether they are used as terms or as patterns: one list may be used as both. */
  readonly kind: 'word' | 'pattern';
  /** The keyword list. Absent for terms and patterns in a condition. */
  readonly listId?: string;
  /** The rule and the condition that contain them. Absent for a list. */
  readonly ruleId?: string;
  readonly conditionId?: number;
  /** The terms and patterns, as written, that were never matched. */
  readonly uncovered: readonly string[];
}

/**
 * How much of a rule set was matched. Rules that do not run under the reading `runs` are left out,
 * and so are lists that no running rule names.
 */
export interface RuleCoverage {
  readonly rules: CoverageFigure & { readonly uncovered: readonly string[] };
  readonly conditions: CoverageFigure & {
    readonly uncovered: readonly { readonly ruleId: string; readonly conditionId: number }[];
  };
  /**
   * Counts of terms and patterns. Blank and rejected ones are not counted, and repeated ones are
   * counted once. Terms that differ only in white space count as repeated, and so do terms of one
   * list or condition that differ only in case, unless the reading `folding` is `exact`.
   */
  readonly terms: CoverageFigure & { readonly sources: readonly TermCoverage[] };
}

/** Returns the coverage, computed from the counts of what was never matched. */
export function coverageOf({ rules, conditions, terms }: UnmatchedCounts): RuleCoverage {
  const sources = terms.map(({ listId, ruleId, conditionId, kind, of, unmatched }): TermCoverage => {
    const origin = {
      ...(listId !== undefined && { listId }),
      ...(ruleId !== undefined && { ruleId }),
      ...(conditionId !== undefined && { conditionId }),
    };
    return { ...origin, kind, ...figure(of - unmatched.length, of), uncovered: unmatched };
  });
  const sum = (field: 'covered' | 'total') => sources.reduce((total, source) => total + source[field], 0);
  return {
    rules: {
      ...figure(rules.of - rules.unmatched.length, rules.of),
      uncovered: rules.unmatched.map(({ ruleId }) => ruleId),
    },
    conditions: {
      ...figure(conditions.of - conditions.unmatched.length, conditions.of),
      uncovered: conditions.unmatched,
    },
    terms: { ...figure(sum('covered'), sum('total')), sources },
  };
}

function figure(covered: number, total: number): CoverageFigure {
  return { covered, total, percent: total === 0 ? 100 : Math.floor((100 * covered) / total) };
}
