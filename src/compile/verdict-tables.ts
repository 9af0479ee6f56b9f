/**
 * What a hit means for the verdict, as far as that is known before any message is read. Most rules match as soon as one of
 * their conditions holds; then a term or a pattern decides by itself, and a scan may stop once nothing can be stronger.
 */
import type {
  CompiledCondition,
  CompiledRule,
  TextOperand,
  UseIndex,
  VerdictTable,
  VerdictTables,
} from './compiled-rule-set.js';

/** Tabulates the verdicts of every term and pattern. `none` is the number of verdicts; `all`, that rules need all conditions. */
export function tabulateVerdicts(
  rules: readonly CompiledRule[],
  conditions: readonly CompiledCondition[],
  all: boolean,
  none: number,
  words: Readonly<Record<TextOperand, UseIndex>>,
  patterns: Readonly<Record<TextOperand, UseIndex>>,
): VerdictTables {
  const certain = new Uint8Array(conditions.length).fill(none);
  const possible = new Uint8Array(conditions.length).fill(none);
  let strongest = none;
  for (const rule of rules) {
    if (rule.shadow || rule.rank === none) continue;
    strongest = Math.min(strongest, rule.rank);
    const size = rule.endCondition - rule.firstCondition;
    const needsMore = rule.filters.length > 0 || rule.filterTrouble !== undefined || (all && size > 1);
    (needsMore ? possible : certain).fill(rule.rank, rule.firstCondition, rule.endCondition);
  }
  const tabulate = ({ from, uses }: UseIndex): VerdictTable => {
    const table = { certain: new Uint8Array(from.length - 1), possible: new Uint8Array(from.length - 1) };
    let strongestOfAll = none;
    for (let key = 0; key < from.length - 1; key++) {
      let [sure, open] = [none, none];
      for (let index = from[key]!; index < from[key + 1]!; index++) {
        const { condition } = uses[index]!;
        sure = Math.min(sure, certain[condition]!);
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
    words: { text: tabulate(words.text), custom: tabulate(words.custom) },
    patterns: { text: tabulate(patterns.text), custom: tabulate(patterns.custom) },
  };
}
