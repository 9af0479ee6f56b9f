/** The follow relation of a pattern program, as sets of bits. */
import { PORTION, type Portions } from '../../../foundation/portions.js';
import { Op, type PatternProgram } from './program.js';

/**
 * The follow relation of a program, for the bit-parallel simulation. Positions are the instructions
 * that can be active (RUNES and ASSERT), in program order, so that most are followed by the next
 * one: a shift. A position is bit `position & 31` of word `position >> 5`.
 */
export interface Follows {
  /** Number of 32-bit words in a set of positions. */
  readonly width: number;
  /** Position of an instruction, or -1; and the instruction of a position. */
  readonly positionOf: Int32Array;
  readonly pcOf: Int32Array;
  /**
   * Sets of positions that are followed by the next position, by themselves, by a MATCH, by other
   * positions.
   */
  readonly chained: Int32Array;
  readonly looped: Int32Array;
  readonly matching: Int32Array;
  readonly branching: Int32Array;
  /**
   * The positions of assertions, which are passed without reading a character. They are in none of
   * the sets above.
   */
  readonly asserting: Int32Array;
  /** Instructions that follow each assertion, by its position. */
  readonly beyond: ReadonlyMap<number, Int32Array>;
  /**
   * Group of each position in `branching`, or -1: the positions of a group are followed by the same
   * other positions.
   */
  readonly group: Int32Array;
  /** For each such position: bits of the positions in the same word and the same group. */
  readonly alike: Int32Array;
  /**
   * `[word, bits, word, bits, …]` of the positions that follow a group: from `targetsFrom[group]`
   * to `targetsFrom[group + 1]`.
   */
  readonly targets: Int32Array;
  readonly targetsFrom: Int32Array;
}

/**
 * Builds the follow relation, in portions and in time proportional to its edges, which
 * `ComplexityLimits` bounds.
 */
export function* buildFollows(program: PatternProgram): Portions<Follows> {
  const { op, out, size } = program;
  const positionOf = new Int32Array(size).fill(-1);
  const pcs: number[] = [];
  for (let pc = 1; pc < size; pc++) {
    if (op[pc] === Op.RUNES || op[pc] === Op.ASSERT) positionOf[pc] = pcs.push(pc) - 1;
  }
  const width = (pcs.length + 31) >> 5;
  const [chained, looped, matching, branching, asserting] = [0, 0, 0, 0, 0].map(() => new Int32Array(width));
  const beyond = new Map<number, Int32Array>();
  const group = new Int32Array(pcs.length).fill(-1);
  const groups = new TargetGroups();
  const successors = createSuccessors(program);

  let left = PORTION;
  for (const [position, pc] of pcs.entries()) {
    const word = position >> 5;
    const bit = 1 << (position & 31);
    const leads = successors(out[pc]!);
    left -= leads.length + 1;
    if (left < 0) {
      left = PORTION;
      yield;
    }
    if (op[pc] === Op.ASSERT) {
      asserting![word]! |= bit;
      beyond.set(position, Int32Array.from(leads));
      continue;
    }
    const elsewhere: number[] = [];
    for (const target of leads) {
      const next = positionOf[target]!;
      if (next < 0) matching![word]! |= bit;
      else if (next === position + 1) chained![word]! |= bit;
      else if (next === position) looped![word]! |= bit;
      else elsewhere.push(next);
    }
    if (elsewhere.length === 0) continue;
    branching![word]! |= bit;
    group[position] = groups.groupOf(elsewhere.sort((a, b) => a - b));
  }
  return {
    width,
    positionOf,
    pcOf: Int32Array.from(pcs),
    chained: chained!,
    looped: looped!,
    matching: matching!,
    branching: branching!,
    asserting: asserting!,
    beyond,
    group,
    alike: yield* alikeIn(group),
    targets: Int32Array.from(groups.targets),
    targetsFrom: Int32Array.from(groups.targetsFrom),
  };
}

/** Numbers sets of positions, equal ones alike. */
class TargetGroups {
  readonly targets: number[] = [];
  readonly targetsFrom = [0];
  readonly #groups = new Map<string, number>();

  /** Returns the group of ascending positions. */
  groupOf(positions: readonly number[]): number {
    const pairs = pairsOf(positions);
    const key = pairs.join();
    const known = this.#groups.get(key);
    if (known !== undefined) return known;
    this.#groups.set(key, this.#groups.size);
    for (const number of pairs) this.targets.push(number);
    this.targetsFrom.push(this.targets.length);
    return this.#groups.size - 1;
  }
}

/**
 * Returns, for each position with a group, the bits of the positions in its word that have the same
 * one.
 */
function* alikeIn(group: Int32Array): Portions<Int32Array> {
  const alike = new Int32Array(group.length);
  for (let position = 0; position < group.length; position++) {
    if (position % PORTION === 0) yield;
    if (group[position]! < 0) continue;
    const first = position & ~31;
    for (let member = first; member < Math.min(first + 32, group.length); member++) {
      if (group[member] === group[position]) alike[position]! |= 1 << (member & 31);
    }
  }
  return alike;
}

/** Ascending positions as `[word, bits, word, bits, …]`. */
export function pairsOf(positions: readonly number[]): number[] {
  const pairs: number[] = [];
  for (const position of positions) {
    if (pairs.at(-2) !== position >> 5) pairs.push(position >> 5, 0);
    pairs[pairs.length - 1]! |= 1 << (position & 31);
  }
  return pairs;
}

/**
 * Epsilon closure of an instruction, without passing assertions: the RUNES, ASSERT and MATCH
 * instructions reached.
 */
function createSuccessors({ op, out, arg, size }: PatternProgram): (first: number) => readonly number[] {
  const seen = new Int32Array(size).fill(-1);
  let round = 0;
  return (first) => {
    const found: number[] = [];
    const stack = [first];
    round++;
    while (stack.length > 0) {
      const pc = stack.pop()!;
      if (pc === 0 || seen[pc] === round) continue;
      seen[pc] = round;
      if (op[pc] === Op.FORK) stack.push(arg[pc]!, out[pc]!);
      else if (op[pc] !== Op.FAIL) found.push(pc);
    }
    return found;
  };
}
