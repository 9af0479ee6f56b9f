/**
 * Which patterns are taken into a set: those that parse, are not too large, and fit together. The smallest come first, so
 * that a few heavy patterns never crowd out many ordinary ones.
 */
import { RE2Set } from 're2js';
import { type PatternSpec, type RejectedPattern, withFlags } from './pattern-engine.js';
import { explainRejection } from './pattern-rejection.js';
import { type ParsedPattern, sizeOfPattern } from './pattern-size.js';

/**
 * What patterns may cost before they are compiled. A text at which the automaton gives up takes time in proportion to what
 * can wait at once, 32 instructions at a time: some 60 ms for 64 KB and one `.{1,1000}x` on a busy machine. Hence loose
 * instructions, those that read one of many characters or may be passed over, are counted apart: a thousand of them wait
 * at once, while of a list of words there wait a few.
 */
export interface AdmissionBudget {
  /** UTF-16 units of one pattern. */
  readonly source: number;
  /** UTF-16 units of all patterns, parsed or not, with some for each pattern itself. */
  readonly sources: number;
  /** Instructions of one pattern. */
  readonly instructions: number;
  /** Instructions of all patterns, and the loose ones of all that have more than `MANY_LOOSE` of them. */
  readonly allInstructions: number;
  readonly looseInstructions: number;
  /** Ways from an instruction to those that may come next, of one pattern: `(?:a?){1000}` has half a million. */
  readonly ways: number;
}

export interface Admission {
  /** Indices of the patterns to be compiled, ascending. */
  readonly admitted: readonly number[];
  /** The admitted patterns as `RE2Set` has parsed them, in the same order. */
  readonly parsed: readonly unknown[];
  readonly rejected: readonly RejectedPattern[];
}

const defaultBudget: AdmissionBudget = {
  source: 1 << 15,
  sources: 1 << 22,
  instructions: 10_000,
  allInstructions: 100_000,
  looseInstructions: 10_000,
  ways: 100_000,
};
const MANY_LOOSE = 200;
const SOURCE_OVERHEAD = 32;

/** Sorts patterns into those that a set can hold and those that it cannot, with the figure that decided. */
export function admitPatterns(patterns: readonly PatternSpec[], budget = defaultBudget): Admission {
  const rejected: RejectedPattern[] = [];
  const taken: Taken[] = [];
  const bySource = patterns.map((_, index) => index);
  bySource.sort((a, b) => patterns[a]!.source.length - patterns[b]!.source.length);
  let sources = 0;
  for (const index of bySource) {
    const outcome = parse(patterns[index]!, index);
    if (typeof outcome === 'string') rejected.push({ index, reason: outcome });
    else taken.push(outcome);
  }
  const admitted: Taken[] = [];
  let left = budget.allInstructions;
  let leftLoose = budget.looseInstructions;
  for (const one of taken.sort((a, b) => a.cost - b.cost)) {
    const loose = one.loose > MANY_LOOSE ? one.loose : 0;
    const isLoose = loose > leftLoose;
    if (isLoose || one.cost > left) {
      const [kind, need, room, all] = isLoose
        ? ['loose instructions', loose, leftLoose, budget.looseInstructions]
        : ['instructions', one.cost, left, budget.allInstructions];
      rejected.push({
        index: one.index,
        reason: `needs ${need} ${kind}, and smaller patterns leave ${room} of ${all}`,
      });
      continue;
    }
    left -= one.cost;
    leftLoose -= loose;
    admitted.push(one);
  }
  admitted.sort((a, b) => a.index - b.index);
  return {
    admitted: admitted.map(({ index }) => index),
    parsed: admitted.map(({ pattern }) => pattern),
    rejected: rejected.sort((a, b) => a.index - b.index),
  };

  function parse(spec: PatternSpec, index: number): Taken | string {
    const { length } = spec.source;
    if (length > budget.source) return `is ${length} characters long, more than ${budget.source}`;
    sources += length + SOURCE_OVERHEAD;
    if (sources > budget.sources) return `the patterns together are longer than ${budget.sources} characters`;
    try {
      const set = new RE2Set();
      const source = withFlags(spec);
      // Bare first, so that its flags cannot mend a pattern.
      if (source !== spec.source) set.add(spec.source);
      const pattern: ParsedPattern = set.regexps[set.add(source)];
      const { instructions: cost, loose, ways } = sizeOfPattern(pattern);
      if (cost > budget.instructions) return `needs ${cost} instructions, more than ${budget.instructions}`;
      if (ways > budget.ways) return `has ${ways} ways from one character to the next, more than ${budget.ways}`;
      return { index, pattern, cost, loose };
    } catch (error) {
      return explainRejection(spec.source, error instanceof Error ? error.message : String(error));
    }
  }
}

interface Taken {
  readonly index: number;
  readonly pattern: ParsedPattern;
  readonly cost: number;
  readonly loose: number;
}
