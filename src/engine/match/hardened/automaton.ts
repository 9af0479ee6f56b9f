/**
 * Tells where in a text a term may end, in whatever disguise: the filter of hardened folding. Where
 * it stops, `aligner.ts` compares the text with the terms that may end there.
 *
 * An instance of: Aho and Corasick's automaton (`../keyword-automaton.ts`) over labels of letters
 * (`columns.ts`), with sets of its states where a character may stand for several letters. Runs of
 * one label are two symbols at most: its label, and a second one for all that follow. So a text with
 * one letter stands for one, and a text with more for one or for more.
 *
 * A sign that may be a letter is an edge of words as well, and what is hidden is one to case
 * folding. Behind these the automaton is *loose*: until a character that is certainly no letter,
 * terms may begin anywhere.
 *
 * Invariants:
 * - It never passes over a term: where a term ends that `aligner.ts` would find, its sequence of
 *   labels ends in one of the nodes, or in a node that failure links lead to from there.
 * - A step depends on state and column alone, so that it may be cached.
 */
import type { Portions } from '../../../foundation/portions.js';
import { buildKeywordAutomaton, failureOf, type KeywordAutomaton, outputOf, symbolOf } from '../keyword-automaton.js';
import { withStartsInside } from '../keyword-matcher.js';
import type { Sequences } from '../keyword-trie.js';
import { FREE_END, FREE_START } from '../word-edges.js';
import { type Column, ColumnKind, type Columns, LABELS } from './columns.js';
import { brokenBefore, contextAfter, mayEndIsolated, START } from './roles.js';
import { CASE_ONLY, type Terms } from './terms.js';

/** All that the text before a character may end in. Immutable. */
export interface AutomatonState {
  /** States of the keyword automaton, of which none is a suffix of another one. */
  readonly nodes: readonly number[];
  readonly isLoose: boolean;
  /** The context of letters that stand apart: see `roles.ts`. */
  readonly context: number;
  /** Equal for equal states. */
  readonly key: string;
}

function stateOf(nodes: readonly number[], isLoose: boolean, context: number): AutomatonState {
  return { nodes, isLoose, context, key: `${isLoose ? -1 : 0}${context} ${nodes.join()}` };
}

/** Bits that `before` returns: what may end there. */
export const MAY_END_TERM = 1;
export const MAY_END_ISOLATED = 2;
export const MAY_END_BROKEN = 4;
/** The column is hidden, so only case folding finds a term there. */
export const MAY_END_PLAIN = 8;

/** The start states of the keyword automaton: at an edge of words, and inside one. */
const AT_EDGE = 0;
const INSIDE = 1;

export class Automaton {
  readonly keywords: KeywordAutomaton;
  readonly start = stateOf([AT_EDGE], false, START);
  /** The state in which a term may begin with any letter. */
  readonly looseStart = stateOf([AT_EDGE], true, START);
  readonly #count: number;
  readonly #again: readonly number[];
  readonly #free: Uint8Array;

  private constructor(keywords: KeywordAutomaton, count: number, again: readonly number[], free: Uint8Array) {
    this.keywords = keywords;
    this.#count = count;
    this.#again = again;
    this.#free = free;
  }

  static *of(terms: Terms, columns: Columns): Portions<Automaton> {
    const sequences = sequencesOf(terms, columns);
    yield;
    const { count } = sequences;
    const free = terms.free.slice();
    for (let term = 0; term < count; term++) free[term]! |= freeOf(terms, term);
    const { joins } = columns;
    const rooted = yield* withStartsInside({ sequences, free }, joins);
    const keywords = yield* buildKeywordAutomaton(rooted.sequences, 2 * LABELS, joins, rooted.free);
    return new Automaton(keywords, count, rooted.again ?? [], rooted.free);
  }

  /** Returns what may end before a character of a column. */
  before(state: AutomatonState, { kind, role }: Column): number {
    const { context } = state;
    if (kind === ColumnKind.MARK) return 0;
    const isTerm = this.mayEnd(state, kind === ColumnKind.JOINING);
    if (kind === ColumnKind.HIDDEN) return isTerm ? MAY_END_PLAIN : 0;
    return (
      (isTerm ? MAY_END_TERM : 0) |
      (mayEndIsolated(context, role) ? MAY_END_ISOLATED : 0) |
      (brokenBefore(context, role) < 0 ? 0 : MAY_END_BROKEN)
    );
  }

  /** Reports whether some term may end in a state: at an edge of words, or inside one. */
  mayEnd({ nodes }: AutomatonState, isInside: boolean): boolean {
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
    if (kind === ColumnKind.HIDDEN) return stateOf(state.nodes, true, state.context);
    const isLoose = column.isAmbiguous || (state.isLoose && kind === ColumnKind.JOINING);
    const nodes = this.next(state.nodes, column.labels, isLoose || state.isLoose);
    return stateOf(nodes, isLoose, contextAfter(state.context, role, isTerm(state.nodes), isTerm(nodes)));
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
