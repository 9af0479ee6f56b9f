/**
 * The verdict on one text, when what is found settles it: no allocation, and the scan ends as soon as nothing stronger can
 * come. Whatever takes more than that (a rule with filters, allow-terms, a text equal to a term) is left to `sightings.ts`.
 */
import type { CompiledRuleSet, Deciders, TextOperand } from '../compile/compiled-rule-set.js';
import { PatternFault } from '../match/pattern-engine.js';

/** Says that the message has to be looked at in full. */
export const UNSETTLED = -1;

/**
 * Makes the question: the position of a text's strongest verdict in `CompiledRuleSet.verdicts`, the number of these when
 * nothing was found, or `UNSETTLED`. Nothing of a caller's runs inside, so one set of variables serves all questions.
 */
export function createQuickVerdict({ words, patterns, plan, verdicts }: CompiledRuleSet) {
  const { set } = patterns;
  const dfa = set?.dfa;
  let byWord: Deciders = plan.words.text;
  let byPattern: Deciders = plan.patterns.text;
  let strongest = verdicts.length;
  let tangled = false;

  const take = ({ ranks, tangled: entangled }: Deciders, key: number): boolean => {
    const rank = ranks[key]!;
    if (rank < strongest) strongest = rank;
    if (entangled[key] === 1) tangled = true;
    return strongest <= plan.strongest;
  };
  const onTerm = (key: number): boolean => {
    if (!words.hasAllowed) return take(byWord, key);
    tangled = true;
    return true;
  };
  const onPattern = (index: number): void => {
    take(byPattern, index);
  };
  const scan = (text: string): void => {
    if (set === undefined) {
      if (words.count > 0) words.matcher.scan(text, onTerm);
    } else if (words.count === 0) set.mark(text, onPattern);
    else if (dfa === undefined) {
      words.matcher.scan(text, onTerm);
      if (strongest > plan.strongest && !tangled) set.mark(text, onPattern);
    } else if (!words.matcher.scanWith(text, onTerm, dfa)) set.mark(text, onPattern);
    else for (let index = 0; index < dfa.matchedCount; index++) onPattern(dfa.matched[index]!);
  };

  return (text: string, operand: TextOperand): number => {
    byWord = plan.words[operand];
    byPattern = plan.patterns[operand];
    strongest = verdicts.length;
    tangled = false;
    try {
      scan(text);
    } catch (error) {
      if (error instanceof PatternFault) return UNSETTLED;
      throw error;
    }
    if (strongest <= plan.strongest) return strongest;
    const wholeTexts = words.wholeTexts[operand];
    return tangled || (wholeTexts.size > 0 && wholeTexts.mayEqual(text)) ? UNSETTLED : strongest;
  };
}
