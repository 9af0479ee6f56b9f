/**
 * Programs of the pattern automaton for terms: what a term finds under a reading, as an expression over code points.
 *
 * An instance of Thompson's construction, from the end to the beginning. Word edges are written out with the characters beside the term,
 * instead of being assertions. With J for characters that join words, L for those that link them, N for all others, and a term T whose
 * ends are J:
 *
 *   (^|N) L* T L* (N|$)
 *
 * An offset is not an edge exactly where `J L*` stands before it and `L* J` after it. A character of a term may stand for some that join and
 * some that do not (`'` is also U+02BC, a letter): both kinds are alternatives, the second without the characters beside it.
 *
 * INVARIANT: a text fires the program exactly when `KeywordMatcher` finds the term in it. Under `accents` the text is what
 * `withoutAccents` reads, except that a letter that it reads as several stays itself (`ß`), because no occurrence ends within one. Which
 * characters join, link and fold to one another is read from `word-edges.ts` and `folding.ts`.
 */
import {
  type Folding,
  foldCodePoint,
  foldedCharacters,
  foldText,
  isWhite,
  severalSymbols,
  WHITE,
} from '../../engine/match/folding.js';
import { Assertion, Op, type PatternProgram } from '../../engine/match/patterns/program.js';
import {
  END_OF_JOINING,
  FREE_END,
  FREE_START,
  freeSidesOf,
  joinsWords,
  linksWords,
  type WordReading,
} from '../../engine/match/word-edges.js';

const LAST = 0x10ffff;

/** The characters of a symbol: all of them, those that join words, or the others. */
export type Part = 'all' | 'joining' | 'apart';

/** A term that is to be found in texts. `whole`: the trimmed text equals it, whatever the reading. */
interface TermLanguage {
  readonly text: string;
  readonly reading: WordReading;
  readonly folding: Folding;
  readonly whole: boolean;
}

/**
 * Returns the program of a term; `undefined` for a term with lone surrogates, or without anything to find, and for whole texts under `accents`, which
 * a mark after a blank changes.
 */
export function termProgram({ text, reading, folding, whole }: TermLanguage): PatternProgram | undefined {
  if (whole && folding === 'accents') return undefined;
  const symbols = foldText(text, folding);
  if (symbols.every((symbol) => symbol === WHITE) || symbols.some((symbol) => (symbol & ~0x7ff) === 0xd800))
    return undefined;
  const build = new ProgramBuilder(symbols, folding);
  if (whole) return build.program(build.wholeText());
  const [free = 0] = freeSidesOf(reading, 1);
  return build.program(build.between((free & FREE_START) === 0, (free & FREE_END) === 0));
}

const { FAIL, FORK, RUNES, ASSERT, MATCH } = Op;
const NOTHING = 0;

class ProgramBuilder {
  readonly #symbols: readonly number[];
  readonly #folding: Folding;
  readonly #op: number[] = [FAIL, MATCH];
  readonly #out: number[] = [0, 0];
  readonly #arg: number[] = [0, 0];
  readonly #sets: Int32Array[] = [];
  #assertions = 0;
  readonly #match = 1;

  constructor(symbols: readonly number[], folding: Folding) {
    this.#symbols = symbols;
    this.#folding = folding;
  }

  program(start: number): PatternProgram {
    const size = this.#op.length;
    return {
      patterns: 1,
      size,
      op: Uint8Array.from(this.#op),
      out: Int32Array.from(this.#out),
      arg: Int32Array.from(this.#arg),
      owner: new Int32Array(size),
      starts: Int32Array.of(start),
      runeSets: this.#sets,
      assertions: this.#assertions,
    };
  }

  /** Makes the term with blanks around it, from the beginning of the text to its end. */
  wholeText(): number {
    const end = this.#loop(whites(), this.#assert(Assertion.END_TEXT, this.#match));
    return this.#assert(Assertion.BEGIN_TEXT, this.#loop(whites(), this.#term(end, new Map())));
  }

  /** Makes the term anywhere in a text, with word edges at the sides that need one. */
  between(startsAtEdge: boolean, endsAtEdge: boolean): number {
    const first = this.#symbols.findIndex((symbol) => !linksWords(symbol));
    const last = this.#symbols.findLastIndex((symbol) => !linksWords(symbol));
    if (first < 0) {
      const term = this.#term(this.#match, new Map());
      if (!startsAtEdge && !endsAtEdge) return term;
      return this.#fork(this.#behindEdge(term), this.#term(this.#beforeEdge(), new Map()));
    }
    const starts: readonly (Part | undefined)[] = startsAtEdge ? ['joining', 'apart'] : [undefined];
    const ends: readonly (Part | undefined)[] = endsAtEdge ? ['joining', 'apart'] : [undefined];
    let all = NOTHING;
    for (const start of starts) {
      for (const end of ends) {
        if (first === last && start !== undefined && end !== undefined && start !== end) continue;
        const parts = new Map<number, Part>();
        if (start !== undefined) parts.set(first, start);
        if (end !== undefined) parts.set(last, end);
        const term = this.#term(end === 'joining' ? this.#beforeEdge() : this.#match, parts);
        all = this.#fork(all, start === 'joining' ? this.#behindEdge(term) : term);
      }
    }
    return all;
  }

  /** Puts a word edge before `next`, which begins with a joining character, perhaps after links. */
  #behindEdge(next: number): number {
    if (next === NOTHING) return NOTHING;
    const lines = this.#loop(links(), next);
    return this.#fork(this.#assert(Assertion.BEGIN_TEXT, lines), this.#runes(separating(), lines));
  }

  #beforeEdge(): number {
    const end = this.#fork(this.#runes(separating(), this.#match), this.#assert(Assertion.END_TEXT, this.#match));
    return this.#loop(links(), end);
  }

  /** Makes the symbols of the term before `next`, some of them by a part of their characters. */
  #term(next: number, parts: ReadonlyMap<number, Part>): number {
    const symbols = this.#symbols;
    const places = new Array<number>(symbols.length + 1).fill(NOTHING);
    places[symbols.length] = next;
    for (let at = symbols.length - 1; at >= 0; at--) {
      const behind = places[at + 1]!;
      const part = parts.get(at) ?? 'all';
      if (symbols[at] === WHITE) places[at] = part === 'joining' ? NOTHING : this.#several(whites(), behind);
      else places[at] = this.#runes(symbolCharacters(symbols[at]!, this.#folding, part), behind);
      for (const [code, letters] of expansionsOf(this.#folding).get(symbols[at]!) ?? []) {
        if (!letters.every((letter, index) => symbols[at + index] === letter)) continue;
        const wanted = letters.map((_, index) => parts.get(at + index) ?? 'all');
        const isOfPart = wanted.every((own) => own === 'all' || (own === 'joining') === joinsWords(code));
        if (isOfPart) places[at] = this.#fork(places[at]!, this.#runes(single(code), places[at + letters.length]!));
      }
    }
    return places[0]!;
  }

  #emit(op: number, out: number, arg: number): number {
    this.#out.push(out);
    this.#arg.push(arg);
    return this.#op.push(op) - 1;
  }

  #fork(one: number, other: number): number {
    return one === NOTHING ? other : other === NOTHING ? one : this.#emit(FORK, one, other);
  }

  #runes(set: Int32Array, next: number): number {
    if (set.length === 0 || next === NOTHING) return NOTHING;
    const known = this.#sets.indexOf(set);
    return this.#emit(RUNES, next, known < 0 ? this.#sets.push(set) - 1 : known);
  }

  #assert(assertion: number, next: number): number {
    if (next === NOTHING) return NOTHING;
    this.#assertions |= assertion;
    return this.#emit(ASSERT, next, assertion);
  }

  #loop(set: Int32Array, next: number): number {
    if (next === NOTHING) return NOTHING;
    const fork = this.#emit(FORK, NOTHING, next);
    this.#out[fork] = this.#runes(set, fork);
    return fork;
  }

  #several(set: Int32Array, next: number): number {
    return this.#runes(set, this.#loop(set, next));
  }
}

/** Makes a set of code points, as ascending pairs of first and last. */
function setOf(codes: Iterable<number>): Int32Array {
  const pairs: number[] = [];
  for (const code of [...codes].sort((a, b) => a - b)) {
    if (pairs.at(-1) === code - 1) pairs[pairs.length - 1] = code;
    else pairs.push(code, code);
  }
  return Int32Array.from(pairs);
}

function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

function* codesWhere(end: number, holds: (code: number) => boolean): Generator<number> {
  for (let code = 0; code < end; code++) if (holds(code)) yield code;
}

const links = once(() => setOf(codesWhere(END_OF_JOINING, linksWords)));
const whites = once(() => setOf(codesWhere(0x10000, isWhite)));
/** The characters that neither join words nor link them. */
const separating = once(() => {
  const others = setOf(codesWhere(END_OF_JOINING, (code) => linksWords(code) || joinsWords(code)));
  return Int32Array.from([0, ...Array.from(others, (code, at) => code + (at % 2 === 0 ? -1 : 1)), LAST]);
});

const singles = new Map<number, Int32Array>();

function single(code: number): Int32Array {
  const known = singles.get(code) ?? Int32Array.of(code, code);
  singles.set(code, known);
  return known;
}

const sets = new Map<string, Int32Array>();

/** Returns the characters that a symbol of a folded text stands for: all, or those of a part. */
export function symbolCharacters(symbol: number, folding: Folding, part: Part): Int32Array {
  const key = `${symbol} ${folding} ${part}`;
  let set = sets.get(key);
  if (set === undefined) {
    const codes = [symbol, ...(variantsBy(folding).get(symbol) ?? [])];
    set = setOf(part === 'all' ? codes : codes.filter((code) => joinsWords(code) === (part === 'joining')));
    sets.set(key, set);
  }
  return set;
}

/** Caches a value for each folding. */
function byFolding<T>(make: (folding: Folding) => T): (folding: Folding) => T {
  const made = new Map<Folding, T>();
  return (folding) => {
    const own = made.get(folding) ?? make(folding);
    made.set(folding, own);
    return own;
  };
}

/** Returns, for each symbol, the other characters that fold to it. */
const variantsBy = byFolding((folding) => {
  const found = new Map<number, number[]>();
  for (const code of new Set(foldedCharacters(folding))) {
    const symbol = foldCodePoint(code, folding);
    if (symbol !== code) found.set(symbol, [...(found.get(symbol) ?? []), code]);
  }
  return found;
});

/** Returns the characters that stand for several symbols, by the first of these. */
export const expansionsOf = byFolding((folding) => {
  const found = new Map<number, (readonly [code: number, symbols: readonly number[]])[]>();
  for (const own of severalSymbols(folding)) found.set(own[1][0]!, [...(found.get(own[1][0]!) ?? []), own]);
  return found;
});
