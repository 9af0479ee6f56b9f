/**
 * Compares the letters of a text with all terms at once, exactly: from a letter on, the trie of the terms is walked by every way to
 * read what follows. Where a run of equal letters begins, it is remembered what came of it, so that starts in one stretch of text
 * share their work; each run is followed to its end, or through so many changes of its letter.
 */
import { isWordEdge } from '../word-edges.js';
import { FEWEST_ELONGATED } from './automaton.js';
import { haveSameMarks, type Letter, type Letters, marksOf } from './letters.js';
import type { Lexicon, TermLetter } from './lexicon.js';
import { COMPATIBILITY, ELONGATED, IGNORABLE, isSimpler, LEET, MARK } from './transforms.js';

/**
 * `word` and `substring` as in `KeywordOptions`; in a substring the outer letters are not elongated, since the term is found without.
 * `spaced`: among isolated letters. `whole`: no edges, and the end is given.
 */
export type MatchMode = 'word' | 'substring' | 'spaced' | 'whole';

export interface Occurrence {
  readonly term: number;
  readonly start: number;
  readonly end: number;
  readonly transforms: number;
  /** Case folding alone finds it. */
  readonly isPlain: boolean;
}

/** A way to read a term, with its end. */
interface Reading {
  end: number;
  transforms: number;
  /** Its edges are edges when hidden characters and marks are overlooked. */
  hasEdges: boolean;
}

/** Counts letters that were compared. */
export interface Work {
  steps: number;
}

/** What was read since the last character that joins no words. */
const NOTHING = 0;
const SIGNS_ONLY = 1;
const LETTERS = 2;
const CONTENTS = 3;

/** So often letters may change in an elongated run (`a4a4`). */
const MOST_CHANGES = 8;
/** As `changes` of a run that is as long as it is. */
const FIXED = -1;
/** Nothing ends behind the beginning of this run. */
const DEAD = -1;
const NO_STATE = -1;

export class Alignment {
  readonly #lexicon: Lexicon;
  readonly #text: string;
  readonly #letters: Letters;
  readonly #mode: MatchMode;
  readonly #work: Work;
  readonly #mustEnd: number;
  /** By beginning of a run: `DEAD`, or the start from which it was followed last. */
  readonly #followed = new Map<number, number>();
  readonly #readings = new Map<number, Reading>();
  #start = 0;
  #beginsWord = true;
  #isPlainEdge = true;

  constructor(lexicon: Lexicon, text: string, letters: Letters, mode: MatchMode, work: Work, mustEnd = -1) {
    this.#lexicon = lexicon;
    this.#text = text;
    this.#letters = letters;
    this.#mode = mode;
    this.#work = work;
    this.#mustEnd = mustEnd;
  }

  /** The occurrences that begin with a letter: of each term the one of case alone, or else the longest. */
  from(start: number): Occurrence[] {
    const first = this.#letters.at(start);
    if (first === undefined || first.index !== 0) return [];
    const isWord = this.#mode === 'word';
    const isJoined = isWord && this.#letters.at(start - 1)?.decomposition.joins === true;
    this.#isPlainEdge = !isWord || isWordEdge(this.#text, first.from);
    if (isJoined && !this.#isPlainEdge && first.decomposition.kind === 'letter') return [];
    this.#start = start;
    this.#readings.clear();
    for (const { symbol, transforms } of this.#lexicon.candidatesFor(first.base)) {
      const state = this.#lexicon.child(0, symbol);
      const step = state < 0 ? -1 : this.#compare(first, symbol, transforms);
      if (step < 0) continue;
      this.#beginsWord = !isJoined || !isPartOfWord(first, this.#lexicon.symbols[symbol]!);
      this.#follow(state, start, NOTHING, step, step);
    }
    const occurrences: Occurrence[] = [];
    for (const [term, reading] of this.#readings) {
      const occurrence = this.#occurrenceOf(term, first.from, reading);
      if (occurrence !== undefined) occurrences.push(occurrence);
    }
    return occurrences;
  }

  /** Follows the run that begins with a letter, which leads into a state. Answers whether a term ends somewhere behind it. */
  #follow(state: number, at: number, contents: number, step: number, transforms: number): boolean {
    const { trie, symbols } = this.#lexicon;
    const place = (at * trie.states + state) * CONTENTS + contents;
    const key = place * 2 + (transforms === 0 ? 1 : 0);
    const known = this.#followed.get(key);
    if (known === DEAD) return false;
    if (known === this.#start) return true;
    this.#followed.set(key, this.#start);
    const symbol = symbols[trie.label[state]!]!;
    const isOuter = this.#mode === 'substring' && at === this.#start;
    const mayElongate = symbol.isAlphabetic && !isOuter && this.#beginsRun(at);
    const changes = mayElongate ? MOST_CHANGES : FIXED;
    const isAlive = this.#extend(state, state, 1, changes, at + 1, contentsAfter(symbol, step, contents), transforms);
    if (!isAlive) this.#followed.set(key, DEAD);
    return isAlive;
  }

  /**
   * Takes letters for the run that began in state `first`: `exact` is the state of as many letters as were `taken`, if terms have so many.
   */
  #extend(
    first: number,
    exact: number,
    taken: number,
    changes: number,
    from: number,
    contents: number,
    transforms: number,
  ): boolean {
    const lexicon = this.#lexicon;
    const symbol = lexicon.trie.label[first]!;
    const letterOfTerm = lexicon.symbols[symbol]!;
    let state = exact;
    let count = taken;
    let left = changes;
    let at = from;
    let held = contents;
    let used = transforms;
    let isAlive = false;
    /** The last place where a term may end with the run elongated, and what was read until there. */
    let longest = -1;
    let heldThen = NOTHING;
    let usedThen = 0;
    for (;;) {
      this.#work.steps++;
      if (state !== NO_STATE) isAlive = this.#leave(state, at, held, used, true) || isAlive;
      if (left !== FIXED && count >= FEWEST_ELONGATED) {
        isAlive = this.#leaveElongated(first, state, at, held, used | ELONGATED, false) || isAlive;
        if (this.#mode !== 'substring' && this.#mayEnd(at, letterOfTerm)) {
          longest = at;
          heldThen = held;
          usedThen = used;
        }
      }
      const letter = this.#letters.at(at);
      if (letter === undefined) break;
      let step = -1;
      let next = NO_STATE;
      if (state !== NO_STATE) {
        const end = lexicon.endInRun(state);
        for (let child = lexicon.firstInRun(state); child < end; child++) {
          const taking = this.#compareWith(letter, lexicon.trie.label[child]!);
          if (taking < 0) continue;
          if (next === NO_STATE) {
            next = child;
            step = taking;
          } else isAlive = this.#take(first, child, count, left, at, letterOfTerm, held, used, taking) || isAlive;
        }
      }
      if (next === NO_STATE) {
        if (left === FIXED) break;
        step = this.#compareWith(letter, symbol);
        if (step < 0) break;
      }
      if (left !== FIXED && this.#letters.at(at - 1)!.base !== letter.base) left--;
      if (next === NO_STATE && left === FIXED) break;
      state = next;
      count++;
      at++;
      held = contentsAfter(letterOfTerm, step, held);
      used |= step | (letter.ignoredBefore ? IGNORABLE : 0);
    }
    if (longest < 0) return isAlive;
    return this.#leaveElongated(first, NO_STATE, longest, heldThen, usedThen | ELONGATED, true) || isAlive;
  }

  /** The rare case of two symbols that go on with a run: takes the second one. */
  #take(
    first: number,
    state: number,
    taken: number,
    changes: number,
    at: number,
    symbol: TermLetter,
    contents: number,
    transforms: number,
    step: number,
  ): boolean {
    const letter = this.#letters.at(at)!;
    const left = changes !== FIXED && this.#letters.at(at - 1)!.base !== letter.base ? changes - 1 : changes;
    const used = transforms | step | (letter.ignoredBefore ? IGNORABLE : 0);
    return this.#extend(first, state, taken + 1, left, at + 1, contentsAfter(symbol, step, contents), used);
  }

  /** Leaves an elongated run from every state in it but one: to what comes behind it, or where terms end. */
  #leaveElongated(state: number, but: number, at: number, contents: number, transforms: number, isEnd: boolean): boolean {
    let isAlive = false;
    if (state !== but) {
      if (isEnd) isAlive = this.#end(state, at, contents, transforms);
      else isAlive = this.#leave(state, at, contents, transforms, false);
    }
    const end = this.#lexicon.endInRun(state);
    for (let child = this.#lexicon.firstInRun(state); child < end; child++)
      isAlive = this.#leaveElongated(child, but, at, contents, transforms, isEnd) || isAlive;
    return isAlive;
  }

  /** Goes on to the runs that begin with a letter; where `mayEnd`, to terms that end before it, too. */
  #leave(state: number, at: number, contents: number, transforms: number, mayEnd: boolean): boolean {
    const { trie, symbols, runOf } = this.#lexicon;
    let isAlive = mayEnd && this.#end(state, at, contents, transforms);
    if (trie.firstChild[state] === trie.firstChild[state + 1]) return isAlive;
    const letter = this.#letters.at(at);
    if (letter === undefined) return isAlive;
    const from = trie.label[state]!;
    const candidates = this.#lexicon.candidatesFor(letter.base);
    for (let index = 0; index < candidates.length; index++) {
      const { symbol, transforms: like } = candidates[index]!;
      if (runOf[symbol] === runOf[from]) continue;
      const next = this.#lexicon.child(state, symbol);
      if (next < 0) continue;
      if (symbols[from]!.joins && !symbols[symbol]!.joins && this.#lacksLetters(contents)) continue;
      const step = this.#compare(letter, symbol, like);
      if (step < 0) continue;
      const used = transforms | step | (letter.ignoredBefore ? IGNORABLE : 0);
      isAlive = this.#follow(next, at, contents, step, used) || isAlive;
    }
    return isAlive;
  }

  /** Notes the terms that end in a state, before a letter. */
  #end(state: number, at: number, contents: number, transforms: number): boolean {
    const { trie, symbols } = this.#lexicon;
    if (trie.ends[state]! < 0) return false;
    const symbol = symbols[trie.label[state]!]!;
    if (symbol.joins && this.#lacksLetters(contents)) return false;
    const last = this.#letters.at(at - 1)!;
    const isEnd = this.#mayEnd(at, symbol);
    if (!isEnd && !(transforms === 0 && this.#mode === 'word' && last.index === last.decomposition.letters.length - 1))
      return false;
    for (let term = trie.ends[state]!; term >= 0; term = trie.twin[term]!) {
      const hasEdges = isEnd && this.#beginsWord;
      const known = this.#readings.get(term);
      const reading = { end: last.end, transforms, hasEdges };
      if (known === undefined || (hasEdges && (!known.hasEdges || isBetter(reading, known))))
        this.#readings.set(term, reading);
    }
    return true;
  }

  #mayEnd(at: number, symbol: TermLetter): boolean {
    const last = this.#letters.at(at - 1)!;
    if (last.index !== last.decomposition.letters.length - 1) return false;
    if (this.#mode === 'whole') return last.end === this.#mustEnd || last.to === this.#mustEnd;
    if (this.#mode !== 'word') return true;
    return !isPartOfWord(last, symbol) || this.#letters.at(at)?.decomposition.joins !== true;
  }

  #lacksLetters(contents: number): boolean {
    return contents === SIGNS_ONLY || (this.#mode === 'spaced' && contents !== LETTERS);
  }

  #occurrenceOf(term: number, start: number, { end, transforms, hasEdges }: Reading): Occurrence | undefined {
    const text = this.#text;
    const lexicon = this.#lexicon;
    if (this.#mode === 'word' || this.#mode === 'substring') {
      const plain = lexicon.plainEnd(term, text, start);
      const isPlain =
        plain >= 0 && (this.#mode === 'substring' || (this.#isPlainEdge && isWordEdge(text, plain)));
      if (isPlain) return { term, start, end: plain, transforms: 0, isPlain };
    }
    if (!hasEdges || lexicon.isCaseOnly(term) || isFlag(text, start, end)) return undefined;
    // Equal letters, and still case alone was not enough: the term has what the text lacks, and its letters do not show it.
    const missing = lexicon.holdsHidden(term) ? IGNORABLE : COMPATIBILITY;
    const told = transforms === 0 && this.#mode !== 'spaced' ? missing : transforms;
    return { term, start, end, transforms: told, isPlain: false };
  }

  /** Whether a letter and those behind it belong to no run that began before: only whole runs are elongated. */
  #beginsRun(at: number): boolean {
    const before = this.#letters.at(at - 1);
    const letter = this.#letters.at(at)!;
    return before === undefined || before.base !== letter.base || !haveSameMarks(before, letter);
  }

  #compareWith(letter: Letter, symbol: number): number {
    const candidates = this.#lexicon.candidatesFor(letter.base);
    for (let index = 0; index < candidates.length; index++) {
      const candidate = candidates[index]!;
      if (candidate.symbol === symbol) return this.#compare(letter, symbol, candidate.transforms);
    }
    return -1;
  }

  /** Transforms that make a letter of the text a symbol, marks included; -1 when nothing does. */
  #compare(letter: Letter, symbol: number, like: number): number {
    const wanted = this.#lexicon.symbols[symbol]!;
    const isSame = letter.decomposition.code === wanted.decomposition.code && letter.index === wanted.index;
    if (!isSame && letter.isPunctuation && (like & LEET) !== 0) return -1;
    const step = isSame ? 0 : like | letter.decomposition.transforms | wanted.decomposition.transforms;
    return compareMarks(letter, wanted, isSame, step | (letter.ignoredWithin ? IGNORABLE : 0));
  }
}

function isBetter(reading: Reading, than: Reading): boolean {
  return reading.end > than.end || (reading.end === than.end && isSimpler(reading.transforms, than.transforms));
}

/** What a word was read as, with one more letter. */
function contentsAfter({ joins, isAlphabetic }: TermLetter, step: number, contents: number): number {
  if (!joins) return NOTHING;
  if ((step & LEET) !== 0) return Math.max(contents, SIGNS_ONLY);
  return isAlphabetic ? LETTERS : contents;
}

/** A sign that is read as a letter counts as one: it needs no edge only where it stands for itself. */
function isPartOfWord({ decomposition }: Letter, wanted: Letter): boolean {
  const { kind, code } = decomposition;
  return kind === 'letter' || (kind === 'symbol' && code !== wanted.decomposition.code);
}

function compareMarks(letter: Letter, wanted: TermLetter, isSame: boolean, step: number): number {
  const { required } = wanted;
  const have = marksOf(letter);
  if (have.length === 0 && required.length === 0) return step;
  if (isSame && letter.marks.length === wanted.marks.length && letter.marks.every((mark, at) => mark === wanted.marks[at]))
    return step;
  if (have.length < required.length) return -1;
  if (required.length > 0) {
    const left = [...required];
    for (let at = 0; at < have.length && left.length > 0; at++) {
      const place = left.indexOf(have[at]!);
      if (place >= 0) left.splice(place, 1);
    }
    if (left.length > 0) return -1;
  }
  const hasMore = have.length > required.length;
  const isApart = required.length > 0 && (!isSame || !hasMore);
  return step | (hasMore ? MARK : 0) | (isApart ? COMPATIBILITY : 0);
}

/** UTF-16 units of one of the two letters that a flag is. */
const FLAG_HALF = 2;

/** Whether a stretch of text is one flag: it stands for a country, and is no word of two letters. */
function isFlag(text: string, start: number, end: number): boolean {
  const isHalf = (at: number) => text.codePointAt(at)! >= 0x1f1e6 && text.codePointAt(at)! <= 0x1f1ff;
  return end - start === 2 * FLAG_HALF && isHalf(start) && isHalf(start + FLAG_HALF);
}
