import { PORTION, type Portions } from '../../foundation/portions.js';
import {
  bareText,
  DOT,
  ELLIPSIS,
  type Folding,
  foldCodePoint,
  foldKey,
  foldText,
  isWhite,
  WHITE,
} from '../match/folding.js';
import { createObfuscationExactTerms } from '../match/obfuscation/exact-matches.js';
import type { ExactMatch, ExactTerms } from './compiled-rule-set.js';
import type { Reference } from './references.js';
import { charactersOf, type TermFolding } from './word-readings.js';

const none: readonly ExactMatch[] = [];
/** Stands after the last symbol of a text. */
const END = -2;
const BITS = 12;

/** Makes the terms of the operator `equals`, which whole texts are compared with, in portions. A list with a folding of its own is compared by that. */
export function* createExactTerms(
  references: readonly Reference[],
  foldingOf: (listId: string | undefined) => TermFolding,
): Portions<ExactTerms> {
  const byFolding = new Map<TermFolding, Map<string, Reference[]>>();
  let left = PORTION;
  for (const reference of references) {
    left -= reference.written.length + 1;
    if (left < 0) {
      left = PORTION;
      yield;
    }
    const folding = foldingOf(reference.listId);
    const byKey = byFolding.get(folding) ?? new Map<string, Reference[]>();
    byFolding.set(folding, byKey);
    const key = foldKey(reference.written.trim(), charactersOf(folding));
    // A term of marks alone, which are nothing.
    if (key === '') continue;
    const same = byKey.get(key);
    if (same === undefined) byKey.set(key, [reference]);
    else same.push(reference);
  }
  const all: ExactTerms[] = [];
  for (const [folding, byKey] of byFolding) {
    all.push(
      folding === 'hardened'
        ? yield* obfuscatedExactTerms([...byKey.values()])
        : yield* plainExactTerms(byKey, folding),
    );
  }
  if (all.length === 1) return all[0]!;
  return {
    size: all.reduce((sum, { size }) => sum + size, 0),
    mayEqual: (text) => all.some((terms) => terms.mayEqual(text)),
    occurrencesIn: (text) => all.flatMap((terms) => terms.occurrencesIn(text)),
  };
}

/**
 * Maps folded terms to references, behind a prefilter: a bitmap of hashes of the first two folded symbols of all terms.
 * Most texts do not pass it, and are not folded: folding every text took a third of `decide` over the fixtures.
 */
function* plainExactTerms(byKey: ReadonlyMap<string, readonly Reference[]>, folding: Folding): Portions<ExactTerms> {
  const beginnings = new Uint8Array(1 << BITS);
  let left = PORTION;
  for (const [reference] of byKey.values()) {
    left -= reference!.written.length + 1;
    if (left < 0) {
      left = PORTION;
      yield;
    }
    const [first = END, second = END] = foldText(reference!.written.trim(), folding);
    beginnings[placeOf(first, second)] = 1;
    if (second === END) beginnings[placeOf(first, WHITE)] = 1;
  }
  return {
    size: byKey.size,
    mayEqual: (sent) => {
      const text = bareText(sent, folding);
      let at = 0;
      while (at < text.length && isWhite(text.charCodeAt(at))) at++;
      const first = symbolAt(text, at, folding);
      const second = isEllipsis(text, at, folding) ? DOT : symbolAt(text, at + (first > 0xffff ? 2 : 1), folding);
      return beginnings[placeOf(first, second)] === 1;
    },
    occurrencesIn: (text) => {
      const trimmed = text.trim();
      const start = text.length - text.trimStart().length;
      const span = { start, end: start + trimmed.length };
      return byKey.get(foldKey(trimmed, folding))?.map((reference) => ({ reference, span, transforms: 0 })) ?? none;
    },
  };
}

function* obfuscatedExactTerms(groups: readonly (readonly Reference[])[]): Portions<ExactTerms> {
  const matches = yield* createObfuscationExactTerms(groups.map(([reference]) => reference!.written.trim()));
  return {
    size: groups.length,
    mayEqual: matches.mayEqual,
    occurrencesIn: (text) =>
      matches
        .find(text)
        .flatMap(({ term, span, transforms }) => groups[term]!.map((reference) => ({ reference, span, transforms }))),
  };
}

function isEllipsis(text: string, at: number, folding: Folding): boolean {
  return folding !== 'exact' && text.charCodeAt(at) === ELLIPSIS;
}

function symbolAt(text: string, at: number, folding: Folding): number {
  if (at >= text.length) return END;
  if (isEllipsis(text, at, folding)) return DOT;
  const code = text.codePointAt(at)!;
  return isWhite(code) ? WHITE : foldCodePoint(code, folding);
}

function placeOf(first: number, second: number): number {
  return Math.imul(Math.imul(first, 31) + second, 0x9e3779b1) >>> (32 - BITS);
}
