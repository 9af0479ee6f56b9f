/** Counts which rules, conditions and terms golden cases match. */
import type { UnmatchedCounts } from '../../audit/count/unmatched.js';

/** A share of parts that were matched. */
export interface CoverageFigure {
  readonly covered: number;
  readonly total: number;
  /** Rounded down: 100 means that everything is covered, also if there is nothing. */
  readonly percent: number;
}

/** Terms of a keyword list, or of a rule's own condition, that were matched. */
export interface TermCoverage extends CoverageFigure {
  /** Whether they are terms or patterns: a list may be read as either. */
  readonly kind: 'word' | 'pattern';
  /** The keyword list; absent for terms and patterns in a condition. */
  readonly listId?: string;
  /** The rule and condition that hold them; absent for a list. */
  readonly ruleId?: string;
  readonly conditionId?: number;
  /** Terms and patterns, as written, that nothing matched. */
  readonly uncovered: readonly string[];
}

/** The matched parts of a rule set. Rules that do not run, by the reading `runs`, are left out, and so are lists that no running rule names. */
export interface RuleCoverage {
  readonly rules: CoverageFigure & { readonly uncovered: readonly string[] };
  readonly conditions: CoverageFigure & {
    readonly uncovered: readonly { readonly ruleId: string; readonly conditionId: number }[];
  };
  /**
   * Terms and patterns. Blank and rejected ones do not count. Repeated ones are one, as are terms that differ in their white space alone,
   * and those of one list or condition that differ by case alone unless the reading `folding` is `exact`.
   */
  readonly terms: CoverageFigure & { readonly sources: readonly TermCoverage[] };
}

/** Returns the coverage, from what never matched, counted by condition. */
export function coverageOf({ rules, conditions, terms }: UnmatchedCounts): RuleCoverage {
  const sources = terms.map(({ listId, ruleId, conditionId, kind, of, unmatched }): TermCoverage => {
    const place = {
      ...(listId !== undefined && { listId }),
      ...(ruleId !== undefined && { ruleId }),
      ...(conditionId !== undefined && { conditionId }),
    };
    return { ...place, kind, ...figure(of - unmatched.length, of), uncovered: unmatched };
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
