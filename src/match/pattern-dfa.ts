/**
 * The lazy automaton over all patterns: a state is what waits after a character, a row says where each class leads, and
 * both come into being when a text asks for them. Rows are flat and small, so that the hot loop is one read for each
 * character. When the tables are full they are emptied and filled anew; a text that only builds and never reuses is
 * given up, to be taken by `simulate`.
 */
import { buildPatternClasses, type PatternClasses } from './pattern-classes.js';
import { PatternFinder } from './pattern-finder.js';
import type { PatternProgram } from './pattern-program.js';
import { PatternSimulation } from './pattern-simulation.js';
import { createPatternStates, type PatternStates } from './pattern-states.js';
import { PatternStepper } from './pattern-stepper.js';
import type { Span } from './span.js';
import type { WorkBudget } from './work-budget.js';

/** Not `text.charCodeAt`, for reasons that `keyword-matcher.ts` gives. */
const { charCodeAt, codePointAt } = String.prototype;

/** Answer of `next`: this text is not for the automaton; ask `PatternSet.mark`. */
export const STALLED = -1;

/** What a stepper needs to run over texts; it may step other things in the same loop. */
export interface PatternDfa {
  /** Class of each UTF-16 unit; `SURROGATE_CLASS` (0) asks for `classOf` of the code point. */
  readonly classes: Uint16Array;
  readonly classCount: number;
  /** Class of a code point, lone surrogates included. */
  classOf(codePoint: number): number;
  /** The class of the end: to be stepped once, after the last character. */
  readonly end: number;
  /**
   * `rows[state + class]`: the next state, or negative: ask `next`. Always negative for `SURROGATE_CLASS`, which only says
   * to ask `classOf`. Replaced when the automaton grows: read it again after each call.
   */
  rows: Int32Array;
  /** Forgets earlier matches and answers the state before a text. */
  begin(): number;
  /** Takes a step that `rows` does not know or at which patterns match. Answers the next state, or `STALLED`. */
  next(state: number, classNumber: number): number;
  /** Patterns that occur in the text so far, each once: the first `matchedCount`. */
  readonly matched: Int32Array;
  matchedCount: number;
}

/** What an automaton may spend. */
export interface PatternBudget {
  /** Cells of all rows, 4 bytes each. */
  readonly cells: number;
  /** Waiting instructions of all states together, and entries of matching steps, 4 bytes each. */
  readonly entries: number;
  /** Instructions looked at while building for one text, with 32 more for each step built, and 40 times the program. */
  readonly work: number;
}

const WORK_OF_A_STEP = 32;
/** What the beginnings of all patterns cost before the first text has met its characters. */
const WORK_OF_BEGINNINGS = 40;
/** Texts are counted in 32 bits. */
const LAST_TEXT = 0x7fffffff;

const defaultBudget: PatternBudget = { cells: 1 << 20, entries: 1 << 20, work: 1 << 19 };

/** The automaton, with the simulation of the same steps for texts at which it stalls. */
export interface LazyPatternDfa extends PatternDfa {
  /** The last text stalled, and no other was begun since. */
  readonly stalled: boolean;
  /** Takes the steps without keeping them; linear in the text for any program. Then `matched` holds what occurs. */
  simulate(text: string): void;
  /** Successive non-overlapping matches of one pattern, called by its index outside. */
  find(index: number, text: string, limit: number, budget: WorkBudget): Span[];
}

/** Makes the automaton of a program, whose patterns are called `indices` outside; `undefined` when its alphabet is too large. */
export function createPatternDfa(
  program: PatternProgram,
  indices: Int32Array,
  budget = defaultBudget,
): LazyPatternDfa | undefined {
  const classes = buildPatternClasses(program);
  return classes && new FlatPatternDfa(program, classes, indices, budget);
}

/**
 * Runs the automaton over a text, after which `matched` holds what occurs. Answers `STALLED`, or something else. The inner
 * loop holds no call and no second question, for which rows have no step over a surrogate: 214 ns instead of 365 for 85
 * characters, 156 of which go to reading the string.
 */
export function runPatternDfa(dfa: PatternDfa, text: string): number {
  return resumePatternDfa(dfa, text, dfa.begin(), 0);
}

/** The same from a state and an offset on, which does not lie between the halves of a pair. */
export function resumePatternDfa(dfa: PatternDfa, text: string, from: number, offset: number): number {
  const { classes, end } = dfa;
  const { length } = text;
  let state = from;
  for (let at = offset; ; ) {
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

class FlatPatternDfa implements LazyPatternDfa {
  readonly classes: Uint16Array;
  readonly classCount: number;
  readonly classOf: (codePoint: number) => number;
  readonly end: number;
  rows: Int32Array;
  readonly matched: Int32Array;
  matchedCount = 0;
  stalled = false;

  readonly #program: PatternProgram;
  readonly #alphabet: PatternClasses;
  readonly #stepper: PatternStepper;
  #simulation: PatternSimulation | undefined;
  #finder: PatternFinder | undefined;
  readonly #noteMatch = (pattern: number) => this.#note(pattern);
  readonly #states: PatternStates;
  readonly #budget: PatternBudget;
  readonly #work: number;
  readonly #indices: Int32Array;
  /** State before a text, or -1 when it has to be made. */
  #start = -1;
  /** In which text a pattern was noted last, and at which a matching step was taken last. */
  readonly #notedIn: Int32Array;
  #text = 0;
  /** Matching steps: `[target, last text, count of patterns, patterns …]` at the place that the row names as -2 - place. */
  #steps: Int32Array;
  #stepsUsed = 0;

  constructor(program: PatternProgram, classes: PatternClasses, indices: Int32Array, budget: PatternBudget) {
    this.classes = classes.units;
    this.classCount = classes.count;
    this.classOf = classes.classOf;
    this.end = classes.end;
    this.#program = program;
    this.#alphabet = classes;
    this.matched = new Int32Array(program.patterns);
    this.#notedIn = new Int32Array(program.patterns);
    this.#stepper = new PatternStepper(program, classes);
    this.#states = createPatternStates(
      this.#stepper,
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
    this.#forget();
    if (this.#start >= 0) return this.#start;
    const stepper = this.#stepper;
    stepper.count = 0;
    stepper.context = stepper.startContext;
    this.#start = this.#enter();
    return this.#start;
  }

  next(state: number, classNumber: number): number {
    const known = this.rows[state + classNumber]!;
    if (known >= 0) return known;
    if (known < -1) return this.#take(-2 - known);
    const stepper = this.#stepper;
    if (stepper.work > this.#work) {
      this.stalled = true;
      return STALLED;
    }
    const states = this.#states;
    const index = state / this.classCount;
    const from = states.from(index);
    stepper.advance(states.waiting, from, from + states.lengthOf(index), states.contextOf(index), classNumber);
    stepper.work += WORK_OF_A_STEP;
    // A step over the end leads nowhere: its state is never left.
    const flushes = states.flushes;
    const target = this.#enter();
    const place = stepper.idCount === 0 ? -1 : this.#keepStep(target);
    if (flushes === states.flushes) this.rows[state + classNumber] = place < 0 ? target : -2 - place;
    return place < 0 ? target : this.#take(place);
  }

  simulate(text: string): void {
    this.#forget();
    this.#simulation ??= new PatternSimulation(this.#program, this.#alphabet, this.#stepper);
    this.#simulation.run(text, this.#noteMatch);
  }

  find(index: number, text: string, limit: number, budget: WorkBudget): Span[] {
    const pattern = this.#indices.indexOf(index);
    if (pattern < 0) return [];
    this.#finder ??= new PatternFinder(this.#program, this.#alphabet, this.#stepper);
    return this.#finder.find(pattern, text, limit, budget);
  }

  #forget(): void {
    if (++this.#text === LAST_TEXT) this.#restartTexts();
    this.matchedCount = 0;
    this.stalled = false;
    this.#stepper.work = 0;
    const { always } = this.#stepper;
    for (let at = 0; at < always.length; at++) this.#note(always[at]!);
  }

  #restartTexts(): void {
    this.#text = 1;
    this.#notedIn.fill(0);
    this.#flush();
  }

  #flush(): void {
    this.#states.flush();
    this.#start = -1;
    this.#stepsUsed = 0;
    this.rows.fill(-1);
  }

  #note(pattern: number): void {
    if (this.#notedIn[pattern] === this.#text) return;
    this.#notedIn[pattern] = this.#text;
    this.matched[this.matchedCount++] = this.#indices[pattern]!;
  }

  /** Notes what matches at a step; the second time in a text there is nothing to note. */
  #take(place: number): number {
    const steps = this.#steps;
    if (steps[place + 1] !== this.#text) {
      steps[place + 1] = this.#text;
      const end = place + 3 + steps[place + 2]!;
      for (let at = place + 3; at < end; at++) this.#note(steps[at]!);
    }
    return steps[place]!;
  }

  #keepStep(target: number): number {
    const { ids, idCount } = this.#stepper;
    const place = this.#stepsUsed;
    const needed = place + 3 + idCount;
    if (needed > this.#steps.length) this.#steps = grown(this.#steps, needed);
    const steps = this.#steps;
    steps[place] = target;
    steps[place + 1] = -1;
    steps[place + 2] = idCount;
    for (let at = 0; at < idCount; at++) steps[place + 3 + at] = ids[at]!;
    this.#stepsUsed = needed;
    return place;
  }

  /** The state of what the stepper came to. Empties everything first when it would not fit. */
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

function grown(array: Int32Array, length: number): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(Math.max(length, 2 * array.length));
  larger.set(array);
  return larger;
}
