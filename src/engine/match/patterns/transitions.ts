/**
 * One step of all patterns over one character: the instructions that are active after it, and the
 * patterns that match.
 *
 * An instance of: Thompson's simulation of an NFA, the instructions of the program (`program.ts`)
 * being its states. A step reads the character in each active instruction, then takes the epsilon
 * closure of what follows, assertions included as RE2 has them: one that depends on the next
 * character stays active until that is known. The lazy DFA caches these steps, and
 * `nfa-simulation.ts` takes its beginnings from here.
 *
 * State: the result of the last step, in fields: `threads`, `context`, `ids`, `flags`. Marks by
 * instruction hold the number of the step in which it was visited, so nothing needs to be cleared.
 * The steps from the beginnings of all patterns are cached by class and context.
 *
 * Invariants:
 * - Active instructions are RUNES and ASSERT alone, each once: forks are followed, and a MATCH is
 *   reported.
 * - The beginnings of patterns are never among them, though a match may begin anywhere. Each step
 *   adds their step. So what follows depends on `threads` and `context` alone: these are a state of
 *   the DFA.
 * - A pattern that matches at a step has no active instruction after it: that it occurs in a text
 *   is all that is reported. Those that match every text (`always`) are in no step.
 *
 * Cost: a step takes time in proportion to the active instructions and those that they lead to, not
 * to the number of patterns; `work` counts them. Nothing is allocated but what is cached.
 *
 * Example: patterns `ab` (1 RUNES a, 2 RUNES b, 3 MATCH) and `a$` (4 RUNES a, 5 ASSERT end of text,
 * 6 MATCH), text `ab`.
 *   before     nothing is active
 *   over `a`   the beginnings 1 and 4 read it: threads {2, 5}, for 5 depends on the next character
 *   over `b`   5 fails, 2 reads it and leads to 3: ids {0}; nothing is active
 *   the end    is a class of its own: no ids. After `a` alone, 5 holds there: ids {1}
 */
import { NEWLINE_KIND, type PatternClasses, WORD_KIND } from './classes.js';
import { Assertion, Op, type PatternProgram } from './program.js';

/** Constants of this file are part of the compiled code; imported ones are read at every use. */
const { FORK, ASSERT, RUNES, MATCH } = Op;

/**
 * Context before a character, as far as the program's assertions depend on it: the beginning of the
 * text, or a kind of character.
 */
const Context = { BEGIN: 0, NEWLINE: 1, WORD: 2, OTHER: 3 } as const;
export const CONTEXTS = 4;
/** Most cached entries of beginnings, 4 bytes each; beyond, the cache is emptied. */
const MAX_KEPT = 1 << 20;
/** Marks are compared with the number of the step in 32 bits. */
const LAST_STEP = 0x7fffffff;

/**
 * The step from the beginnings of all patterns: active instructions after it, and patterns that
 * match.
 */
interface Beginnings {
  readonly threads: Int32Array;
  readonly ids: Int32Array;
}

const { BEGIN_LINE, END_LINE, BEGIN_TEXT, END_TEXT, WORD_EDGE, NO_WORD_EDGE } = Assertion;

/** Computes steps. The result of a step is in the fields until the next. */
export class TransitionBuilder {
  readonly startContext: number;
  /** Patterns that match every text; they are left out of steps. */
  readonly always: Int32Array;
  /** Active instructions after the step: the first `count`, each once, unordered. */
  readonly threads: Int32Array;
  count = 0;
  /** Context of the next character. */
  context: number = Context.OTHER;
  /** Assertions that held before the character of the step. */
  flags = 0;
  /** Patterns that match at this step: the first `idCount`, each once. */
  readonly ids: Int32Array;
  idCount = 0;
  /** Instructions visited since the caller set this to 0. */
  work = 0;
  readonly #program: PatternProgram;
  readonly #classes: PatternClasses;
  /** Context that a character of each class is for the next one. */
  readonly contextAfter: Uint8Array;
  /**
   * Last step in which each instruction was visited after the character, and before it; and in
   * which each pattern matched.
   */
  readonly #seenAfter: Int32Array;
  readonly #seenBefore: Int32Array;
  readonly #matchedAt: Int32Array;
  readonly #stack: Int32Array;
  readonly #beginnings: (Beginnings | undefined)[] = [];
  /** Entries of all beginnings. */
  #kept = 0;
  readonly #starts: Int32Array;
  #step = 0;
  #class = 0;

  constructor(program: PatternProgram, classes: PatternClasses) {
    const { size, patterns, assertions } = program;
    this.#program = program;
    this.#classes = classes;
    this.startContext = (assertions & (BEGIN_LINE | BEGIN_TEXT)) === 0 ? Context.OTHER : Context.BEGIN;
    this.contextAfter = classes.kinds.map((kind) =>
      kind === WORD_KIND ? Context.WORD : kind === NEWLINE_KIND ? Context.NEWLINE : Context.OTHER,
    );
    this.threads = new Int32Array(size);
    this.ids = new Int32Array(patterns);
    this.#seenAfter = new Int32Array(size);
    this.#seenBefore = new Int32Array(size);
    this.#matchedAt = new Int32Array(patterns);
    // A visited fork takes one place and leaves two; the closure after the character may stand on
    // top of that before it.
    this.#stack = new Int32Array(2 * size + 4);
    this.#starts = program.starts;
    this.always = this.#findAlways();
    const always = new Set(this.always);
    this.#starts = program.starts.filter((_, pattern) => !always.has(pattern));
  }

  /**
   * Steps from the active instructions `waiting[from … to)` in `context`, and from the beginnings
   * of all patterns, over a character of the class or over the end of the text. Afterwards the
   * fields hold the result. `waiting` must not be `threads`.
   */
  advance(waiting: Int32Array, from: number, to: number, context: number, classNumber: number): void {
    this.#beginStep(context, classNumber);
    const { op } = this.#program;
    for (let at = from; at < to; at++) {
      const pc = waiting[at]!;
      if (op[pc] === RUNES) this.#consume(pc);
      else this.#follow(pc, false);
    }
    this.work += to - from;
    this.#addBeginnings(context);
    if (this.idCount > 0) this.#forgetMatched();
  }

  #beginStep(context: number, classNumber: number): void {
    this.count = 0;
    this.idCount = 0;
    if (++this.#step === LAST_STEP) this.#restartSteps();
    this.#class = classNumber;
    this.context = this.contextAfter[classNumber]!;
    this.flags = this.flagsBetween(context, classNumber);
  }

  /** Assertions that hold between a character of the context and one of the class. */
  flagsBetween(context: number, classNumber: number): number {
    const atEnd = classNumber === this.#classes.end;
    const kind = this.#classes.kinds[classNumber]!;
    let flags = context === Context.BEGIN ? BEGIN_TEXT | BEGIN_LINE : context === Context.NEWLINE ? BEGIN_LINE : 0;
    if (atEnd) flags |= END_TEXT | END_LINE;
    else if (kind === NEWLINE_KIND) flags |= END_LINE;
    return flags | ((context === Context.WORD) === (kind === WORD_KIND) ? NO_WORD_EDGE : WORD_EDGE);
  }

  /**
   * Adds the step from the beginnings of all patterns to the result; computed once for each class
   * and context.
   */
  #addBeginnings(context: number): void {
    const beginnings = this.#beginnings[context + CONTEXTS * this.#class];
    if (beginnings === undefined) {
      this.#findBeginnings(context);
      return;
    }
    const { threads, ids } = beginnings;
    for (let at = 0; at < ids.length; at++) this.#addMatch(ids[at]!);
    const step = this.#step;
    for (let at = 0; at < threads.length; at++) {
      const pc = threads[at]!;
      if (this.#seenAfter[pc] === step) continue;
      this.#seenAfter[pc] = step;
      this.threads[this.count++] = pc;
    }
    this.work += threads.length;
  }

  /**
   * Computes the step from the beginnings apart from the active instructions, since it is cached;
   * then joins both.
   */
  #findBeginnings(context: number): void {
    const [threads, ids] = [this.threads.slice(0, this.count), this.ids.slice(0, this.idCount)];
    this.#beginStep(context, this.#class);
    for (let at = 0; at < this.#starts.length; at++) this.#follow(this.#starts[at]!, false);
    this.#kept += this.count + this.idCount;
    if (this.#kept > MAX_KEPT) {
      this.#beginnings.length = 0;
      this.#kept = this.count + this.idCount;
    }
    this.#beginnings[context + CONTEXTS * this.#class] = {
      threads: this.threads.slice(0, this.count),
      ids: this.ids.slice(0, this.idCount),
    };
    this.#beginStep(context, this.#class);
    for (const id of ids) this.#addMatch(id);
    for (const pc of threads) {
      this.#seenAfter[pc] = this.#step;
      this.threads[this.count++] = pc;
    }
    this.#addBeginnings(context);
  }

  /** Reports whether an instruction reads characters of the class. */
  reads(pc: number, classNumber: number): boolean {
    if (this.#program.op[pc] !== RUNES) return false;
    const { only, members, width } = this.#classes;
    const set = this.#program.arg[pc]!;
    const single = only[set]!;
    if (single >= 0) return single === classNumber;
    return ((members[set * width + (classNumber >> 5)]! >>> (classNumber & 31)) & 1) !== 0;
  }

  /**
   * Reads the character, then takes the epsilon closure after it; the stack is free from `base` on.
   */
  #consume(reading: number, base = 0): void {
    if (this.reads(reading, this.#class)) this.#follow(this.#program.out[reading]!, true, base);
  }

  /**
   * Epsilon closure of an instruction after the character; or before it, and then the character.
   */
  #follow(first: number, isAfter: boolean, base = 0): void {
    const { op, out, arg } = this.#program;
    const step = this.#step;
    const stack = this.#stack;
    const seen = isAfter ? this.#seenAfter : this.#seenBefore;
    let height = base;
    stack[height++] = first;
    while (height > base) {
      const pc = stack[--height]!;
      if (seen[pc] === step) continue;
      seen[pc] = step;
      this.work++;
      switch (op[pc]) {
        case FORK:
          stack[height++] = arg[pc]!;
          stack[height++] = out[pc]!;
          break;
        case ASSERT:
          if (isAfter) height = this.#passAssertion(pc, height);
          else if ((arg[pc]! & ~this.flags) === 0) stack[height++] = out[pc]!;
          break;
        case RUNES:
          if (isAfter) this.threads[this.count++] = pc;
          else this.#consume(pc, height);
          break;
        case MATCH:
          this.#addMatch(arg[pc]!);
      }
    }
  }

  /**
   * Takes an assertion after the character: it holds and is passed, depends on the next character
   * and stays active, or fails.
   */
  #passAssertion(pc: number, height: number): number {
    const assertions = this.#program.arg[pc]!;
    if ((assertions & BEGIN_TEXT) !== 0 || ((assertions & BEGIN_LINE) !== 0 && this.context !== Context.NEWLINE))
      return height;
    if ((assertions & ~BEGIN_LINE) !== 0) {
      this.threads[this.count++] = pc;
      return height;
    }
    this.#stack[height] = this.#program.out[pc]!;
    return height + 1;
  }

  #addMatch(pattern: number): void {
    if (this.#matchedAt[pattern] === this.#step) return;
    this.#matchedAt[pattern] = this.#step;
    this.ids[this.idCount++] = pattern;
  }

  /** Drops the active instructions of patterns that matched at this step. */
  #forgetMatched(): void {
    const { owner } = this.#program;
    let kept = 0;
    for (let at = 0; at < this.count; at++) {
      const pc = this.threads[at]!;
      if (this.#matchedAt[owner[pc]!] === this.#step) this.#seenAfter[pc] = 0;
      else this.threads[kept++] = pc;
    }
    this.count = kept;
  }

  /**
   * Reports whether `threads` and `context` equal these. Compares with the marks of the step, so it
   * is valid only after one.
   */
  isSame(waiting: Int32Array, from: number, to: number, context: number): boolean {
    if (to - from !== this.count || context !== this.context) return false;
    for (let at = from; at < to; at++) if (this.#seenAfter[waiting[at]!] !== this.#step) return false;
    return true;
  }

  /** Begins to count steps again. */
  #restartSteps(): void {
    for (const marks of [this.#seenAfter, this.#seenBefore, this.#matchedAt]) marks.fill(0);
    this.#step = 1;
  }

  /** Returns the patterns that match the empty text without an assertion: they match every text. */
  #findAlways(): Int32Array {
    this.#step++;
    this.flags = 0;
    this.#class = this.#classes.end;
    for (let at = 0; at < this.#starts.length; at++) this.#follow(this.#starts[at]!, false);
    return this.ids.slice(0, this.idCount);
  }
}
