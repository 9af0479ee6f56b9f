/**
 * Finds which patterns occur in a text without building an automaton: for texts at which the lazy
 * DFA would build states without reusing any.
 *
 * An instance of: bit-parallel simulation of a position automaton (Glushkov's), as Shift-And has it
 * for one string. The positions are the instructions that can be active, in the order of the
 * program, so that most are followed by the next: a shift moves 32 of them at once (`follows.ts`).
 * Positions with other followers are moved by groups that share these.
 *
 * State: the set of active positions as bits, with a list of the words that are not 0; by class,
 * and by class and context, what a step needs: the positions that read a character of it, and the
 * step from the beginnings of all patterns.
 *
 * Invariants:
 * - Between two steps the set holds all instructions from which a pattern may go on that was not
 *   found yet; those of found ones may be in it.
 * - An assertion in it is decided before the next character is read: it is replaced by what follows
 *   it, or dropped.
 * - Each pattern is reported once in a text, at its first match; those that match every text are
 *   not.
 * - A text leaves the sets empty.
 *
 * Cost: for a character, the words that are not 0 and the groups that are left from them, whatever
 * was read before. Caches are bounded.
 *
 * Example: patterns `ab` and `a$`, with the positions 0 RUNES a, 1 RUNES b, 2 RUNES a, 3 ASSERT end
 * of text; 0 and 2 are `chained` (the next one follows), 1 is `matching`, 3 is `asserting`. Text
 * `ab`:
 *   over `a`   the set is empty; the beginnings lead to {1, 3}: bits 1010
 *   over `b`   3 is taken out: its assertion fails. 1 reads `b` and is matching: pattern 0 is
 *              reported. The set is empty
 *   the end    nothing is active, and no beginning reads it
 */
import type { PatternClasses } from './classes.js';
import { type Follows, pairsOf } from './follows.js';
import { Op, type PatternProgram } from './program.js';
import { CONTEXTS, type TransitionBuilder } from './transitions.js';

/** Not `text.codePointAt`, for reasons that `keyword-scan.ts` gives. */
const { codePointAt } = String.prototype;

/** Constants of this file are part of the compiled code; imported ones are read at every use. */
const { ASSERT, MATCH } = Op;

/** Most numbers that are cached by class, 4 bytes each; beyond, the caches are emptied. */
const MAX_KEPT = 1 << 20;
const nothing = new Int32Array(0);

/** The step from the beginnings of all patterns over one character. */
interface Beginnings {
  /** `[word, bits, word, bits, …]` of the positions active after the character. */
  readonly pairs: Int32Array;
  /** Patterns that match. */
  readonly ids: Int32Array;
  /** Assertions that hold before the character, and the context of the next. */
  readonly flags: number;
  readonly context: number;
}

/** Runs over texts; keeps no state between them but caches by class. */
export class NfaSimulation {
  readonly #program: PatternProgram;
  readonly #classes: PatternClasses;
  readonly #transitions: TransitionBuilder;
  readonly #follows: Follows;
  /**
   * The active positions as bits, and the indices of words that are not 0; then the same after the
   * character.
   */
  #bits: Int32Array;
  #words: Int32Array;
  #count = 0;
  #nextBits: Int32Array;
  #nextWords: Int32Array;
  #nextCount = 0;
  /** Step from all beginnings, by class and context. */
  readonly #beginnings: (Beginnings | undefined)[] = [];
  /** Positions that read each class. */
  readonly #accepting: (Int32Array | undefined)[] = [];
  #kept = 0;
  /**
   * Assertions still to be evaluated in this step, and by position the step in which each was last
   * evaluated.
   */
  readonly #pending: number[] = [];
  readonly #passed: Int32Array;
  #stepNumber = 0;
  /** 1 for each pattern found in this text; and the number of patterns not found yet. */
  readonly #found: Uint8Array;
  #left = 0;

  constructor(program: PatternProgram, classes: PatternClasses, transitions: TransitionBuilder, follows: Follows) {
    this.#program = program;
    this.#classes = classes;
    this.#transitions = transitions;
    this.#follows = follows;
    const { width } = follows;
    this.#bits = new Int32Array(width);
    // A word that became 0 when its assertions were taken out may be listed twice.
    this.#words = new Int32Array(2 * width);
    this.#nextBits = new Int32Array(width);
    this.#nextWords = new Int32Array(2 * width);
    this.#found = new Uint8Array(program.patterns);
    this.#passed = new Int32Array(follows.pcOf.length);
  }

  /**
   * Calls `onMatch` for each pattern that occurs in the text, except those that match every text.
   */
  run(text: string, onMatch: (pattern: number) => void): void {
    const { units, classOf, end } = this.#classes;
    let context = this.#transitions.startContext;
    this.#left = this.#program.patterns - this.#transitions.always.length;
    this.#stepNumber = 0;
    this.#passed.fill(0);
    for (let at = 0; at < text.length && this.#left > 0; at++) {
      const codePoint = codePointAt.call(text, at)!;
      if (codePoint > 0xffff) at++;
      // Beyond the basic plane there is no unit of that number, and so no class either.
      context = this.#step(context, units[codePoint] || classOf(codePoint), onMatch);
    }
    this.#step(context, end, onMatch);
    this.#bits.fill(0);
    this.#count = 0;
    this.#found.fill(0);
  }

  /** Steps over one character. Returns the context of the next. */
  #step(context: number, classNumber: number, onMatch: (pattern: number) => void): number {
    const beginnings = this.#beginningsOf(context, classNumber);
    const { pairs, ids } = beginnings;
    const next = this.#nextBits;
    const nextWords = this.#nextWords;
    this.#stepNumber++;
    this.#nextCount = pairs.length >> 1;
    for (let at = 0; at < pairs.length; at += 2) {
      nextWords[at >> 1] = pairs[at]!;
      next[pairs[at]!] = pairs[at + 1]!;
    }
    for (let at = 0; at < ids.length; at++) this.#report(ids[at]!, onMatch);
    this.#passAssertions(beginnings.flags, onMatch);
    this.#read(this.#accepted(classNumber), onMatch);
    [this.#bits, this.#nextBits] = [this.#nextBits, this.#bits];
    [this.#words, this.#nextWords] = [this.#nextWords, this.#words];
    this.#count = this.#nextCount;
    return beginnings.context;
  }

  /**
   * Moves the positions that read the character to those that follow them, and clears the old set.
   * One function with all fields in locals: three times as fast as calls that read the fields.
   */
  #read(accepting: Int32Array, onMatch: (pattern: number) => void): void {
    const { chained, looped, matching, branching, alike, group, targets, targetsFrom } = this.#follows;
    const bits = this.#bits;
    const nonzero = this.#words;
    const next = this.#nextBits;
    const nextWords = this.#nextWords;
    let nextCount = this.#nextCount;
    for (let at = 0; at < this.#count; at++) {
      const word = nonzero[at]!;
      const reading = bits[word]! & accepting[word]!;
      bits[word] = 0;
      if (reading === 0) continue;
      const onward = reading & chained[word]!;
      const moved = (onward << 1) | (reading & looped[word]!);
      if (moved !== 0) {
        if (next[word] === 0) nextWords[nextCount++] = word;
        next[word]! |= moved;
      }
      if (onward < 0) {
        if (next[word + 1] === 0) nextWords[nextCount++] = word + 1;
        next[word + 1]! |= 1;
      }
      // Positions with other followers than themselves and the next, all of one group at once.
      for (let left = reading & branching[word]!; left !== 0; ) {
        const position = (word << 5) + 31 - Math.clz32(left);
        const ways = group[position]!;
        const end = targetsFrom[ways + 1]!;
        for (let way = targetsFrom[ways]!; way < end; way += 2) {
          const target = targets[way]!;
          if (next[target] === 0) nextWords[nextCount++] = target;
          next[target]! |= targets[way + 1]!;
        }
        left &= ~alike[position]!;
      }
      if ((reading & matching[word]!) !== 0) this.#match(word, reading & matching[word]!, onMatch);
    }
    this.#nextCount = nextCount;
  }

  #match(word: number, bits: number, onMatch: (pattern: number) => void): void {
    const { pcOf } = this.#follows;
    for (let left = bits; left !== 0; left &= left - 1) {
      this.#report(this.#program.owner[pcOf[(word << 5) + lowestBit(left)]!]!, onMatch);
    }
  }

  /** Reports a pattern the first time that it is found. */
  #report(pattern: number, onMatch: (pattern: number) => void): void {
    if (this.#found[pattern] !== 0) return;
    this.#found[pattern] = 1;
    this.#left--;
    onMatch(pattern);
  }

  /**
   * Replaces active assertions that hold before the character by the positions that follow them.
   */
  #passAssertions(flags: number, onMatch: (pattern: number) => void): void {
    const { asserting, beyond, pcOf, positionOf } = this.#follows;
    const { arg, op, owner } = this.#program;
    const pending = this.#pending;
    for (let at = 0; at < this.#count; at++) {
      const word = this.#words[at]!;
      const found = this.#bits[word]! & asserting[word]!;
      this.#bits[word]! &= ~found;
      for (let left = found; left !== 0; left &= left - 1) pending.push((word << 5) + lowestBit(left));
    }
    while (pending.length > 0) {
      const position = pending.pop()!;
      if (this.#passed[position] === this.#stepNumber) continue;
      this.#passed[position] = this.#stepNumber;
      if ((arg[pcOf[position]!]! & ~flags) !== 0) continue;
      for (const pc of beyond.get(position)!) {
        if (op[pc] === MATCH) this.#report(owner[pc]!, onMatch);
        else if (op[pc] === ASSERT) pending.push(positionOf[pc]!);
        else this.#wait(positionOf[pc]!);
      }
    }
  }

  /** Adds a position to those active before the character. */
  #wait(position: number): void {
    const word = position >> 5;
    if (this.#bits[word] === 0) this.#words[this.#count++] = word;
    this.#bits[word]! |= 1 << (position & 31);
  }

  #beginningsOf(context: number, classNumber: number): Beginnings {
    const known = this.#beginnings[context + CONTEXTS * classNumber];
    if (known !== undefined) return known;
    const transitions = this.#transitions;
    const { positionOf } = this.#follows;
    transitions.advance(nothing, 0, 0, context, classNumber);
    const waiting = Array.from(transitions.threads.subarray(0, transitions.count), (pc) => positionOf[pc]!);
    const found: Beginnings = {
      pairs: Int32Array.from(pairsOf(waiting.sort((a, b) => a - b))),
      ids: transitions.ids.slice(0, transitions.idCount),
      flags: transitions.flags,
      context: transitions.context,
    };
    this.#keep(found.pairs.length + found.ids.length);
    this.#beginnings[context + CONTEXTS * classNumber] = found;
    return found;
  }

  /** Accounts for `count` more cached numbers; empties the caches when they are full. */
  #keep(count: number): void {
    this.#kept += count;
    if (this.#kept <= MAX_KEPT) return;
    this.#accepting.length = 0;
    this.#beginnings.length = 0;
    this.#kept = count;
  }

  #accepted(classNumber: number): Int32Array {
    const known = this.#accepting[classNumber];
    if (known !== undefined) return known;
    const { width, pcOf } = this.#follows;
    this.#keep(width);
    const accepted = new Int32Array(width);
    for (let position = 0; position < pcOf.length; position++) {
      if (this.#transitions.reads(pcOf[position]!, classNumber)) accepted[position >> 5]! |= 1 << (position & 31);
    }
    this.#accepting[classNumber] = accepted;
    return accepted;
  }
}

const lowestBit = (bits: number) => 31 - Math.clz32(bits & -bits);
