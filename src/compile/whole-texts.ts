import { type Folding, foldCodePoint, foldKey, foldText, isWhite, WHITE } from '../match/folding.js';
import { createHardenedWholes } from '../match/obfuscation/exact-matches.js';
import type { Semantics } from '../semantics.js';
import type { Use, WholeText, WholeTexts } from './compiled-rule-set.js';

const none: readonly WholeText[] = [];
/** Stands for what follows the last symbol of a text. */
const END = -2;
const BITS = 12;

/**
 * Looks whole texts up by their folded form. Most texts begin with two characters that no such term begins with, and are
 * not folded then: folding every text took a third of `decide` over the fixtures.
 */
export function createWholeTexts(uses: readonly Use[], folding: Semantics['folding']): WholeTexts {
  const characters = folding === 'hardened' ? 'case' : folding;
  const byKey = new Map<string, Use[]>();
  for (const use of uses) {
    const key = foldKey(use.written.trim(), characters);
    const same = byKey.get(key);
    if (same === undefined) byKey.set(key, [use]);
    else same.push(use);
  }
  return folding === 'hardened' ? hardenedWholeTexts([...byKey.values()]) : plainWholeTexts(byKey, folding);
}

function plainWholeTexts(byKey: ReadonlyMap<string, readonly Use[]>, folding: Folding): WholeTexts {
  const beginnings = new Uint8Array(1 << BITS);
  for (const [use] of byKey.values()) {
    const [first = END, second = END] = foldText(use!.written.trim(), folding);
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
    occurrencesIn: (text) => {
      const trimmed = text.trim();
      const start = text.length - text.trimStart().length;
      const span = { start, end: start + trimmed.length };
      return byKey.get(foldKey(trimmed, folding))?.map((use) => ({ use, span })) ?? none;
    },
  };
}

function hardenedWholeTexts(groups: readonly (readonly Use[])[]): WholeTexts {
  const wholes = createHardenedWholes(groups.map(([use]) => use!.written.trim()));
  return {
    size: groups.length,
    mayEqual: wholes.mayEqual,
    occurrencesIn: (text) =>
      wholes
        .find(text)
        .flatMap(({ term, span, transforms }) => groups[term]!.map((use) => ({ use, span, transforms }))),
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
