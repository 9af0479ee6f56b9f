/**
 * Whether every text that fires one program fires another, and if not, the shortest text that shows it.
 *
 * An instance of: the inclusion of regular languages by a product of automata, built while it is searched, breadth-first: the first as an
 * NFA, whose instructions are followed one by one, the second as a DFA, whose states are sets of instructions (`transitions.ts`). Both read
 * the classes of characters that the two programs tell apart.
 *
 * State: nodes, each an instruction of the first program (or that it has not begun, or that it has fired) with a state of the second.
 * A node is left out when another of the same instruction and context has a subset of its state: what the second program can do
 * from the subset it can do from the set.
 *
 * Invariants:
 * - In no node has the second program fired: from there on nothing is left to show.
 * - A text is found when the first program has fired and the text ends. Nodes are visited by the length of their texts, so it is a
 *   shortest one.
 * - Sequences with a high surrogate before a low one, which no text has, are searched like others: a proof holds without them, and a witness
 *   with them is not returned.
 *
 * Cost: nodes times the classes that lead on, counted in `Budget.left`.
 */
import { buildPatternClasses, type PatternClasses } from '../../engine/match/patterns/classes.js';
import { Op, type PatternProgram } from '../../engine/match/patterns/program.js';
import { grown, PatternStates } from '../../engine/match/patterns/states.js';
import { TransitionBuilder } from '../../engine/match/patterns/transitions.js';
import { runAtOnce } from '../../foundation/portions.js';

/** The limits of a search: nodes of one product, and steps of all searches that share the budget, an eighth of which a single search may use. */
export interface Budget {
  readonly nodes: number;
  /** Steps that are left; searches subtract theirs. */
  left: number;
}

/** The result of a search. `missing` is a shortest text that fires the first program and not the second, where one can be written. */
export type Inclusion =
  | { readonly kind: 'included' | 'over-budget' }
  | { readonly kind: 'not'; readonly missing?: string };

/** A program that no text fires. */
const never: PatternProgram = {
  patterns: 1,
  size: 1,
  op: Uint8Array.of(Op.FAIL),
  out: new Int32Array(1),
  arg: new Int32Array(1),
  owner: new Int32Array(1),
  starts: new Int32Array(1),
  runeSets: [],
  assertions: 0,
};

/** Reports whether every text that fires the program `one` fires `other`; without another, whether no text fires it. */
export function decideInclusion(one: PatternProgram, other: PatternProgram | undefined, budget: Budget): Inclusion {
  return decideInclusions([one], other, budget)[0]!;
}

/** `decideInclusion` for several programs, which takes less time than one by one. */
export function decideInclusions(
  ones: readonly PatternProgram[],
  other: PatternProgram | undefined,
  budget: Budget,
): readonly Inclusion[] {
  const program = joined([...ones, other ?? never]);
  const classes = runAtOnce(buildPatternClasses(program));
  if (classes === undefined) return ones.map(() => ({ kind: 'over-budget' }));
  const search = new InclusionSearch(program, classes, budget);
  return ones.map((_, pattern) => search.run(pattern));
}

/** Joins programs of one pattern each into one of all these. They share their instruction 0. */
function joined(programs: readonly PatternProgram[]): PatternProgram {
  const size = programs.reduce((sum, program) => sum + program.size - 1, 1);
  const [op, out, arg, owner] = [
    new Uint8Array(size),
    new Int32Array(size),
    new Int32Array(size),
    new Int32Array(size),
  ];
  const starts = new Int32Array(programs.length);
  const sets = new Map<Int32Array, number>();
  let assertions = 0;
  let base = 0;
  for (const [pattern, program] of programs.entries()) {
    for (const set of program.runeSets) if (!sets.has(set)) sets.set(set, sets.size);
    for (let pc = 1; pc < program.size; pc++) {
      const own = program.arg[pc]!;
      op[base + pc] = program.op[pc]!;
      out[base + pc] = placed(program.out[pc]!, base);
      owner[base + pc] = pattern;
      if (program.op[pc] === Op.FORK) arg[base + pc] = placed(own, base);
      else if (program.op[pc] === Op.RUNES) arg[base + pc] = sets.get(program.runeSets[own]!)!;
      else arg[base + pc] = program.op[pc] === Op.MATCH ? pattern : own;
    }
    starts[pattern] = placed(program.starts[0]!, base);
    assertions |= program.assertions;
    base += program.size - 1;
  }
  return { patterns: programs.length, size, op, out, arg, owner, starts, runeSets: [...sets.keys()], assertions };
}

const LAST = 0x10ffff;
const placed = (pc: number, base: number) => (pc === 0 ? 0 : pc + base);

/** In place of an instruction of the first program: it has not begun; it has fired. */
const BEFORE = -1;
const FIRED = -2;
/** In place of a state of the second program: not known; it fires. */
const UNKNOWN = -1;
const FIRES = -2;
/** States that a new one is compared with, of each instruction and context. */
const COMPARED = 16;
/** Cells of all rows of the second program, and instructions of its states; 4 bytes each. */
const MOST_CELLS = 1 << 23;

class InclusionSearch {
  readonly #classes: PatternClasses;
  readonly #budget: Budget;
  /** Steps of single instructions of the first program, and of the second program. */
  readonly #threads: TransitionBuilder;
  readonly #second: TransitionBuilder;
  readonly #states: PatternStates;
  /** `#next[state * classes + class]`: the next state of the second program. */
  #next = new Int32Array(0);
  /** For each instruction: the number of the last node whose state has it. */
  readonly #marks: Int32Array;
  #mark = 0;
  /** Nodes: instruction, state, the node before and the class that led here. */
  readonly #pcs: number[] = [];
  readonly #ofStates: number[] = [];
  readonly #parents: number[] = [];
  readonly #steps: number[] = [];
  readonly #seen = new Set<number>();
  readonly #smallest = new Map<number, number[]>();
  readonly #program: PatternProgram;
  readonly #waiting = new Int32Array(1);
  /** All classes, the end first; and by set of the program, those of it. */
  readonly #allSteps: Int32Array;
  readonly #stepsOf: Int32Array[] = [];
  /** The first instruction of the first program. */
  #start = 0;

  constructor(program: PatternProgram, classes: PatternClasses, budget: Budget) {
    this.#program = program;
    this.#classes = classes;
    this.#budget = budget;
    this.#allSteps = Int32Array.from({ length: classes.end }, (_, at) => classes.end - at);
    this.#marks = new Int32Array(program.size);
    const last = program.patterns - 1;
    const startingWith = (holds: (pattern: number) => boolean) =>
      new TransitionBuilder({ ...program, starts: program.starts.map((pc, at) => (holds(at) ? pc : 0)) }, classes);
    this.#threads = startingWith(() => false);
    this.#second = startingWith((pattern) => pattern === last);
    const most = Math.min(budget.nodes, Math.floor(MOST_CELLS / classes.count));
    this.#states = new PatternStates(this.#second, most, MOST_CELLS);
  }

  /** Reports whether the last program includes another one. */
  run(pattern: number): Inclusion {
    this.#start = this.#program.starts[pattern]!;
    const least = (this.#budget.left * 7) / 8;
    for (const list of [this.#pcs, this.#ofStates, this.#parents, this.#steps]) list.length = 0;
    this.#seen.clear();
    this.#smallest.clear();
    if (this.#second.always.length > 0) return { kind: 'included' };
    this.#second.count = 0;
    this.#second.context = this.#second.startContext;
    this.#visit(BEFORE, this.#states.enter(), -1, 0);
    for (let node = 0; node < this.#pcs.length; node++) {
      if (this.#pcs.length > this.#budget.nodes || this.#budget.left < least) return { kind: 'over-budget' };
      for (const step of this.#stepsFrom(this.#pcs[node]!)) {
        const found = this.#step(node, step);
        if (found === FOUND) {
          const missing = this.#textOf(node);
          return { kind: 'not', ...(missing !== undefined && { missing }) };
        }
        if (found === FULL) return { kind: 'over-budget' };
      }
    }
    return { kind: 'included' };
  }

  /** Returns the classes that an instruction may read; the end before others, since no longer text is needed then. */
  #stepsFrom(pc: number): Int32Array {
    if (pc < 0 || this.#program.op[pc] !== Op.RUNES) return this.#allSteps;
    const set = this.#program.arg[pc]!;
    this.#stepsOf[set] ??= this.#allSteps.filter((step) => this.#threads.reads(pc, step));
    return this.#stepsOf[set];
  }

  /** Takes a step of both programs from a node. */
  #step(node: number, classNumber: number): typeof FOUND | typeof FULL | undefined {
    const pc = this.#pcs[node]!;
    const state = this.#ofStates[node]!;
    const context = this.#states.contextOf(state);
    this.#budget.left--;
    let fired = pc === FIRED;
    const { threads } = this.#threads;
    let count = 0;
    if (!fired) {
      this.#waiting[0] = pc === BEFORE ? this.#start : pc;
      this.#threads.advance(this.#waiting, 0, 1, context, classNumber);
      count = this.#threads.count;
      this.#budget.left -= count;
      fired = this.#threads.idCount > 0;
    }
    const isEnd = classNumber === this.#classes.end;
    if (isEnd ? !fired : !fired && count === 0 && pc !== BEFORE) return undefined;
    const next = this.#nextOf(state, classNumber);
    if (next === FIRES) return undefined;
    if (next === UNKNOWN) return FULL;
    if (isEnd) return FOUND;
    if (fired) this.#visit(FIRED, next, node, classNumber);
    else {
      for (let at = 0; at < count; at++) this.#visit(threads[at]!, next, node, classNumber);
      if (pc === BEFORE) this.#visit(BEFORE, next, node, classNumber);
    }
    return undefined;
  }

  /** Returns the state of the second program after a character; `FIRES`; or `UNKNOWN` when there is no room for it. */
  #nextOf(state: number, classNumber: number): number {
    const cell = state * this.#classes.count + classNumber;
    if (cell >= this.#next.length) {
      const before = this.#next.length;
      this.#next = grown(this.#next, cell + this.#classes.count).fill(UNKNOWN, before);
    }
    const known = this.#next[cell]!;
    if (known !== UNKNOWN) return known;
    const { waiting } = this.#states;
    const from = this.#states.from(state);
    const to = from + this.#states.lengthOf(state);
    this.#second.advance(waiting, from, to, this.#states.contextOf(state), classNumber);
    this.#budget.left -= this.#second.count + this.#classes.count / 8;
    const next = this.#second.idCount > 0 ? FIRES : this.#states.enter();
    this.#next[cell] = next;
    return next;
  }

  /** Adds a node, unless it or one that represents it is there. */
  #visit(pc: number, state: number, parent: number, step: number): void {
    const key = state * (this.#program.size + 2) + pc + 2;
    if (this.#seen.has(key)) return;
    this.#seen.add(key);
    const place = this.#states.contextOf(state) * (this.#program.size + 2) + pc + 2;
    const before = this.#smallest.get(place) ?? [];
    const from = this.#states.from(state);
    const to = from + this.#states.lengthOf(state);
    this.#mark++;
    for (let at = from; at < to; at++) this.#marks[this.#states.waiting[at]!] = this.#mark;
    if (before.some((other) => this.#isMarked(other))) return;
    if (before.length < COMPARED) this.#smallest.set(place, [...before, state]);
    this.#pcs.push(pc);
    this.#ofStates.push(state);
    this.#parents.push(parent);
    this.#steps.push(step);
  }

  /** Reports whether the instructions of a state are among those that `#marks` has under the current number. */
  #isMarked(state: number): boolean {
    const { waiting } = this.#states;
    const from = this.#states.from(state);
    const to = from + this.#states.lengthOf(state);
    this.#budget.left -= to - from;
    for (let at = from; at < to; at++) if (this.#marks[waiting[at]!] !== this.#mark) return false;
    return true;
  }

  /** Returns a text of the characters that lead to a node; `undefined` when no text has their sequence. */
  #textOf(node: number): string | undefined {
    const steps: number[] = [];
    for (let at = node; this.#parents[at]! >= 0; at = this.#parents[at]!) steps.push(this.#steps[at]!);
    const codes = steps.reverse().map((step) => this.#characterOf(step));
    if (codes.includes(undefined)) return undefined;
    const text = (codes as number[]).map((code) => String.fromCodePoint(code)).join('');
    return Array.from(text).length === codes.length ? text : undefined;
  }

  /** Returns a character of a class: a plain one if it has one, a surrogate only if it has nothing else. */
  #characterOf(classNumber: number): number | undefined {
    const { units, classOf } = this.#classes;
    const isOf = (code: number) => code <= LAST && (units[code] || classOf(code)) === classNumber;
    const visible = readable.find(isOf) ?? units.indexOf(classNumber, 0xa1);
    if (visible >= 0) return visible;
    const bounds = this.#program.runeSets.flatMap((set) => Array.from(set, (code, at) => code + (at % 2)));
    return [...Array(0xa1).keys(), ...bounds, ...surrogates].find(isOf);
  }
}

const FOUND = 1;
const FULL = 2;

/** Small letters, digits and a blank before other characters of ASCII. */
const readable = Array.from('abcdefghijklmnopqrstuvwxyz0123456789 .-_', (character) => character.charCodeAt(0));
for (let code = 0x21; code < 0x7f; code++) readable.push(code);
const surrogates = Array.from({ length: 0x800 }, (_, index) => 0xd800 + index);
