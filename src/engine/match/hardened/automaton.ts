/**
 * Tells where in a text a term may end, in whatever disguise: the filter of hardened folding. Where
 * it stops, `aligner.ts` compares the text with the terms that may end there.
 *
 * An instance of: Aho and Corasick's automaton (`../keyword-automaton.ts`) over labels of letters
 * (`columns.ts`), with sets of its states where a character may stand for several letters. Runs of
 * one label are two symbols at most: its label, and a second one for all that follow. So a text
 * with one letter stands for one, and a text with more for one or for more.
 *
 * Two more sets of states stand for letters that are read as if nothing stood between them:
 * isolated ones (`f u c k`), and words without the signs in them (`f-u-c-k`). Both are empty for
 * nearly all texts, since a term must be able to go on from the first sign or separator.
 *
 * A sign that may be a letter is an edge of words as well, and what is hidden is one to case
 * folding. After these the automaton is *loose*: until a character that is certainly no letter,
 * terms may begin anywhere.
 *
 * Invariants:
 * - It never passes over a term: where a term ends that `aligner.ts` would find, its sequence of
 *   labels ends in one of the nodes, or in a node that failure links lead to from there.
 * - A step depends on state and column alone, so that it may be cached.
 */
import { inRanges, type Portions } from '../../../foundation/portions.js';
import { buildKeywordAutomaton, failureOf, type KeywordAutomaton, outputOf, symbolOf } from '../keyword-automaton.js';
import { withStartsInside } from '../keyword-matcher.js';
import type { Sequences } from '../keyword-trie.js';
import { FREE_END, FREE_START } from '../word-edges.js';
import { type Column, ColumnKind, type Columns, LABELS } from './columns.js';
import {
  contextAfter,
  Isolation,
  isBeforeWord,
  isolationOf,
  mayBreakAt,
  mayEndBroken,
  mayEndIsolated,
  mayEndMasked,
  Role,
  START,
} from './roles.js';
import { BREAKABLE, CASE_ONLY, SPACEABLE, type Terms } from './terms.js';

/** All that the text before a character may end in. Immutable. */
export interface AutomatonState {
  /** States of the keyword automaton, of which none is a suffix of another one. */
  readonly nodes: readonly number[];
  readonly isLoose: boolean;
  /** The context of letters that stand apart: see `roles.ts`. */
  readonly context: number;
  /**
   * States of the keyword automaton after isolated letters alone, and after words without the signs
   * in them. Empty if no term may be read so.
   */
  readonly spaced: readonly number[];
  readonly broken: readonly number[];
  /** Equal for equal states. */
  readonly key: number | string;
}

const none: readonly number[] = [];
/** More than there are contexts, loose and not. */
const CONTEXTS = 1 << 10;

function stateOf(
  nodes: readonly number[],
  isLoose: boolean,
  context: number,
  spaced: readonly number[],
  broken: readonly number[],
): AutomatonState {
  const kind = 2 * context + (isLoose ? 1 : 0);
  // Nearly all states have one node, and a number takes a quarter of the time of a text.
  const isSimple = nodes.length === 1 && spaced.length === 0 && broken.length === 0;
  const key = isSimple ? nodes[0]! * CONTEXTS + kind : `${kind} ${nodes.join()} ${spaced.join()} ${broken.join()}`;
  return { nodes, isLoose, context, spaced, broken, key };
}

/** Bits that `before` returns: what may end there. */
export const MAY_END_TERM = 1;
export const MAY_END_ISOLATED = 2;
export const MAY_END_BROKEN = 4;
export const MAY_END_MASKED = 8;
/** The column is hidden, so only case folding finds a term there. */
export const MAY_END_PLAIN = 16;
/** The column is a sign of formatting after what may be the beginning of a term. */
export const MAY_FORMAT = 32;

/** The start states of the keyword automaton: at an edge of words, and inside one. */
const AT_EDGE = 0;
const INSIDE = 1;

export class Automaton {
  readonly keywords: KeywordAutomaton;
  readonly start = stateOf([AT_EDGE], false, START, none, none);
  readonly #count: number;
  readonly #again: readonly number[];
  readonly #free: Uint8Array;
  /** Bits that hold of some term that ends in a node: `SPACEABLE`, `BREAKABLE`. */
  readonly #apart: Uint8Array;

  private constructor(terms: Terms, keywords: KeywordAutomaton, again: readonly number[], free: Uint8Array) {
    this.keywords = keywords;
    this.#count = terms.from.length - 1;
    this.#again = again;
    this.#free = free;
    this.#apart = new Uint8Array(keywords.states);
  }

  static *of(terms: Terms, columns: Columns): Portions<Automaton> {
    const sequences = sequencesOf(terms, columns);
    yield;
    const free = terms.free.slice();
    for (let term = 0; term < free.length; term++) free[term]! |= freeOf(terms, term);
    const { joins } = columns;
    const rooted = yield* withStartsInside({ sequences, free }, joins);
    const keywords = yield* buildKeywordAutomaton(rooted.sequences, 2 * LABELS, joins, rooted.free);
    const automaton = new Automaton(terms, keywords, rooted.again ?? [], rooted.free);
    yield* inRanges(keywords.states, (first, end) => automaton.#noteApart(terms, first, end));
    return automaton;
  }

  /** Notes the bits of nodes, for which those of their suffixes are known. */
  #noteApart(terms: Terms, first: number, end: number): void {
    const { ends, duplicate, startStates, table } = this.keywords;
    for (let node = Math.max(first, startStates); node < end; node++) {
      let bits = this.#apart[failureOf(table, node)]!;
      for (let sequence = ends[node]!; sequence >= 0; sequence = duplicate[sequence]!)
        for (const bit of [SPACEABLE, BREAKABLE]) if (terms.is(this.termOf(sequence), bit)) bits |= bit;
      this.#apart[node] = bits;
    }
  }

  /** Returns what may end before a character of a column. */
  before(state: AutomatonState, { kind, role, isFormatting }: Column): number {
    const { context, spaced, broken } = state;
    if (kind === ColumnKind.MARK) return 0;
    const mayEnd = this.#mayEnd(state, kind === ColumnKind.JOINING);
    if (kind === ColumnKind.HIDDEN) return mayEnd ? MAY_END_PLAIN : 0;
    return (
      (mayEnd ? MAY_END_TERM : 0) |
      (mayEndIsolated(context, role) && this.#mayEndApart(spaced, SPACEABLE) ? MAY_END_ISOLATED : 0) |
      (mayEndBroken(context, role) && this.#mayEndApart(broken, BREAKABLE) ? MAY_END_BROKEN : 0) |
      (mayEndMasked(context, role) ? MAY_END_MASKED : 0) |
      (isFormatting && isTerm(state.nodes) ? MAY_FORMAT : 0)
    );
  }

  #mayEndApart(nodes: readonly number[], bit: number): boolean {
    for (let at = 0; at < nodes.length; at++) if ((this.#apart[nodes[at]!]! & bit) !== 0) return true;
    return false;
  }

  /** Reports whether some term may end in a state: at an edge of words, or inside one. */
  #mayEnd({ nodes }: AutomatonState, isInside: boolean): boolean {
    const { table, outputInside } = this.keywords;
    // A loop by index allocates nothing.
    for (let at = 0; at < nodes.length; at++)
      if ((isInside ? outputInside![nodes[at]!]! : outputOf(table, nodes[at]!)) >= 0) return true;
    return false;
  }

  /** Returns the state after a character of a column. */
  step(state: AutomatonState, column: Column): AutomatonState {
    const { kind, role } = column;
    if (kind === ColumnKind.MARK) return state;
    if (kind === ColumnKind.HIDDEN) return stateOf(state.nodes, true, state.context, state.spaced, state.broken);
    const isLoose = column.isAmbiguous || (state.isLoose && kind === ColumnKind.JOINING);
    const nodes = this.next(state.nodes, column.labels, isLoose || state.isLoose);
    const spaced = this.#spacedAfter(state, column);
    const broken = this.#brokenAfter(state, column);
    const wasTerm = isTerm(state.nodes) || state.broken.length > 0;
    const read = { wasTerm, isTerm: isTerm(nodes), isSpaced: spaced.length > 0, isBroken: broken.length > 0 };
    const context = contextAfter(state.context, role, read);
    return stateOf(nodes, isLoose, context, spaced, broken);
  }

  /** Returns the nodes after the isolated letters up to a character. */
  #spacedAfter({ spaced, context }: AutomatonState, { role, labels }: Column): readonly number[] {
    if (role === Role.SAME) return this.#withOrWithout(spaced, labels);
    const isolation = isolationOf(context, role);
    if (isolation === Isolation.NONE) return none;
    if (isolation === Isolation.BETWEEN) return spaced;
    const nodes = this.next(isolation === Isolation.NEXT ? spaced : this.start.nodes, labels, true);
    return isTerm(nodes) ? nodes : none;
  }

  /** Returns the nodes after words up to a character without the signs in them. */
  #brokenAfter({ nodes, broken, context }: AutomatonState, { role, labels }: Column): readonly number[] {
    if (broken.length === 0) return mayBreakAt(context, role) && isTerm(nodes) ? nodes : none;
    const mayBegin = isBeforeWord(context) && role !== Role.SPACE;
    if (role === Role.LETTER_SIGN || role === Role.SAME || role === Role.OTHER)
      return this.#withOrWithout(broken, labels, mayBegin);
    if (role !== Role.WORD && role !== Role.SPACE) return broken;
    const after = this.next(broken, labels, mayBegin);
    return isTerm(after) ? after : none;
  }

  /** Returns the nodes after a character that may be a sign, or be read as a letter. */
  #withOrWithout(nodes: readonly number[], labels: readonly number[], mayBegin = false): readonly number[] {
    return nodes.length === 0 ? none : this.#withoutSuffixes([...nodes, ...this.next(nodes, labels, mayBegin)]);
  }

  /** Returns the nodes after a letter of these labels. `mayBegin`: a term may begin with it. */
  next(nodes: readonly number[], labels: readonly number[], mayBegin: boolean): readonly number[] {
    const { step, table } = this.keywords;
    const found: number[] = [];
    for (const label of labels) {
      for (const node of nodes) {
        if (node <= INSIDE || symbolOf(table, node) % LABELS !== label) found.push(step(node, label));
        else found.push(node, step(node, label + LABELS));
      }
      if (mayBegin) found.push(step(AT_EDGE, label));
    }
    return found.length === 1 ? found : this.#withoutSuffixes(found);
  }

  /** Returns nodes without those that are suffixes of others, ascending. */
  #withoutSuffixes(nodes: readonly number[]): readonly number[] {
    const sorted = nodes.filter((node) => node > INSIDE).sort((left, right) => left - right);
    const left = sorted.filter((node, at) => node !== sorted[at - 1]);
    if (left.length === 0) return nodes.includes(AT_EDGE) ? [AT_EDGE] : [INSIDE];
    if (left.length === 1) return left;
    const suffixes = new Set<number>();
    for (const node of left) for (let at = node; at > INSIDE; suffixes.add(at)) at = failureOf(this.keywords.table, at);
    return left.filter((node) => !suffixes.has(node));
  }

  /** Reports whether a sequence of the keyword automaton may end inside a word. */
  mayEndInside(sequence: number): boolean {
    return (this.#free[sequence]! & FREE_END) !== 0;
  }

  /** Returns the term that a sequence of the keyword automaton stands for. */
  termOf(sequence: number): number {
    return sequence < this.#count ? sequence : this.#again[sequence - this.#count]!;
  }
}

/** Reports whether a term may have begun before. */
export function isTerm(nodes: readonly number[]): boolean {
  return nodes[nodes.length - 1]! > INSIDE;
}

/** Returns the terms as sequences of labels. */
function sequencesOf({ numbers, from }: Terms, { labelOf }: Columns): Sequences {
  const count = from.length - 1;
  const symbols = new Int32Array(numbers.length);
  const starts = new Int32Array(count + 1);
  let filled = 0;
  for (let term = 0; term < count; term++) {
    for (let at = from[term]!, before = -1; at < from[term + 1]!; at++) {
      const label = labelOf[numbers[at]!]!;
      const last = before === label ? label + LABELS : label;
      if (before !== label || symbols[filled - 1] !== last) symbols[filled++] = last;
      before = label;
    }
    starts[term + 1] = filled;
  }
  return { count, symbols: symbols.subarray(0, filled), from: starts };
}

/**
 * Returns the sides of a term where the automaton needs no edge of a word, whatever its reading.
 */
function freeOf(terms: Terms, term: number): number {
  const last = terms.from[term + 1]! - 1;
  if (terms.is(term, CASE_ONLY)) return FREE_START | FREE_END;
  if (last < terms.from[term]!) return 0;
  const { joins, decomposition } = terms.letters[terms.numbers[last]!]!;
  return joins && decomposition.kind === 'letter' ? 0 : FREE_END;
}
