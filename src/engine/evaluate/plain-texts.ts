/**
 * Recognises messages that are plainly allowed by their text and the fields that filters read, so
 * that an audit counts them without making a decision. Most messages are such.
 */
import type { CompiledRule, CompiledRuleSet } from '../compile/compiled-rule-set.js';
import { isMediaOperand, isTextOperand } from '../compile/operands.js';
import type { Fields } from '../compile/untrusted.js';
import { Advice } from '../match/keyword-scan.js';
import type { Semantics } from '../semantics.js';
import { evaluateFilters } from './filters.js';

/**
 * Steps of the matcher that leave the budget of any message unused; with more, a decision may be
 * truncated.
 */
const MOST_STEPS = 1 << 12;

/** Recognises the messages of a rule set that are plainly allowed. */
export interface PlainTexts {
  /**
   * Reports whether the decision on a message without scores is plainly allowed: no rule matches,
   * no match is excepted, and every condition can be evaluated. The message has the category
   * `message` or none, a string at `data.text`, and no files; `fields` need to have only what
   * filters read.
   */
  isPlain(text: string, fields: Fields): boolean;
  /** The properties of senders and receivers that filters read. */
  readonly properties: readonly string[];
}

/** Makes the test of a rule set; undefined if no decision by it is plainly allowed for certain. */
export function createPlainTexts(compiled: CompiledRuleSet, { exempt }: Semantics): PlainTexts | undefined {
  if (typeof exempt === 'function' || exempt.length > 0) return undefined;
  // Without an engine for patterns their conditions are unevaluated.
  if (compiled.patterns.fault !== undefined) return undefined;
  const suspects = compiled.rules.flatMap((rule) => suspectOf(compiled, rule) ?? []);
  if (suspects.some(({ filters, isUnevaluated }) => isUnevaluated && filters.length === 0)) return undefined;
  const isUntouched = createUntouched(compiled);
  return {
    properties: [...new Set(suspects.flatMap(({ filters }) => filters.map(({ operand }) => operand)))],
    isPlain(text, fields) {
      if (!isUntouched(text)) return false;
      for (const { filters, isUnevaluated } of suspects) {
        const { result } = evaluateFilters(filters, fields);
        if (result === 'unknown' || (isUnevaluated && result !== 'fails')) return false;
      }
      return true;
    },
  };
}

/** Returns what makes conditions of a rule on texts unevaluated, if anything does. */
function suspectOf(
  { conditions }: CompiledRuleSet,
  { filters, filterError, firstCondition, endCondition }: CompiledRule,
) {
  const onTexts = conditions
    .slice(firstCondition, endCondition)
    .filter(({ operand }) => operand === 'text' || !(isTextOperand(operand) || isMediaOperand(operand)));
  const isUnevaluated =
    filterError !== undefined ||
    onTexts.some(({ compileError, thresholds }) => compileError !== undefined || thresholds.length > 0);
  return onTexts.length > 0 && (isUnevaluated || filters.length > 0) ? { filters, isUnevaluated } : undefined;
}

/** Makes the test whether no term and no pattern occurs in a text, and the search does not fail. */
function createUntouched({ words, patterns: { set } }: CompiledRuleSet): (text: string) => boolean {
  const { matcher, count } = words;
  const dfa = set?.dfa;
  let isTouched = false;
  const onTerm = (): number => {
    isTouched = true;
    return Advice.STOP;
  };
  const onPattern = (): void => {
    isTouched = true;
  };
  const scan = (text: string): void => {
    if (count > 0 && dfa !== undefined) {
      if (!matcher.scanWith(text, onTerm, dfa)) set!.mark(text, onPattern);
      else if (dfa.matchedCount > 0) isTouched = true;
      return;
    }
    if (count > 0) matcher.scan(text, onTerm);
    if (set !== undefined && !isTouched) set.mark(text, onPattern);
  };
  return (text) => {
    isTouched = false;
    try {
      scan(text);
    } catch {
      return false;
    }
    return !isTouched && matcher.steps <= MOST_STEPS + text.length;
  };
}
