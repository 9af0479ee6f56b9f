import type { PatternSet } from '../../src/engine/match/patterns/engine.js';
import type { Span } from '../../src/engine/match/span.js';
import { WorkBudget } from '../../src/engine/match/work-budget.js';

/** The first matches of a pattern of a set in a text. */
export function spansOf(set: Pick<PatternSet, 'find'>, pattern: number, text: string, limit: number): Span[] {
  const spans: Span[] = [];
  set.find(pattern, text, new WorkBudget(), (start, end) => spans.push({ start, end }) >= limit);
  return spans;
}
