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
 * - In no node has the second program fired: from there on nothing has to be shown.
 * - A text is found when the first program has fired and the text ends. Nodes are visited by the length of their texts, so it is a
 *   shortest one.
 * - Sequences with a high surrogate before a low one, which no text has, are searched like others: a proof holds without them, and a witness
 *   with them is not returned.
 *
 * Cost: nodes times the classes that lead on, counted in `Budget.left`.
 */
import { buildPatternClasses, type PatternClasses } from '../match/patterns/classes.js';
import { Op, type PatternProgram } from '../match/patterns/program.js';
import { createPatternStates, type PatternStates } from '../match/patterns/states.js';
import { TransitionBuilder } from '../match/patterns/transitions.js';
import { runAtOnce } from '../portions.js';

/** How much a search may take: nodes of one product, and steps of all searches that share the budget. */
export interface Budget {
  readonly nodes: number;
  /** Steps that are left; searches subtract theirs. */
  left: number;
}

/** What a search found. `missing`: a shortest text that fires the first program and not the second, where one can be written. */
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

/** Whether every text that fires the program `one` fires `other`; without another, whether no text fires it. */
export function decideInclusion(one: PatternProgram, other: PatternProgram | undefined, budget: Budget): Inclusion {
  const program = joined(one, other ?? never);
  const classes = runAtOnce(buildPatternClasses(program));
  if (classes === undefined) return { kind: 'over-budget' };
  return new InclusionSearch(program, classes, budget).run();
}

/** Two programs of one pattern each as one of two. They share their instruction 0. */
function joined(one: PatternProgram, other: PatternProgram): PatternProgram {
  const size = one.size + other.size - 1;
  const joint: PatternProgram = {
    patterns: 2,
    size,
    op: new Uint8Array(size),
    out: new Int32Array(size),
    arg: new Int32Array(size),
    owner: new Int32Array(size),
    starts: Int32Array.of(one.starts[0]!, placed(other.starts[0]!, one.size - 1)),
    runeSets: [...new Set([...one.runeSets, ...other.runeSets])],
    assertions: one.assertions | other.assertions,
  };
  for (const [pattern, { size: own, op, out, arg, runeSets }] of [one, other].entries()) {
    const base = pattern === 0 ? 0 : one.size - 1;
    for (let pc = 1; pc < own; pc++) {
      joint.op[base + pc] = op[pc]!;
      joint.out[base + pc] = placed(out[pc]!, base);
      joint.owner[base + pc] = pattern;
      if (op[pc] === Op.FORK) joint.arg[base + pc] = placed(arg[pc]!, base);
      else if (op[pc] === Op.RUNES) joint.arg[base + pc] = joint.runeSets.indexOf(runeSets[arg[pc]!]!);
      else joint.arg[base + pc] = op[pc] === Op.MATCH ? pattern : arg[pc]!;
    }
  }
  return joint;
}

const placed = (pc: number, base: number) => (pc === 0 ? 0 : pc + base);

/** In place of an instruction of the first program: it has not begun; it has fired. */
const BEFORE = -1;
const FIRED = -2;
/** In place of a state of the second program: not known; it fires. */
const UNKNOWN = -1;
const FIRES = -2;
/** States that a new one is compared with, of each instruction and context. */
const COMPARED = 16;
const LEAST_CLASS = 1;
/** Cells of all rows of the second program, and instructions of its states; 4 bytes each. */
const MOST_CELLS = 1 << 23;
const nothing = new Int32Array(0);

class InclusionSearch {
  readonly #classes: PatternClasses;
  readonly #budget: Budget;
  /** Steps of single instructions of the first program, of its beginning, and of the second program. */
  readonly #threads: TransitionBuilder;
  readonly #beginning: TransitionBuilder;
  readonly #second: TransitionBuilder;
  readonly #states: PatternStates;
  /** By state of the second program: by class, the next one. */
  readonly #next: Int32Array[] = [];
  /** By state: its instructions. */
  readonly #sets: Set<number>[] = [];
  /** Nodes: instruction, state, the node before and the class that led here. */
  readonly #pcs: number[] = [];
  readonly #ofStates: number[] = [];
  readonly #parents: number[] = [];
  readonly #steps: number[] = [];
  readonly #seen = new Set<number>();
  readonly #smallest = new Map<number, number[]>();
  readonly #program: PatternProgram;

  constructor(program: PatternProgram, classes: PatternClasses, budget: Budget) {
    this.#program = program;
    this.#classes = classes;
    this.#budget = budget;
    const [first, second] = program.starts;
    const startingAt = (...starts: number[]) =>
      new TransitionBuilder({ ...program, starts: Int32Array.from(starts) }, classes);
    this.#threads = startingAt(0, 0);
    this.#beginning = startingAt(first!, 0);
    this.#second = startingAt(0, second!);
    const most = Math.min(budget.nodes, Math.floor(MOST_CELLS / classes.count));
    this.#states = createPatternStates(this.#second, most, MOST_CELLS);
  }

  run(): Inclusion {
    if (this.#second.always.length > 0) return { kind: 'included' };
    this.#second.count = 0;
    this.#second.context = this.#second.startContext;
    this.#visit(this.#beginning.always.length > 0 ? FIRED : BEFORE, this.#states.enter(), -1, 0);
    for (let node = 0; node < this.#pcs.length; node++) {
      if (this.#pcs.length > this.#budget.nodes || this.#budget.left < 0) return { kind: 'over-budget' };
      // The end first: no longer text is of interest then.
      for (let step = this.#classes.end; step >= LEAST_CLASS; step--) {
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

  /** Takes a step of both programs from a node. */
  #step(node: number, classNumber: number): typeof FOUND | typeof FULL | undefined {
    const pc = this.#pcs[node]!;
    const state = this.#ofStates[node]!;
    const context = this.#states.contextOf(state);
    this.#budget.left--;
    let fired = pc === FIRED;
    let threads: readonly number[] = [];
    if (pc >= 0 || pc === BEFORE) {
      if (pc >= 0 && this.#program.op[pc] === Op.RUNES && !this.#threads.reads(pc, classNumber)) return undefined;
      const builder = pc === BEFORE ? this.#beginning : this.#threads;
      const waiting = pc === BEFORE ? nothing : Int32Array.of(pc);
      builder.advance(waiting, 0, waiting.length, context, classNumber);
      this.#budget.left -= builder.count;
      fired = builder.idCount > 0;
      threads = Array.from(builder.threads.subarray(0, builder.count));
    }
    const isEnd = classNumber === this.#classes.end;
    if (isEnd ? !fired : !fired && threads.length === 0 && pc !== BEFORE) return undefined;
    const next = this.#nextOf(state, classNumber);
    if (next === FIRES) return undefined;
    if (next === UNKNOWN) return FULL;
    if (isEnd) return FOUND;
    if (fired) this.#visit(FIRED, next, node, classNumber);
    else {
      for (const thread of threads) this.#visit(thread, next, node, classNumber);
      if (pc === BEFORE) this.#visit(BEFORE, next, node, classNumber);
    }
    return undefined;
  }

  /** The state of the second program after a character; `FIRES`; or `UNKNOWN` when there is no room for it. */
  #nextOf(state: number, classNumber: number): number {
    this.#next[state] ??= new Int32Array(this.#classes.count).fill(UNKNOWN);
    const known = this.#next[state]![classNumber]!;
    if (known !== UNKNOWN) return known;
    const { waiting } = this.#states;
    const from = this.#states.from(state);
    const to = from + this.#states.lengthOf(state);
    this.#second.advance(waiting, from, to, this.#states.contextOf(state), classNumber);
    this.#budget.left -= this.#second.count + this.#classes.count / 8;
    const next = this.#second.idCount > 0 ? FIRES : this.#states.enter();
    this.#next[state]![classNumber] = next;
    return next;
  }

  /** Adds a node, unless it or one that stands for it is there. */
  #visit(pc: number, state: number, parent: number, step: number): void {
    const key = state * (this.#program.size + 2) + pc + 2;
    if (this.#seen.has(key)) return;
    this.#seen.add(key);
    const place = this.#states.contextOf(state) * (this.#program.size + 2) + pc + 2;
    const before = this.#smallest.get(place) ?? [];
    if (before.some((other) => this.#isSubset(other, state))) return;
    if (before.length < COMPARED) this.#smallest.set(place, [...before, state]);
    this.#pcs.push(pc);
    this.#ofStates.push(state);
    this.#parents.push(parent);
    this.#steps.push(step);
  }

  #isSubset(state: number, of: number): boolean {
    if (this.#states.lengthOf(state) > this.#states.lengthOf(of)) return false;
    const own = this.#setOf(state);
    const other = this.#setOf(of);
    this.#budget.left -= own.size;
    for (const pc of own) if (!other.has(pc)) return false;
    return true;
  }

  #setOf(state: number): ReadonlySet<number> {
    const from = this.#states.from(state);
    this.#sets[state] ??= new Set(this.#states.waiting.subarray(from, from + this.#states.lengthOf(state)));
    return this.#sets[state];
  }

  /** A text of the characters that lead to a node; `undefined` when their sequence is that of no text. */
  #textOf(node: number): string | undefined {
    const steps: number[] = [];
    for (let at = node; this.#parents[at]! >= 0; at = this.#parents[at]!) steps.push(this.#steps[at]!);
    const codes = steps.reverse().map((step) => characterOf(step, this.#classes, this.#program));
    const text = String.fromCodePoint(...codes);
    return Array.from(text).length === codes.length ? text : undefined;
  }
}

const FOUND = 1;
const FULL = 2;

const readable = Array.from(
  'abcdefghijklmnopqrstuvwxyz0123456789 .-_ABCDEFGHIJKLMNOPQRSTUVWXYZ',
  (character) => character.codePointAt(0)!,
);

/** A character of a class: a plain one if it has one, no surrogate if it can be helped. */
function characterOf(classNumber: number, { units, classOf }: PatternClasses, { runeSets }: PatternProgram): number {
  const plain = readable.find((code) => units[code] === classNumber);
  if (plain !== undefined) return plain;
  for (let code = 0x21; code < 0x10000; code++) if (units[code] === classNumber) return code;
  for (let code = 0; code < 0x21; code++) if (units[code] === classNumber) return code;
  const bounds = [0x10000, ...runeSets.flatMap((set) => Array.from(set, (code, at) => code + (at % 2)))];
  const beyond = bounds.filter((code) => code > 0xffff && code <= 0x10ffff);
  return (
    beyond.find((code) => classOf(code) === classNumber) ?? surrogates.find((code) => classOf(code) === classNumber)!
  );
}

const surrogates = Array.from({ length: 0x800 }, (_, index) => 0xd800 + index);
