/**
 * The program that `RE2Set`s compile their patterns to, read into flat arrays: instructions as in
 * RE2, in fields that its type declarations do not have. Whenever it is not exactly as in re2js
 * 2.10 the result is `undefined`, and the texts are matched by `RE2Set` itself: slower, with the
 * same results.
 */
import { RE2Set } from 're2js';
import type { Portions } from '../../../foundation/portions.js';

/** Operation codes; instruction 0 is a `FAIL`. */
export const Op = { FAIL: 0, FORK: 1, RUNES: 2, ASSERT: 3, MATCH: 4 } as const;

/** Empty-width assertions, as bits. */
export const Assertion = {
  BEGIN_LINE: 1,
  END_LINE: 2,
  BEGIN_TEXT: 4,
  END_TEXT: 8,
  WORD_EDGE: 16,
  NO_WORD_EDGE: 32,
} as const;

export interface PatternProgram {
  readonly patterns: number;
  /** Number of instructions; `op`, `out`, `arg` and `owner` have one entry for each. */
  readonly size: number;
  readonly op: Uint8Array;
  readonly out: Int32Array;
  /**
   * FORK: the second successor. RUNES: index into `runeSets`. ASSERT: bits of `Assertion`. MATCH:
   * the pattern.
   */
  readonly arg: Int32Array;
  /** Pattern to which an instruction belongs. */
  readonly owner: Int32Array;
  /** First instruction of each pattern. */
  readonly starts: Int32Array;
  /** Distinct sets of code points, each as ascending `first, last` pairs. */
  readonly runeSets: readonly Int32Array[];
  /** All assertions that occur, as bits. */
  readonly assertions: number;
}

/** Undeclared fields of re2js; `isRawProgram` checks them before they are used. */
interface RawInstruction {
  readonly op: number;
  readonly out: number;
  readonly arg: number;
  readonly runes: Int32Array;
}

interface RawProgram {
  readonly inst: readonly RawInstruction[];
  readonly start: number;
  readonly numLb: number;
}

const raw = {
  ALT: 1,
  ALT_MATCH: 2,
  CAPTURE: 3,
  EMPTY_WIDTH: 4,
  FAIL: 5,
  MATCH: 6,
  NOP: 7,
  RUNE: 8,
  RUNE1: 9,
  RUNE_ANY: 10,
  RUNE_ANY_NOT_NL: 11,
};
const FOLD_CASE = 1;
const MAX_RUNE = 0x10ffff;
const anyRune = new Int32Array([0, MAX_RUNE]);
const anyRuneButNewline = new Int32Array([0, 9, 11, MAX_RUNE]);

/** A compiled set, as far as it is known, and how many patterns it has: at least one. */
interface CompiledSet {
  readonly prog: unknown;
  readonly regexps: { readonly length: number };
}

/**
 * Reads the programs of compiled sets, in portions, into one program of all their patterns;
 * `undefined` when one of them is not as expected.
 */
export function* readPatternProgram(sets: readonly CompiledSet[]): Portions<PatternProgram | undefined> {
  const programs: RawProgram[] = [];
  for (const { prog, regexps } of sets) {
    if (!isRawProgram(prog) || regexps.length < 1) return undefined;
    programs.push(prog);
    yield;
  }
  if (programs.length === 0) return undefined;
  // They share their instruction 0.
  const size = programs.reduce((sum, { inst }) => sum + inst.length - 1, 1);
  const patterns = sets.reduce((sum, { regexps }) => sum + regexps.length, 0);
  const op = new Uint8Array(size);
  const out = new Int32Array(size);
  const arg = new Int32Array(size);
  const owner = new Int32Array(size).fill(-1);
  const starts = new Int32Array(patterns);
  const interned = createRuneSets();
  let assertions = 0;
  let base = 0;
  let firstPattern = 0;
  for (const [index, program] of programs.entries()) {
    const heads = readHeads(program, sets[index]!.regexps.length);
    const resolved = heads && resolveNops(program.inst);
    if (heads === undefined || resolved === undefined) return undefined;
    const placeOf = (pc: number) => (resolved[pc] === 0 ? 0 : base + resolved[pc]!);
    const argumentOf = (code: number, instruction: RawInstruction): number | undefined => {
      if (code === Op.RUNES) return interned.indexOf(instruction);
      if (code === Op.FORK) return placeOf(instruction.arg);
      if (code === Op.MATCH) return firstPattern + instruction.arg;
      if (code !== Op.ASSERT) return 0;
      return instruction.arg >= 1 && instruction.arg <= 63 ? instruction.arg : undefined;
    };
    for (let pc = 1; pc < program.inst.length; pc++) {
      if (pc % INSTRUCTIONS_AT_ONCE === 0) yield;
      const instruction = program.inst[pc]!;
      const code = opOf(instruction);
      const argument = argumentOf(code, instruction);
      if (argument === undefined) return undefined;
      const at = base + pc;
      op[at] = code;
      out[at] = placeOf(instruction.out);
      arg[at] = argument;
      owner[at] = firstPattern + heads.owner[pc]!;
      if (code === Op.ASSERT) assertions |= argument;
    }
    for (const [pattern, start] of heads.starts.entries()) starts[firstPattern + pattern] = placeOf(start);
    base += program.inst.length - 1;
    firstPattern += heads.starts.length;
  }
  return { patterns, size, op, out, arg, owner, starts, runeSets: interned.sets, assertions };
}

function opOf({ op }: RawInstruction): number {
  if (op === raw.ALT || op === raw.ALT_MATCH) return Op.FORK;
  if (op === raw.EMPTY_WIDTH) return Op.ASSERT;
  if (op === raw.MATCH) return Op.MATCH;
  return op === raw.CAPTURE || op === raw.NOP || op === raw.FAIL ? Op.FAIL : Op.RUNES;
}

/**
 * So many instructions are a portion of work: case variants of a letter may have to be read from
 * re2js.
 */
const INSTRUCTIONS_AT_ONCE = 128;

function isRawProgram(program: unknown): program is RawProgram {
  const { inst, start, numLb } = (program ?? {}) as Partial<RawProgram>;
  if (!Array.isArray(inst) || inst.length === 0 || numLb !== 0) return false;
  const names = (inst[0] as object).constructor as unknown as Record<string, unknown>;
  if (Object.entries(raw).some(([name, number]) => names[name] !== number)) return false;
  const within = (pc: unknown) => Number.isInteger(pc) && (pc as number) >= 0 && (pc as number) < inst.length;
  if (!within(start) || (inst as RawInstruction[])[0]!.op !== raw.FAIL) return false;
  return (inst as RawInstruction[]).every(
    ({ op, out, arg, runes }) =>
      op >= raw.ALT &&
      op <= raw.RUNE_ANY_NOT_NL &&
      within(out) &&
      Number.isInteger(arg) &&
      runes instanceof Int32Array &&
      (op > raw.ALT_MATCH || within(arg)),
  );
}

/**
 * Patterns are compiled one after the other, each ending in its MATCH; after them come the forks to
 * all their starts.
 */
function readHeads({ inst, start }: RawProgram, patterns: number) {
  const owner = new Int32Array(inst.length).fill(-1);
  const starts = new Int32Array(patterns);
  let pattern = 0;
  for (let pc = 1; pc < inst.length; pc++) {
    owner[pc] = Math.min(pattern, patterns - 1);
    if (inst[pc]!.op !== raw.MATCH) continue;
    if (inst[pc]!.arg !== pattern) return undefined;
    pattern++;
  }
  let pc = start;
  for (let last = patterns - 1; last > 0; last--) {
    if (pc !== inst.length - patterns + last || inst[pc]!.op !== raw.ALT) return undefined;
    starts[last] = inst[pc]!.arg;
    pc = inst[pc]!.out;
  }
  starts[0] = pc;
  return pattern === patterns ? { owner, starts } : undefined;
}

/**
 * Returns the instruction that each leads to past NOP and CAPTURE, 0 for a FAIL; `undefined` when
 * there is a cycle of these.
 */
function resolveNops(inst: readonly RawInstruction[]): Int32Array | undefined {
  const resolved = new Int32Array(inst.length).fill(-1);
  const path: number[] = [];
  for (let first = 0; first < inst.length; first++) {
    let pc = first;
    while (resolved[pc]! < 0 && (inst[pc]!.op === raw.NOP || inst[pc]!.op === raw.CAPTURE)) {
      if (path.length > inst.length) return undefined;
      path.push(pc);
      pc = inst[pc]!.out;
    }
    const end = resolved[pc]! >= 0 ? resolved[pc]! : inst[pc]!.op === raw.FAIL ? 0 : pc;
    resolved[pc] = end;
    for (const passed of path) resolved[passed] = end;
    path.length = 0;
  }
  return resolved;
}

function readRunes({ op, arg, runes }: RawInstruction): Int32Array | undefined {
  if (op === raw.RUNE_ANY) return anyRune;
  if (op === raw.RUNE_ANY_NOT_NL) return anyRuneButNewline;
  if (runes.length === 1) {
    const rune = runes[0]!;
    if (rune < 0 || rune > MAX_RUNE) return undefined;
    return (arg & FOLD_CASE) === 0 ? new Int32Array([rune, rune]) : foldsOf(rune);
  }
  if (runes.length === 0 || runes.length % 2 !== 0) return undefined;
  for (let at = 0; at < runes.length; at += 2) {
    if (runes[at]! < (at === 0 ? 0 : runes[at - 1]! + 1) || runes[at]! > runes[at + 1]!) return undefined;
  }
  return runes[runes.length - 1]! <= MAX_RUNE ? runes : undefined;
}

const folds = new Map<number, Int32Array>();

/**
 * Returns the case variants of a code point, read from re2js itself: its class `(?i)[\0x]` lists
 * them after NUL.
 */
function foldsOf(rune: number): Int32Array | undefined {
  const known = folds.get(rune);
  if (known !== undefined) return known;
  const folding = new RE2Set();
  folding.add(`(?i)[\\x{0}\\x{${rune.toString(16)}}]`);
  const listed: unknown = (folding.regexps[0] as { readonly runes?: unknown }).runes;
  if (!(listed instanceof Int32Array || Array.isArray(listed)) || listed[0] !== 0 || listed[1] !== 0) return undefined;
  const found = readRunes({ op: raw.RUNE, out: 0, arg: 0, runes: Int32Array.from(listed).slice(2) });
  if (found !== undefined) folds.set(rune, found);
  return found;
}

/**
 * Interns sets of code points: equal sets have one index. A `\p{L}` has 1,300 numbers, and rule
 * sets repeat it.
 */
function createRuneSets() {
  const sets: Int32Array[] = [];
  const known = new Map<Int32Array, number>();
  const byHash = new Map<number, number[]>();
  const intern = (runes: Int32Array): number => {
    let hash = runes.length;
    for (let at = 0; at < runes.length; at++) hash = Math.imul(hash ^ runes[at]!, 0x01000193);
    const bucket = byHash.get(hash) ?? [];
    if (bucket.length === 0) byHash.set(hash, bucket);
    const same = bucket.find((index) => isEqual(sets[index]!, runes));
    if (same !== undefined) return same;
    bucket.push(sets.length);
    return sets.push(runes) - 1;
  };
  return {
    sets: sets as readonly Int32Array[],
    indexOf: (instruction: RawInstruction): number | undefined => {
      // Copies of a repeated part of a pattern share their array.
      const folded = instruction.runes.length === 1 && (instruction.arg & FOLD_CASE) !== 0;
      const seen = folded ? undefined : known.get(instruction.runes);
      if (seen !== undefined && instruction.op === raw.RUNE) return seen;
      const runes = readRunes(instruction);
      if (runes === undefined) return undefined;
      const index = intern(runes);
      if (!folded && instruction.op === raw.RUNE) known.set(instruction.runes, index);
      return index;
    },
  };
}

function isEqual(a: Int32Array, b: Int32Array): boolean {
  if (a.length !== b.length) return false;
  for (let at = 0; at < a.length; at++) if (a[at] !== b[at]) return false;
  return true;
}
