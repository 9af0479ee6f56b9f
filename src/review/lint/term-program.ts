/**
 * Terms as programs of the pattern automaton: what a term finds under a reading, as an expression over code points.
 *
 * An instance of: Thompson's construction, from the end to the beginning. Word edges are not assertions of their own, they are written out
 * with the characters beside the term. With J for characters that join words, N for all others but `_`, and a term T whose
 * ends are J:
 *
 *   (^|N) _* T _* (N|$)
 *
 * for an offset is no edge exactly where `J _*` stands before it and `_* J` behind. A character of a term may stand for some that join and
 * some that do not (`'` is also U+02BC, a letter): both kinds are alternatives, the second without the characters beside.
 *
 * INVARIANT: a text fires the program exactly when `KeywordMatcher` finds the term in it. Under `accents` the text is what
 * `withoutAccents` reads, but that a letter which it reads as several is itself (`ß`), for no occurrence ends within one.
 */
import { accentFolds, severalLetters } from '../../engine/match/accents.js';
import { caseFolds } from '../../engine/match/case-folding.js';
import {
  DOT,
  DOTS,
  ELLIPSIS,
  type Folding,
  foldCodePoint,
  foldText,
  isWhite,
  WHITE,
} from '../../engine/match/folding.js';
import { Assertion, Op, type PatternProgram } from '../../engine/match/patterns/program.js';
import { joinsWords, type WordReading } from '../../engine/match/word-edges.js';

const LOW_LINE = 0x5f;
const LAST = 0x10ffff;
/** Planes of which some character joins words: those from 4 on have none, as a test holds. */
const END_OF_JOINING = 0x40000;

/** The characters of a symbol: all of them, those that join words, or the others. */
export type Part = 'all' | 'joining' | 'apart';

/** A term that is to be found in texts. `whole`: the trimmed text equals it, whatever the reading. */
export interface TermLanguage {
  readonly text: string;
  readonly reading: WordReading;
  readonly folding: Folding;
  readonly whole: boolean;
}

/**
 * The program of a term; `undefined` for one that holds lone surrogates, or nothing to be found, and for whole texts under `accents`, of
 * which a mark behind a blank makes others.
 */
export function termProgram({ text, reading, folding, whole }: TermLanguage): PatternProgram | undefined {
  if (whole && folding === 'accents') return undefined;
  const symbols = foldText(text, folding);
  if (symbols.every((symbol) => symbol === WHITE) || symbols.some((symbol) => (symbol & ~0x7ff) === 0xd800))
    return undefined;
  const build = new ProgramBuilder(symbols, folding);
  if (whole) return build.program(build.wholeText());
  const startsAtEdge = reading === 'word' || reading === 'prefix';
  const endsAtEdge = reading === 'word' || reading === 'suffix';
  return build.program(build.between(startsAtEdge, endsAtEdge));
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

  /** The term with blanks around it, from the beginning of the text to its end. */
  wholeText(): number {
    const end = this.#loop(whites(), this.#assert(Assertion.END_TEXT, this.#match));
    return this.#assert(Assertion.BEGIN_TEXT, this.#loop(whites(), this.#term(end, new Map())));
  }

  /** The term anywhere, with word edges at the sides that need one. */
  between(startsAtEdge: boolean, endsAtEdge: boolean): number {
    const first = this.#symbols.findIndex((symbol) => symbol !== LOW_LINE);
    const last = this.#symbols.findLastIndex((symbol) => symbol !== LOW_LINE);
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

  /** What a word edge before `next` needs where `next` begins with a joining character, perhaps behind `_`. */
  #behindEdge(next: number): number {
    if (next === NOTHING) return NOTHING;
    const lines = this.#loop(lowLine, next);
    return this.#fork(this.#assert(Assertion.BEGIN_TEXT, lines), this.#runes(separating(), lines));
  }

  #beforeEdge(): number {
    const end = this.#fork(this.#runes(separating(), this.#match), this.#assert(Assertion.END_TEXT, this.#match));
    return this.#loop(lowLine, end);
  }

  /** The symbols of the term, then `next`; some symbols by a part of their characters. */
  #term(next: number, parts: ReadonlyMap<number, Part>): number {
    const symbols = this.#symbols;
    const places = new Array<number>(symbols.length + 1).fill(NOTHING);
    places[symbols.length] = next;
    for (let at = symbols.length - 1; at >= 0; at--) {
      const behind = places[at + 1]!;
      const part = parts.get(at) ?? 'all';
      if (symbols[at] === WHITE) places[at] = part === 'joining' ? NOTHING : this.#several(whites(), behind);
      else places[at] = this.#runes(symbolCharacters(symbols[at]!, this.#folding, part), behind);
      for (const [code, letters] of expansions(this.#folding).get(symbols[at]!) ?? []) {
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

/** Sets of code points, as ascending pairs of first and last. */
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

const lowLine = Int32Array.of(LOW_LINE, LOW_LINE);
const whites = once(() => setOf(codesWhere(0x10000, isWhite)));
/** The characters that join no words, nor may stand in a run that does, as `_` may. */
const separating = once(() => {
  const joining = setOf(codesWhere(END_OF_JOINING, (code) => code === LOW_LINE || joinsWords(code)));
  return Int32Array.from([0, ...Array.from(joining, (code, at) => code + (at % 2 === 0 ? -1 : 1)), LAST]);
});

const singles = new Map<number, Int32Array>();

function single(code: number): Int32Array {
  const known = singles.get(code) ?? Int32Array.of(code, code);
  singles.set(code, known);
  return known;
}

const variants = new Map<Folding, Map<number, number[]>>();
const sets = new Map<string, Int32Array>();

/** The characters that a symbol of a folded text stands for, of them those of a part. */
export function symbolCharacters(symbol: number, folding: Folding, part: Part): Int32Array {
  const key = `${symbol} ${folding} ${part}`;
  let set = sets.get(key);
  if (set === undefined) {
    const codes = folding === 'exact' ? [symbol] : (variantsBy(folding).get(symbol) ?? [symbol]);
    set = setOf(part === 'all' ? codes : codes.filter((code) => joinsWords(code) === (part === 'joining')));
    sets.set(key, set);
  }
  return set;
}

/** By symbol: the characters that fold to it, where that is not the symbol alone. */
function variantsBy(folding: Folding): ReadonlyMap<number, readonly number[]> {
  const known = variants.get(folding);
  if (known !== undefined) return known;
  const found = new Map<number, number[]>();
  const changed = new Set([...codesWhere(0x10000, () => true), ...caseFolds.keys(), ...accentFolds().keys()]);
  for (const code of changed) {
    const symbol = foldCodePoint(code, folding);
    if (symbol === code || isWhite(code) || code === ELLIPSIS) continue;
    const codes = found.get(symbol) ?? [symbol];
    codes.push(code);
    found.set(symbol, codes);
  }
  variants.set(folding, found);
  return found;
}

type Expansions = ReadonlyMap<number, readonly (readonly [code: number, symbols: readonly number[]])[]>;

const none: Expansions = new Map();
const dots: Expansions = new Map([[DOT, [[ELLIPSIS, new Array<number>(DOTS).fill(DOT)]]]]);
const letters = once((): Expansions => {
  const found = new Map([...dots].map(([symbol, all]) => [symbol, [...all]]));
  for (const [character, plain] of severalLetters()) {
    const symbols = Array.from(plain, (letter) => foldCodePoint(letter.codePointAt(0)!, 'accents'));
    const all = found.get(symbols[0]!) ?? [];
    all.push([character.codePointAt(0)!, symbols]);
    found.set(symbols[0]!, all);
  }
  return found;
});

/** The characters that stand for several symbols, by the first of these. */
export function expansions(folding: Folding): Expansions {
  return folding === 'exact' ? none : folding === 'case' ? dots : letters();
}
