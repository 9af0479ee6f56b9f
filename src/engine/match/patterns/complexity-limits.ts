/**
 * Admission of patterns to a set: those that parse, are within the limits of one pattern, and fit
 * into the limits of all. The smallest are admitted first, so that a few large patterns never
 * displace many ordinary ones.
 */
import { RE2Set } from 're2js';
import type { Portions } from '../../../foundation/portions.js';
import { type PatternSpec, type RejectedPattern, withFlags } from './engine.js';
import { explainRejection } from './rejection.js';
import { type ParsedPattern, sizeOfPattern } from './size.js';

/**
 * Limits of patterns, checked before compilation. A text at which the automaton stalls takes time
 * in proportion to the number of instructions that are active at once, 32 at a time. Hence loose
 * instructions, those that read one of many characters or may be skipped, are limited separately: a
 * thousand of `.{1,1000}` are active at once, but only a few of a list of words.
 */
interface ComplexityLimits {
  /** UTF-16 units of one pattern. */
  readonly source: number;
  /** UTF-16 units of all patterns, parsed or not, plus `SOURCE_OVERHEAD` for each. */
  readonly sources: number;
  /** Instructions of one pattern. */
  readonly instructions: number;
  /**
   * Instructions of all patterns, and the loose ones of those patterns that have more than
   * `MANY_LOOSE`.
   */
  readonly allInstructions: number;
  readonly looseInstructions: number;
  /**
   * Edges from each instruction to its successors, of one pattern: `(?:a?){1000}` has half a
   * million.
   */
  readonly ways: number;
}

export interface AdmittedPatterns {
  /** Indices of the patterns to be compiled, ascending. */
  readonly admitted: readonly number[];
  /**
   * The admitted patterns as `RE2Set` has parsed them, in the same order, and how many instructions
   * each needs at most.
   */
  readonly parsed: readonly { readonly pattern: unknown; readonly cost: number }[];
  readonly rejected: readonly RejectedPattern[];
}

const defaultBudget: ComplexityLimits = {
  source: 1 << 15,
  sources: 1 << 22,
  instructions: 10_000,
  allInstructions: 100_000,
  looseInstructions: 10_000,
  ways: 100_000,
};
const MANY_LOOSE = 200;
const SOURCE_OVERHEAD = 32;

/**
 * Divides patterns, in portions, into admitted and rejected ones; the reason of a rejection has the
 * figure and the limit.
 */
export function* admitPatterns(patterns: readonly PatternSpec[], budget = defaultBudget): Portions<AdmittedPatterns> {
  const rejected: RejectedPattern[] = [];
  const taken: Taken[] = [];
  const bySource = patterns.map((_, index) => index);
  bySource.sort((a, b) => patterns[a]!.source.length - patterns[b]!.source.length);
  let sources = 0;
  for (const index of bySource) {
    const outcome = parse(patterns[index]!, index);
    if (typeof outcome === 'string') rejected.push({ index, reason: outcome });
    else taken.push(outcome);
    yield;
  }
  const admitted: Taken[] = [];
  let left = budget.allInstructions;
  let leftLoose = budget.looseInstructions;
  for (const candidate of taken.sort((a, b) => a.cost - b.cost)) {
    const loose = candidate.loose > MANY_LOOSE ? candidate.loose : 0;
    const isLoose = loose > leftLoose;
    if (isLoose || candidate.cost > left) {
      const [kind, need, room, all] = isLoose
        ? ['loose instructions', loose, leftLoose, budget.looseInstructions]
        : ['instructions', candidate.cost, left, budget.allInstructions];
      rejected.push({
        index: candidate.index,
        reason: `needs ${need} ${kind}, and smaller patterns leave ${room} of ${all}`,
      });
      continue;
    }
    left -= candidate.cost;
    leftLoose -= loose;
    admitted.push(candidate);
  }
  admitted.sort((a, b) => a.index - b.index);
  return {
    admitted: admitted.map(({ index }) => index),
    parsed: admitted.map(({ pattern, cost }) => ({ pattern, cost })),
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
      // Without its flags first: an invalid pattern must not become valid inside the group that
      // carries them.
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
