/** Checks the automaton of a pattern set against `RE2Set` on sample texts. */
import type { RE2Set } from 're2js';
import type { Portions } from '../../../foundation/portions.js';
import { type LazyPatternDfa, runPatternDfa, STALLED } from './lazy-dfa.js';
import { Op, type PatternProgram } from './program.js';

/**
 * Number of patterns for which a sample text is generated, and most instructions that are followed
 * for one.
 */
const SAMPLED = 4;
const MAX_STEPS = 100;
/**
 * Texts are cut so that matching them with the set takes no longer than the compilation of the
 * patterns.
 */
const MAX_WORK = 100_000;
const LEAST_LENGTH = 8;

const fixed = ['', 'a B1_2-\n\ré.😀x \ud800z\0я', 'Call +1 555-010-9999: https://x.example/ab?c=D#3 e@f.org!!!!'];

/**
 * Reports whether automaton, simulation and the sets whose programs they run report the same
 * patterns for a few texts, in portions. A last check against a program that has the expected shape
 * and another meaning; the tests compare them on many more texts.
 */
export function* agreesWithSets(
  dfa: LazyPatternDfa,
  sets: readonly RE2Set[],
  indices: readonly number[],
  program: PatternProgram,
): Portions<boolean> {
  const length = Math.max(LEAST_LENGTH, Math.floor(MAX_WORK / program.size));
  for (const whole of [...fixed, sampleOf(program)]) {
    const text = whole.slice(0, length);
    const theirs: number[] = [];
    let first = 0;
    for (const set of sets) {
      for (const id of set.match(text)) theirs.push(indices[first + id]!);
      first += set.regexps.length;
      yield;
    }
    const simulated = occurring(dfa, () => dfa.simulate(text));
    yield;
    const automatic = occurring(dfa, () => runPatternDfa(dfa, text) !== STALLED || dfa.simulate(text));
    if (`${theirs}` !== `${simulated}` || `${theirs}` !== `${automatic}`) return false;
    yield;
  }
  return true;
}

function occurring(dfa: LazyPatternDfa, run: () => void): Int32Array {
  run();
  return dfa.matched.slice(0, dfa.matchedCount).sort();
}

/** Returns a text with a match of some of the patterns, assertions ignored, separated by spaces. */
function sampleOf(program: PatternProgram): string {
  const stride = Math.max(1, Math.floor(program.patterns / SAMPLED));
  const samples: string[] = [];
  for (let pattern = 0; pattern < program.patterns; pattern += stride)
    samples.push(walk(program, program.starts[pattern]!));
  return samples.join(' ');
}

function walk({ op, out, arg, runeSets }: PatternProgram, start: number): string {
  const visited = new Set<number>();
  let text = '';
  // Steps are bounded, since nested loops may be a cycle without a character: `(((a)*)+?)*` is one.
  for (let pc = start, steps = 0; op[pc] !== Op.MATCH && pc !== 0 && steps < MAX_STEPS; steps++) {
    if (op[pc] === Op.RUNES) text += String.fromCodePoint(runeSets[arg[pc]!]![0]!);
    // The second time at a fork, the second successor: out of the loop.
    const isSecondBranch = op[pc] === Op.FORK && visited.has(pc);
    visited.add(pc);
    pc = isSecondBranch ? arg[pc]! : out[pc]!;
  }
  return text;
}
