/**
 * Finds terms in the letters of a text, exactly: of those that begin with a given letter, where they end and by which
 * transforms.
 *
 * An instance of: alignment of runs, of one text with all terms at once. Text and terms are sequences of *runs*,
 * letters in a row that are equal: `fool` is `f`, `oo`, `l`. A run of the text stands for one of a term when each of
 * its letters may stand for that letter (`letter-comparison.ts`), and it has as many letters as the term has, or three
 * or more (*stretched*), when it is whole. The terms are paths of the lexicon's trie, in which a run is a chain of
 * states. The search is that of dynamic programming: partial results are kept by where they begin, and shared by all
 * starts.
 *
 * State: a graph. A node is a run of the text that stands for one of a term; its key is the trie's state behind the
 * first letter of the run, the index of that letter in the text, and what the word was read from before. It has edges
 * to the nodes of runs that come next, and the best end of each term below its state.
 *
 * Invariants:
 * - What a node holds depends on its key alone, and not on the start that it was reached from. So it is made and walked
 *   once in a text. (How the first run of a term is read depends on the start, but no other start reaches a node of
 *   such a state.)
 * - Edges lead to letters further on. So ends are added up in descending order of the letters, without recursion: terms
 *   are long.
 * - When `from` returns, every node is complete.
 * - A node is made only while a term below its state is open. Of closed terms there may be ends, which `from` leaves
 *   out.
 *
 * Cost: a step for each letter that is compared in a walk. A node is walked to the end of its run; one that begins amid
 * a run of the text, as far as terms have such a run. So a letter takes steps in proportion to the states that it may
 * lead to, however long the text is. Memory likewise.
 */
import { FREE_END, FREE_START, isWordEdge } from '../word-edges.js';
import { DOUBLE, FEWEST_STRETCHED } from './automaton.js';
import { BestEnds } from './best-ends.js';
import {
  contentsAfter,
  DIFFERENT,
  isPartOfWord,
  LETTERS,
  NOTHING,
  SIGNS_ONLY,
  transformsBetween,
} from './letter-comparison.js';
import { haveSameMarks, type Letter, type Letters, type Work } from './letters.js';
import type { Lexicon } from './lexicon.js';
import { isApart, type MatchMode, type Occurrence, occurrenceOf } from './occurrence.js';
import type { OpenTerms } from './open-terms.js';
import { SHORT, type TermLetter } from './term-letters.js';
import { DOUBLED, IGNORABLE, LEET, MARK, MASKED, STRETCHED } from './transforms.js';

/** So often letters or their marks may change in a stretched run (`a4a4`). */
const MOST_CHANGES = 8;
/** In place of a number of changes: the run stands for no other number of letters than it has. */
const FIXED = -1;
/** The base of a mask, which stands for any letter. */
export const ANY = -2;
/** A start is followed to so many states by masks, so that the work is bounded for any list. */
const MOST_GUESSED = 1_024;
/** In place of a state: no term has a run of so many letters. */
const NO_STATE = -1;

/** A run of the text that stands for one of a term: a node of the graph. */
interface Node {
  /** The trie's state behind the first letter of the run. */
  readonly state: number;
  /** The index of the letter that the run begins with. */
  readonly at: number;
  /** Contents of the word before that letter. */
  readonly contents: number;
  /** Transforms by which that letter is one of the run. */
  readonly step: number;
  /** Best ends of terms at `state` or below it, read from this letter on. */
  readonly ends: BestEnds;
  /** The nodes of runs that come next, each with the transforms up to it. */
  readonly next: { readonly node: Node; readonly transforms: number }[];
}

/** A branch of a walk through a run, where the trie forks: how far it has come. */
interface Branch {
  /** The state of a run of as many letters as the text has so far. */
  readonly state: number;
  /** The index of the next letter. */
  readonly at: number;
  /** So often the letter may still change if the run is stretched, or `FIXED`. */
  readonly changes: number;
  /** Contents of the word so far, and the transforms from the beginning of the run. */
  readonly contents: number;
  readonly transforms: number;
}

export class Alignment {
  readonly #lexicon: Lexicon;
  readonly #text: string;
  readonly #letters: Letters;
  readonly #mode: MatchMode;
  readonly #work: Work;
  readonly #open: OpenTerms | undefined;
  readonly #mustEnd: number;
  /** Nodes of runs that begin with each letter. */
  readonly #nodes: (Node[] | undefined)[] = [];
  /** Nodes that were not walked yet. */
  #pending: Node[] = [];
  #start = 0;
  /** States that masks were taken for since this start. */
  #guessed = 0;

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

  /** Returns the occurrences of open terms that begin with a letter: of each term that of case alone, or else the longest. */
  from(start: number): Occurrence[] {
    const first = this.#letters.at(start);
    if (first === undefined || first.index !== 0) return [];
    const needsEdge = this.#mode === 'text' && this.#lexicon.needsStarts;
    const isJoined = needsEdge && this.#before(start)?.decomposition.joins === true;
    const isPlainEdge = !needsEdge || isWordEdge(this.#text, first.from);
    const isInside = isJoined && !isPlainEdge && first.decomposition.kind === 'letter';
    this.#start = start;
    this.#guessed = 0;
    const { symbols, roots } = this.#lexicon;
    const occurrences: Occurrence[] = [];
    let found: BestEnds | undefined;
    for (let kind = 0; kind < roots.length; kind++) {
      const root = roots[kind]!;
      const isFree = (root.free & FREE_START) !== 0;
      if (isInside && !isFree) continue;
      const candidates = this.#lexicon.candidatesFor(first.base);
      for (let index = 0; index < candidates.length; index++) {
        const { symbol, transforms } = candidates[index]!;
        const state = this.#lexicon.child(root.state, symbol);
        const step = state < 0 ? DIFFERENT : transformsBetween(first, symbols[symbol]!, transforms);
        if (step === DIFFERENT) continue;
        const isEdge = isFree || !isJoined || !isPartOfWord(first, symbols[symbol]!);
        const node = this.#nodeOf(state, start, NOTHING, step);
        if (node === undefined) continue;
        this.#complete();
        if (node.ends.all.length > 0) found ??= new BestEnds();
        for (const { term, end, transforms, isEdge: isEnd } of node.ends.all)
          found!.add(term, end, transforms, isEnd && isEdge);
      }
    }
    if (found === undefined) return occurrences;
    for (const end of found.all) {
      if (this.#open?.has(end.term) === false) continue;
      const occurrence = occurrenceOf(this.#lexicon, this.#text, this.#mode, first.from, end);
      if (occurrence !== undefined) occurrences.push(occurrence);
    }
    return occurrences;
  }

  /** Returns the node of a key, which is made unless it is there or all terms at the state or below it are closed. */
  #nodeOf(state: number, at: number, contents: number, step: number): Node | undefined {
    if (this.#open?.isBelow(state) === false) return undefined;
    this.#nodes[at] ??= [];
    const nodes = this.#nodes[at]!;
    for (let index = 0; index < nodes.length; index++)
      if (nodes[index]!.state === state && nodes[index]!.contents === contents) return nodes[index];
    const node: Node = { state, at, contents, step, ends: new BestEnds(), next: [] };
    nodes.push(node);
    this.#pending.push(node);
    return node;
  }

  /** Walks the nodes that are pending, and those that they lead to, and adds up their ends. Then all nodes are complete. */
  #complete(): void {
    const nodes = this.#pending;
    for (let index = 0; index < nodes.length; index++) this.#walk(nodes[index]!);
    if (nodes.length > 1) nodes.sort((one, other) => other.at - one.at);
    for (const { ends, next } of nodes) {
      for (let index = 0; index < next.length; index++) {
        const { node, transforms } = next[index]!;
        const { all } = node.ends;
        for (let place = 0; place < all.length; place++) {
          const { term, end, transforms: more, isEdge } = all[place]!;
          if (!this.#isTooShort(term, transforms | more)) ends.add(term, end, transforms | more, isEdge);
        }
      }
    }
    this.#pending = [];
  }

  /**
   * Walks through the run of a node. For each number of letters that it may have, adds the terms that end with it and
   * the edges to the runs that follow. Where the trie forks within a run, as for `ß` and `ss`, each further branch is a
   * walk of its own.
   */
  #walk(node: Node, branch?: Branch): void {
    const lexicon = this.#lexicon;
    const first = node.state;
    const symbol = lexicon.trie.label[first]!;
    const wanted = lexicon.symbols[symbol]!;
    let state = branch === undefined ? first : branch.state;
    let left = branch === undefined ? this.#changesOf(node, wanted) : branch.changes;
    let held = branch === undefined ? contentsAfter(wanted, node.step, node.contents) : branch.contents;
    let used = branch === undefined ? node.step : branch.transforms;
    /** The last place where a term may end with the run stretched, and what was read until there. */
    let longest = -1;
    let heldThen = NOTHING;
    let usedThen = 0;
    for (let at = branch === undefined ? node.at + 1 : branch.at; ; at++) {
      this.#work.steps++;
      if (state !== NO_STATE) this.#endOrLeave(node, state, at, held, used);
      if (at - node.at === DOUBLE && left !== FIXED && this.#isDoubled(node))
        this.#endOrLeave(node, first, at, held, used | DOUBLED);
      if (left !== FIXED && at - node.at >= FEWEST_STRETCHED) {
        if (this.#mayLeave(first, at))
          for (const other of lexicon.statesOfRun(first))
            if (other !== state) this.#leave(node, other, at, held, used | STRETCHED);
        if (!this.#isFree(first, FREE_END) && this.#mayEnd(at, first)) {
          longest = at;
          heldThen = held;
          usedThen = used;
        }
      }
      const letter = this.#letters.at(at);
      if (letter === undefined) break;
      if (left !== FIXED && this.#beginsRun(at)) left--;
      const passing = letter.ignoredBefore ? IGNORABLE : 0;
      let step = DIFFERENT;
      let next = NO_STATE;
      if (state !== NO_STATE) {
        const end = lexicon.endInRun(state);
        for (let child = lexicon.firstInRun(state); child < end; child++) {
          if (this.#open?.isBelow(child) === false) continue;
          const taking = this.#compareWith(letter, lexicon.trie.label[child]!);
          if (taking === DIFFERENT) continue;
          if (next === NO_STATE) {
            next = child;
            step = taking;
          } else {
            const then = contentsAfter(wanted, taking, held);
            const through = used | taking | passing;
            this.#walk(node, { state: child, at: at + 1, changes: left, contents: then, transforms: through });
          }
        }
      }
      if (next === NO_STATE && left !== FIXED) step = this.#compareWith(letter, symbol);
      if (step === DIFFERENT) break;
      state = next;
      held = contentsAfter(wanted, step, held);
      used |= step | passing;
    }
    if (longest < 0) return;
    for (const other of lexicon.statesOfRun(first)) this.#end(node, other, longest, heldThen, usedThen | STRETCHED);
  }

  /**
   * Returns how often the letter of a run may change if it is stretched; `FIXED` when it may not be: it is not whole, an outer
   * one, or of no letters.
   */
  #changesOf({ state, at }: Node, wanted: TermLetter): number {
    const isOuter = at === this.#start && this.#isFree(state, FREE_START);
    const mayStretch = wanted.isAlphabetic && !isOuter && this.#mode !== 'masked';
    return mayStretch && this.#beginsRun(at) ? MOST_CHANGES : FIXED;
  }

  /** Reports whether another run may follow that of a state before a letter: looked up once for all states of a stretched run. */
  #mayLeave(state: number, at: number): boolean {
    const { trie, goesOn, runOf } = this.#lexicon;
    const letter = goesOn[state] === 1 ? this.#letters.at(at) : undefined;
    if (letter === undefined) return false;
    const candidates = this.#lexicon.candidatesFor(letter.base);
    for (let index = 0; index < candidates.length; index++)
      if (runOf[candidates[index]!.symbol] !== runOf[trie.label[state]!]) return true;
    return false;
  }

  /** Adds the terms that end in a state, and the edges to the runs that follow it. */
  #endOrLeave(node: Node, state: number, at: number, contents: number, transforms: number): void {
    this.#end(node, state, at, contents, transforms);
    this.#leave(node, state, at, contents, transforms);
  }

  /** Adds edges to the nodes of runs that follow a state and begin with the letter at an index. */
  #leave(node: Node, state: number, at: number, contents: number, transforms: number): void {
    const { trie, symbols, runOf } = this.#lexicon;
    if (trie.firstChild[state] === trie.firstChild[state + 1]) return;
    const letter = this.#letters.at(at);
    if (letter === undefined) return;
    const from = trie.label[state]!;
    const used = transforms | (letter.ignoredBefore ? IGNORABLE : 0);
    if (letter.base === ANY) {
      this.#leaveByMask(node, state, at, contents, used);
      return;
    }
    const candidates = this.#lexicon.candidatesFor(letter.base);
    for (let index = 0; index < candidates.length; index++) {
      const { symbol, transforms: like } = candidates[index]!;
      if (runOf[symbol] === runOf[from]) continue;
      const next = this.#lexicon.child(state, symbol);
      if (next < 0) continue;
      if (symbols[from]!.joins && !symbols[symbol]!.joins && this.#lacksLetters(contents)) continue;
      const step = transformsBetween(letter, symbols[symbol]!, like);
      if (step === DIFFERENT) continue;
      const following = this.#nodeOf(next, at, contents, step);
      if (following !== undefined) node.next.push({ node: following, transforms: used });
    }
  }

  /** Adds edges to the nodes of all runs that follow a state, for a letter that stands for any. */
  #leaveByMask(node: Node, state: number, at: number, contents: number, transforms: number): void {
    const { trie, symbols, runOf } = this.#lexicon;
    for (let child = trie.firstChild[state]!; child < trie.firstChild[state + 1]!; child++) {
      const symbol = trie.label[child]!;
      if (runOf[symbol] === runOf[trie.label[state]!] || !symbols[symbol]!.joins) continue;
      if (this.#guessed++ === MOST_GUESSED) return;
      const following = this.#nodeOf(child, at, contents, MASKED);
      if (following !== undefined) node.next.push({ node: following, transforms });
    }
  }

  /** Adds the terms that end in a state, before the letter at an index, if they may end there. */
  #end(node: Node, state: number, at: number, contents: number, transforms: number): void {
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
      if (!this.#isTooShort(term, transforms)) node.ends.add(term, last.end, transforms, isEdge);
  }

  /**
   * Reports whether two equal letters, neither of them a sign nor a part of a character, begin a run and may stand for one: of
   * terms that need a word edge on both sides.
   */
  #isDoubled({ state, at, step }: Node): boolean {
    if (this.#mode === 'spaced' || this.#lexicon.freeBelow[state]! !== 0) return false;
    if ((step & LEET) !== 0 || this.#beginsRun(at + 1)) return false;
    return [at, at + 1].every((index) => this.#letters.at(index)!.decomposition.letters.length === 1);
  }

  /** Reports whether a term has too few letters to be read with a letter doubled: `ass` is not `as`. */
  #isTooShort(term: number, transforms: number): boolean {
    return (transforms & DOUBLED) !== 0 && this.#lexicon.is(term, SHORT);
  }

  /** Reports whether the terms at a state or below it need no word edge on a side. */
  #isFree(state: number, side: number): boolean {
    return this.#mode === 'text' && (this.#lexicon.freeBelow[state]! & side) !== 0;
  }

  /**
   * Reports whether a term that ends in a state may end before the letter at an index: at the end of a character, and at a word
   * edge if it needs one.
   */
  #mayEnd(at: number, state: number): boolean {
    const last = this.#letters.at(at - 1)!;
    if (last.index !== last.decomposition.letters.length - 1) return false;
    if (this.#mode === 'whole') return last.end === this.#mustEnd || last.to === this.#mustEnd;
    if (this.#mode !== 'text' || this.#isFree(state, FREE_END)) return true;
    const { trie, symbols } = this.#lexicon;
    return !isPartOfWord(last, symbols[trie.label[state]!]!) || this.#letters.at(at)?.decomposition.joins !== true;
  }

  /** Reports whether a word of a match may not end: it has signs and no letter. Apart, digits alone are not a word either. */
  #lacksLetters(contents: number): boolean {
    return contents === SIGNS_ONLY || (isApart(this.#mode) && contents !== LETTERS);
  }

  #before(at: number): Letter | undefined {
    return at === 0 ? undefined : this.#letters.at(at - 1);
  }

  /** Reports whether a letter belongs to no run of the text that began before: only whole runs are stretched. */
  #beginsRun(at: number): boolean {
    const before = this.#before(at);
    const letter = this.#letters.at(at)!;
    return before === undefined || before.base !== letter.base || !haveSameMarks(before, letter);
  }

  /** Returns the transforms by which a letter is a symbol, or `DIFFERENT`. */
  #compareWith(letter: Letter, symbol: number): number {
    if (letter.base === ANY) return this.#lexicon.symbols[symbol]!.joins ? MASKED : DIFFERENT;
    const candidates = this.#lexicon.candidatesFor(letter.base);
    for (let index = 0; index < candidates.length; index++) {
      const candidate = candidates[index]!;
      if (candidate.symbol === symbol)
        return transformsBetween(letter, this.#lexicon.symbols[symbol]!, candidate.transforms);
    }
    return DIFFERENT;
  }
}
