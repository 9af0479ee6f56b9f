/**
 * Finds every occurrence of every term in one pass over a text, overlaps included. Knows nothing of rules.
 */
import { type Alphabet, buildAlphabet, OTHER, WHITE_UNIT } from './alphabet.js';
import { type Folding, foldText, isWhite, WHITE } from './folding.js';
import { buildKeywordAutomaton, type KeywordAutomaton } from './keyword-automaton.js';
import { isWordEdge } from './word-edges.js';

export interface KeywordOptions {
  readonly folding: Folding;
  /** `word`: both ends of a match are word edges. */
  readonly words: 'word' | 'substring';
}

/** Gets one occurrence: the term's index and its UTF-16 span. Answering `true` ends the scan. */
// biome-ignore lint/suspicious/noConfusingVoidType: a visitor that never stops the scan returns nothing
export type OnTerm = (term: number, start: number, end: number) => boolean | void;

export interface KeywordMatcher {
  readonly states: number;
  readonly classes: number;
  readonly bytes: number;
  /** Visits every occurrence, in the order in which they end; at one end, longer terms first. */
  scan(text: string, onTerm: OnTerm): void;
}

/** How to find the start of a term from its end. */
interface TermShape {
  /** Length in UTF-16 units, when every symbol is one unit long; else 0, and the text is walked back. */
  readonly units: number;
  readonly symbols: readonly number[];
}

/**
 * Compiles terms. Their indices are what `scan` reports; a blank term never matches. Terms that are equal once folded
 * must be given once.
 */
export function createKeywordMatcher(terms: readonly string[], options: KeywordOptions): KeywordMatcher {
  const folded = terms.map((term) => foldText(term, options.folding));
  const alphabet = buildAlphabet(folded, options.folding);
  const kept = folded.map((_, index) => index).filter((index) => folded[index]!.some((symbol) => symbol !== WHITE));
  const automaton = buildKeywordAutomaton(
    kept.map((index) => folded[index]!.map(alphabet.classOf)),
    alphabet.size,
  );
  const shapes = kept.map((index) => shapeOf(folded[index]!));
  const wholeWords = options.words === 'word';

  const visit = (text: string, state: number, end: number, onTerm: OnTerm): boolean => {
    for (
      let at = automaton.ends[state]! >= 0 ? state : automaton.shorter[state]!;
      at >= 0;
      at = automaton.shorter[at]!
    ) {
      const term = automaton.ends[at]!;
      const shape = shapes[term]!;
      const start = shape.units > 0 ? end - shape.units : walkBack(text, end, shape.symbols);
      const stop = shape.symbols.at(-1) === WHITE ? endOfWhite(text, end) : end;
      if (wholeWords && !(isWordEdge(text, start) && isWordEdge(text, stop))) continue;
      if (onTerm(kept[term]!, start, stop) === true) return true;
    }
    return false;
  };

  return {
    states: automaton.states,
    classes: alphabet.size,
    bytes: automaton.bytes + alphabet.units.byteLength,
    scan: (text, onTerm) => scan(text, alphabet, automaton, visit, onTerm),
  };
}

type Visit = (text: string, state: number, end: number, onTerm: OnTerm) => boolean;

function scan(text: string, alphabet: Alphabet, automaton: KeywordAutomaton, visit: Visit, onTerm: OnTerm): void {
  const { units } = alphabet;
  const { dense, width, firstAccepting } = automaton;
  let state = 0;
  let inWhite = false;
  for (let at = 0; at < text.length; at++) {
    let classNumber = units[text.charCodeAt(at)]!;
    if (classNumber < 0) {
      if (classNumber === WHITE_UNIT) {
        if (inWhite) continue;
        inWhite = true;
        classNumber = alphabet.white;
      } else {
        inWhite = false;
        const code = text.codePointAt(at)!;
        if (code > 0xffff) at++;
        classNumber = alphabet.astral.get(code) ?? OTHER;
      }
    } else inWhite = false;
    state = classNumber < width ? dense[state * width + classNumber]! : stepRare(automaton, state, classNumber);
    if (state >= firstAccepting && visit(text, state, at + 1, onTerm)) return;
  }
}

function stepRare(automaton: KeywordAutomaton, from: number, classNumber: number): number {
  let state = from;
  for (;;) {
    const next = automaton.rare.get(state, classNumber);
    if (next >= 0) return next;
    if (state === 0) return 0;
    state = automaton.failure[state]!;
  }
}

function shapeOf(symbols: readonly number[]): TermShape {
  const simple = symbols.every((symbol) => symbol !== WHITE && symbol <= 0xffff);
  return { units: simple ? symbols.length : 0, symbols };
}

/** Start of a term that ends at `end`, through runs of white space and pairs of surrogates. */
function walkBack(text: string, end: number, symbols: readonly number[]): number {
  let at = end;
  for (let index = symbols.length - 1; index >= 0; index--) {
    if (symbols[index] === WHITE) {
      while (at > 0 && isWhite(text.charCodeAt(at - 1))) at--;
    } else at -= isPairBefore(text, at) ? 2 : 1;
  }
  return at;
}

function isPairBefore(text: string, at: number): boolean {
  return at >= 2 && (text.charCodeAt(at - 1) & 0xfc00) === 0xdc00 && (text.charCodeAt(at - 2) & 0xfc00) === 0xd800;
}

function endOfWhite(text: string, from: number): number {
  let at = from;
  while (at < text.length && isWhite(text.charCodeAt(at))) at++;
  return at;
}
