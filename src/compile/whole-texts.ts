import { type Folding, foldCodePoint, foldKey, foldText, isWhite, WHITE } from '../match/folding.js';
import type { Use, WholeTexts } from './compiled-rule-set.js';

const nobody: readonly Use[] = [];
/** Stands for what follows the last symbol of a text. */
const END = -2;
const BITS = 12;

/**
 * Looks whole texts up by their folded form. Most texts begin with two characters that no such term begins with, and are
 * not folded then: folding every text took a third of `decide` over the fixtures.
 */
export function createWholeTexts(uses: readonly Use[], folding: Folding): WholeTexts {
  const byKey = new Map<string, Use[]>();
  const beginnings = new Uint8Array(1 << BITS);
  for (const use of uses) {
    const term = use.written.trim();
    const key = foldKey(term, folding);
    const same = byKey.get(key);
    if (same === undefined) byKey.set(key, [use]);
    else same.push(use);
    const [first = END, second = END] = foldText(term, folding);
    beginnings[placeOf(first, second)] = 1;
    if (second === END) beginnings[placeOf(first, WHITE)] = 1;
  }
  return {
    size: byKey.size,
    mayEqual: (text) => {
      let at = 0;
      while (at < text.length && isWhite(text.charCodeAt(at))) at++;
      const first = symbolAt(text, at, folding);
      return beginnings[placeOf(first, symbolAt(text, at + (first > 0xffff ? 2 : 1), folding))] === 1;
    },
    usesOf: (trimmed) => byKey.get(foldKey(trimmed, folding)) ?? nobody,
  };
}

function symbolAt(text: string, at: number, folding: Folding): number {
  if (at >= text.length) return END;
  const code = text.codePointAt(at)!;
  return isWhite(code) ? WHITE : foldCodePoint(code, folding);
}

function placeOf(first: number, second: number): number {
  return Math.imul(Math.imul(first, 31) + second, 0x9e3779b1) >>> (32 - BITS);
}
