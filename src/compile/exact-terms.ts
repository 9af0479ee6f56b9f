import { type Folding, foldCodePoint, foldKey, foldText, isWhite, WHITE } from '../match/folding.js';
import { createObfuscationExactTerms } from '../match/obfuscation/exact-matches.js';
import type { Semantics } from '../semantics.js';
import type { ExactMatch, ExactTerms } from './compiled-rule-set.js';
import type { Reference } from './references.js';

const none: readonly ExactMatch[] = [];
/** The symbol behind the last one of a text. */
const END = -2;
const BITS = 12;

/**
 * A map from folded terms to references, behind a prefilter: a bitmap of hashes of the first two folded symbols of all terms.
 * Most texts do not pass it, and are not folded: folding every text took a third of `decide` over the fixtures.
 */
export function createExactTerms(references: readonly Reference[], folding: Semantics['folding']): ExactTerms {
  const characters = folding === 'hardened' ? 'case' : folding;
  const byKey = new Map<string, Reference[]>();
  for (const reference of references) {
    const key = foldKey(reference.written.trim(), characters);
    const same = byKey.get(key);
    if (same === undefined) byKey.set(key, [reference]);
    else same.push(reference);
  }
  return folding === 'hardened' ? obfuscatedExactTerms([...byKey.values()]) : plainExactTerms(byKey, folding);
}

function plainExactTerms(byKey: ReadonlyMap<string, readonly Reference[]>, folding: Folding): ExactTerms {
  const beginnings = new Uint8Array(1 << BITS);
  for (const [reference] of byKey.values()) {
    const [first = END, second = END] = foldText(reference!.written.trim(), folding);
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
      return byKey.get(foldKey(trimmed, folding))?.map((reference) => ({ reference, span, transforms: 0 })) ?? none;
    },
  };
}

function obfuscatedExactTerms(groups: readonly (readonly Reference[])[]): ExactTerms {
  const matches = createObfuscationExactTerms(groups.map(([reference]) => reference!.written.trim()));
  return {
    size: groups.length,
    mayEqual: matches.mayEqual,
    occurrencesIn: (text) =>
      matches
        .find(text)
        .flatMap(({ term, span, transforms }) => groups[term]!.map((reference) => ({ reference, span, transforms }))),
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
