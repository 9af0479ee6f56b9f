/**
 * The verdicts that hits give, as far as they can be computed at compile time. Most rules match as
 * soon as one of their conditions holds; then a single hit determines a verdict, and a scan may
 * stop when no stronger one is possible.
 */
import { PORTION, type Portions } from '../../foundation/portions.js';
import type { CompiledCondition, CompiledRule, VerdictTable, VerdictTables } from './compiled-rule-set.js';
import { portionsByTextOperand, type TextOperand } from './operands.js';
import type { ReferenceIndex } from './references.js';

/** The rules and readings that verdicts follow from, besides the references. */
interface RankedRules {
  readonly rules: readonly CompiledRule[];
  readonly conditions: readonly CompiledCondition[];
  /** Whether rules need all of their conditions. */
  readonly all: boolean;
  /** The number of verdicts: the rank of none. */
  readonly none: number;
}

/**
 * Tabulates the verdicts of every term and pattern, in portions.
 *
 * INVARIANT: a message in which a term or pattern occurs has at least its `certain` verdict,
 * whatever else it holds, and by this occurrence at most the stronger of `certain` and `possible`.
 */
export function* tabulateVerdicts(
  { rules, conditions, all, none }: RankedRules,
  words: Readonly<Record<TextOperand, ReferenceIndex>>,
  patterns: Readonly<Record<TextOperand, ReferenceIndex>>,
): Portions<VerdictTables> {
  const certain = new Uint8Array(conditions.length).fill(none);
  const possible = new Uint8Array(conditions.length).fill(none);
  let strongest = none;
  for (const rule of rules) {
    if (rule.shadow || rule.rank === none) continue;
    strongest = Math.min(strongest, rule.rank);
    const size = rule.endCondition - rule.firstCondition;
    const needsMore = rule.filters.length > 0 || rule.filterError !== undefined || (all && size > 1);
    (needsMore ? possible : certain).fill(rule.rank, rule.firstCondition, rule.endCondition);
  }
  const tabulate = function* ({ from, references }: ReferenceIndex): Portions<VerdictTable> {
    const table = { certain: new Uint8Array(from.length - 1), possible: new Uint8Array(from.length - 1) };
    let strongestOfAll = none;
    let due = PORTION;
    for (let key = 0; key < from.length - 1; key++) {
      let [sure, open] = [none, none];
      if (from[key]! + key > due) {
        due = from[key]! + key + PORTION;
        yield;
      }
      for (let index = from[key]!; index < from[key + 1]!; index++) {
        const { condition, scopes } = references[index]!;
        // An occurrence that may be excepted is not enough.
        if (scopes === undefined) sure = Math.min(sure, certain[condition]!);
        else open = Math.min(open, certain[condition]!);
        open = Math.min(open, possible[condition]!);
      }
      table.certain[key] = sure;
      table.possible[key] = open;
      strongestOfAll = Math.min(strongestOfAll, sure, open);
    }
    return { ...table, strongest: strongestOfAll };
  };
  return {
    strongest,
    words: yield* portionsByTextOperand((operand) => tabulate(words[operand])),
    patterns: yield* portionsByTextOperand((operand) => tabulate(patterns[operand])),
  };
}
