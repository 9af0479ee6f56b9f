/**
 * The lazy DFA of all patterns.
 *
 * An instance of: the lazy DFA of RE2, over a set of patterns: the subset construction, done while
 * texts are read. A state of the DFA is a set of NFA instructions and a context, as
 * `transitions.ts` has them after a step; its transitions are by classes of characters
 * (`classes.ts`).
 *
 * State: `rows[state + class]`, a state being the offset of its row. A cell is the next state; or
 * -1, not known; or `-2 - place`, a matching step: at `place` of another array stand the next state
 * and the patterns that match. `states.ts` says what the states are. Besides, for the text: which
 * patterns occur, and how much was built.
 *
 * Invariants:
 * - A known cell is what `TransitionBuilder.advance` returns for its state and class. No cell
 *   depends on a text.
 * - A state that was returned last is valid until the next call of `begin` or `next`. When tables
 *   are full all of them are emptied, and the state that is returned is the first of the new ones.
 * - `SURROGATE_CLASS` has no known cell: `next` is called with the class of the code point.
 * - `matched` has each pattern once, however often it matches.
 * - What may be built for one text is bounded. Beyond, the text *stalls*: `matched` is incomplete,
 *   and `simulate` has to read it.
 *
 * Cost: one read of an array for a character, with one comparison. A cell costs a step of
 * `transitions.ts` once. Memory is bounded by `PatternBudget`.
 *
 * Example: patterns `ab` and `a$`, of 5 classes: `SURROGATE_CLASS` 0, others 1, `a` 2, `b` 3, the
 * end 4. Text `aab`, no state known but 0.
 *   `begin`   state 0: nothing is active
 *   a         rows[0 + 2] is -1: `next` builds state 5, {RUNES b, ASSERT end of text}
 *   a         rows[5 + 2] is -1: state 5 once more
 *   b         rows[5 + 3] is -1: state 0, and pattern 0 matches: the cell is -2, at place 0
 *   the end   rows[0 + 4]: state 0. In the next such text `next` is called for the -2 alone
 */

import type { Portions } from '../../../foundation/portions.js';
import type { TakeMatch } from '../span.js';
import { isWithinPair } from '../surrogates.js';
import type { WorkBudget } from '../work-budget.js';
import { buildPatternClasses, type PatternClasses } from './classes.js';
import { buildFollows, type Follows } from './follows.js';
import { NfaSimulation } from './nfa-simulation.js';
import type { PatternProgram } from './program.js';
import { SpanSearch } from './span-search.js';
import { grown, PatternStates } from './states.js';
import { TransitionBuilder } from './transitions.js';

/** Not `text.charCodeAt`, for reasons that `keyword-scan.ts` gives. */
const { charCodeAt, codePointAt } = String.prototype;

/**
 * Result of `next` when the text exceeded its budget of construction work: it must be evaluated by
 * `simulate`.
 */
export const STALLED = -1;

/** The DFA as scan loops need it, so that another automaton can be stepped in the same loop. */
export interface PatternDfa {
  /**
   * Class of each UTF-16 unit; for `SURROGATE_CLASS` (0), the class is `classOf` of the code point.
   */
  readonly classes: Uint16Array;
  readonly classCount: number;
  /** Class of a code point, lone surrogates included. */
  classOf(codePoint: number): number;
  /** The class of the end of the text: stepped once, after the last character. */
  readonly end: number;
  /**
   * `rows[state + class]`: the next state, or a negative number when `next` must be called. Always
   * negative for `SURROGATE_CLASS`. The array is replaced when the automaton grows: read the field
   * again after each call of `next`.
   */
  rows: Int32Array;
  /** Clears the matches of the text before, and returns the start state. */
  begin(): number;
  /**
   * Takes a step that is not in `rows` yet or at which patterns match. Returns the next state, or
   * `STALLED`.
   */
  next(state: number, classNumber: number): number;
  /** Patterns that occur in the text so far, each once: the first `matchedCount`. */
  readonly matched: Int32Array;
  matchedCount: number;
}

/** Limits of an automaton's memory and construction work. */
interface PatternBudget {
  /** Cells of all rows, 4 bytes each. */
  readonly cells: number;
  /** Active instructions of all states together, and entries of matching steps, 4 bytes each. */
  readonly entries: number;
  /**
   * Instructions visited while steps are built for one text, plus 32 for each step built; 40 times
   * the program is added.
   */
  readonly work: number;
}

const WORK_OF_A_STEP = 32;
/** Work for the beginnings of all patterns, once for each class, by size of the program. */
const WORK_OF_BEGINNINGS = 40;
/** Texts are numbered in 32 bits. */
const LAST_TEXT = 0x7fffffff;

const defaultBudget: PatternBudget = { cells: 1 << 20, entries: 1 << 20, work: 1 << 19 };

/**
 * Makes the automaton of a program, in portions. `indices` are its patterns' indices in the set.
 * `undefined` when the alphabet is too large.
 */
export function* createPatternDfa(
  program: PatternProgram,
  indices: Int32Array,
  budget = defaultBudget,
): Portions<LazyPatternDfa | undefined> {
  const classes = yield* buildPatternClasses(program);
  if (classes === undefined) return undefined;
  const follows = yield* buildFollows(program);
  return new LazyPatternDfa(program, classes, follows, indices, budget);
}

/**
 * Runs the automaton over a text, after which `matched` holds the patterns that occur. Returns
 * `STALLED`, or the last state. The inner loop has no further call and one comparison: rows have no
 * step over a surrogate, so that these are not tested for.
 */
export function runPatternDfa(dfa: PatternDfa, text: string): number {
  return resumePatternDfa(dfa, text, dfa.begin(), 0);
}

/**
 * Runs from a state and an offset. Between the halves of a surrogate pair, the state is the one
 * after the pair.
 */
export function resumePatternDfa(dfa: PatternDfa, text: string, from: number, offset: number): number {
  const { classes, end } = dfa;
  const { length } = text;
  let state = from;
  for (let at = isWithinPair(text, offset) ? offset + 1 : offset; ; ) {
    const { rows } = dfa;
    while (at < length) {
      const next = rows[state + classes[charCodeAt.call(text, at)]!]!;
      if (next < 0) break;
      state = next;
      at++;
    }
    if (at >= length) break;
    const codePoint = codePointAt.call(text, at)!;
    // Beyond the basic plane there is no unit of that number, and so no class either.
    state = dfa.next(state, classes[codePoint] || dfa.classOf(codePoint));
    if (state === STALLED) return STALLED;
    at += codePoint > 0xffff ? 2 : 1;
  }
  return dfa.next(state, end);
}

/**
 * Steps over the unit at an offset, whatever it is. A surrogate pair is stepped at its first half;
 * the second one leaves the state as it is. Takes and returns a state or `STALLED`.
 */
function stepPattern(dfa: PatternDfa, state: number, text: string, at: number): number {
  if (state < 0) return state;
  const unit = charCodeAt.call(text, at);
  if ((unit & 0xf800) !== 0xd800) return take(dfa, state, dfa.classes[unit]!);
  if (isWithinPair(text, at)) return state;
  return take(dfa, state, dfa.classOf(codePointAt.call(text, at)!));
}

/** Steps over the units from `start` to `end`. Takes and returns a state or `STALLED`. */
export function stepPatternTo(dfa: PatternDfa, from: number, text: string, start: number, end: number): number {
  let state = from;
  for (let at = start; at < end; at++) state = stepPattern(dfa, state, text, at);
  return state;
}

/**
 * Steps over the end of the text. Returns whether `matched` is complete: false when the automaton
 * stalled, there or before.
 */
export function endPattern(dfa: PatternDfa, state: number): boolean {
  return state >= 0 && take(dfa, state, dfa.end) !== STALLED;
}

/** Takes a step that may be known or not. */
function take(dfa: PatternDfa, state: number, classNumber: number): number {
  const to = dfa.rows[state + classNumber]!;
  return to >= 0 ? to : dfa.next(state, classNumber);
}

/** The automaton, with an NFA simulation for texts at which it stalls. */
export class LazyPatternDfa implements PatternDfa {
  readonly classes: Uint16Array;
  readonly classCount: number;
  readonly classOf: (codePoint: number) => number;
  readonly end: number;
  rows: Int32Array;
  readonly matched: Int32Array;
  matchedCount = 0;
  /** Whether the last text stalled, and `begin` was not called since. */
  stalled = false;

  readonly #program: PatternProgram;
  readonly #alphabet: PatternClasses;
  readonly #transitions: TransitionBuilder;
  readonly #simulation: NfaSimulation;
  #search: SpanSearch | undefined;
  readonly #noteMatch = (pattern: number) => this.#note(pattern);
  readonly #states: PatternStates;
  readonly #budget: PatternBudget;
  readonly #work: number;
  readonly #indices: Int32Array;
  /** Start state, or -1 when it must be built. */
  #start = -1;
  /**
   * Number of the text in which each pattern was last found. `#text` is the number of the current
   * one.
   */
  readonly #notedIn: Int32Array;
  #text = 0;
  /**
   * Matching steps: `[target, last text, count of patterns, patterns …]` at offset `place`, which
   * rows hold as `-2 - place`.
   */
  #steps: Int32Array;
  #stepsUsed = 0;

  constructor(
    program: PatternProgram,
    classes: PatternClasses,
    follows: Follows,
    indices: Int32Array,
    budget: PatternBudget,
  ) {
    this.classes = classes.units;
    this.classCount = classes.count;
    this.classOf = classes.classOf;
    this.end = classes.end;
    this.#program = program;
    this.#alphabet = classes;
    this.matched = new Int32Array(program.patterns);
    this.#notedIn = new Int32Array(program.patterns);
    this.#transitions = new TransitionBuilder(program, classes);
    this.#simulation = new NfaSimulation(program, classes, this.#transitions, follows);
    this.#states = new PatternStates(
      this.#transitions,
      Math.max(2, Math.floor(budget.cells / classes.count)),
      budget.entries,
    );
    this.#budget = budget;
    this.#work = budget.work + WORK_OF_BEGINNINGS * program.size;
    this.#indices = indices;
    this.rows = new Int32Array(Math.min(16, this.#states.limit) * classes.count).fill(-1);
    this.#steps = new Int32Array(256);
  }

  begin(): number {
    this.#reset();
    if (this.#start >= 0) return this.#start;
    const transitions = this.#transitions;
    transitions.count = 0;
    transitions.context = transitions.startContext;
    this.#start = this.#enter();
    return this.#start;
  }

  next(state: number, classNumber: number): number {
    const known = this.rows[state + classNumber]!;
    if (known >= 0) return known;
    if (known < -1) return this.#take(-2 - known);
    const transitions = this.#transitions;
    if (transitions.work > this.#work) {
      this.stalled = true;
      return STALLED;
    }
    const states = this.#states;
    const index = state / this.classCount;
    const from = states.from(index);
    transitions.advance(states.waiting, from, from + states.lengthOf(index), states.contextOf(index), classNumber);
    transitions.work += WORK_OF_A_STEP;
    // The state after the end of the text is never left.
    const flushes = states.flushes;
    const target = this.#enter();
    const step = transitions.idCount === 0 ? -1 : this.#keepStep(target);
    if (flushes === states.flushes) this.rows[state + classNumber] = step < 0 ? target : -2 - step;
    return step < 0 ? target : this.#take(step);
  }

  /**
   * Runs the NFA simulation, which never stalls and is linear in the text. Afterwards `matched`
   * holds the patterns that occur.
   */
  simulate(text: string): void {
    this.#reset();
    this.#simulation.run(text, this.#noteMatch);
  }

  /**
   * Hands on successive non-overlapping matches of one pattern, given by its index in the set,
   * until they are enough.
   */
  find(index: number, text: string, budget: WorkBudget, take: TakeMatch): void {
    const pattern = this.#indices.indexOf(index);
    if (pattern < 0) return;
    this.#search ??= new SpanSearch(this.#program, this.#alphabet, this.#transitions);
    this.#search.find(pattern, text, budget, take);
  }

  /** Begins a text: only the patterns that match every text have matched. */
  #reset(): void {
    if (++this.#text === LAST_TEXT) this.#restartTexts();
    this.matchedCount = 0;
    this.stalled = false;
    this.#transitions.work = 0;
    const { always } = this.#transitions;
    for (let at = 0; at < always.length; at++) this.#note(always[at]!);
  }

  /** Begins to number texts again. */
  #restartTexts(): void {
    this.#text = 1;
    this.#notedIn.fill(0);
    this.#flush();
  }

  /** Empties all tables. */
  #flush(): void {
    this.#states.flush();
    this.#start = -1;
    this.#stepsUsed = 0;
    this.rows.fill(-1);
  }

  /** Adds a pattern to `matched` unless it is there. */
  #note(pattern: number): void {
    if (this.#notedIn[pattern] === this.#text) return;
    this.#notedIn[pattern] = this.#text;
    this.matched[this.matchedCount++] = this.#indices[pattern]!;
  }

  /** Takes the matching step at a place: adds its patterns, and returns the next state. */
  #take(step: number): number {
    const steps = this.#steps;
    if (steps[step + 1] !== this.#text) {
      steps[step + 1] = this.#text;
      const end = step + 3 + steps[step + 2]!;
      for (let at = step + 3; at < end; at++) this.#note(steps[at]!);
    }
    return steps[step]!;
  }

  /** Keeps the transition builder's result as a matching step. Returns its place. */
  #keepStep(target: number): number {
    const { ids, idCount } = this.#transitions;
    const step = this.#stepsUsed;
    const needed = step + 3 + idCount;
    if (needed > this.#steps.length) this.#steps = grown(this.#steps, needed);
    const steps = this.#steps;
    steps[step] = target;
    steps[step + 1] = -1;
    steps[step + 2] = idCount;
    for (let at = 0; at < idCount; at++) steps[step + 3 + at] = ids[at]!;
    this.#stepsUsed = needed;
    return step;
  }

  /**
   * Returns the state of the transition builder's result, new if there is none. Flushes all tables
   * first when it does not fit.
   */
  #enter(): number {
    const states = this.#states;
    let index = this.#stepsUsed > this.#budget.entries ? -1 : states.enter();
    if (index < 0) {
      this.#flush();
      index = states.enter();
    }
    const needed = (index + 1) * this.classCount;
    if (needed > this.rows.length) {
      const before = this.rows.length;
      this.rows = grown(this.rows, Math.min(2 * needed, states.limit * this.classCount)).fill(-1, before);
    }
    return index * this.classCount;
  }
}
