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
  const costs = new Map<number, number>();
  const bySource = patterns.map((_, index) => index);
  bySource.sort((a, b) => patterns[a]!.source.length - patterns[b]!.source.length);
  let sources = 0;
  for (const index of bySource) {
    const cost = parse(patterns[index]!);
    if (typeof cost === 'number') costs.set(index, cost);
    else rejected.push({ index, reason: cost });
  }
  const admitted: number[] = [];
  let instructions = 0;
  for (const [index, cost] of [...costs].sort(([, a], [, b]) => a - b)) {
    if (instructions + cost <= budget.allInstructions) {
      instructions += cost;
      admitted.push(index);
    } else
      rejected.push({
        index,
        reason: `it needs ${cost} instructions, and the patterns smaller than it leave ${budget.allInstructions - instructions} of ${budget.allInstructions}`,
      });
  }
  return { admitted: admitted.sort((a, b) => a - b), rejected: rejected.sort((a, b) => a.index - b.index) };

  function parse(spec: PatternSpec): number | string {
    const { length } = spec.source;
    if (length > budget.source) return `it is ${length} characters long, more than ${budget.source}`;
    sources += length + SOURCE_OVERHEAD;
    if (sources > budget.sources) return `the patterns together are longer than ${budget.sources} characters`;
    try {
      const set = new RE2Set();
      const source = withFlags(spec);
      // Bare first, so that its flags cannot mend a pattern.
      if (source !== spec.source) set.add(spec.source);
      const cost = instructionsOf(set.regexps[set.add(source)]);
      return cost <= budget.instructions ? cost : `it needs ${cost} instructions, more than ${budget.instructions}`;
    } catch (error) {
      return reasonOf(error);
    }
  }
}

/** What is read of a parsed pattern. Repeats are written out already, as one part that stands at several places. */
interface Parsed {
  readonly subs?: readonly Parsed[];
  readonly runes?: ArrayLike<number>;
}

/** An upper bound of the instructions that a parsed pattern compiles to; a class of characters is one. */
function instructionsOf(pattern: Parsed): number {
  const costs = new Map<Parsed, number>();
  const pending = [pattern];
  while (pending.length > 0) {
    const part = pending.at(-1)!;
    const subs = part.subs ?? [];
    const open = costs.has(part) ? [] : subs.filter((sub) => !costs.has(sub));
    if (open.length > 0) {
      pending.push(...new Set(open));
      continue;
    }
    pending.pop();
    costs.set(part, costOfItself(part) + subs.reduce((sum, sub) => sum + costs.get(sub)!, 0));
  }
  return costs.get(pattern)! + 1;
}

function costOfItself({ subs = [], runes = [], ...part }: Parsed): number {
  const { op } = part as { readonly op?: unknown };
  if (op === LITERAL) return runes.length;
  if (op === CAPTURE) return 2;
  // A concatenation is no instruction, a repetition one, a choice one less than its branches.
  return op === CONCAT ? 0 : Math.max(1, subs.length - 1);
}

const LITERAL = 2;
const CAPTURE = 12;
const CONCAT = 17;

/** re2js says `error parsing regexp: missing closing ): …`; the pattern itself is reported elsewhere. */
function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text
    .replace(/^error parsing regexp: /, '')
    .split('\n')[0]!
    .slice(0, 200);
}
