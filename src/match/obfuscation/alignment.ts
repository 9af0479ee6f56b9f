/**
 * Compares the letters of a text with all terms at once, exactly: from a letter on, the trie of the terms is walked by every way to
 * read what follows. Where a run of equal letters begins, it is remembered what came of it, so that starts in one stretch of text
 * share their work; each run is followed to its end, or through so many changes of its letter.
 */
import { FREE_END, FREE_START, isWordEdge } from '../word-edges.js';
import { FEWEST_ELONGATED } from './automaton.js';
import { haveSameMarks, isFlag, isMarkBeside, type Letter, type Letters, marksOf, type Work } from './letters.js';
import type { Lexicon } from './lexicon.js';
import type { OpenTerms } from './open-terms.js';
import { type Reading, Readings } from './readings.js';
import { CASE_ONLY, HIDDEN, SCANNED_PLAIN, type TermLetter } from './term-letters.js';
import { COMPATIBILITY, ELONGATED, IGNORABLE, LEET, MARK } from './transforms.js';

/**
 * `text`: with word edges where a term needs them; on a free side the outer letters are not elongated, since the term is found without.
 * `spaced`: among isolated letters. `whole`: no edges, and the end is given.
 */
export type MatchMode = 'text' | 'spaced' | 'whole';

export interface Occurrence {
  readonly term: number;
  readonly start: number;
  readonly end: number;
  readonly transforms: number;
  /** Case folding alone finds it. */
  readonly isPlain: boolean;
}

/** What was read since the last character that joins no words. */
const NOTHING = 0;
const SIGNS_ONLY = 1;
const LETTERS = 2;

/** So often letters may change in an elongated run (`a4a4`). */
const MOST_CHANGES = 8;
/** As `changes` of a run that is as long as it is. */
const FIXED = -1;
const NO_STATE = -1;

/** A run of letters that begins in a text, as the run of a term that leads into a state, with what was read of the word before. */
interface Run {
  readonly state: number;
  readonly at: number;
  readonly contents: number;
  /** Transforms that make the first letter one of the run. */
  readonly step: number;
  /** Of what is left of terms, the first letter included. */
  readonly readings: Readings;
  /** The runs that come next, each with the transforms up to it. */
  readonly next: { readonly run: Run; readonly transforms: number }[];
}

export class Alignment {
  readonly #lexicon: Lexicon;
  readonly #text: string;
  readonly #letters: Letters;
  readonly #mode: MatchMode;
  readonly #work: Work;
  readonly #open: OpenTerms | undefined;
  readonly #mustEnd: number;
  /** By letter: the runs that begin with it. */
  readonly #runs: (Run[] | undefined)[] = [];
  /** Runs that were not yet followed. */
  #fresh: Run[] = [];
  #start = 0;

  /** `mustEnd`: where a whole text ends. */
  constructor(
    lexicon: Lexicon,
    text: string,
    letters: Letters,
    mode: MatchMode,
    {
      work,
      open,
      mustEnd = -1,
    }: { readonly work: Work; readonly open?: OpenTerms | undefined; readonly mustEnd?: number },
  ) {
    this.#lexicon = lexicon;
    this.#text = text;
    this.#letters = letters;
    this.#mode = mode;
    this.#work = work;
    this.#open = open;
    this.#mustEnd = mustEnd;
  }

  /** The occurrences that begin with a letter: of each term the one of case alone, or else the longest. */
  from(start: number): Occurrence[] {
    const first = this.#letters.at(start);
    if (first === undefined || first.index !== 0) return [];
    const needsEdge = this.#mode === 'text' && this.#lexicon.needsStarts;
    const isJoined = needsEdge && this.#letters.at(start - 1)?.decomposition.joins === true;
    const isPlainEdge = !needsEdge || isWordEdge(this.#text, first.from);
    const isInside = isJoined && !isPlainEdge && first.decomposition.kind === 'letter';
    this.#start = start;
    const { symbols, roots } = this.#lexicon;
    const occurrences: Occurrence[] = [];
    let found: Readings | undefined;
    for (let kind = 0; kind < roots.length; kind++) {
      const root = roots[kind]!;
      const isFree = (root.free & FREE_START) !== 0;
      if (isInside && !isFree) continue;
      const candidates = this.#lexicon.candidatesFor(first.base);
      for (let index = 0; index < candidates.length; index++) {
        const { symbol, transforms } = candidates[index]!;
        const state = this.#lexicon.child(root.state, symbol);
        const step = state < 0 ? -1 : this.#compare(first, symbol, transforms);
        if (step < 0) continue;
        const isEdge = isFree || !isJoined || !isPartOfWord(first, symbols[symbol]!);
        const run = this.#runOf(state, start, NOTHING, step);
        if (run === undefined) continue;
        this.#follow();
        if (run.readings.all.length > 0) found ??= new Readings();
        for (const { term, end, transforms, isEdge: isEnd } of run.readings.all)
          found!.add(term, end, transforms, isEnd && isEdge);
      }
    }
    if (found === undefined) return occurrences;
    for (const reading of found.all) {
      if (this.#open?.has(reading.term) === false) continue;
      const occurrence = this.#occurrenceOf(reading, first.from, isPlainEdge);
      if (occurrence !== undefined) occurrences.push(occurrence);
    }
    return occurrences;
  }

  /** A run that begins with a letter; undefined when all terms that go on with it are closed. */
  #runOf(state: number, at: number, contents: number, step: number): Run | undefined {
    if (this.#open?.isBelow(state) === false) return undefined;
    this.#runs[at] ??= [];
    const runs = this.#runs[at]!;
    for (let index = 0; index < runs.length; index++)
      if (runs[index]!.state === state && runs[index]!.contents === contents) return runs[index];
    const run: Run = { state, at, contents, step, readings: new Readings(), next: [] };
    runs.push(run);
    this.#fresh.push(run);
    return run;
  }

  /**
   * Follows fresh runs, and those that come next; then adds up their readings, the last ones first. Not by recursion, for a term may have
   * 100,000 runs.
   */
  #follow(): void {
    const { trie, symbols } = this.#lexicon;
    const runs = this.#fresh;
    for (let index = 0; index < runs.length; index++) {
      const run = runs[index]!;
      const { state, at, step, contents } = run;
      const symbol = symbols[trie.label[state]!]!;
      const isOuter = at === this.#start && this.#isFree(state, FREE_START);
      const changes = symbol.isAlphabetic && !isOuter && this.#beginsRun(at) ? MOST_CHANGES : FIXED;
      this.#extend(run, state, 1, changes, at + 1, contentsAfter(symbol, step, contents), step);
    }
    if (runs.length > 1) runs.sort((one, other) => other.at - one.at);
    for (const { readings, next } of runs) {
      for (let index = 0; index < next.length; index++) {
        const { run, transforms } = next[index]!;
        const { all } = run.readings;
        for (let place = 0; place < all.length; place++) {
          const { term, end, transforms: more, isEdge } = all[place]!;
          readings.add(term, end, transforms | more, isEdge);
        }
      }
    }
    this.#fresh = [];
  }

  /**
   * Takes letters for a run: `exact` is the state of as many letters as were `taken`, if terms have so many.
   */
  #extend(
    run: Run,
    exact: number,
    taken: number,
    changes: number,
    from: number,
    contents: number,
    transforms: number,
  ): void {
    const lexicon = this.#lexicon;
    const first = run.state;
    const symbol = lexicon.trie.label[first]!;
    const wanted = lexicon.symbols[symbol]!;
    let state = exact;
    let left = changes;
    let at = from;
    let held = contents;
    let used = transforms;
    /** The last place where a term may end with the run elongated, and what was read until there. */
    let longest = -1;
    let heldThen = NOTHING;
    let usedThen = 0;
    for (let count = taken; ; count++) {
      this.#work.steps++;
      if (state !== NO_STATE) {
        this.#end(run, state, at, held, used);
        this.#leave(run, state, at, held, used);
      }
      if (left !== FIXED && count >= FEWEST_ELONGATED) {
        if (this.#mayLeave(first, at))
          for (const other of lexicon.statesOfRun(first))
            if (other !== state) this.#leave(run, other, at, held, used | ELONGATED);
        if (!this.#isFree(first, FREE_END) && this.#mayEnd(at, first)) {
          longest = at;
          heldThen = held;
          usedThen = used;
        }
      }
      const letter = this.#letters.at(at);
      if (letter === undefined) break;
      if (left !== FIXED && this.#letters.at(at - 1)!.base !== letter.base) left--;
      const passing = letter.ignoredBefore ? IGNORABLE : 0;
      let step = -1;
      let next = NO_STATE;
      if (state !== NO_STATE) {
        const end = lexicon.endInRun(state);
        for (let child = lexicon.firstInRun(state); child < end; child++) {
          if (this.#open?.isBelow(child) === false) continue;
          const taking = this.#compareWith(letter, lexicon.trie.label[child]!);
          if (taking < 0) continue;
          if (next === NO_STATE) {
            next = child;
            step = taking;
          } else {
            // The rare case of two symbols that go on with a run.
            const then = contentsAfter(wanted, taking, held);
            this.#extend(run, child, count + 1, left, at + 1, then, used | taking | passing);
          }
        }
      }
      if (next === NO_STATE && left !== FIXED) step = this.#compareWith(letter, symbol);
      if (step < 0) break;
      state = next;
      at++;
      held = contentsAfter(wanted, step, held);
      used |= step | passing;
    }
    if (longest < 0) return;
    for (const other of lexicon.statesOfRun(first)) this.#end(run, other, longest, heldThen, usedThen | ELONGATED);
  }

  /** Whether another run may follow that of a state before a letter. */
  #mayLeave(state: number, at: number): boolean {
    const { trie, goesOn, runOf } = this.#lexicon;
    const letter = goesOn[state] === 1 ? this.#letters.at(at) : undefined;
    if (letter === undefined) return false;
    const candidates = this.#lexicon.candidatesFor(letter.base);
    for (let index = 0; index < candidates.length; index++)
      if (runOf[candidates[index]!.symbol] !== runOf[trie.label[state]!]) return true;
    return false;
  }

  /** Goes on to the runs that begin with a letter. */
  #leave(run: Run, state: number, at: number, contents: number, transforms: number): void {
    const { trie, symbols, runOf } = this.#lexicon;
    if (trie.firstChild[state] === trie.firstChild[state + 1]) return;
    const letter = this.#letters.at(at);
    if (letter === undefined) return;
    const from = trie.label[state]!;
    const candidates = this.#lexicon.candidatesFor(letter.base);
    const used = transforms | (letter.ignoredBefore ? IGNORABLE : 0);
    for (let index = 0; index < candidates.length; index++) {
      const { symbol, transforms: like } = candidates[index]!;
      if (runOf[symbol] === runOf[from]) continue;
      const next = this.#lexicon.child(state, symbol);
      if (next < 0) continue;
      if (symbols[from]!.joins && !symbols[symbol]!.joins && this.#lacksLetters(contents)) continue;
      const step = this.#compare(letter, symbol, like);
      if (step < 0) continue;
      const following = this.#runOf(next, at, contents, step);
      if (following !== undefined) run.next.push({ run: following, transforms: used });
    }
  }

  /** Adds the terms that end in a state, before a letter. */
  #end(run: Run, state: number, at: number, contents: number, transforms: number): void {
    const { trie, symbols } = this.#lexicon;
    if (trie.ends[state]! < 0) return;
    const symbol = symbols[trie.label[state]!]!;
    if (symbol.joins && this.#lacksLetters(contents)) return;
    const last = this.#letters.at(at - 1)!;
    if (last.index !== last.decomposition.letters.length - 1) return;
    const isEdge = this.#mayEnd(at, state);
    // To case folding a hidden character is an edge, also before a mark of the last letter.
    if (!isEdge && ((transforms & ~(IGNORABLE | MARK)) !== 0 || this.#mode !== 'text')) return;
    for (let term = trie.ends[state]!; term >= 0; term = trie.duplicate[term]!)
      run.readings.add(term, last.end, transforms, isEdge);
  }

  /** Whether the terms below a state need no word edge on a side. */
  #isFree(state: number, side: number): boolean {
    return this.#mode === 'text' && (this.#lexicon.freeBelow(state) & side) !== 0;
  }

  /** Whether a term that ends in a state may end before a letter. */
  #mayEnd(at: number, state: number): boolean {
    const last = this.#letters.at(at - 1)!;
    if (last.index !== last.decomposition.letters.length - 1) return false;
    if (this.#mode === 'whole') return last.end === this.#mustEnd || last.to === this.#mustEnd;
    if (this.#mode !== 'text' || this.#isFree(state, FREE_END)) return true;
    const { trie, symbols } = this.#lexicon;
    return !isPartOfWord(last, symbols[trie.label[state]!]!) || this.#letters.at(at)?.decomposition.joins !== true;
  }

  #lacksLetters(contents: number): boolean {
    return contents === SIGNS_ONLY || (this.#mode === 'spaced' && contents !== LETTERS);
  }

  #occurrenceOf(
    { term, end, transforms, isEdge }: Reading,
    start: number,
    isPlainEdge: boolean,
  ): Occurrence | undefined {
    const text = this.#text;
    const lexicon = this.#lexicon;
    const free = lexicon.freeOf(term);
    let plain = -1;
    if (this.#mode === 'text') {
      // Without transforms the text is the term, but for what letters do not show.
      const isSame = transforms === 0 && !lexicon.is(term, SCANNED_PLAIN);
      plain = isSame ? end : lexicon.plainEnd(term, text, start);
      const isStart = isPlainEdge || (free & FREE_START) !== 0;
      const isPlain = plain >= 0 && isStart && ((free & FREE_END) !== 0 || isWordEdge(text, plain));
      if (isPlain) return { term, start, end: plain, transforms: 0, isPlain };
    }
    if (!isEdge || lexicon.is(term, CASE_ONLY) || isFlag(text, start, end)) return undefined;
    // Equal, but something hidden beside it joins it to a word for case alone.
    if (plain === end)
      return { term, start, end, transforms: isMarkBeside(text, start, end, free) ? MARK : IGNORABLE, isPlain: false };
    // Equal letters, and still case alone was not enough: the term has what the text lacks, and its letters do not show it.
    const missing = lexicon.is(term, HIDDEN) ? IGNORABLE : COMPATIBILITY;
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
  if (
    isSame &&
    letter.marks.length === wanted.marks.length &&
    letter.marks.every((mark, at) => mark === wanted.marks[at])
  )
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
