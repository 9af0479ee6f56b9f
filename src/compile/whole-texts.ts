import { type Folding, foldCodePoint, foldKey } from '../match/folding.js';
import type { Use, WholeTexts } from './compiled-rule-set.js';

const nobody: readonly Use[] = [];

/**
 * Looks whole texts up by their folded form. Most texts begin with a character that no such term begins with, and are
 * not folded then: folding every text took a third of `decide` over the fixtures.
 */
export function createWholeTexts(uses: readonly Use[], folding: Folding): WholeTexts {
  const byKey = new Map<string, Use[]>();
  const firsts = new Set<number>();
  for (const use of uses) {
    const term = use.written.trim();
    const key = foldKey(term, folding);
    const same = byKey.get(key);
    if (same === undefined) byKey.set(key, [use]);
    else same.push(use);
    firsts.add(foldCodePoint(term.codePointAt(0)!, folding));
  }
  return {
    size: byKey.size,
    usesOf: (trimmed) => {
      const first = trimmed.codePointAt(0);
      if (first === undefined || !firsts.has(foldCodePoint(first, folding))) return nobody;
      return byKey.get(foldKey(trimmed, folding)) ?? nobody;
    },
  };
}
