import { foldKey } from '../match/folding.js';
import { createHardenedMatcher, hardenedKey } from '../match/obfuscation/obfuscation-matcher.js';
import { createKeywordMatcher } from '../match/keyword-matcher.js';
import type { Semantics } from '../semantics.js';
import type { TextOperand, Use, WordIndex } from './compiled-rule-set.js';
import { indexUses } from './index-uses.js';
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
  const { folding } = semantics;
  const keys = new Map<string, number>();
  const terms: string[] = [];
  const keyOf = (term: string): number => {
    const folded = folding === 'hardened' ? hardenedKey(term) : foldKey(term, folding);
    const known = keys.get(folded);
    if (known !== undefined) return known;
    keys.set(folded, terms.length);
    return terms.push(term) - 1;
  };
  const parts: Record<TextOperand, Use[]> = { text: [], custom: [] };
  const partKeys: Record<TextOperand, number[]> = { text: [], custom: [] };
  const whole: Record<TextOperand, Use[]> = { text: [], custom: [] };
  for (const { use, operand, whole: isWhole } of requests) {
    if (isWhole) whole[operand].push(use);
    else {
      parts[operand].push(use);
      partKeys[operand].push(keyOf(use.written));
    }
  }
  const allowedKeys = semantics.allowTerms.filter((term) => term.trim() !== '').map(keyOf);
  const allowed = new Uint8Array(terms.length);
  for (const key of allowedKeys) allowed[key] = 1;
  const wholeTexts = { text: createWholeTexts(whole.text, folding), custom: createWholeTexts(whole.custom, folding) };
  const uses = {
    text: indexUses(parts.text, partKeys.text, terms.length),
    custom: indexUses(parts.custom, partKeys.custom, terms.length),
  };
  return {
    ...linkMatcher(terms, semantics),
    uses,
    count: terms.length,
    allowed,
    hasAllowed: allowedKeys.length > 0,
    wholeTexts,
  };
}

function linkMatcher(
  terms: readonly string[],
  { folding, words }: Semantics,
): Pick<WordIndex, 'matcher' | 'transformsOf'> {
  if (folding !== 'hardened') return { matcher: createKeywordMatcher(terms, { folding, words }) };
  const matcher = createHardenedMatcher(terms, { words });
  return { matcher, transformsOf: (key, text, { start, end }) => matcher.transformsOf(key, text, start, end) };
}
