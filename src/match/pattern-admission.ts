/**
 * Which patterns are taken into a set: those that parse, are not too large, and fit together. The smallest come first, so
 * that a few heavy patterns never crowd out many ordinary ones.
 */
import { RE2Set } from 're2js';
import { type PatternSpec, type RejectedPattern, withFlags } from './pattern-engine.js';

/** What patterns may cost before they are compiled. */
export interface AdmissionBudget {
  /** UTF-16 units of one pattern. */
  readonly source: number;
  /** Units of all patterns, each counted with 32 more: parsing them takes about a second per million. */
  readonly sources: number;
  /** Instructions of one pattern. */
  readonly instructions: number;
  /** Instructions of all patterns. */
  readonly allInstructions: number;
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
  instructions: 4_000,
  allInstructions: 100_000,
};
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
  for (const one of taken.sort((a, b) => a.cost - b.cost)) {
    if (one.cost <= left) {
      left -= one.cost;
      admitted.push(one);
    } else {
      const reason = `it needs ${one.cost} instructions, and smaller patterns leave ${left} of ${budget.allInstructions}`;
      rejected.push({ index: one.index, reason });
    }
  }
  admitted.sort((a, b) => a.index - b.index);
  return {
    admitted: admitted.map(({ index }) => index),
    parsed: admitted.map(({ pattern }) => pattern),
    rejected: rejected.sort((a, b) => a.index - b.index),
  };

  function parse(spec: PatternSpec, index: number): Taken | string {
    const { length } = spec.source;
    if (length > budget.source) return `it is ${length} characters long, more than ${budget.source}`;
    sources += length + SOURCE_OVERHEAD;
    if (sources > budget.sources) return `the patterns together are longer than ${budget.sources} characters`;
    try {
      const set = new RE2Set();
      const source = withFlags(spec);
      // Bare first, so that its flags cannot mend a pattern.
      if (source !== spec.source) set.add(spec.source);
      const pattern: Parsed = set.regexps[set.add(source)];
      const cost = instructionsOf(pattern);
      if (cost > budget.instructions) return `it needs ${cost} instructions, more than ${budget.instructions}`;
      return { index, pattern, cost };
    } catch (error) {
      return reasonOf(error);
    }
  }
}

interface Taken {
  readonly index: number;
  readonly pattern: Parsed;
  readonly cost: number;
}

/** What is read of a parsed pattern. Repeats are written out already, as one part that stands at several places. */
interface Parsed {
  readonly op: number;
  readonly subs: readonly Parsed[];
  readonly runes: ArrayLike<number>;
}

/** Kinds of parts, as re2js numbers them. */
const LITERAL = 2;
const CAPTURE = 12;
const CONCAT = 17;

/** An upper bound of the instructions that a parsed pattern compiles to. */
function instructionsOf(pattern: Parsed): number {
  const costs = new Map<Parsed, number>();
  const pending = [pattern];
  while (pending.length > 0) {
    const part = pending.at(-1)!;
    if (costs.has(part)) {
      pending.pop();
      continue;
    }
    let cost = costOfItself(part);
    let open = false;
    for (const sub of part.subs) {
      const known = costs.get(sub);
      if (known === undefined) {
        pending.push(sub);
        open = true;
      } else cost += known;
    }
    if (!open) costs.set(part, cost);
  }
  return costs.get(pattern)! + 1;
}

/** A class of characters is one instruction, a choice one less than its branches, a sequence none. */
function costOfItself({ op, subs, runes }: Parsed): number {
  if (op === LITERAL) return runes.length;
  if (op === CAPTURE) return 2;
  return op === CONCAT ? 0 : Math.max(1, subs.length - 1);
}

/** re2js says `error parsing regexp: missing closing ): …`; the pattern itself is reported elsewhere. */
function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text
    .replace(/^error parsing regexp: /, '')
    .split('\n')[0]!
    .slice(0, 200);
}
