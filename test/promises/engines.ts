/** Small engines, and what they find, for the promises. */
import { createEngine, type Engine, type Rule, type Semantics } from '../../src/index.js';

/** A rule that blocks what holds one of the terms or patterns. */
export function blocking(id: string, value: readonly string[], category: 'word' | 'pattern' = 'word'): Rule {
  return { id, action: ['blockMessage'], conditions: [{ id: 1, operand: 'text', category, value: [...value] }] };
}

/** An engine of one such rule. */
export function engineOf(
  value: readonly string[],
  changes: Partial<Semantics> = {},
  category: 'word' | 'pattern' = 'word',
): Engine {
  return createEngine({ rules: [blocking('r', value, category)], lists: [] }, changes);
}

/** Every match as `start end term`, sorted. */
export function findsOf(engine: Engine, text: string): string[] {
  const { matched, verdict } = engine.explain(text);
  if (engine.decide(text) !== verdict) throw new Error('decide and explain disagree');
  return matched
    .flatMap(({ conditions }) => conditions.flatMap(({ matches }) => matches))
    .map((match) => {
      if (match.kind === 'score') throw new Error('a text has no scores');
      if (text.slice(match.span.start, match.span.end) !== match.text) throw new Error('a span is not of its text');
      return `${match.span.start} ${match.span.end} ${match.kind === 'word' ? match.term : match.pattern}`;
    })
    .sort();
}

/** Milliseconds that a call takes, the best of `turns`. */
export function bestTime(turns: number, call: () => unknown): number {
  let best = Number.POSITIVE_INFINITY;
  for (let turn = 0; turn < turns; turn++) {
    const start = performance.now();
    call();
    best = Math.min(best, performance.now() - start);
  }
  return best;
}
