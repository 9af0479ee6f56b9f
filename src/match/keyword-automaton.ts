/**
 * The Aho-Corasick automaton over all terms, as flat tables: dense rows for the commonest classes, a hash for the rare
 * ones with failure links walked only there. A dense table for every class of a multilingual list outgrows the caches,
 * and one object per state is eight times slower than either. Reads of typed arrays are in bounds by construction,
 * hence the `!`.
 */
import { createEdgeTable, type EdgeTable } from './edge-table.js';

export interface KeywordAutomaton {
  readonly states: number;
  /** How many classes have dense columns. */
  readonly width: number;
  /** `dense[state * width + class]`: the next state, failures resolved, for classes below `width`. */
  readonly dense: Int32Array;
  /** Trie edges of the classes from `width` on. */
  readonly rare: EdgeTable;
  /** Longest proper suffix of a state that is a state. */
  readonly failure: Int32Array;
  /** States from here on end at least one term. */
  readonly firstAccepting: number;
  /** Term that a state itself ends, or -1. */
  readonly ends: Int32Array;
  /** Next state on the failure path that ends a term, or -1. */
  readonly shorter: Int32Array;
  readonly bytes: number;
}

/** Most dense cells that are built: 64 MiB of them. Beyond, rows get narrower and more classes are looked up. */
const MAX_DENSE_CELLS = 1 << 24;
const MAX_WIDTH = 64;

interface Trie {
  readonly edges: EdgeTable;
  readonly ends: number[];
}

/** Builds the automaton. `terms` are sequences of classes, not empty, all different; `classes` is the alphabet's size. */
export function buildKeywordAutomaton(terms: readonly (readonly number[])[], classes: number): KeywordAutomaton {
  const trie = buildTrie(terms);
  const { order, failure, children } = linkFailures(trie);
  const shorter = linkShorter(trie, order, failure);
  const place = acceptingLast(trie, order, shorter);
  const states = order.length;
  const width = Math.max(1, Math.min(classes, MAX_WIDTH, Math.floor(MAX_DENSE_CELLS / states)));
  const dense = new Int32Array(states * width);
  const rare = createEdgeTable(0);
  const renumber = (links: Int32Array) => {
    const placed = new Int32Array(states).fill(-1);
    for (let state = 0; state < states; state++)
      if (links[state]! >= 0) placed[place.of[state]!] = place.of[links[state]!]!;
    return placed;
  };
  for (const state of order) {
    const row = place.of[state]! * width;
    const fallback = place.of[failure[state]!]! * width;
    if (state !== 0) dense.copyWithin(row, fallback, fallback + width);
    children.each(state, (classNumber, target) => {
      if (classNumber < width) dense[row + classNumber] = place.of[target]!;
      else rare.set(place.of[state]!, classNumber, place.of[target]!);
    });
  }
  const ends = new Int32Array(states).fill(-1);
  for (let state = 0; state < states; state++) ends[place.of[state]!] = trie.ends[state]!;
  return {
    states,
    width,
    dense,
    rare,
    failure: renumber(failure),
    firstAccepting: place.firstAccepting,
    ends,
    shorter: renumber(shorter),
    bytes: dense.byteLength + rare.bytes + states * 12,
  };
}

function buildTrie(terms: readonly (readonly number[])[]): Trie {
  const edges = createEdgeTable(terms.length * 4);
  const ends = [-1];
  terms.forEach((term, id) => {
    let state = 0;
    for (const classNumber of term) {
      let next = edges.get(state, classNumber);
      if (next < 0) {
        next = ends.length;
        edges.set(state, classNumber, next);
        ends.push(-1);
      }
      state = next;
    }
    ends[state] = id;
  });
  return { edges, ends };
}

/** Children of every state in one array, so that states can be visited level by level. */
function groupChildren(trie: Trie) {
  const states = trie.ends.length;
  const from = new Int32Array(states + 1);
  trie.edges.each((state) => from[state + 1]!++);
  for (let state = 0; state < states; state++) from[state + 1]! += from[state]!;
  const next = from.slice();
  const classes = new Int32Array(trie.edges.count);
  const targets = new Int32Array(trie.edges.count);
  trie.edges.each((state, classNumber, target) => {
    const slot = next[state]!++;
    classes[slot] = classNumber;
    targets[slot] = target;
  });
  return {
    each: (state: number, visit: (classNumber: number, target: number) => void) => {
      for (let slot = from[state]!; slot < from[state + 1]!; slot++) visit(classes[slot]!, targets[slot]!);
    },
  };
}

/** States by level, and the failure link of each: a link always leads to an earlier level. */
function linkFailures(trie: Trie) {
  const states = trie.ends.length;
  const children = groupChildren(trie);
  const failure = new Int32Array(states);
  const order = new Int32Array(states);
  let filled = 1;
  for (let done = 0; done < filled; done++) {
    const state = order[done]!;
    children.each(state, (classNumber, target) => {
      order[filled++] = target;
      let back = failure[state]!;
      let step = state === 0 ? 0 : trie.edges.get(back, classNumber);
      while (step < 0 && back !== 0) {
        back = failure[back]!;
        step = trie.edges.get(back, classNumber);
      }
      failure[target] = Math.max(step, 0);
    });
  }
  return { order, failure, children };
}

function linkShorter(trie: Trie, order: Int32Array, failure: Int32Array): Int32Array {
  const shorter = new Int32Array(order.length).fill(-1);
  for (const state of order) {
    const back = failure[state]!;
    if (state !== 0) shorter[state] = trie.ends[back]! >= 0 ? back : shorter[back]!;
  }
  return shorter;
}

/** New numbers in which every accepting state comes last, so that "does a term end here" is one comparison. */
function acceptingLast(trie: Trie, order: Int32Array, shorter: Int32Array) {
  const accepts = (state: number) => trie.ends[state]! >= 0 || shorter[state]! >= 0;
  const of = new Int32Array(order.length);
  let number = 0;
  for (const state of order) if (!accepts(state)) of[state] = number++;
  const firstAccepting = number;
  for (const state of order) if (accepts(state)) of[state] = number++;
  return { of, firstAccepting };
}
