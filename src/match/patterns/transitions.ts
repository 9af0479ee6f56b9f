/**
 * One step of all patterns at once over one character: which instructions are waiting after it, and which patterns have
 * matched by then. The automaton caches these steps, the simulation just takes them. What waits never includes the
 * beginnings of the patterns, though a match may begin anywhere: their steps are the same at every character of a class
 * and kept apart, so that a step costs what is under way, not how many patterns there are.
 */
import { NEWLINE_KIND, type PatternClasses, WORD_KIND } from './classes.js';
import { Assertion, Op, type PatternProgram } from './program.js';

/** Constants of this file are part of the compiled code; imported ones are read at every use. */
const { FORK, ASSERT, RUNES, MATCH } = Op;

/** What stands before a character, as far as the program's assertions ask. */
export const Context = { BEGIN: 0, NEWLINE: 1, WORD: 2, OTHER: 3 } as const;
export const CONTEXTS = 4;
/** Entries of beginnings that are kept, 4 bytes each; beyond, all are found anew. */
const MAX_KEPT = 1 << 20;
/** Marks are compared with the number of the step in 32 bits. */
const LAST_STEP = 0x7fffffff;

/** What the beginnings of all patterns come to after one character. */
interface Beginnings {
  readonly threads: Int32Array;
  readonly ids: Int32Array;
}

const { BEGIN_LINE, END_LINE, BEGIN_TEXT, END_TEXT, WORD_EDGE, NO_WORD_EDGE } = Assertion;

/** Results of a step stand in the fields, overwritten by the next; nothing is allocated on the way. */
export class TransitionBuilder {
  readonly startContext: number;
  /** Patterns that match every text; they take no part in steps. */
  readonly always: Int32Array;
  /** What waits after the step: the first `count`, each once, in no order. */
  readonly threads: Int32Array;
  count = 0;
  /** What stands before the next character. */
  context: number = Context.OTHER;
  /** Assertions that held before the character of the step. */
  flags = 0;
  /** Patterns found to match by this step: the first `idCount`, each once. */
  readonly ids: Int32Array;
  idCount = 0;
  /** Instructions looked at since somebody set this to 0. */
  work = 0;
  readonly #program: PatternProgram;
  readonly #classes: PatternClasses;
  /** What a character of each class is for the one behind it. */
  readonly contextAfter: Uint8Array;
  /** Whether an instruction was seen in this step: after the character, and before it. */
  readonly #after: Int32Array;
  readonly #before: Int32Array;
  readonly #noted: Int32Array;
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
    this.#after = new Int32Array(size);
    this.#before = new Int32Array(size);
    this.#noted = new Int32Array(patterns);
    // A visited fork takes one place and leaves two; `#consume` may stand on top of `#look`.
    this.#stack = new Int32Array(2 * size + 4);
    this.#starts = program.starts;
    this.always = this.#findAlways();
    const always = new Set(this.always);
    this.#starts = program.starts.filter((_, pattern) => !always.has(pattern));
  }

  /** Takes the step from what waits in `waiting[from … to)` behind `context`, over a character of the class. */
  advance(waiting: Int32Array, from: number, to: number, context: number, classNumber: number): void {
    this.#open(context, classNumber);
    const { op } = this.#program;
    for (let at = from; at < to; at++) {
      const pc = waiting[at]!;
      if (op[pc] === RUNES) this.#consume(pc);
      else this.#look(pc);
    }
    this.work += to - from;
    this.#begin(context);
    if (this.idCount > 0) this.#forgetMatched();
  }

  #open(context: number, classNumber: number): void {
    this.count = 0;
    this.idCount = 0;
    if (++this.#step === LAST_STEP) this.#restartSteps();
    this.#class = classNumber;
    this.context = this.contextAfter[classNumber]!;
    this.flags = this.flagsBetween(context, classNumber);
  }

  /** Assertions that hold between what stands before and a character of the class. */
  flagsBetween(context: number, classNumber: number): number {
    const atEnd = classNumber === this.#classes.end;
    const kind = this.#classes.kinds[classNumber]!;
    let flags = context === Context.BEGIN ? BEGIN_TEXT | BEGIN_LINE : context === Context.NEWLINE ? BEGIN_LINE : 0;
    if (atEnd) flags |= END_TEXT | END_LINE;
    else if (kind === NEWLINE_KIND) flags |= END_LINE;
    return flags | ((context === Context.WORD) === (kind === WORD_KIND) ? NO_WORD_EDGE : WORD_EDGE);
  }

  /** Adds the beginnings of all patterns, found once for each class and context. */
  #begin(context: number): void {
    const beginnings = this.#beginnings[context + CONTEXTS * this.#class];
    if (beginnings === undefined) {
      this.#findBeginnings(context);
      return;
    }
    const { threads, ids } = beginnings;
    for (let at = 0; at < ids.length; at++) this.#note(ids[at]!);
    const step = this.#step;
    for (let at = 0; at < threads.length; at++) {
      const pc = threads[at]!;
      if (this.#after[pc] === step) continue;
      this.#after[pc] = step;
      this.threads[this.count++] = pc;
    }
    this.work += threads.length;
  }

  /** Finds the beginnings apart from what waits already, since they are kept; then joins both. */
  #findBeginnings(context: number): void {
    const [threads, ids] = [this.threads.slice(0, this.count), this.ids.slice(0, this.idCount)];
    this.#open(context, this.#class);
    for (let at = 0; at < this.#starts.length; at++) this.#look(this.#starts[at]!);
    this.#kept += this.count + this.idCount;
    if (this.#kept > MAX_KEPT) {
      this.#beginnings.length = 0;
      this.#kept = this.count + this.idCount;
    }
    this.#beginnings[context + CONTEXTS * this.#class] = {
      threads: this.threads.slice(0, this.count),
      ids: this.ids.slice(0, this.idCount),
    };
    this.#open(context, this.#class);
    for (const id of ids) this.#note(id);
    for (const pc of threads) {
      this.#after[pc] = this.#step;
      this.threads[this.count++] = pc;
    }
    this.#begin(context);
  }

  /** Follows what leads on without a character, before this one is read, and then reads it. */
  #look(first: number): void {
    const { op, out, arg } = this.#program;
    const step = this.#step;
    const stack = this.#stack;
    let height = 0;
    stack[height++] = first;
    while (height > 0) {
      const pc = stack[--height]!;
      if (this.#before[pc] === step) continue;
      this.#before[pc] = step;
      this.work++;
      switch (op[pc]) {
        case FORK:
          stack[height++] = arg[pc]!;
          stack[height++] = out[pc]!;
          break;
        case ASSERT:
          if ((arg[pc]! & ~this.flags) === 0) stack[height++] = out[pc]!;
          break;
        case RUNES:
          this.#consume(pc, height);
          break;
        case MATCH:
          this.#note(arg[pc]!);
      }
    }
  }

  /** Whether an instruction reads characters of the class. */
  reads(pc: number, classNumber: number): boolean {
    if (this.#program.op[pc] !== RUNES) return false;
    const { only, members, width } = this.#classes;
    const set = this.#program.arg[pc]!;
    const single = only[set]!;
    if (single >= 0) return single === classNumber;
    return ((members[set * width + (classNumber >> 5)]! >>> (classNumber & 31)) & 1) !== 0;
  }

  /** Reads the character, and follows what leads on after it; the stack is free from `base` on. */
  #consume(reading: number, base = 0): void {
    if (!this.reads(reading, this.#class)) return;
    const { op, out, arg } = this.#program;
    const step = this.#step;
    const stack = this.#stack;
    let height = base;
    stack[height++] = out[reading]!;
    while (height > base) {
      const pc = stack[--height]!;
      if (this.#after[pc] === step) continue;
      this.#after[pc] = step;
      this.work++;
      switch (op[pc]) {
        case FORK:
          stack[height++] = arg[pc]!;
          stack[height++] = out[pc]!;
          break;
        case RUNES:
          this.threads[this.count++] = pc;
          break;
        case ASSERT:
          height = this.#passAssertion(pc, height);
          break;
        case MATCH:
          this.#note(arg[pc]!);
      }
    }
  }

  /** An assertion after the character: it leads on, waits for the next character, or can never hold. */
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

  #note(pattern: number): void {
    if (this.#noted[pattern] === this.#step) return;
    this.#noted[pattern] = this.#step;
    this.ids[this.idCount++] = pattern;
  }

  /** A pattern that was found need not be followed in this text any longer: that it occurs is all there is to say. */
  #forgetMatched(): void {
    const { owner } = this.#program;
    let kept = 0;
    for (let at = 0; at < this.count; at++) {
      const pc = this.threads[at]!;
      if (this.#noted[owner[pc]!] === this.#step) this.#after[pc] = 0;
      else this.threads[kept++] = pc;
    }
    this.count = kept;
  }

  /** Whether `threads`, `context` are the same as these; `threads` are told by their marks, hence only after a step. */
  isSame(waiting: Int32Array, from: number, to: number, context: number): boolean {
    if (to - from !== this.count || context !== this.context) return false;
    for (let at = from; at < to; at++) if (this.#after[waiting[at]!] !== this.#step) return false;
    return true;
  }

  #restartSteps(): void {
    for (const marks of [this.#after, this.#before, this.#noted]) marks.fill(0);
    this.#step = 1;
  }

  #findAlways(): Int32Array {
    this.#step++;
    this.flags = 0;
    this.#class = this.#classes.end;
    for (let at = 0; at < this.#starts.length; at++) this.#look(this.#starts[at]!);
    return this.ids.slice(0, this.idCount);
  }
}
