import { foldKey } from '../match/folding.js';
import { createKeywordMatcher } from '../match/keyword-matcher.js';
import type { Semantics } from '../semantics.js';
import type { TextOperand, Use, WordIndex } from './compiled-rule-set.js';
import { createWholeTexts } from './whole-texts.js';

/** A term that a condition asks for. */
export interface WordRequest {
  readonly use: Use;
  readonly operand: TextOperand;
  /** The whole text, trimmed, must equal it. */
  readonly whole: boolean;
}

/** Puts all terms of all rules, and the allow-terms, behind one automaton; equal terms once folded are one key. */
export function linkWords(requests: readonly WordRequest[], semantics: Semantics): WordIndex {
  const { folding, words } = semantics;
  const keys = new Map<string, number>();
  const terms: string[] = [];
  const uses: Record<TextOperand, Use[][]> = { text: [], custom: [] };
  const keyOf = (term: string): number => {
    const folded = foldKey(term, folding);
    let key = keys.get(folded);
    if (key === undefined) {
      key = terms.length;
      keys.set(folded, key);
      terms.push(term);
      uses.text.push([]);
      uses.custom.push([]);
    }
    return key;
  };
  const whole: Record<TextOperand, Use[]> = { text: [], custom: [] };
  for (const { use, operand, whole: isWhole } of requests) {
    if (isWhole) whole[operand].push(use);
    else {
      const key = keyOf(use.written);
      uses[operand][key]!.push(use);
    }
  }
  const allowedKeys = semantics.allowTerms.filter((term) => term.trim() !== '').map(keyOf);
  const allowed = new Uint8Array(terms.length);
  for (const key of allowedKeys) allowed[key] = 1;
  const matcher = createKeywordMatcher(terms, { folding, words });
  const wholeTexts = { text: createWholeTexts(whole.text, folding), custom: createWholeTexts(whole.custom, folding) };
  const asking = { text: uses.text.map(distinctConditions), custom: uses.custom.map(distinctConditions) };
  return { matcher, uses, asking, hasKeys: terms.length > 0, allowed, hasAllowed: allowedKeys.length > 0, wholeTexts };
}

/** A list may hold a word in many cases: one key, many uses, one condition to mark. */
function distinctConditions(uses: readonly Use[]): readonly number[] {
  return [...new Set(uses.map((use) => use.condition))];
}
