/**
 * The fast path of `decide`, for most messages: a text, or an object with one under `data.text`. It
 * allocates nothing, and the scan ends as soon as no stronger verdict is possible. Everything else
 * (media, a rule with filters, an exception, a text equal to a term, far more occurrences than
 * characters) is evaluated in full, by `hits.ts`.
 */
import type { CompiledRuleSet } from '../compile/compiled-rule-set.js';
import { isMediaOperand, textOperandOf } from '../compile/operands.js';
import { asFields, asString, read } from '../compile/untrusted.js';
import { Advice } from '../match/keyword-scan.js';
import type { Semantics } from '../semantics.js';
import type { Verdict } from './decision.js';

/**
 * Returns the verdict on a message without media, or `undefined` when the message must be evaluated
 * in full.
 */
type FastPath = (message: unknown) => Verdict | undefined;

/** The message must be evaluated in full. */
const INCONCLUSIVE = -1;

/**
 * Steps of the matcher for a text and for each of its units, beyond which found terms must be
 * closed, as in the full evaluation.
 */
const STEPS_OF_A_TEXT = 1 << 12;
const STEPS_OF_A_UNIT = 4;

/**
 * Makes the fast path. It reads the same fields in the same way as the full evaluation.
 *
 * INVARIANT: a verdict that it returns is that of the full evaluation; a property test holds it to
 * that.
 */
export function createFastPath(compiled: CompiledRuleSet, semantics: Semantics): FastPath {
  const { exempt, missingScores } = semantics;
  const mayExempt = typeof exempt === 'function' || exempt.length > 0;
  const needsScores =
    missingScores === 'block' &&
    compiled.scoredConditions.some((index) => isMediaOperand(compiled.conditions[index]!.operand));
  if (mayExempt || needsScores) return () => undefined;
  const rankOf = createTextRank(compiled);
  const verdictOf = (text: string): Verdict | undefined => {
    const rank = rankOf(text);
    return rank === INCONCLUSIVE ? undefined : (compiled.verdicts[rank] ?? 'allow');
  };
  return (message) => {
    if (typeof message === 'string') return verdictOf(message);
    const fields = asFields(message);
    if (fields === undefined) return undefined;
    const category = read(fields, 'category');
    if (category === 'action' || textOperandOf(category) !== 'text') return undefined;
    const text = asString(read(asFields(read(fields, 'data')), 'text'));
    return text === undefined ? undefined : verdictOf(text);
  };
}

/**
 * Makes the function from a text to the rank of its strongest verdict in
 * `CompiledRuleSet.verdicts`, the number of these when nothing was found, or `INCONCLUSIVE`. No
 * code of the caller runs inside, so one set of variables serves all calls.
 */
function createTextRank({ words, patterns, tables, verdicts }: CompiledRuleSet) {
  const { set } = patterns;
  const { matcher } = words;
  const dfa = set?.dfa;
  const byWord = tables.words.text;
  const byPattern = tables.patterns.text;
  /**
   * Rank of the strongest verdict that the hits give, and of the strongest that a full evaluation
   * may give.
   */
  let certain = verdicts.length;
  let possible = verdicts.length;
  let steps = 0;

  const onTerm = (key: number): number => {
    if (matcher.steps > steps) {
      possible = INCONCLUSIVE;
      return Advice.STOP;
    }
    certain = Math.min(certain, byWord.certain[key]!);
    possible = Math.min(possible, byWord.possible[key]!);
    if (certain > byWord.strongest) return Advice.CONTINUE;
    return certain > byPattern.strongest ? Advice.PATTERNS_ONLY : Advice.STOP;
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

  return (text: string): number => {
    certain = verdicts.length;
    possible = verdicts.length;
    steps = STEPS_OF_A_TEXT + STEPS_OF_A_UNIT * text.length;
    try {
      scan(text);
    } catch {
      // The full evaluation says which conditions have no answer.
      return INCONCLUSIVE;
    }
    if (certain <= tables.strongest) return certain;
    return possible < certain ? INCONCLUSIVE : certain;
  };
}
