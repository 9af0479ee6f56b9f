/**
 * The alphabet of a pattern program: code points that lie in the same sets of the program form one
 * class, so that a row of the automaton has about a hundred cells. Computed by partition refinement
 * with every set of the program; exact.
 */
import type { Portions } from '../../../foundation/portions.js';
import { Assertion, type PatternProgram } from './program.js';

/** Class of every UTF-16 surrogate unit: the code point must be looked up with `classOf`. */
export const SURROGATE_CLASS = 0;

export interface PatternClasses {
  /** Class of each UTF-16 unit. */
  readonly units: Uint16Array;
  /** Number of classes, `SURROGATE_CLASS` and `end` included. */
  readonly count: number;
  /** Class of the end of the text. */
  readonly end: number;
  /** Class of a code point, lone surrogates included. */
  classOf(codePoint: number): number;
  /** Number of 32-bit words in a row of `members`. */
  readonly width: number;
  /**
   * `members[set * width + (class >> 5)]`, bit `class & 31`: the class lies in that set of the
   * program.
   */
  readonly members: Int32Array;
  /** Class of each set that has exactly one, else -1. */
  readonly only: Int32Array;
  /** Kinds of classes: `WORD_KIND` or `NEWLINE_KIND` where an assertion depends on it, else 0. */
  readonly kinds: Uint8Array;
}

export const WORD_KIND = 1;
export const NEWLINE_KIND = 2;

const MAX_CLASSES = 4096;
/**
 * Steps of refinement, and words of `members`: 16 MiB at most, reached by hundreds of thousands of
 * different characters.
 */
const MAX_REFINEMENTS = 1 << 24;
const MAX_MEMBER_WORDS = 1 << 22;

const wordRunes = new Int32Array([0x30, 0x39, 0x41, 0x5a, 0x5f, 0x5f, 0x61, 0x7a]);
const newlineRunes = new Int32Array([10, 10]);
const { BEGIN_LINE, END_LINE, WORD_EDGE, NO_WORD_EDGE } = Assertion;

/**
 * Builds the classes, in portions; `undefined` when there would be 4,096 or more, or when
 * refinement exceeds `MAX_REFINEMENTS` steps.
 */
export function* buildPatternClasses({ runeSets, assertions }: PatternProgram): Portions<PatternClasses | undefined> {
  const hasWordEdges = (assertions & (WORD_EDGE | NO_WORD_EDGE)) !== 0;
  const hasLineEdges = (assertions & (BEGIN_LINE | END_LINE)) !== 0;
  const sets = [...runeSets, ...(hasWordEdges ? [wordRunes] : []), ...(hasLineEdges ? [newlineRunes] : [])];
  const bounds = yield* boundsOf(sets);
  const partition = yield* refine(sets, bounds);
  if (partition === undefined) return undefined;
  const end = partition.count + 1;
  const count = end + 1;
  const width = (count + 31) >> 5;
  if (count >= MAX_CLASSES || runeSets.length * width > MAX_MEMBER_WORDS) return undefined;
  const classOf = (codePoint: number) => partition.classOf[intervalOf(bounds, codePoint)]! + 1;

  const units = new Uint16Array(0x10000);
  for (let interval = 0; interval < bounds.length && bounds[interval]! <= 0xffff; interval++) {
    units.fill(partition.classOf[interval]! + 1, bounds[interval]!, bounds[interval + 1] ?? 0x10000);
  }
  units.fill(SURROGATE_CLASS, 0xd800, 0xe000);

  const members = new Int32Array(runeSets.length * width);
  const only = new Int32Array(runeSets.length).fill(-1);
  for (const [index, set] of runeSets.entries()) {
    yield;
    let several = false;
    eachInterval(set, bounds, (interval) => {
      const member = partition.classOf[interval]! + 1;
      members[index * width + (member >> 5)]! |= 1 << (member & 31);
      several ||= only[index]! >= 0 && only[index] !== member;
      only[index] = member;
    });
    if (several) only[index] = -1;
  }
  const kinds = new Uint8Array(count);
  if (hasWordEdges)
    eachInterval(wordRunes, bounds, (interval) => (kinds[partition.classOf[interval]! + 1]! |= WORD_KIND));
  if (hasLineEdges)
    eachInterval(newlineRunes, bounds, (interval) => (kinds[partition.classOf[interval]! + 1]! |= NEWLINE_KIND));
  return { units, count, end, classOf, width, members, only, kinds };
}

/**
 * First code points of the elementary intervals, ascending from 0: a set holds all code points of
 * an interval or none.
 */
function* boundsOf(sets: readonly Int32Array[]): Portions<Int32Array> {
  const bounds = new Set([0]);
  for (const set of sets) {
    yield;
    for (let at = 0; at < set.length; at += 2) {
      bounds.add(set[at]!);
      if (set[at + 1]! < 0x10ffff) bounds.add(set[at + 1]! + 1);
    }
  }
  return Int32Array.from(bounds).sort();
}

function intervalOf(bounds: Int32Array, codePoint: number): number {
  let low = 0;
  let high = bounds.length;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (bounds[middle]! <= codePoint) low = middle;
    else high = middle;
  }
  return low;
}

function eachInterval(set: Int32Array, bounds: Int32Array, visit: (interval: number) => void): void {
  for (let at = 0; at < set.length; at += 2) {
    for (let interval = intervalOf(bounds, set[at]!); bounds[interval]! <= set[at + 1]!; interval++) visit(interval);
  }
}

/** Partitions intervals: two are in the same part when every set holds both or neither. */
function* refine(
  sets: readonly Int32Array[],
  bounds: Int32Array,
): Portions<{ readonly classOf: Int32Array; readonly count: number } | undefined> {
  const classOf = new Int32Array(bounds.length);
  const sizes = [bounds.length];
  let left = MAX_REFINEMENTS;
  for (const set of sets) {
    yield;
    const held = new Map<number, number>();
    eachInterval(set, bounds, (interval) => held.set(classOf[interval]!, (held.get(classOf[interval]!) ?? 0) + 1));
    const splits = new Map<number, number>();
    for (const [classNumber, count] of held) {
      left -= count;
      if (count === sizes[classNumber]) continue;
      sizes[classNumber]! -= count;
      splits.set(classNumber, sizes.push(count) - 1);
    }
    if (left < 0 || sizes.length >= MAX_CLASSES) return undefined;
    if (splits.size > 0) {
      eachInterval(set, bounds, (interval) => {
        const split = splits.get(classOf[interval]!);
        if (split !== undefined) classOf[interval] = split;
      });
    }
  }
  return { classOf, count: sizes.length };
}
