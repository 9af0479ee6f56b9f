/**
 * Spans of a pattern's matches, by Pike's NFA simulation: threads are kept in the order of
 * preference of a backtracking engine, each with the offset at which its match began. Linear in the
 * text for one search. While there are no threads, characters with which no match can begin are
 * skipped.
 */

import type { TakeMatch } from '../span.js';
import type { WorkBudget } from '../work-budget.js';
import { type PatternClasses, SURROGATE_CLASS } from './classes.js';
import { Op, type PatternProgram } from './program.js';
import type { TransitionBuilder } from './transitions.js';

/** Not `text.charCodeAt`, for reasons that `keyword-scan.ts` gives. */
const { charCodeAt, codePointAt } = String.prototype;

/** Constants of this file are part of the compiled code; imported ones are read at every use. */
const { FORK, ASSERT, RUNES, MATCH } = Op;

/** Finds matches of the patterns of one program. */
export class SpanSearch {
  readonly #program: PatternProgram;
  readonly #classes: PatternClasses;
  readonly #transitions: TransitionBuilder;
  /**
   * Instructions of the threads and the starts of their matches, in order of preference; then those
   * after the character.
   */
  #waiting: Int32Array;
  #began: Int32Array;
  #nextWaiting: Int32Array;
  #nextBegan: Int32Array;
  readonly #stack: Int32Array;
  readonly #seen: Int32Array;
  #place = 0;
  /**
   * 1 for each class with which a pattern's match may begin; `undefined` when a match may be empty.
   */
  readonly #openings = new Map<number, Uint8Array | undefined>();
  #start = -1;
  #end = -1;
  /** Characters read and instructions followed by the search under way. */
  #steps = 0;

  constructor(program: PatternProgram, classes: PatternClasses, transitions: TransitionBuilder) {
    this.#program = program;
    this.#classes = classes;
    this.#transitions = transitions;
    this.#waiting = new Int32Array(program.size);
    this.#began = new Int32Array(program.size);
    this.#nextWaiting = new Int32Array(program.size);
    this.#nextBegan = new Int32Array(program.size);
    // A visited fork takes one place and leaves two.
    this.#stack = new Int32Array(program.size + 2);
    this.#seen = new Int32Array(program.size);
  }

  /**
   * Hands on successive non-overlapping leftmost-first matches until they are enough. After an
   * empty one a character is skipped.
   */
  find(pattern: number, text: string, budget: WorkBudget, take: TakeMatch): void {
    for (let from = 0; from <= text.length; ) {
      this.#steps = 0;
      const isFound = this.#search(pattern, text, from);
      budget.spent += this.#steps;
      const isEmpty = this.#start === this.#end;
      from = this.#end;
      if (!isFound || take(this.#start, from)) return;
      if (isEmpty) from += (codePointAt.call(text, from) ?? 0) > 0xffff ? 2 : 1;
    }
  }

  #search(pattern: number, text: string, from: number): boolean {
    const { units, classOf, end } = this.#classes;
    const { contextAfter, startContext } = this.#transitions;
    const first = this.#program.starts[pattern]!;
    const openings = this.#openingsOf(pattern);
    const { length } = text;
    this.#start = -1;
    let count = 0;
    let context = from === 0 ? startContext : contextAfter[units[charCodeAt.call(text, from - 1)]!]!;
    for (let at = from; ; ) {
      if (count === 0 && openings !== undefined) {
        const before = at;
        while (at < length && openings[units[charCodeAt.call(text, at)]!] === 0) at++;
        this.#steps += at - before;
        if (at > before) context = contextAfter[units[charCodeAt.call(text, at - 1)]!]!;
      }
      const codePoint = at < length ? codePointAt.call(text, at)! : -1;
      // Beyond the basic plane there is no unit of that number, and so no class either.
      const classNumber = codePoint < 0 ? end : units[codePoint] || classOf(codePoint);
      if (count > 0 || openings === undefined || openings[classNumber] !== 0) {
        count = this.#step(first, count, this.#transitions.flagsBetween(context, classNumber), classNumber, at);
      }
      if (codePoint < 0 || (count === 0 && this.#start >= 0)) return this.#start >= 0;
      context = contextAfter[classNumber]!;
      at += codePoint > 0xffff ? 2 : 1;
    }
  }

  /**
   * Steps all threads, and a new one when nothing matched yet. Returns the number of threads after
   * the character.
   */
  #step(first: number, count: number, flags: number, classNumber: number, at: number): number {
    if (++this.#place === 0x7fffffff) {
      this.#seen.fill(0);
      this.#place = 1;
    }
    this.#steps += count + 1;
    let next = 0;
    let matched = false;
    for (let index = 0; index < count && !matched; index++) {
      next = this.#follow(this.#waiting[index]!, this.#began[index]!, flags, classNumber, next);
      if (next >= 0) continue;
      // Threads of lower preference are dropped.
      matched = true;
      next = -1 - next;
      this.#start = this.#began[index]!;
      this.#end = at;
    }
    if (!matched && this.#start < 0) {
      next = this.#follow(first, at, flags, classNumber, next);
      if (next < 0) {
        next = -1 - next;
        this.#start = at;
        this.#end = at;
      }
    }
    [this.#waiting, this.#nextWaiting] = [this.#nextWaiting, this.#waiting];
    [this.#began, this.#nextBegan] = [this.#nextBegan, this.#began];
    return next;
  }

  /**
   * Appends the successors of a thread to the `next` present ones. Returns the new number `n` of
   * threads, or `-1 - n` at a match.
   */
  #follow(from: number, began: number, flags: number, classNumber: number, next: number): number {
    const { op, out, arg } = this.#program;
    const seen = this.#seen;
    const stack = this.#stack;
    const slot = this.#place;
    let count = next;
    let height = 0;
    stack[height++] = from;
    while (height > 0) {
      const pc = stack[--height]!;
      if (seen[pc] === slot) continue;
      seen[pc] = slot;
      this.#steps++;
      switch (op[pc]) {
        case FORK:
          stack[height++] = arg[pc]!;
          stack[height++] = out[pc]!;
          break;
        case ASSERT:
          if ((arg[pc]! & ~flags) === 0) stack[height++] = out[pc]!;
          break;
        case RUNES:
          if (!this.#transitions.reads(pc, classNumber)) break;
          this.#nextWaiting[count] = out[pc]!;
          this.#nextBegan[count++] = began;
          break;
        case MATCH:
          return -1 - count;
      }
    }
    return count;
  }

  #openingsOf(pattern: number): Uint8Array | undefined {
    if (this.#openings.has(pattern)) return this.#openings.get(pattern);
    const { op, out, arg, starts } = this.#program;
    const openings = new Uint8Array(this.#classes.count);
    openings[SURROGATE_CLASS] = 1;
    const reached = new Set([starts[pattern]!]);
    let mayBeEmpty = false;
    for (const pc of reached) {
      if (op[pc] === MATCH) mayBeEmpty = true;
      if (op[pc] === FORK) reached.add(arg[pc]!);
      if (op[pc] === FORK || op[pc] === ASSERT) reached.add(out[pc]!);
      if (op[pc] !== RUNES) continue;
      for (let classNumber = 0; classNumber < openings.length; classNumber++) {
        if (this.#transitions.reads(pc, classNumber)) openings[classNumber] = 1;
      }
    }
    this.#openings.set(pattern, mayBeEmpty ? undefined : openings);
    return this.#openings.get(pattern);
  }
}
