/**
 * The second filter, between the rows of the matcher and the comparison of letters: the same automaton over exact
 * columns.
 *
 * In the matcher's rows rare characters share columns. Here each character has the column of what it alone may stand for.
 * So stops that shared columns cause, which are most where a list has many languages, take a tenth of what it takes to read
 * and compare letters.
 *
 * Invariant: the walk is at least as wide as `alignment.ts`: where `mayEnd` is false no term ends that begins at `from`
 * or behind it.
 */
import { type Automaton, type AutomatonState, MAY_END_TERM } from './automaton.js';
import { type Column, ColumnKind, describe } from './columns.js';
import { Isolation } from './isolation-classes.js';
import { isolationAfter, mayEndIsolated, START, START_WITHIN } from './isolation-states.js';
import type { Work } from './letters.js';
import type { Lexicon } from './lexicon.js';

interface Node {
  readonly state: AutomatonState;
  readonly next: Map<Column, Node>;
}

/** Most nodes, and most characters, that are kept. */
const MOST_KEPT = 1 << 14;

export class ExactWalk {
  readonly #lexicon: Lexicon;
  readonly #automaton: Automaton;
  readonly #work: Work;
  #columns = new Map<number, readonly Column[]>();
  #nodes = new Map<string, Node>();
  #root: Node;
  #node: Node;
  #at = 0;

  constructor(lexicon: Lexicon, automaton: Automaton, work: Work) {
    this.#lexicon = lexicon;
    this.#automaton = automaton;
    this.#work = work;
    this.#root = this.#nodeOf(automaton.start);
    this.#node = this.#root;
  }

  /** Begins a text. */
  begin(): void {
    this.#node = this.#root;
    this.#at = 0;
  }

  /**
   * Reports whether a term may end before offset `end`, where none that does begins before offset `from`. Both ascend from call
   * to call.
   */
  mayEnd(text: string, from: number, end: number): boolean {
    if (from > this.#at) {
      this.#node = this.#root;
      this.#at = from;
    }
    let node = this.#node;
    let at = this.#at;
    while (at < end) {
      this.#work.steps++;
      const code = text.codePointAt(at)!;
      at += code > 0xffff ? 2 : 1;
      // Loops by index do not allocate an iterator.
      const columns = this.#columnsOf(code);
      for (let index = 0; index < columns.length; index++) {
        const column = columns[index]!;
        node = node.next.get(column) ?? this.#step(node, column);
      }
    }
    this.#node = node;
    this.#at = at;
    if (end >= text.length) return node.state.accepts !== 0;
    const column = this.#columnsOf(text.codePointAt(end)!)[0]!;
    return (this.#automaton.before(node.state, column) & MAY_END_TERM) !== 0;
  }

  /**
   * Reports whether isolated letters of a passage may be a term, by the classes of characters alone. Where the matcher's
   * rows have shared columns, digits have the class of the letters that they share one with (`4.7.5`).
   */
  mayHoldIsolated(text: string, from: number, until: number): boolean {
    let state = from === 0 ? START : START_WITHIN;
    for (let at = from; at < until; ) {
      this.#work.steps++;
      const code = text.codePointAt(at)!;
      at += code > 0xffff ? 2 : 1;
      const columns = this.#columnsOf(code);
      for (let index = 0; index < columns.length; index++) {
        const { kind, isolation } = columns[index]!;
        if (kind === ColumnKind.MARK || kind === ColumnKind.HIDDEN) continue;
        if (mayEndIsolated(state, isolation)) return true;
        state = isolationAfter(state, isolation, false);
      }
    }
    return mayEndIsolated(state, Isolation.NONE);
  }

  #columnsOf(code: number): readonly Column[] {
    const known = this.#columns.get(code);
    if (known !== undefined) return known;
    const columns = describe(this.#lexicon, code);
    if (this.#columns.size > MOST_KEPT) this.#forget();
    this.#columns.set(code, columns);
    return columns;
  }

  #step(from: Node, column: Column): Node {
    const to = this.#nodeOf(this.#automaton.step(from.state, column));
    from.next.set(column, to);
    return to;
  }

  #nodeOf(state: AutomatonState): Node {
    const key = `${state.isWordStart} ${state.runs.join()}`;
    let node = this.#nodes.get(key);
    if (node === undefined) {
      if (this.#nodes.size > MOST_KEPT) this.#forget();
      // Isolated letters are left to the automaton.
      node = { state: { ...state, isolation: 0 }, next: new Map() };
      this.#nodes.set(key, node);
    }
    return node;
  }

  /** Forgets all nodes, so that texts that walk through all of Unicode do not fill the memory. */
  #forget(): void {
    this.#columns = new Map();
    this.#nodes = new Map();
    this.#root = this.#nodeOf(this.#automaton.start);
  }
}
