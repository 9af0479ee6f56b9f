import { foldKey } from '../match/folding.js';
import { createHardenedMatcher, hardenedKey } from '../match/hardened/hardened-matcher.js';
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

/** Puts all terms of all rules behind one automaton, the allow-terms behind another; equal terms once folded are one key. */
export function linkWords(requests: readonly WordRequest[], semantics: Semantics): WordIndex {
  const { folding } = semantics;
  const folded = folding === 'hardened' ? hardenedKey : (term: string) => foldKey(term, folding);
  const keys = new Map<string, number>();
  const terms: string[] = [];
  const keyOf = (term: string): number => {
    const key = folded(term);
    const known = keys.get(key);
    if (known !== undefined) return known;
    keys.set(key, terms.length);
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
  const uses = {
    text: indexUses(parts.text, partKeys.text, terms.length),
    custom: indexUses(parts.custom, partKeys.custom, terms.length),
  };
  const allowed = new Map<string, string>();
  for (const term of semantics.allowTerms) if (term.trim() !== '') allowed.set(folded(term), term);
  const allowedOnly = [...allowed.keys()].filter((key) => !keys.has(key));
  return {
    ...linkMatcher(terms, semantics),
    uses,
    count: terms.length,
    distinct: terms.length + allowedOnly.length,
    ...(allowed.size > 0 && { allowed: linkMatcher([...allowed.values()], semantics).matcher }),
    wholeTexts: { text: createWholeTexts(whole.text, folding), custom: createWholeTexts(whole.custom, folding) },
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
