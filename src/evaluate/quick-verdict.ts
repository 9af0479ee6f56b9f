/**
 * The verdict on one text, when what is found settles it: no allocation, and the scan ends as soon as nothing stronger can
 * come. Whatever takes more than that (a rule with filters, allow-terms, a text equal to a term, far more occurrences than
 * characters) is left to `sightings.ts`.
 */
import type { CompiledRuleSet, TextOperand, VerdictTable } from '../compile/compiled-rule-set.js';
import { Advice } from '../match/keyword-scan.js';
import { PatternFault } from '../match/pattern-engine.js';

/** The message has to be evaluated in full. */
export const INCONCLUSIVE = -1;

/** Steps of the terms' matcher for a text and for each of its units, beyond which terms that are known have to be closed. */
const STEPS_OF_A_TEXT = 1 << 12;
const STEPS_OF_A_UNIT = 4;

/**
 * Makes the function from a text to the rank of its strongest verdict in `CompiledRuleSet.verdicts`, the number of these when
 * nothing was found, or `INCONCLUSIVE`. Nothing of a caller's runs inside, so one set of variables serves all calls.
 */
export function createQuickVerdict({ words, patterns, tables, verdicts }: CompiledRuleSet) {
  const { set } = patterns;
  const { matcher } = words;
  const dfa = set?.dfa;
  let byWord: VerdictTable = tables.words.text;
  let byPattern: VerdictTable = tables.patterns.text;
  /** The strongest verdict that follows from what was found, and the strongest that may follow from a full evaluation. */
  let certain = verdicts.length;
  let possible = verdicts.length;
  let steps = 0;

  const onTerm = (key: number): number => {
    if (words.allowed !== undefined || matcher.steps > steps) {
      possible = INCONCLUSIVE;
      return Advice.STOP;
    }
    certain = Math.min(certain, byWord.certain[key]!);
    possible = Math.min(possible, byWord.possible[key]!);
    if (certain > byWord.strongest) return Advice.CONTINUE;
    return certain > byPattern.strongest ? Advice.END_TERMS : Advice.STOP;
  };
  const onPattern = (index: number): void => {
    certain = Math.min(certain, byPattern.certain[index]!);
    possible = Math.min(possible, byPattern.possible[index]!);
  };
  const scan = (text: string): void => {
    if (set === undefined) {
      if (words.count > 0) matcher.scan(text, onTerm);
    } else if (words.count === 0) set.mark(text, onPattern);
    else if (dfa === undefined) {
      matcher.scan(text, onTerm);
      if (certain > byPattern.strongest && possible !== INCONCLUSIVE) set.mark(text, onPattern);
    } else if (!matcher.scanWith(text, onTerm, dfa)) set.mark(text, onPattern);
    else for (let index = 0; index < dfa.matchedCount; index++) onPattern(dfa.matched[index]!);
  };

  return (text: string, operand: TextOperand): number => {
    byWord = tables.words[operand];
    byPattern = tables.patterns[operand];
    certain = verdicts.length;
    possible = verdicts.length;
    steps = STEPS_OF_A_TEXT + STEPS_OF_A_UNIT * text.length;
    try {
      scan(text);
    } catch (error) {
      if (error instanceof PatternFault) return INCONCLUSIVE;
      throw error;
    }
    if (certain <= tables.strongest) return certain;
    if (possible < certain) return INCONCLUSIVE;
    const wholeTexts = words.wholeTexts[operand];
    return wholeTexts.size > 0 && wholeTexts.mayEqual(text) ? INCONCLUSIVE : certain;
  };
}
